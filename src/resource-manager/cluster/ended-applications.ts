// Ended applications in memory: kept until nothing more can come for them, written again when something did, bounded in number. Nodes that do
// not tell of the end of their logs are waited for no longer than the setting says, also by those that are rows of the store alone.
import type { Clock } from '../../lib/clock.ts';
import type { Timers } from '../../lib/timers.ts';
import type { Application } from '../applications/application.ts';
import { awaitsLogs, timeOutLogs } from '../applications/log-gathering.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import type { Effects } from './effects.ts';
import type { ClusterSettings } from './settings.ts';
import type { ClusterState } from './state.ts';

/** What was just changed stays in memory until its change is stored. */
const shortestMemoryMs = 1000;
/** How long an ended application stays in memory: for the ends of containers and logs that are awaited, or for late readers. */
const awaitedMemoryMs = 600_000;
const settledMemoryMs = 10_000;
/** How many ended applications with nothing left to come stay in memory at most; they are rows of the store already. */
const maximumSettled = 500;
/** Nodes are looked for that are over the time for their logs: ten times in that time, and at least so often. */
const longestOverdueIntervalMs = 60_000;
const shortestOverdueIntervalMs = 1000;
/** How many applications change in one go. */
const overdueAtOnce = 100;

/** What is needed. */
export interface EndedApplicationPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'persist'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly store: Pick<ResourceManagerStore, 'overdueLogs'>;
  readonly settings: Pick<ClusterSettings, 'logTimeoutMs'>;
  /** Drops what others keep for the application. */
  readonly forgotten: (application: Application) => void;
}

/** The memory of ended applications. */
export class EndedApplications {
  readonly #ports: EndedApplicationPorts;
  /** Those for which nothing is awaited, the earliest first. */
  readonly #settled = new Set<Application>();

  constructor(ports: EndedApplicationPorts) {
    this.#ports = ports;
  }

  /** Writes what is known of an ended application again, and forgets it in memory once nothing more can come. */
  keep(application: Application): void {
    const { effects, clock, timers } = this.#ports;
    application.version++;
    const awaited = isAwaited(application);
    this.#settled.delete(application);
    effects.persist(
      { kind: 'ended', application },
      { stored: () => (awaited ? undefined : this.#settle(application)), failed: () => 'given up' },
    );
    const waitMs = awaited ? awaitedMemoryMs : settledMemoryMs;
    const overdueMs = Math.max(0, clock.now() - application.finishedMs - waitMs);
    timers.set(timerOf(application), Math.max(shortestMemoryMs, waitMs - overdueMs), () => this.#forget(application));
  }

  /**
   * Counts nodes as timed out that have not told of the end of their logs in time after the end of an application (RMAppLogAggregation), now and
   * from now on. The store finds them: few of these applications are in memory, and none after a restart.
   */
  timeOutLogs(): void {
    const { state, effects, clock, timers, store, settings } = this.#ports;
    const { logTimeoutMs } = settings;
    const overdue = store.overdueLogs(clock.now() - logTimeoutMs, overdueAtOnce);
    for (const stored of overdue) {
      const application = state.application(stored.id);
      if (application && !isWritten(application)) continue;
      timeOutLogs(application ?? stored);
      if (application) this.keep(application);
      else effects.persist({ kind: 'ended', application: stored }, { failed: () => 'given up' });
    }
    const interval = Math.min(longestOverdueIntervalMs, Math.max(shortestOverdueIntervalMs, logTimeoutMs / 10));
    timers.set('overdue logs', overdue.length < overdueAtOnce ? interval : shortestOverdueIntervalMs, () => this.timeOutLogs());
  }

  /** Bounds how many ended applications stay in memory although nothing more is awaited for them: the earliest is forgotten. */
  #settle(application: Application): void {
    if (this.#ports.state.application(application.id) !== application) return;
    this.#settled.add(application);
    if (this.#settled.size <= maximumSettled) return;
    const [earliest] = this.#settled;
    if (earliest) this.#forget(earliest);
  }

  /** The store has it. */
  #forget(application: Application): void {
    const { state, timers, forgotten } = this.#ports;
    this.#settled.delete(application);
    timers.cancel(timerOf(application));
    forgotten(application);
    state.removeApplication(application);
  }
}

/** Whether the end of an ended application is stored and settled: what changes it now writes it again. */
export const isWritten = ({ finishedMs, state }: Application): boolean =>
  finishedMs > 0 && state !== 'FINAL_SAVING' && state !== 'FINISHING';

const timerOf = ({ id }: Application): string => `forget ${id}`;

/** Whether a node may still tell of containers or logs. */
const isAwaited = (application: Application): boolean =>
  application.attempts.some(({ containers }) => containers.size > 0) || awaitsLogs(application);
