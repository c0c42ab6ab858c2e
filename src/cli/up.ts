// `heddle up`: a whole cluster in one process, one thread a role.

import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { authorityFileOf } from '../auth/tls-files.ts';
import { switchesUsers } from '../config/container-user.ts';
import { refuseExposure } from '../config/exposure.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { heddleSettings } from '../config/settings/heddle.ts';
import { ConfigurationError } from '../config/table.ts';
import { serverAddress } from '../config/web-addresses.ts';
import type { RunningRole } from '../lib/role.ts';
import { claimDataDirectory, waitForKilled } from './cluster-file.ts';
import { setExitCode } from './exit-code.ts';
import { CommandFailure } from './failure.ts';
import { freePortSettings, PortBook, unknownPort } from './free-ports.ts';
import { type RoleHost, type RoleName, roleNames } from './host.ts';
import { isSizeLeftOpen, largestContainer, sizeOfNode } from './node-size.ts';
import {
  type ConfigurationFlags,
  configurationOf,
  openAbout,
  openSettings,
  printNotes,
  wholeNumber,
  withConfigurationOptions,
} from './options.ts';
import { printNote, printText } from './output.ts';
import { readinessIsKnown, watchReadiness, whatIsMissing } from './readiness.ts';
import type { RoleStatus } from './role-status.ts';
import { sayRisks } from './say-risks.ts';
import { planNodes } from './several-nodes.ts';
import { stopSignal } from './stop-signals.ts';

interface UpFlags extends ConfigurationFlags {
  readonly json?: boolean;
  readonly open?: boolean;
  readonly ports: string;
  readonly nodes: number;
  readonly detach?: boolean;
  readonly logFile?: string;
  readonly keptLog?: string;
}

/** A machine holds more, but each takes a thread and some 10 MB. */
const maximumNodes = 50;

/** Registers `heddle up`. */
export function addUp(program: Command, host: RoleHost): void {
  withConfigurationOptions(program.command('up'))
    .description('start a whole cluster in this process, until Ctrl-C')
    .option('--ports <which>', "yarn: YARN's ports or those of the settings; auto: free ones", 'yarn')
    .option('--nodes <count>', 'node managers on this machine, each with ports and folders of its own', wholeNumber(1, maximumNodes), 1)
    .option('--open', openAbout)
    .option('--detach', 'run in the background; "heddle status" and "heddle down" look after it')
    .option('--log-file <file>', 'where a cluster in the background writes (default: logs/heddle.log below the data folder)')
    .addOption(new Option(`${keptLog} <file>`).hideHelp())
    .option('--json', 'print the addresses as JSON, one line once everything answers')
    .action((flags: UpFlags) => (flags.detach ? detach(flags) : up(flags, host)));
}

/** As `detach.ts` says it, which a cluster in the foreground has no use for. */
const keptLog = '--kept-log';

/** How long a cluster in the background that answers may take until it can take work. */
const longestReadyMs = 60_000;
/** After so long it is said what is waited for. */
const silentMs = 3000;

async function detach(flags: UpFlags): Promise<void> {
  if (flags.ports !== 'yarn' && flags.ports !== 'auto') throw noSuchPorts(flags.ports);
  const [{ startDetached, usualLogFile }, { readyRoles }] = await Promise.all([import('./detach.ts'), import('./role-status.ts')]);
  const configuration = configurationOf(flags);
  const logFile = resolve(flags.logFile ?? usualLogFile(configuration.dataDir));
  const { pid, addresses } = await startDetached(configuration.dataDir, logFile, isPassedThrough(configuration));
  const unreadyAfter = async (waitMs: number) => (await readyRoles(configuration.dataDir, waitMs)).filter((one) => !one.ready);
  const tell = ({ role, reason }: RoleStatus, what: string) => printNote(`heddle: ${role} ${what}: ${reason ?? 'it does not say why'}\n`);
  let unready = await unreadyAfter(silentMs);
  if (unready.length > 0) {
    for (const one of unready) tell(one, 'is waited for');
    unready = await unreadyAfter(longestReadyMs);
  }
  for (const one of unready) tell(one, 'is not ready');
  if (unready.length > 0) setExitCode(1);
  if (flags.json) {
    printText(`${JSON.stringify({ pid, data: configuration.dataDir, logFile, addresses })}\n`);
    return;
  }
  const data = flags.data === undefined ? '' : ` --data ${flags.data}`;
  const end = [`  ${'log'.padEnd(20)} ${logFile}`, '', `"heddle status${data}" says how it is, "heddle down${data}" ends it.`, ''];
  printText([`Heddle runs in the background, as process ${pid}.`, '', ...addressLines(addresses), ...end].join('\n'));
}

/** Whether containers go through the data folder as other users. Where they would have to and cannot, the cluster itself says so. */
function isPassedThrough(configuration: Configuration): boolean {
  try {
    return rolesOf(configuration).includes('node-manager') && switchesUsers(configuration);
  } catch (error) {
    if (error instanceof ConfigurationError) return false;
    throw error;
  }
}

const noSuchPorts = (ports: string): CommandFailure =>
  new CommandFailure(`--ports ${ports}: there is no such choice`, 'Give yarn or auto.', 2);

/** One server to start: its name in the cluster's file, its role and settings. */
interface Start {
  readonly name: string;
  readonly role: RoleName;
  readonly configuration: Configuration;
}

/** Roles that `heddle up` starts. */
function rolesOf(configuration: Configuration): RoleName[] {
  const named = configuration.values(heddleSettings).roles;
  const unknown = named.find((name) => !(roleNames as readonly string[]).includes(name));
  if (unknown !== undefined) throw new CommandFailure(`heddle.roles: there is no role ${unknown}`, `Roles are ${roleNames.join(', ')}.`);
  const wanted = new Set(named);
  if (configuration.values(commonSettings).webProxyAddress !== undefined) wanted.add('proxy');
  return roleNames.filter((role) => wanted.has(role));
}

const minimumMemoryKey = 'yarn.scheduler.minimum-allocation-mb';
const smallContainerMiB = '128';
const constraintsKey = 'yarn.resourcemanager.placement-constraints.handler';

/**
 * Settings that suit a cluster in one process where no setting says otherwise: logs stay readable, constraints are carried out. Where there is
 * no folder of settings at all, small containers stay small: YARN's smallest one would take an eighth of a node for each master.
 */
function embeddedSettings(configuration: Configuration): Record<string, string> {
  const { logAggregationEnabled, logServerUrl } = commonSettings;
  const settings: Record<string, string> = {};
  if (!configuration.origin(logAggregationEnabled.key)) settings[logAggregationEnabled.key] = 'true';
  if (!configuration.origin(constraintsKey)) settings[constraintsKey] = 'scheduler';
  if (configuration.confDir === undefined && !configuration.origin(minimumMemoryKey)) settings[minimumMemoryKey] = smallContainerMiB;
  if (!configuration.origin(logServerUrl.key))
    settings[logServerUrl.key] = `${serverAddress(configuration, 'history').url}/jobhistory/logs`;
  return settings;
}

async function up(given: UpFlags, host: RoleHost): Promise<void> {
  let flags = given;
  if (flags.ports !== 'yarn' && flags.ports !== 'auto') throw noSuchPorts(flags.ports);
  const stopping = stopSignal();
  const opened = flags.open ? openSettings : {};
  let configuration = configurationOf(flags, opened);
  await waitForKilled(configuration.dataDir, roleNames);
  const book = flags.ports === 'auto' ? new PortBook(configuration.dataDir) : undefined;
  const ports = book ? await freePortSettings(configuration, book) : {};
  if (book) {
    // An address with port 0 asks for what is given here.
    const set = Object.entries(flags.set ?? {}).filter(([key, value]) => !(key in ports && value.endsWith(':0')));
    flags = { ...flags, set: Object.fromEntries(set) };
    configuration = configurationOf(flags, ports);
  }
  const lost = unknownPort(configuration);
  if (lost !== undefined)
    throw new CommandFailure(`${lost}: port 0 leaves open where others find it`, 'Name a port, or use --ports auto.', 2);
  const largest = isSizeLeftOpen(configuration) ? largestContainer(configuration, sizeOfNode(configuration, flags.nodes)) : {};
  const over = { ...ports, ...embeddedSettings(configuration), ...largest, ...opened };
  configuration = configurationOf(flags, over);
  if (flags.keptLog !== undefined) {
    const { logMaximumBytes: maximumBytes, logFiles: files } = configuration.values(heddleSettings);
    (await import('./detach.ts')).keepLog({ path: flags.keptLog, maximumBytes, files });
  }
  const roles = rolesOf(configuration);
  for (const role of roles) refuseExposure(role, configuration);
  sayRisks(roles, configuration);
  const passedThrough = roles.includes('node-manager') && switchesUsers(configuration);
  const claim = claimDataDirectory(configuration.dataDir, {
    command: 'heddle up',
    roles,
    isCluster: true,
    isPassedThrough: passedThrough,
  });
  printNotes(configuration);

  const nodes = await planNodes(configuration, flags.nodes, book);
  book?.save();
  const starts = roles.flatMap((role): Start[] =>
    role === 'node-manager'
      ? nodes.map(({ name, settings }) => ({ name, role, configuration: configurationOf(flags, over, settings) }))
      : [{ name: role, role, configuration }],
  );

  const running = new Map<string, RunningRole>();
  const { promise: died, resolve: tellDeath } = Promise.withResolvers<Error>();
  // Nodes connect once the others have their ports: what answers there is then ours.
  const { promise: othersListen, resolve: tellOthersListen } = Promise.withResolvers<void>();
  const begin = async ({ name, role, configuration }: Start) => {
    const mayJoin = role === 'node-manager' ? othersListen : undefined;
    running.set(name, await host.startRoleInThread(role, configuration, tellDeath, mayJoin));
  };
  const isNode = ({ role }: Start) => role === 'node-manager';
  try {
    const beginning = starts.filter((start) => !isNode(start)).map(begin);
    const nodesBeginning = starts.filter(isNode).map(begin);
    void Promise.all(beginning).then(
      () => tellOthersListen(),
      () => undefined,
    );
    const started = await Promise.allSettled([...beginning, ...nodesBeginning]);
    const failed = started.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    const addresses = Object.fromEntries(starts.map(({ name }) => [name, running.get(name)?.addresses ?? {}]));
    claim.write(addresses, authorityFileOf(configuration));
    await Promise.race([readinessIsKnown(running), died]);
    printWelcome(configuration, addresses, flags, whatIsMissing(running));
    if (!flags.json) watchReadiness(running, (name) => sayReadiness(name, running));
    const end = await Promise.race([stopping, died]);
    if (end instanceof Error) {
      printNote(`${end.stack ?? end.message}\n`);
      throw new CommandFailure(
        `a role ended by itself: ${end.message}`,
        'Its last words stand above; start again to recover what it knew.',
      );
    }
  } finally {
    await closeAll(running);
    claim.remove();
  }
}

/** Nodes first, so that their containers end while the others can still take note; then in reverse order of dependence. */
const closingOrder: readonly RoleName[] = ['proxy', 'resource-manager', 'history', 'timeline'];

async function closeAll(running: ReadonlyMap<string, RunningRole>): Promise<void> {
  const close = async (name: string) => {
    await running
      .get(name)
      ?.close()
      .catch((error: Error) => printNote(`heddle: closing the ${name} failed: ${error.message}\n`));
  };
  await Promise.all([...running.keys()].filter((name) => name.startsWith('node-manager')).map(close));
  for (const role of closingOrder) await close(role);
}

/** A role became ready, or is so no longer. */
function sayReadiness(name: string, running: ReadonlyMap<string, RunningRole>): void {
  const missing = whatIsMissing(running);
  printNote(`heddle: ${missing === undefined ? `the ${name} is ready` : `not ready: ${missing}`}\n`);
}

const labels: Record<RoleName, string> = {
  'resource-manager': 'resource manager',
  'node-manager': 'node manager',
  timeline: 'timeline',
  history: 'history',
  proxy: 'web proxy',
};

/** A line for each address that people open. */
function addressLines(addresses: Readonly<Record<string, Readonly<Record<string, string>>>>): string[] {
  const lines: string[] = [];
  for (const [role, urls] of Object.entries(addresses)) {
    for (const [name, url] of Object.entries(urls)) {
      // Of the ports of Hadoop RPC the first one is where clients begin; --json has them all.
      if (name.startsWith('rpc') && !(role === 'resource-manager' && name === 'rpc')) continue;
      const number = /^node-manager-(\d+)$/.exec(role)?.[1];
      const known = number === undefined ? labels[role as RoleName] : `${labels['node-manager']} ${number}`;
      const label = name === 'web' ? known : name === 'rpc' ? 'Hadoop RPC' : `${known} ${name}`;
      lines.push(`  ${label.padEnd(20)} ${url}`);
    }
  }
  const web = addresses['resource-manager']?.['web'];
  if (web !== undefined) lines.push(`  ${'pages'.padEnd(20)} ${web}/ui/`);
  return lines;
}

function printWelcome(
  configuration: Configuration,
  addresses: Readonly<Record<string, Readonly<Record<string, string>>>>,
  flags: UpFlags,
  missing: string | undefined,
): void {
  const readySeconds = Number((performance.now() / 1000).toFixed(2));
  if (flags.json) {
    const said = { pid: process.pid, readySeconds, data: configuration.dataDir, addresses, ready: missing === undefined };
    printText(`${JSON.stringify(missing === undefined ? said : { ...said, reason: missing })}\n`);
    return;
  }
  const lines = [missing === undefined ? `Heddle is ready after ${readySeconds} s.` : `Heddle answers, but is not ready: ${missing}.`, ''];
  lines.push(...addressLines(addresses));
  const data = flags.data === undefined ? '' : ` --data ${flags.data}`;
  // Folders come from the settings.
  const conf = flags.conf === undefined ? '' : ` --conf ${flags.conf}`;
  const set = Object.keys(flags.set ?? {}).length === 0 ? '' : ', given the same --set';
  lines.push(
    `  ${'data'.padEnd(20)} ${configuration.dataDir}`,
    '',
    `Try "heddle node list${data}" or "heddle run${data} -- echo hello". Stop with Ctrl-C; running containers stop too.`,
    ...(addresses['resource-manager']?.['rpc']
      ? [`"heddle config client DIR${data}${conf}" writes the settings for Spark and for Hadoop's own programs${set}.`]
      : []),
    '',
  );
  printText(lines.join('\n'));
}
