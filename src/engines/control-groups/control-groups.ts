// Control groups of containers: limits for memory, processors and processes, and the certainty that nothing of a container escapes.
// One group a container below the group of its node; version 1 and 2 may be mixed, controller by controller, as machines mix them.
// Weights, shares and quotas are those of CGroupsCpuResourceHandlerImpl and CGroupsMemoryResourceHandlerImpl (and their version 2).

import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { fileText } from '../../lib/file-text.ts';
import type { Logger } from '../../lib/log.ts';
import type { DeviceNumber, EngineOrder } from '../engine.ts';
import { type Base, type Controller, findHierarchies, type Hierarchies, makeBase } from './hierarchies.ts';

/** What control groups do for containers. */
export interface ControlGroupOptions {
  /** Path of the node's group below the mount points; no other program may use it. */
  readonly hierarchy: string;
  /** Part of the node's group that one engine has for itself. */
  readonly section: string;
  /** Shares of the processors by vcores; undefined: not controlled. */
  readonly cpu?: {
    /** A container never gets more than its vcores are worth, even where processors are idle. */
    readonly strict: boolean;
    readonly nodeVcores: number;
    /** Processors of the machine. */
    readonly processors: number;
    /** Part of them, in percent, that all containers together may use. */
    readonly percentage: number;
  };
  /** A limit of memory; undefined: not controlled. `enforced` false sets only the soft limit. */
  readonly memory?: { readonly enforced: boolean; readonly swappiness: number; readonly softLimitPercentage: number };
  /** Most processes and threads of a container; undefined: not controlled. */
  readonly maximumProcesses?: number;
  /** Devices can be kept from containers (version 1). */
  readonly devices?: boolean;
  /** Longest time that the removal of a group is tried. */
  readonly deleteTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where groups are mounted; found by itself but in tests. */
  readonly hierarchies?: Hierarchies;
}

/** What a group says of its memory in the end. */
export interface MemoryEnd {
  /** The kernel ended processes for lack of memory. */
  readonly outOfMemory?: boolean;
  /** The limit was reached: version 1 does not tell what that meant in groups below. */
  readonly limitReached?: boolean;
}

/** The control groups of one node's containers. */
export interface ControlGroups {
  /** Path of the section below the mount points. */
  readonly hierarchy: string;
  /** The folders in which the groups of containers are made. */
  readonly folders: readonly string[];
  /** Controllers that were asked for and cannot be used, with the reason. */
  readonly missing: ReadonlyMap<string, string>;
  /** Makes the group of a container; the files to which its first process writes its number. Throws when a limit cannot be set. */
  create(containerId: string, limits: EngineOrder['limits'], denied: readonly DeviceNumber[]): Promise<string[]>;
  resize(containerId: string, limits: EngineOrder['limits']): void;
  processes(containerId: string): number[];
  /** The files to which a process writes its number to be in the group of a container. */
  joins(containerId: string): string[];
  /** Ends everything in the group and removes it. */
  end(containerId: string): Promise<MemoryEnd>;
  /** Containers that have a group. */
  list(): string[];
  /** Removes the section, and the group of the node, when they have no containers. */
  close(): void;
}

const bytesOfMiB = 1024 * 1024;
const periodUs = 100_000;
/** Shortest quota that the kernel takes. */
const minimumQuotaUs = 1000;
const pauseMs = 10;

/** Opens the control groups; undefined where none can be used at all. */
export function openControlGroups(options: ControlGroupOptions): ControlGroups | undefined {
  const wanted: Controller[] = [];
  if (options.memory) wanted.push('memory');
  if (options.cpu) wanted.push('cpu');
  if (options.maximumProcesses !== undefined) wanted.push('pids');
  if (options.devices) wanted.push('devices');
  const hierarchies = options.hierarchies ?? findHierarchies();
  const path = join(options.hierarchy, options.section);
  let base = makeBase(hierarchies, path, wanted);
  // Without version 2 and with nothing to limit, the number of processes is a group all the same.
  if (!base.unified && base.folders.size === 0 && wanted.length === 0) base = makeBase(hierarchies, path, ['pids']);
  if (!base.unified && base.folders.size === 0) return undefined;
  const mounts = new Set([...(hierarchies.unified ? [hierarchies.unified.path] : []), ...hierarchies.legacy.values()]);
  const groups = new Groups(
    base,
    options,
    [...mounts].map((mount) => join(mount, path)),
  );
  groups.limitAll();
  return groups;
}

class Groups implements ControlGroups {
  readonly #base: Base;
  readonly #options: ControlGroupOptions;
  /** All folders of the node, each once, version 2 first. */
  readonly #roots: readonly string[];
  /** The node's group in every hierarchy there is: an OCI runtime makes groups in all of them. */
  readonly #everywhere: readonly string[];

  constructor(base: Base, options: ControlGroupOptions, everywhere: readonly string[]) {
    this.#everywhere = everywhere;
    this.#base = base;
    this.#options = options;
    this.#roots = [...new Set([...(base.unified ? [base.unified] : []), ...[...base.folders.values()].map(({ path }) => path)])];
  }

  get hierarchy(): string {
    return join(this.#options.hierarchy, this.#options.section);
  }

  get folders(): readonly string[] {
    return this.#roots;
  }

  get missing(): ReadonlyMap<string, string> {
    return this.#base.missing;
  }

  /** All containers together get their part of the processors. */
  limitAll(): void {
    const { cpu } = this.#options;
    if (cpu) this.#setQuota('..', cpu.percentage < 100 ? (cpu.processors * cpu.percentage) / 100 : undefined);
  }

  async create(containerId: string, limits: EngineOrder['limits'], denied: readonly DeviceNumber[]): Promise<string[]> {
    // A group of that name can only be one that an earlier process of the node manager could not remove.
    if (this.list().includes(containerId)) await this.end(containerId);
    try {
      for (const root of this.#roots) mkdirSync(join(root, containerId));
      this.resize(containerId, limits);
      const { maximumProcesses, memory } = this.#options;
      if (maximumProcesses !== undefined) this.#write('pids', containerId, 'pids.max', String(maximumProcesses));
      if (memory && this.#version('memory') === 1) this.#write('memory', containerId, 'memory.swappiness', String(memory.swappiness));
      if (memory && this.#version('memory') === 2) this.#write('memory', containerId, 'memory.oom.group', '1');
      if (this.#version('devices') === 1)
        for (const { type, major, minor } of denied) this.#write('devices', containerId, 'devices.deny', `${type} ${major}:${minor} rwm`);
    } catch (error) {
      await this.end(containerId);
      throw error;
    }
    return this.joins(containerId);
  }

  joins(containerId: string): string[] {
    return this.#roots.map((root) => join(root, containerId, 'cgroup.procs'));
  }

  resize(containerId: string, { memoryMiB, vcores }: EngineOrder['limits']): void {
    const { cpu, memory } = this.#options;
    if (memory) {
      const bytes = memoryMiB * bytesOfMiB;
      const softBytes = Math.floor((bytes * memory.softLimitPercentage) / 100);
      if (this.#version('memory') === 2) {
        if (memory.enforced) this.#write('memory', containerId, 'memory.max', String(bytes));
        this.#write('memory', containerId, 'memory.low', String(softBytes));
      } else {
        if (memory.enforced) this.#write('memory', containerId, 'memory.limit_in_bytes', String(bytes));
        this.#write('memory', containerId, 'memory.soft_limit_in_bytes', String(softBytes));
      }
    }
    if (cpu) {
      if (this.#version('cpu') === 2) this.#write('cpu', containerId, 'cpu.weight', String(Math.min(10_000, Math.max(1, 100 * vcores))));
      else this.#write('cpu', containerId, 'cpu.shares', String(Math.max(2, 1024 * vcores)));
      const shared = (cpu.processors * cpu.percentage) / 100;
      this.#setQuota(containerId, cpu.strict && vcores !== cpu.nodeVcores ? (vcores * shared) / cpu.nodeVcores : undefined);
    }
  }

  /** Limits a group to a number of processors; undefined lifts the limit. */
  #setQuota(containerId: string, processors: number | undefined): void {
    const quotaUs = processors === undefined ? undefined : Math.max(minimumQuotaUs, Math.round(processors * periodUs));
    if (this.#version('cpu') === 2) this.#write('cpu', containerId, 'cpu.max', `${quotaUs ?? 'max'} ${periodUs}`);
    else {
      this.#write('cpu', containerId, 'cpu.cfs_period_us', String(periodUs));
      this.#write('cpu', containerId, 'cpu.cfs_quota_us', String(quotaUs ?? -1));
    }
  }

  #version(controller: Controller): 1 | 2 | undefined {
    return this.#base.folders.get(controller)?.version;
  }

  /** Writes a control file; nothing where the controller cannot be used, which was told at the start. */
  #write(controller: Controller, containerId: string, file: string, text: string): void {
    const folder = this.#base.folders.get(controller);
    if (folder) writeFileSync(join(folder.path, containerId, file), text);
  }

  processes(containerId: string): number[] {
    const pids = new Set<number>();
    for (const root of this.#roots)
      for (const folder of withInner(join(root, containerId)))
        for (const line of fileText(join(folder, 'cgroup.procs')).split('\n')) if (Number(line) > 1) pids.add(Number(line));
    return [...pids];
  }

  async end(containerId: string): Promise<MemoryEnd> {
    const { clock, deleteTimeoutMs, logger } = this.#options;
    const memoryEnd = this.#memoryEnd(containerId);
    let left = this.#everywhere.map((root) => join(root, containerId));
    const startMs = clock.steadyMs();
    for (;;) {
      this.#kill(containerId);
      left = left.filter((path) => !removed(path));
      if (left.length === 0) break;
      if (clock.steadyMs() - startMs > deleteTimeoutMs) {
        logger.warn({ container: containerId, groups: left, pids: this.processes(containerId) }, 'control groups could not be removed');
        break;
      }
      await new Promise<void>((resolve) => clock.setTimer(pauseMs, resolve));
    }
    return memoryEnd;
  }

  #memoryEnd(containerId: string): MemoryEnd {
    const folder = this.#base.folders.get('memory');
    if (!folder) return {};
    const text = fileText(join(folder.path, containerId, folder.version === 2 ? 'memory.events' : 'memory.oom_control'));
    if (Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0) > 0) return { outOfMemory: true };
    const limitReached = folder.version === 1 && Number(fileText(join(folder.path, containerId, 'memory.failcnt'))) > 0;
    return limitReached ? { limitReached } : {};
  }

  #kill(containerId: string): void {
    const pids = this.processes(containerId);
    if (pids.length === 0) return;
    const attempts = [
      // Whatever forks now fails, so that those listed are all there are.
      () => this.#write('pids', containerId, 'pids.max', '0'),
      () => this.#base.unified && writeFileSync(join(this.#base.unified, containerId, 'cgroup.kill'), '1'),
      ...pids.map((pid) => () => process.kill(pid, 'SIGKILL')),
    ];
    for (const attempt of attempts) {
      try {
        attempt();
      } catch {
        // Gone already, or a kernel without cgroup.kill: the next one does it.
      }
    }
  }

  close(): void {
    for (const root of this.#everywhere) {
      try {
        rmdirSync(root);
        rmdirSync(dirname(root));
      } catch {
        // It has containers that go on or another engine's section, or was never made.
      }
    }
  }

  list(): string[] {
    const found = new Set<string>();
    for (const root of this.#roots) {
      try {
        for (const entry of readdirSync(root, { withFileTypes: true }))
          if (entry.isDirectory() && entry.name.startsWith('container_')) found.add(entry.name);
      } catch {
        // Nothing there.
      }
    }
    return [...found];
  }
}

/** A group and all groups in it, the innermost last. */
function withInner(path: string): string[] {
  try {
    const inner = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [path, ...inner.flatMap(({ name }) => withInner(join(path, name)))];
  } catch {
    return [];
  }
}

function removed(path: string): boolean {
  try {
    for (const folder of withInner(path).reverse()) rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
