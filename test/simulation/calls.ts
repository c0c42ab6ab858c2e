// Calls of a master to the resource manager: each takes its time, may get lost on the way there or back, may be carried out twice, and is made
// again, unchanged, until it is answered; a restart of the resource manager lies in between or not (`client/master-client.ts`).
import { Failure } from '../../src/model/errors.ts';
import type { Conditions } from './conditions.ts';
import type { ManagerProcess } from './manager.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface CallPorts {
  readonly clock: VirtualClock;
  readonly conditions: () => Conditions;
  readonly manager: () => ManagerProcess | undefined;
  /** Nothing comes through between the master's machine and the resource manager. */
  readonly isParted: () => boolean;
  readonly isAlive: () => boolean;
  /** `once`: the network makes no copies of a call, which might come after the session of its master. */
  readonly mayCome: 'once' | 'late';
  /** What no caller expects. */
  readonly failed: (error: unknown) => void;
}

/** Thrown where the resource manager refuses a call: repeating it would not help. */
export class Refused extends Error {}

/** Carries a call out; resolves to the answer. The signal: the caller is gone. */
export type Carry<T> = (manager: ManagerProcess, signal: AbortSignal) => Promise<T>;

export class Calls {
  readonly #ports: CallPorts;
  readonly #open = new Set<AbortController>();
  /** Calls of a round before are given up. */
  #round = 0;

  constructor(ports: CallPorts) {
    this.#ports = ports;
  }

  /** Resolves to the answer; never, where the master dies first. `copies`: so many go at once. @throws Refused */
  make<T>(what: string, carry: Carry<T>, copies = 1): Promise<T> {
    const { conditions, isAlive } = this.#ports;
    return new Promise<T>((resolve, reject) => {
      let isAnswered = false;
      const round = this.#round;
      const isOpen = () => !isAnswered && round === this.#round && isAlive();
      let retries = false;
      const again = () => {
        if (!isOpen() || retries) return;
        retries = true;
        this.#later(conditions().retryMs() ?? 0, () => {
          retries = false;
          attempt();
        });
      };
      const take = (settle: () => void) => {
        if (!isOpen()) return;
        isAnswered = true;
        settle();
      };
      const attempt = () => {
        if (!isOpen()) return;
        const to = this.#ports.manager();
        const send = () => {
          // A connection ends with the process at its other end: what is late is so within one life of it.
          this.#hop(again, () => {
            if (to === undefined || to !== this.#ports.manager()) return again();
            this.#arrive(what, carry, again, {
              answered: (answer) => take(() => resolve(answer)),
              refused: (error) => take(() => reject(error)),
            });
          });
        };
        for (let i = 0; i < copies; i++) send();
        // The other one comes at once, or long after the answer.
        if (this.#ports.mayCome === 'late' && conditions().repeatsCall())
          this.#later(conditions().latencyMs() * (conditions().repeatsCall() ? 20 : 1), send);
      };
      attempt();
    });
  }

  /** Whatever is not answered yet is not made again, and no answer to it is heard. */
  giveUp(): void {
    this.#round++;
  }

  /** The master is gone, and with it its connections. */
  abandon(): void {
    for (const call of this.#open) call.abort();
  }

  /** One way, if the message gets through. */
  #hop(lost: () => void, arrive: () => void): void {
    const { conditions, isParted } = this.#ports;
    if (isParted() || conditions().losesCall()) return lost();
    const ms = conditions().latencyMs();
    if (ms === 0) return arrive();
    this.#later(ms, () => (isParted() ? lost() : arrive()));
  }

  #arrive<T>(
    what: string,
    carry: Carry<T>,
    again: () => void,
    outcome: { answered(answer: T): void; refused(error: unknown): void },
  ): void {
    const manager = this.#ports.manager();
    if (!manager) return again();
    const caller = new AbortController();
    this.#open.add(caller);
    const isAnswered = manager.onDeath(again);
    const answer = (settle: () => void) => {
      this.#open.delete(caller);
      if (!manager.isAlive) return;
      isAnswered();
      this.#hop(again, settle);
      manager.answered(what);
    };
    carry(manager, caller.signal).then(
      (answered) => answer(() => outcome.answered(answered)),
      (error: unknown) => answer(() => this.#refuse(error, again, outcome.refused)),
    );
  }

  /** What is refused for good, what is to be tried again, and what must not happen. */
  #refuse(error: unknown, again: () => void, refused: (error: unknown) => void): void {
    if (error instanceof Failure && error.entry.status === 503) again();
    else if (error instanceof Refused) refused(error);
    else if (error instanceof Failure) refused(new Refused(error.code));
    else this.#ports.failed(error);
  }

  #later(ms: number, run: () => void): void {
    this.#ports.clock.setTimer(ms, run);
  }
}
