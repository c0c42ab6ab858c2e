// Whether what is shown of the cluster may be shown once more as it is.
import type { Clock } from '../../lib/clock.ts';

/** What is needed. */
export interface MomentPorts {
  /** How many changes of the cluster there were. */
  readonly changes: () => number;
  readonly clock: Pick<Clock, 'now'>;
  /** Longest time that it lasts, ms: what is shown may depend on the time besides. */
  readonly longestMs: number;
}

/** A time in which nothing of the cluster changed. */
export class Moment {
  readonly #ports: MomentPorts;
  #changes = -1;
  #sinceMs = 0;

  constructor(ports: MomentPorts) {
    this.#ports = ports;
  }

  /** Whether it goes on; where it does not, another one begins. */
  goesOn(nowMs: number): boolean {
    const changes = this.#ports.changes();
    if (changes === this.#changes && nowMs >= this.#sinceMs && nowMs - this.#sinceMs < this.#ports.longestMs) return true;
    this.#changes = changes;
    this.#sinceMs = nowMs;
    return false;
  }
}

/** What is made once in a moment. */
export class OncePerMoment<Value> {
  readonly #moment: Moment;
  readonly #clock: Pick<Clock, 'now'>;
  #kept: { readonly value: Value } | undefined;

  constructor(ports: MomentPorts) {
    this.#moment = new Moment(ports);
    this.#clock = ports.clock;
  }

  /** The value of this moment; nobody may change it. What `make` throws is thrown, and it is made the next time. */
  get(make: () => Value): Value {
    if (this.#moment.goesOn(this.#clock.now()) && this.#kept) return this.#kept.value;
    this.#kept = undefined;
    this.#kept = { value: make() };
    return this.#kept.value;
  }
}
