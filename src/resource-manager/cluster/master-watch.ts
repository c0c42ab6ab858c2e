// Masters that are silent for too long are given up (AMLivelinessMonitor; docs/protocol.md, P8).
import type { Clock } from '../../lib/clock.ts';
import type { Timers } from '../../lib/timers.ts';
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import { isEndedAttempt } from '../applications/attempt-states.ts';
import type { ClusterState } from './state.ts';

/** What is needed. */
export interface MasterWatchPorts {
  readonly state: Pick<ClusterState, 'lastContactMs' | 'setLastContact'>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Silence that is too long, ms. */
  readonly expiryMs: number;
  /** A master was silent for so long. */
  readonly expired: (application: Application, attempt: Attempt) => void;
}

/** The watch over masters. */
export class MasterWatch {
  readonly #ports: MasterWatchPorts;

  constructor(ports: MasterWatchPorts) {
    this.#ports = ports;
  }

  /** Expects the master to be heard of from now on. */
  begin(application: Application, attempt: Attempt): void {
    const { clock, timers, expiryMs, state } = this.#ports;
    const check = (): void => {
      if (isEndedAttempt[attempt.state]) return;
      const silentMs = clock.steadyMs() - (state.lastContactMs(attempt.id) ?? Number.NEGATIVE_INFINITY);
      if (silentMs < expiryMs) timers.set(nameOf(attempt), expiryMs - silentMs, check);
      else this.#ports.expired(application, attempt);
    };
    this.heard(attempt);
    timers.set(nameOf(attempt), expiryMs, check);
  }

  /** Notes that the master was heard now. */
  heard(attempt: Attempt): void {
    this.#ports.state.setLastContact(attempt.id, this.#ports.clock.steadyMs());
  }

  /** Nothing is expected of the master any more. */
  end(attempt: Attempt): void {
    this.#ports.timers.cancel(nameOf(attempt));
    this.#ports.state.setLastContact(attempt.id, undefined);
  }
}

const nameOf = ({ id }: Attempt): string => `master ${id}`;
