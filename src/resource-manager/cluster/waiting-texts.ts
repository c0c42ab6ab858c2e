// What clients are told of an application whose master waits: the scheduler's words, rendered when they are read. A memory beside the
// state says since when the scheduler uses them, so that reading changes no application.
import type { Clock } from '../../lib/clock.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import { dated } from '../applications/diagnostics.ts';
import type { ClusterState } from './state.ts';

interface Remembered {
  /** As the scheduler said it. */
  text: string;
  /** With the date in front. */
  shown: string;
  askedMs: number;
}

/** The texts of waiting applications. */
export class WaitingTexts {
  readonly #state: Pick<ClusterState, 'isWaiting'>;
  readonly #policy: Pick<SchedulingPolicy, 'explain'>;
  readonly #clock: Clock;
  readonly #remembered = new WeakMap<Attempt, Remembered>();

  constructor(state: Pick<ClusterState, 'isWaiting'>, policy: Pick<SchedulingPolicy, 'explain'>, clock: Clock) {
    this.#state = state;
    this.#policy = policy;
    this.#clock = clock;
  }

  /** The text of an application whose master waits; undefined for every other one. A text that is younger than `ageMs` is not asked for again. */
  of(application: Application, ageMs = 0): string | undefined {
    if (!this.#state.isWaiting(application)) return undefined;
    const attempt = currentAttempt(application);
    if (attempt?.state !== 'SCHEDULED') return undefined;
    const askedMs = this.#clock.steadyMs();
    let remembered = this.#remembered.get(attempt);
    if (remembered && askedMs - remembered.askedMs < ageMs) return remembered.shown;
    const text = this.#policy.explain(application.id);
    if (!remembered) this.#remembered.set(attempt, (remembered = { text: '', shown: '', askedMs }));
    remembered.askedMs = askedMs;
    if (remembered.text !== text) {
      remembered.text = text;
      remembered.shown = text === '' ? '' : dated(this.#clock.now(), text);
    }
    return remembered.shown;
  }
}
