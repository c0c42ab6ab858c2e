// The bundle of a container (OCI runtime-spec): its root file system, laid over the image so that the image stays as it is, and config.json.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EngineOrder } from '../engine.ts';
import type { Image } from './images.ts';
import type { RuntimeRequest } from './request.ts';

const run = promisify(execFile);

/** What makes a bundle. */
export interface BundleFacts {
  readonly folder: string;
  readonly order: EngineOrder;
  readonly request: RuntimeRequest;
  readonly image: Image;
  readonly readOnlyRoot: boolean;
  /** Capabilities without CAP_; containers have no others. */
  readonly capabilities: readonly string[];
  /** linux.seccomp of config.json; undefined: every system call is allowed. */
  readonly seccomp: object | undefined;
  /** Told why the root file system was copied, where it cannot be laid over the image. */
  readonly copied: (reason: string) => void;
  /** Control group of the container, below the mount points; undefined: the runtime's default. */
  readonly controlGroup: string | undefined;
}

/** Makes the bundle. What a failure leaves is removed by `removeBundle`. */
export async function makeBundle(facts: BundleFacts): Promise<void> {
  const { folder, image } = facts;
  const at = (name: string) => join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await Promise.all(['rootfs', 'upper', 'work'].map((name) => mkdir(at(name), { mode: 0o755 })));
  const escaped = (path: string) => path.replace(/[\\,:]/g, '\\$&');
  const options = `lowerdir=${escaped(image.rootFolder)},upperdir=${escaped(at('upper'))},workdir=${escaped(at('work'))}`;
  try {
    await run('mount', ['-t', 'overlay', 'overlay', '-o', options, at('rootfs')]);
  } catch (error) {
    // Such as on a file system that is laid over another itself.
    facts.copied(error instanceof Error ? error.message : String(error));
    await run('cp', ['--archive', '--reflink=auto', '--', `${image.rootFolder}/.`, at('rootfs')]);
  }
  await writeFile(at('config.json'), JSON.stringify(configuration(facts)), { mode: 0o600 });
}

/** Takes a bundle away; harmless when there is none. Rejects when its root file system cannot be unmounted. */
export async function removeBundle(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const root = join(folder, 'rootfs');
  const isMounted = async () => (await readFile('/proc/self/mounts', 'utf8')).includes(` ${root.replaceAll(' ', '\\040')} `);
  if (await isMounted()) await run('umount', ['-l', root]);
  if (await isMounted()) throw new Error(`${root} is still mounted`);
  await rm(folder, { recursive: true, force: true });
}

/** Started as the first process: the script is its child, so that signals work as they do outside (the first one is deaf to them). */
const firstProcess = '/bin/bash "$0" & wait $!';

/** config.json. */
function configuration({ order, request, image, readOnlyRoot, capabilities, controlGroup, seccomp }: BundleFacts): object {
  const names = capabilities.map((name) => `CAP_${name.toUpperCase().replace(/^CAP_/, '')}`);
  const environment = new Map([['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin']]);
  for (const entry of image.environment) {
    const at = entry.indexOf('=');
    if (at > 0) environment.set(entry.slice(0, at), entry.slice(at + 1));
  }
  environment.set('CONTAINER_ID', order.containerId);
  for (const [name, value] of Object.entries(order.environment))
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !value.includes('\0')) environment.set(name, value);
  const bind = (source: string, target: string, mode: 'ro' | 'rw', ...more: string[]) => ({
    destination: target,
    type: 'bind',
    source,
    options: ['rbind', 'rprivate', 'nosuid', 'nodev', mode, ...more],
  });
  const readWrite = [order.workFolder, ...(order.folders?.readWrite ?? [])].filter((path) => existsSync(path));
  const readOnly = (order.folders?.readOnly ?? []).filter((path) => existsSync(path));
  const hostFiles = request.network === 'host' ? ['/etc/resolv.conf', '/etc/hosts'].filter((path) => existsSync(path)) : [];
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid: order.identity?.userId ?? process.getuid?.() ?? 0, gid: order.identity?.groupId ?? process.getgid?.() ?? 0 },
      args: ['/bin/bash', '-c', firstProcess, order.script],
      env: [...environment].map(([name, value]) => `${name}=${value}`),
      cwd: order.workFolder,
      capabilities: { bounding: names, effective: names, permitted: names, inheritable: [], ambient: [] },
      noNewPrivileges: true,
    },
    root: { path: 'rootfs', readonly: readOnlyRoot },
    hostname: request.network === 'none' || request.hostname !== undefined ? (request.hostname ?? 'container') : undefined,
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'] },
      {
        destination: '/dev/pts',
        type: 'devpts',
        source: 'devpts',
        options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620'],
      },
      { destination: '/dev/shm', type: 'tmpfs', source: 'shm', options: ['nosuid', 'noexec', 'nodev', 'mode=1777', 'size=65536k'] },
      { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['nosuid', 'noexec', 'nodev', 'ro'] },
      ...hostFiles.map((path) => bind(path, path, 'ro')),
      ...readOnly.map((path) => bind(path, path, 'ro')),
      ...readWrite.map((path) => bind(path, path, 'rw')),
      ...request.memoryFolders.map((target) => ({
        destination: target,
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'nodev', 'mode=1777'],
      })),
      ...request.binds.map(({ source, target, readOnly: only }) => bind(source, target, only ? 'ro' : 'rw')),
    ],
    linux: {
      ...(controlGroup !== undefined && { cgroupsPath: controlGroup }),
      ...(seccomp && { seccomp }),
      // The runtime adds the harmless devices that every container has.
      resources: { devices: [{ allow: false, access: 'rwm' }] },
      namespaces: [
        { type: 'pid' },
        { type: 'mount' },
        { type: 'ipc' },
        { type: 'uts' },
        ...(request.network === 'none' ? [{ type: 'network' }] : []),
      ],
      maskedPaths: [
        '/proc/acpi',
        '/proc/asound',
        '/proc/kcore',
        '/proc/keys',
        '/proc/latency_stats',
        '/proc/timer_list',
        '/proc/timer_stats',
        '/proc/sched_debug',
        '/proc/scsi',
        '/sys/firmware',
      ],
      readonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
    },
  };
}
