// Submissions that were refused because they could not be stored. A write that failed may have been made all the same, and would be recovered by the
// next start: what was refused runs then, perhaps beside the same work that was submitted again (docs/protocol.md, P1 and P17).
import type { Timers } from '../../lib/timers.ts';
import type { Effects } from './effects.ts';

/** What is needed. */
export interface RefusedSubmissionPorts {
  readonly effects: Pick<Effects, 'persist'>;
  readonly timers: Timers;
}

/** How soon it is tried again to take them out of the store. */
const retryMs = 1000;

/** Takes refused submissions out of the store, where they may be. */
export class RefusedSubmissions {
  readonly #ports: RefusedSubmissionPorts;
  /** By application: the refusal of which it is not durable yet that nothing is left of it. */
  readonly #refusals = new Map<string, object>();

  constructor(ports: RefusedSubmissionPorts) {
    this.#ports = ports;
  }

  /** It was refused. Until that is durable the next start may find it. */
  refused(applicationId: string): void {
    this.#refusals.set(applicationId, {});
    this.#withdraw();
  }

  /** An application is about to be written for the first time: in one transaction with that all others go, so that none of them is found beside it. */
  beforeWriting(applicationId: string): void {
    this.#refusals.delete(applicationId);
    this.#withdraw();
  }

  #withdraw(): void {
    const { effects, timers } = this.#ports;
    timers.cancel(timerName);
    const withdrawn = [...this.#refusals];
    if (withdrawn.length === 0) return;
    const stored = (): void => {
      for (const [id, refusal] of withdrawn) if (this.#refusals.get(id) === refusal) this.#refusals.delete(id);
    };
    // Not the same again: an id may be submitted anew meanwhile.
    const failed = (): 'given up' => {
      if (!timers.has(timerName)) timers.set(timerName, retryMs, () => this.#withdraw());
      return 'given up';
    };
    effects.persist({ kind: 'refusedSubmissions', applicationIds: withdrawn.map(([id]) => id) }, { stored, failed });
  }
}

const timerName = 'refused submissions';
