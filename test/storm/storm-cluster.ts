// The cluster of a storm: every role a process, resource manager and nodes on machines of their own where network namespaces can be made,
// data on small disks where they can be mounted.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../support/ports.ts';
import { until } from '../support/processes.ts';

const executable = join(import.meta.dirname, '../../bin/heddle.js');
const diskMiB = 192;
const mostStarts = 5;

/** Where the roles run; machine 0 has the resource manager, timeline and history server, and runs this process too. */
export interface Places {
  /** Addresses of the machines; on one machine all are loopback. */
  readonly addresses: readonly string[];
  /** The command line that runs something on a machine. */
  readonly command: (machine: number, ...words: readonly string[]) => readonly [string, readonly string[]];
  /** Pulls the cable of a machine or puts it back; undefined where all is one machine. */
  readonly setCable: ((machine: number, plugged: boolean) => void) | undefined;
}

/** One role as a process that can be killed and started again. */
export class StormRole {
  readonly name: string;
  readonly machine: number;
  readonly dataDir: string;
  readonly #words: readonly string[];
  readonly #places: Places;
  readonly #log: string;
  #process: ChildProcess | undefined;
  #busy: Promise<unknown> = Promise.resolve();

  constructor(name: string, role: string, machine: number, dataDir: string, settings: Record<string, string>, places: Places, log: string) {
    this.name = name;
    this.machine = machine;
    this.dataDir = dataDir;
    const set = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    this.#words = [process.execPath, executable, 'start', role, '--json', '--data', dataDir, ...set];
    this.#places = places;
    this.#log = log;
  }

  /** Runs what leaves the role as it was, after everything that was begun before. */
  alone<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#busy.then(run);
    this.#busy = done.catch(() => undefined);
    return done;
  }

  /**
   * Starts it and waits until it is ready. One that ended because another program holds its store is started again, as a service manager does.
   * @throws Error where it ends for another reason, or takes a minute
   */
  async start(): Promise<void> {
    for (let tries = 0; tries < mostStarts; tries++) {
      const said = await this.#startOnce();
      if (said === undefined) return;
      if (!said.includes('is locked by another program')) break;
    }
    const child = this.#process;
    throw new Error(`${this.name} ended with ${child?.exitCode ?? child?.signalCode} instead of starting: ${this.#log}`);
  }

  /** What it said where it ended instead of starting. */
  async #startOnce(): Promise<string | undefined> {
    const [command, words] = this.#places.command(this.machine, ...this.#words);
    const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process = child;
    let ready = false;
    let said = '';
    child.stdout.on('data', (chunk) => {
      ready ||= String(chunk).includes('{');
    });
    child.stderr.on('data', (chunk) => {
      appendFileSync(this.#log, chunk);
      if (!ready) said += chunk;
    });
    await until(
      `${this.name} to be ready (${this.#log})`,
      async () => ready || child.exitCode !== null || child.signalCode !== null,
      60_000,
    );
    return ready ? undefined : said;
  }

  /** Sends a signal; after one that ends it, waits for its end. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    if (signal === 'SIGSTOP' || signal === 'SIGCONT') return;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

/** Everything that a storm breaks. */
export class StormCluster implements AsyncDisposable {
  readonly home: string;
  readonly places: Places;
  readonly hasDisks: boolean;
  resourceManager!: StormRole;
  timeline!: StormRole;
  history!: StormRole;
  readonly nodes: StormRole[] = [];
  url = '';
  timelineUrl = '';
  #settings: Record<string, string> = {};

  constructor(home: string, places: Places) {
    this.home = home;
    this.places = places;
    const folders = places.addresses.map((_, machine) => this.dataDir(machine));
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    this.hasDisks = folders.every(mountDisk);
  }

  dataDir(machine: number): string {
    return join(this.home, `machine-${machine}`);
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
      'heddle.security.allow-unauthenticated': this.places.addresses.join(),
      'heddle.node-manager.switch-users': 'false',
    };
    const role = (name: string, of: string, machine: number, more: Record<string, string> = {}) =>
      new StormRole(name, of, machine, this.dataDir(machine), { ...this.#settings, ...more }, this.places, join(this.home, `${name}.log`));
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

  /** Processes of a machine whose command line matches, and their ids. */
  processes(machine: number, pattern: RegExp): number[] {
    const folder = this.dataDir(machine);
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(folder) && pattern.test(line) ? [Number(name)] : [];
      } catch {
        return [];
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [machine] of this.places.addresses.entries()) {
      this.places.setCable?.(machine, true);
      this.setFull(machine, false);
    }
    for (const role of this.roles.reverse()) {
      await role?.signal('SIGCONT');
      await role?.signal('SIGTERM');
    }
    for (const [machine] of this.places.addresses.entries()) {
      for (const pid of this.processes(machine, /./)) kill(pid);
      if (this.hasDisks) execFileSync('umount', ['-l', this.dataDir(machine)]);
    }
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
