// Makes the engine of a node from its settings, and what belongs to it: control groups, users, devices.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { delimiter, join } from 'node:path';
import { ContainerUsers } from '../auth/container-users.ts';
import { switchesUsers } from '../config/container-user.ts';
import { givesGpus, listedGpus, userPattern } from '../config/engine-rules.ts';
import type { Configuration } from '../config/load.ts';
import { engineSettings } from '../config/settings/engines.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { ConfigurationError } from '../config/table.ts';
import type { ControlGroups } from '../engines/control-groups/control-groups.ts';
import type { ContainerEngine } from '../engines/engine.ts';
import type { OciEngineOptions } from '../engines/oci/oci-engine.ts';
import { createProcessEngine, readingFor } from '../engines/process/process-engine.ts';
import { createRuntimeChoice } from '../engines/runtime-choice.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { GpuOptions, Gpus } from './devices/gpus.ts';
import type { EngineChoice } from './engine-options.ts';
import { createIsolated } from './isolation.ts';
import type { NodeUsers } from './users.ts';

/** What runs containers, and the command line before what reads files of this machine for them. */
export interface ChosenEngine {
  readonly engine: ContainerEngine;
  readonly reading: readonly string[];
}

/** The engine. @throws ConfigurationError when required control groups cannot be used. */
export async function createEngine(choice: EngineChoice): Promise<ChosenEngine> {
  const { clock, logger, node, settings } = choice;
  const { allowed, fallback } = choice.runtimes;
  const common = async (section: string) => {
    const controlGroups = await openGroups(choice, section);
    return { clock, logger, ...(controlGroups && { controlGroups }) };
  };
  const groups = await common('processes');
  const noNewPrivileges = settings.noNewPrivileges && findsSetpriv(logger);
  let isFirst = true;
  const { engine: plain, isolation } = await createIsolated(choice, groups.controlGroups?.folders ?? [], async (isolation) => {
    // One that was closed has removed its groups.
    const own = isFirst ? groups : await common('processes');
    isFirst = false;
    return createProcessEngine({ ...own, folder: join(node.recoveryDirectory, 'processes'), noNewPrivileges, ...isolation });
  });
  try {
    const inImages = await createImageEngine(choice, allowed, () => common('images'));
    const engine = createRuntimeChoice({
      engines: new Map([['default', plain], ...(inImages ? [['runc', inImages] as const, ['docker', inImages] as const] : [])]),
      allowed,
      fallback,
    });
    return { engine, reading: readingFor(isolation) };
  } catch (error) {
    await plain.close();
    throw error;
  }
}

/** The engine for images; undefined where none are allowed and none have run. @throws ConfigurationError when its runtime is missing */
async function createImageEngine(
  { node, settings }: EngineChoice,
  allowed: readonly string[],
  common: () => Promise<Pick<OciEngineOptions, 'clock' | 'logger' | 'controlGroups'>>,
): Promise<ContainerEngine | undefined> {
  const folder = join(node.recoveryDirectory, 'images');
  // What an earlier process of the node manager ran in images is ended or adopted also where images are not allowed any more.
  const inImages = allowed.some((name) => name !== 'default');
  if (!inImages && !existsSync(folder)) return undefined;
  const runtime = settings.ociRuntime.split(/\s+/).filter((part) => part !== '');
  if (inImages) checkRuntime(runtime[0] ?? '');
  const { createOciEngine } = await import('../engines/oci/oci-engine.ts');
  return createOciEngine({
    ...(await common()),
    folder,
    runtime,
    images: settings.ociImages,
    rules: {
      defaultImage: settings.ociImage,
      networks: settings.ociNetworks,
      defaultNetwork: settings.ociDefaultNetwork,
      defaultReadOnlyMounts: settings.ociDefaultReadOnlyMounts,
      defaultReadWriteMounts: settings.ociDefaultReadWriteMounts,
      readOnlyMounts: settings.ociReadOnlyMounts,
      readWriteMounts: settings.ociReadWriteMounts,
    },
    readOnlyRoot: settings.ociReadOnlyRoot,
    capabilities: settings.ociCapabilities,
    seccomp: await seccompOf(settings),
  });
}

/** What containers in images may ask of the kernel; undefined: all. @throws ConfigurationError for a file that is no profile */
async function seccompOf({ ociSeccomp, ociCapabilities }: EngineChoice['settings']): Promise<object | undefined> {
  if (ociSeccomp === 'off') return undefined;
  if (ociSeccomp === 'default') return (await import('../engines/oci/seccomp.ts')).seccompProfile(ociCapabilities);
  try {
    const profile: unknown = JSON.parse(readFileSync(ociSeccomp, 'utf8'));
    if (typeof profile === 'object' && profile !== null && 'defaultAction' in profile) return profile;
  } catch {
    // Told below.
  }
  throw new ConfigurationError(
    'node-manager',
    engineSettings.ociSeccomp.key,
    `'${ociSeccomp}' is no file with a seccomp profile in JSON`,
    'Name one with a defaultAction, or write default or off.',
  );
}

/** @throws ConfigurationError when containers cannot run in images here */
function checkRuntime(program: string): void {
  const wrong = (key: string, problem: string, remedy: string) => new ConfigurationError('node-manager', key, problem, remedy);
  if (process.getuid?.() !== 0)
    throw wrong(
      engineSettings.allowedRuntimes.key,
      'only a node manager that is root runs containers in images',
      'Start it as root, or allow default only.',
    );
  const places = program.includes('/') ? [program] : (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program));
  if (!places.some((place) => existsSync(place)))
    throw wrong(engineSettings.ociRuntime.key, `the OCI runtime '${program}' was not found`, 'Install it, or name another with its path.');
}

/** Whether the program that takes the right to gain rights is here (util-linux, busybox). */
function findsSetpriv(logger: Logger): boolean {
  const isHere = (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'setpriv')));
  if (!isHere) logger.warn('setpriv was not found: programs in containers can gain rights by setuid');
  return isHere;
}

async function openGroups(choice: EngineChoice, section: string): Promise<ControlGroups | undefined> {
  const { settings, node, clock, logger } = choice;
  const cpuEnabled = settings.cpuEnabled || settings.resourcesHandlerClass.endsWith('.CgroupsLCEResourcesHandler');
  const limited = cpuEnabled || settings.memoryEnabled || settings.maximumProcesses >= 0;
  if (settings.controlGroups === 'off' || (settings.controlGroups === 'auto' && !limited && !choice.devices)) return undefined;
  const { openControlGroups } = await import('../engines/control-groups/control-groups.ts');
  // Nodes on one machine must not take each other's containers for their own.
  const owner = createHash('sha256').update(node.recoveryDirectory).digest('hex').slice(0, 12);
  const groups = openControlGroups({
    hierarchy: `${settings.cgroupHierarchy}/node-${owner}`,
    section,
    ...(cpuEnabled && {
      cpu: {
        strict: settings.cpuStrict,
        nodeVcores: Math.max(1, choice.vcores),
        processors: cpus().length,
        percentage: node.physicalCpuLimitPercent,
      },
    }),
    ...(settings.memoryEnabled && {
      memory: {
        enforced: node.memoryEnforced,
        swappiness: settings.memorySwappiness,
        softLimitPercentage: settings.memorySoftLimitPercentage,
      },
    }),
    ...(settings.maximumProcesses >= 0 && { maximumProcesses: settings.maximumProcesses }),
    devices: choice.devices,
    deleteTimeoutMs: settings.cgroupDeleteTimeoutMs,
    clock,
    logger,
  });
  const problems = groups ? [...groups.missing].map(([controller, reason]) => `${controller}: ${reason}`) : ['no hierarchy is writable'];
  if (problems.length === 0) return groups;
  if (settings.controlGroups === 'required')
    throw new ConfigurationError(
      'node-manager',
      engineSettings.controlGroups.key,
      `control groups cannot be used (${problems.join('; ')})`,
      `Make ${settings.cgroupHierarchy} writable for the node manager below the mount points of the control groups, or set auto.`,
    );
  logger.warn({ problems }, 'control groups cannot be used as the settings say; processes are watched instead');
  return groups;
}

/** The users that containers run as, where they are switched. @throws ConfigurationError when they are to be and cannot. */
export async function findUsers(
  configuration: Configuration,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<NodeUsers | undefined> {
  const settings = configuration.values(engineSettings);
  const { executorClass, localDirectories, logDirectories } = configuration.values(nodeManagerSettings);
  if (!switchesUsers(configuration)) {
    if (settings.switchUsers === 'auto' && executorClass.endsWith('.LinuxContainerExecutor'))
      logger.warn('containers run as the user of the node manager, which is not root and cannot switch to others');
    return undefined;
  }
  const { NodeUsers: Users, openWay, parseExecutorFile } = await import('./users.ts');
  const file = join(configuration.confDir ?? '', 'container-executor.cfg');
  const executor = parseExecutorFile(configuration.confDir !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '');
  const listOf = (key: string, fallback: readonly string[]) =>
    executor
      .get(key)
      ?.split(',')
      .map((name) => name.trim()) ?? fallback;
  const minimumId = Number(executor.get('min.user.id') ?? settings.minimumUserId);
  openWay({ local: localDirectories, logs: logDirectories }, configuration.dataDir);
  return new Users(
    {
      limitUsers: settings.limitUsers && configuration.get('hadoop.security.authentication') !== 'kerberos',
      localUser: settings.localUser,
      userPattern: userPattern(configuration),
      minimumId: Number.isInteger(minimumId) && minimumId > 0 ? minimumId : settings.minimumUserId,
      bannedUsers: listOf('banned.users', settings.bannedUsers),
      allowedSystemUsers: listOf('allowed.system.users', settings.allowedSystemUsers),
    },
    clock,
    new ContainerUsers(configuration.dataDir),
  );
}

/** The node's GPUs, where their plug-in is on. @throws ConfigurationError for a plug-in that there is not. */
export async function findGpus(
  configuration: Configuration,
  options: Pick<GpuOptions, 'store' | 'recovered' | 'clock' | 'logger'>,
): Promise<Gpus | undefined> {
  if (!givesGpus(configuration)) return undefined;
  const { openGpus } = await import('./devices/gpus.ts');
  const { gpuDiscoveryPath: discoveryPath } = configuration.values(engineSettings);
  return openGpus({ ...options, allowed: listedGpus(configuration), discoveryPath });
}
