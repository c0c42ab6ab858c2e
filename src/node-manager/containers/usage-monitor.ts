// Looks at what containers and node use: ends containers above their memory (ContainersMonitorImpl), tells the resource manager.
import { cpus, freemem, totalmem } from 'node:os';
import type { ContainerEngine, EngineUsage } from '../../engines/engine.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { UsageFigures } from '../../wire/cluster/node-channel.ts';
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
  /** Told once each report interval. */
  readonly report: (node: UsageFigures, containers: UsageFigures, runningContainers: number) => void;
}

const reportIntervalMs = 1000;
/** A measurement is not repeated before this many times its own length, but for a check. */
const measuringShare = 200;
const bytesOfMiB = 1024 * 1024;

/** Looks again and again until closed; `look` does it at once. */
export function startUsageMonitor(options: UsageMonitorOptions): Repetition & { look(): Promise<void> } {
  const { engine, clock, logger } = options;
  const stepMs = Math.min(reportIntervalMs, options.checkIntervalMs);
  const exceeded = new Set<string>();
  let lastCheckMs = 0;
  let lastReportMs = 0;
  let lastCpu = { timeMs: 0, atMs: 0 };
  let lastNode = machineTimes();

  const check = (usage: ReadonlyMap<string, EngineUsage>) => {
    for (const [containerId, used] of usage) {
      const container = options.containers.get(containerId);
      if (!container?.pid || container.killed) continue;
      const physicalLimit = container.order.resource.memoryMiB * bytesOfMiB;
      const virtualLimit = Math.floor(physicalLimit * options.virtualRatio);
      const kind = isOver(options.checkVirtual, `${containerId} virtual`, used.virtualMemoryBytes, virtualLimit)
        ? 'VIRTUAL'
        : isOver(options.checkPhysical, containerId, used.physicalMemoryBytes, physicalLimit)
          ? 'PHYSICAL'
          : undefined;
      if (!kind) continue;
      options.kill(
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
  };
  /** Far above at once, a little above only when it lasts: a fork doubles a process for a moment. */
  const isOver = (checked: boolean, key: string, used: number, limit: number): boolean => {
    if (!checked || limit <= 0 || used <= limit) {
      exceeded.delete(key);
      return false;
    }
    if (used > 2 * limit || exceeded.has(key)) return true;
    exceeded.add(key);
    return false;
  };

  let usage: ReadonlyMap<string, EngineUsage> = new Map();
  let lastUsageMs = 0;
  let usageTookMs = 0;
  let cpuCores = 0;

  const measure = async (nowMs: number) => {
    lastUsageMs = nowMs;
    usage = await engine.usage();
    usageTookMs = clock.now() - nowMs;
    if (nowMs - lastCheckMs >= options.checkIntervalMs) {
      lastCheckMs = nowMs;
      check(usage);
    }
    let timeMs = 0;
    for (const used of usage.values()) timeMs += used.cpuTimeMs;
    if (lastCpu.atMs !== 0) cpuCores = Math.max(0, (timeMs - lastCpu.timeMs) / Math.max(1, nowMs - lastCpu.atMs));
    lastCpu = { timeMs, atMs: nowMs };
  };

  const look = async () => {
    const nowMs = clock.now();
    // Few containers are measured for each report; many, which take their time, for each check.
    if (nowMs - lastCheckMs >= options.checkIntervalMs || nowMs - lastUsageMs >= usageTookMs * measuringShare) await measure(nowMs);
    if (nowMs - lastReportMs < reportIntervalMs) return;
    lastReportMs = nowMs;
    let physical = 0;
    let virtual = 0;
    for (const used of usage.values()) {
      physical += used.physicalMemoryBytes;
      virtual += used.virtualMemoryBytes;
    }
    const node = machineTimes();
    const nodeMs = node.busyMs + node.idleMs - lastNode.busyMs - lastNode.idleMs;
    const nodeCores = nodeMs <= 0 ? 0 : ((node.busyMs - lastNode.busyMs) / nodeMs) * node.cores;
    lastNode = node;
    const usedMiB = Math.round((totalmem() - freemem()) / bytesOfMiB);
    options.report(
      { physicalMemoryMiB: usedMiB, virtualMemoryMiB: usedMiB, cpuCores: nodeCores },
      { physicalMemoryMiB: Math.round(physical / bytesOfMiB), virtualMemoryMiB: Math.round(virtual / bytesOfMiB), cpuCores },
      usage.size,
    );
  };
  const repetition = repeat({
    clock,
    intervalMs: stepMs,
    run: look,
    failed: (error) => logger.warn({ err: error }, 'the use of containers could not be read'),
  });
  return { ...repetition, look };
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
