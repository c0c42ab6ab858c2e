// Whether the receiver of traces takes what it is sent: said when that changes, and now and then while it does not.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';

/** Between two words of the same trouble, ms. */
const sayEveryMs = 60_000;
const longestReason = 300;

/** Why spans are lost: the receiver does not take them, or too many wait for it. */
export type Loss = 'refused' | 'too many';

/** One receiver. */
export class ReceiverState {
  readonly #url: string;
  readonly #ports: { readonly clock: Pick<Clock, 'steadyMs'>; readonly logger: Logger };
  readonly #saidMs = new Map<Loss, number>();
  #lost = 0;

  constructor(url: string, ports: { readonly clock: Pick<Clock, 'steadyMs'>; readonly logger: Logger }) {
    this.#url = url;
    this.#ports = ports;
  }

  /** It took some spans. */
  took(): void {
    if (!this.#saidMs.delete('refused')) return;
    this.#ports.logger.info({ receiver: this.#url, lost: this.#lost }, 'the receiver of traces takes spans again');
    this.#lost = 0;
  }

  /** So many spans are gone. */
  lost(spans: number, loss: Loss, reason: string): void {
    const { clock, logger } = this.#ports;
    this.#lost += spans;
    const nowMs = clock.steadyMs();
    if (nowMs - (this.#saidMs.get(loss) ?? Number.NEGATIVE_INFINITY) < sayEveryMs) return;
    this.#saidMs.set(loss, nowMs);
    logger.warn(
      { receiver: this.#url, lost: this.#lost, reason: reason.slice(0, longestReason) },
      'spans for the receiver of traces are lost; applications are not touched by it',
    );
  }
}
