// Ended applications in memory: kept until nothing more can come for them, written again when something did, bounded in number.
import type { Clock } from '../../lib/clock.ts';
import type { Timers } from '../../lib/timers.ts';
import type { Application } from '../applications/application.ts';
import type { Effects } from './effects.ts';
import type { ClusterState } from './state.ts';

/** What was just changed stays in memory until its change is stored. */
const shortestMemoryMs = 1000;
/** How long an ended application stays in memory: for the ends of containers and logs that are awaited, or for late readers. */
const awaitedMemoryMs = 600_000;
const settledMemoryMs = 10_000;
/** How many ended applications with nothing left to come stay in memory at most; they are rows of the store already. */
const maximumSettled = 500;

/** What is needed. */
export interface EndedApplicationPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'persist'>;
  readonly clock: Clock;
  readonly timers: Timers;
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

const timerOf = ({ id }: Application): string => `forget ${id}`;

/** Whether a node may still tell of containers or logs. */
function isAwaited({ attempts, logAggregation, logAggregationEnabled }: Application): boolean {
  if (attempts.some(({ containers }) => containers.size > 0)) return true;
  if (!logAggregationEnabled) return false;
  for (const { status } of logAggregation.values())
    if (status === 'NOT_START' || status === 'RUNNING' || status === 'RUNNING_WITH_FAILURE') return true;
  return false;
}
