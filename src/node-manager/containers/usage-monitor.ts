// Looks at what containers and node use: ends containers above their memory (ContainersMonitorImpl), tells the resource manager.
import { cpus, freemem, totalmem } from 'node:os';
import type { ContainerEngine, EngineUsage } from '../../engines/engine.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { UsageFigures } from '../../wire/cluster/node-channel.ts';
import type { ContainerUsed } from '../../wire/timeline/system-facts.ts';
import type { Container } from './container.ts';
import { memoryExceeded } from './diagnostics.ts';

/** What the monitor needs. */
export interface UsageMonitorOptions {
  readonly engine: ContainerEngine;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly containers: ReadonlyMap<string, Container>;
  readonly kill: (container: Container, exitCode: number, diagnostics: string) => void;
  readonly checkPhysical: boolean;
  readonly checkVirtual: boolean;
  readonly virtualRatio: number;
  /** Time between two checks of memory. */
  readonly checkIntervalMs: number;
  /** Told at once and then once each report interval; what containers use as it was at the last check. */
  readonly report: (node: UsageFigures, containers: UsageFigures, runningContainers: number) => void;
  /** Told at each check of memory what each container uses that was there at the check before, and how long it took to find that out; absent: nobody wants to know. */
  readonly used?: ((containers: readonly ContainerUsed[], tookMs: number) => void) | undefined;
}

const reportIntervalMs = 1000;
/** A measurement is not repeated before this many times its own length, but for a check. */
const measuringShare = 200;
const bytesOfMiB = 1024 * 1024;

/** Says what the node uses, and looks again and again until closed; `look` does it at once. */
export function startUsageMonitor(options: UsageMonitorOptions): Repetition & { look(): Promise<void> } {
  const monitor = new UsageMonitor(options);
  monitor.begin();
  const look = () => monitor.look();
  const repetition = repeat({
    clock: options.clock,
    intervalMs: Math.min(reportIntervalMs, options.checkIntervalMs),
    run: look,
    failed: (error) => options.logger.warn({ err: error }, 'the use of containers could not be read'),
  });
  return { ...repetition, look };
}

class UsageMonitor {
  readonly #options: UsageMonitorOptions;
  /** What was above its limit at the last check: a container's id, with `virtual` for that limit. */
  readonly #exceeded = new Set<string>();
  #lastCheckMs = Number.NEGATIVE_INFINITY;
  #lastReportMs = 0;
  #lastNode = machineTimes();
  #usage: ReadonlyMap<string, EngineUsage> = new Map();
  #lastUsageMs = Number.NEGATIVE_INFINITY;
  /** How long the last measurement took. */
  #usageTookMs = 0;
  /** Use at the last check: what containers have used since then is known at the next one. */
  #checked: { readonly usage: ReadonlyMap<string, EngineUsage>; readonly atMs: number } = { usage: new Map(), atMs: 0 };
  #containers: UsageFigures = { physicalMemoryMiB: 0, virtualMemoryMiB: 0, cpuCores: 0 };

  constructor(options: UsageMonitorOptions) {
    this.#options = options;
  }

  /** Reports what is known before the first look: what the machine's memory is used for. */
  begin(): void {
    this.#lastReportMs = this.#options.clock.steadyMs();
    this.#report();
  }

  /** Measures where it is time, ends containers above their limits, and reports. */
  async look(): Promise<void> {
    const { clock, checkIntervalMs } = this.#options;
    const nowMs = clock.steadyMs();
    // Few containers are measured for each report; many, which take their time, for each check.
    if (nowMs - this.#lastCheckMs >= checkIntervalMs || nowMs - this.#lastUsageMs >= this.#usageTookMs * measuringShare)
      await this.#measure(nowMs);
    if (nowMs - this.#lastReportMs < reportIntervalMs) return;
    this.#lastReportMs = nowMs;
    this.#report();
  }

  async #measure(nowMs: number): Promise<void> {
    const { engine, clock, checkIntervalMs } = this.#options;
    this.#lastUsageMs = nowMs;
    this.#usage = await engine.usage();
    this.#usageTookMs = clock.steadyMs() - nowMs;
    if (nowMs - this.#lastCheckMs < checkIntervalMs) return;
    this.#lastCheckMs = nowMs;
    this.#check();
    this.#containers = this.#figures(nowMs);
    this.#options.used?.(this.#perContainer(nowMs), clock.steadyMs() - nowMs);
    this.#checked = { usage: this.#usage, atMs: nowMs };
  }

  /** What containers use; one that was not there at the check before does not count yet (ContainersMonitorImpl: its cores are not known). */
  #figures(nowMs: number): UsageFigures {
    const sum = { physicalBytes: 0, virtualBytes: 0, cpuTimeMs: 0 };
    for (const [containerId, used] of this.#usage) {
      const before = this.#checked.usage.get(containerId);
      if (!before) continue;
      sum.physicalBytes += used.physicalMemoryBytes;
      sum.virtualBytes += used.virtualMemoryBytes;
      sum.cpuTimeMs += Math.max(0, used.cpuTimeMs - before.cpuTimeMs);
    }
    return {
      physicalMemoryMiB: Math.round(sum.physicalBytes / bytesOfMiB),
      virtualMemoryMiB: Math.round(sum.virtualBytes / bytesOfMiB),
      cpuCores: sum.cpuTimeMs / Math.max(1, nowMs - this.#checked.atMs),
    };
  }

  /** What each container uses; as in the sum, one that was not there at the check before is left out. */
  #perContainer(nowMs: number): ContainerUsed[] {
    const sinceMs = Math.max(1, nowMs - this.#checked.atMs);
    const atMs = this.#options.clock.now();
    return [...this.#usage].flatMap(([containerId, { physicalMemoryBytes, cpuTimeMs }]) => {
      const before = this.#checked.usage.get(containerId);
      if (!before) return [];
      const cpuPercent = (Math.max(0, cpuTimeMs - before.cpuTimeMs) / sinceMs) * 100;
      return [{ containerId, atMs, memoryBytes: physicalMemoryBytes, cpuPercent }];
    });
  }

  #check(): void {
    const { containers, kill, checkPhysical, checkVirtual, virtualRatio } = this.#options;
    for (const [containerId, used] of this.#usage) {
      const container = containers.get(containerId);
      if (!container?.pid || container.killed) continue;
      const physicalLimit = container.order.resource.memoryMiB * bytesOfMiB;
      const virtualLimit = Math.floor(physicalLimit * virtualRatio);
      const kind = this.#isOver(checkVirtual, `${containerId} virtual`, used.virtualMemoryBytes, virtualLimit)
        ? 'VIRTUAL'
        : this.#isOver(checkPhysical, containerId, used.physicalMemoryBytes, physicalLimit)
          ? 'PHYSICAL'
          : undefined;
      if (!kind) continue;
      kill(
        container,
        kind === 'PHYSICAL' ? exitStatus.exceededPhysicalMemory : exitStatus.exceededVirtualMemory,
        memoryExceeded({
          kind,
          pid: container.pid,
          containerId,
          physicalBytes: used.physicalMemoryBytes,
          physicalLimitBytes: physicalLimit,
          virtualBytes: used.virtualMemoryBytes,
          virtualLimitBytes: virtualLimit,
          processes: used.processes,
        }),
      );
    }
  }

  /** Far above at once, a little above only when it lasts: a fork doubles a process for a moment. */
  #isOver(checked: boolean, key: string, used: number, limit: number): boolean {
    if (!checked || limit <= 0 || used <= limit) {
      this.#exceeded.delete(key);
      return false;
    }
    if (used > 2 * limit || this.#exceeded.has(key)) return true;
    this.#exceeded.add(key);
    return false;
  }

  #report(): void {
    const node = machineTimes();
    const busyMs = node.busyMs - this.#lastNode.busyMs;
    const nodeMs = busyMs + node.idleMs - this.#lastNode.idleMs;
    this.#lastNode = node;
    const usedMiB = Math.round((totalmem() - freemem()) / bytesOfMiB);
    this.#options.report(
      { physicalMemoryMiB: usedMiB, virtualMemoryMiB: usedMiB, cpuCores: nodeMs <= 0 ? 0 : (busyMs / nodeMs) * node.cores },
      this.#containers,
      this.#usage.size,
    );
  }
}

function machineTimes(): { busyMs: number; idleMs: number; cores: number } {
  let busyMs = 0;
  let idleMs = 0;
  const all = cpus();
  for (const { times } of all) {
    busyMs += times.user + times.nice + times.sys + times.irq;
    idleMs += times.idle;
  }
  return { busyMs, idleMs, cores: all.length };
}
