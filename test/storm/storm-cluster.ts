// The cluster of a storm: every role a process, resource manager and nodes on machines of their own where network namespaces can be made,
// data on small disks where they can be mounted.
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileText } from '../../src/lib/file-text.ts';
import { freePorts } from '../support/ports.ts';
import { type Places, StormRole } from './storm-role.ts';

const diskMiB = 192;

/** Everything that a storm breaks. */
export class StormCluster implements AsyncDisposable {
  readonly home: string;
  readonly places: Places;
  readonly hasDisks: boolean;
  resourceManager!: StormRole;
  timeline!: StormRole;
  history!: StormRole;
  readonly nodes: StormRole[] = [];
  /** Masters that run inside the storm. */
  readonly masters = new Set<{
    /** Has it lose all that it knows and begin anew; false: it has nothing left to do. */
    die(): boolean;
  }>();
  /** Roles that did not start, did not stop or ended by themselves, each with what it said. */
  readonly troubles: string[] = [];
  url = '';
  timelineUrl = '';
  #settings: Record<string, string> = {};
  #closing: Promise<void> | undefined;

  constructor(home: string, places: Places) {
    this.home = home;
    this.places = places;
    const folders = places.addresses.map((_, machine) => this.dataDir(machine));
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    const mounted = folders.filter(mountDisk);
    this.hasDisks = mounted.length === folders.length;
    if (!this.hasDisks) for (const folder of mounted) unmountDisk(folder);
  }

  dataDir(machine: number): string {
    return join(this.home, `machine-${machine}`);
  }

  get #clockFile(): string {
    return join(this.home, 'clock');
  }

  /** The clock of all machines shows so much more than it should, ms. */
  setClock(byMs: number): void {
    writeFileSync(`${this.#clockFile}.new`, String(byMs));
    renameSync(`${this.#clockFile}.new`, this.#clockFile);
  }

  /** Options of commands that talk to this cluster. */
  get options(): string[] {
    const set = Object.entries(this.#settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    return ['--data', this.dataDir(0), ...set];
  }

  async start(nodeCount: number): Promise<void> {
    const [manager = ''] = this.places.addresses;
    const [rm, timeline, reader, collector, history, historyRpc, ...ports] = await freePorts(6 + 4 * nodeCount);
    this.url = `http://${manager}:${rm}`;
    this.timelineUrl = `http://${manager}:${timeline}`;
    this.#settings = {
      'yarn.resourcemanager.webapp.address': `${manager}:${rm}`,
      'yarn.timeline-service.enabled': 'true',
      'yarn.timeline-service.webapp.address': `${manager}:${timeline}`,
      'yarn.timeline-service.address': `${manager}:0`,
      'yarn.timeline-service.reader.webapp.address': `${manager}:${reader}`,
      'yarn.timeline-service.collector.bind-port-ranges': `${collector}`,
      'mapreduce.jobhistory.webapp.address': `${manager}:${history}`,
      'mapreduce.jobhistory.address': `${manager}:${historyRpc}`,
      'yarn.scheduler.minimum-allocation-mb': '128',
      'yarn.scheduler.capacity.maximum-am-resource-percent': '0.6',
      'yarn.nm.liveness-monitor.expiry-interval-ms': '10000',
      'yarn.am.liveness-monitor.expiry-interval-ms': '60000',
      'yarn.resourcemanager.rm.container-allocation.expiry-interval-ms': '20000',
      'yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage': '100',
      'heddle.webhooks.allowed-hosts': manager,
      'heddle.security.allow-unauthenticated': this.places.addresses.join(),
      'heddle.node-manager.switch-users': 'false',
    };
    const role = (name: string, kind: string, machine: number, more: Record<string, string> = {}) =>
      new StormRole({
        name,
        kind,
        machine,
        dataDir: this.dataDir(machine),
        settings: { ...this.#settings, ...more },
        places: this.places,
        log: join(this.home, `${name}.log`),
        clockFile: this.#clockFile,
        compiled: join(this.home, 'compiled'),
        trouble: (what) => this.troubles.push(`${name} ${what}`),
      });
    this.timeline = role('timeline', 'timeline', 0);
    this.resourceManager = role('resource-manager', 'resource-manager', 0);
    this.history = role('history', 'history', 0);
    for (const each of [this.timeline, this.resourceManager, this.history]) await each.start();
    for (let index = 0; index < nodeCount; index++) {
      const machine = Math.min(index + 1, this.places.addresses.length - 1);
      const host = this.places.addresses[machine] ?? manager;
      const [web, address, localizer, shuffle] = ports.slice(4 * index);
      const node = role(`node-${index}`, 'node-manager', machine, {
        'yarn.nodemanager.webapp.address': `${host}:${web}`,
        'yarn.nodemanager.address': `${host}:${address}`,
        'yarn.nodemanager.localizer.address': `${host}:${localizer}`,
        'mapreduce.shuffle.port': `${shuffle}`,
        'yarn.nodemanager.resource.memory-mb': '1536',
        'yarn.nodemanager.resource.cpu-vcores': '24',
      });
      cpSync(join(this.dataDir(0), 'secrets'), join(this.dataDir(machine), 'secrets'), { recursive: true });
      await node.start();
      this.nodes.push(node);
    }
    // What is killed keeps no compiled code: without it each start takes two to three times as long.
    await Promise.all(this.roles.map((each) => each.alone(() => each.restart('SIGTERM'))));
  }

  get roles(): StormRole[] {
    return [this.timeline, this.resourceManager, this.history, ...this.nodes];
  }

  /** Runs what leaves a machine as it was while none of its roles is killed or started. */
  alone<T>(machine: number, run: () => Promise<T>): Promise<T> {
    return this.roles.filter((role) => role.machine === machine).reduce<() => Promise<T>>((inner, role) => () => role.alone(inner), run)();
  }

  /** Leaves no room on a machine's disk, or gives it back. */
  setFull(machine: number, full: boolean): void {
    const filler = join(this.dataDir(machine), 'filler');
    if (!full) return rmSync(filler, { force: true });
    writeFileSync(filler, '');
    const piece = Buffer.alloc(1 << 20, 1);
    try {
      for (;;) appendFileSync(filler, piece);
    } catch {
      // Full: what is left of a piece goes in, too.
      try {
        for (;;) appendFileSync(filler, piece.subarray(0, 512));
      } catch {
        // Now it is.
      }
    }
  }

  /** Processes of a machine whose command line names its folder and matches, and their ids. */
  processes(machine: number, pattern: RegExp): number[] {
    const folder = this.dataDir(machine);
    return pids().filter((pid) => {
      const line = commandLine(pid);
      return line.includes(folder) && pattern.test(line);
    });
  }

  /** Processes of a machine that belong to containers whose ids match. */
  containerProcesses(machine: number, pattern: RegExp): number[] {
    const folder = `${this.dataDir(machine)}/`;
    return pids().filter((pid) => {
      const environment = fileText(`/proc/${pid}/environ`);
      const id = /(?:^|\0)CONTAINER_ID=([^\0]*)/.exec(environment)?.[1];
      return id !== undefined && pattern.test(id) && environment.includes(folder);
    });
  }

  /** Whatever runs on a machine: also what only inherited its folder. */
  everythingOf(machine: number): number[] {
    const folder = `${this.dataDir(machine)}/`;
    return pids().filter(
      (pid) => pid !== process.pid && (commandLine(pid).includes(folder) || fileText(`/proc/${pid}/environ`).includes(folder)),
    );
  }

  /** The stores of the roles that have one. */
  stores(): string[] {
    return [0, ...this.nodes.map(({ machine }) => machine)].flatMap((machine) =>
      ['resource-manager', 'timeline', 'node-manager'].flatMap((role) => {
        const folder = join(this.dataDir(machine), role);
        return namesIn(folder).flatMap((name) => (name.endsWith('.sqlite') ? [join(folder, name)] : []));
      }),
    );
  }

  /** Ends everything, once. What is on disks of their own stays only where `keepData` was called. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends all roles and leaves what is on their disks in the folder of the storm, for who looks for what went wrong. */
  async keepData(): Promise<void> {
    await this.#stop();
    if (!this.hasDisks) return;
    for (const [machine] of this.places.addresses.entries())
      cpSync(this.dataDir(machine), join(this.home, `kept-machine-${machine}`), { recursive: true, filter: (from) => isPlain(from) });
  }

  async #stop(): Promise<void> {
    for (const [machine] of this.places.addresses.entries()) {
      this.places.setCable?.(machine, true);
      this.setFull(machine, false);
    }
    await Promise.all(this.roles.map((role) => role?.close()));
    for (const [machine] of this.places.addresses.entries()) for (const pid of this.processes(machine, /./)) kill(pid);
  }

  async #close(): Promise<void> {
    await this.#stop();
    if (this.hasDisks) for (const [machine] of this.places.addresses.entries()) unmountDisk(this.dataDir(machine));
  }
}

const pids = (): number[] => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));

/** The command line of a process; empty for one that is gone. */
const commandLine = (pid: number): string => fileText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Ends a process that may be gone. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is.
  }
}

function mountDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMiB}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** With everything that still uses it; one that is not there any more is no fault. */
function unmountDisk(folder: string): void {
  try {
    execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
  } catch {
    // It went with its machine.
  }
}

/** Folders and files: no sockets and pipes, and nothing that went meanwhile. */
function isPlain(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isDirectory() || found.isFile());
}
