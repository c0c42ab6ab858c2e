// How often tokens were kept, prolonged and cancelled, and how long the store took: what Hadoop's DelegationTokenSecretManagerMetrics tells.
import { DurationFigure } from '../../lib/duration-figure.ts';

/** What is done to a kept token. */
export type TokenOperation = 'store' | 'update' | 'remove';

/** The figures of one server's tokens since its start. */
export class TokenFigures {
  readonly times: Readonly<Record<TokenOperation, DurationFigure>> = {
    store: new DurationFigure(),
    update: new DurationFigure(),
    remove: new DurationFigure(),
  };
  /** Operations that the store refused. */
  failures = 0;

  /** Waits for an operation of the store. @throws what it rejects with, which is counted as a failure */
  async counted(operation: TokenOperation, work: () => Promise<void>): Promise<void> {
    const begunMs = performance.now();
    try {
      await work();
    } catch (error) {
      this.failures++;
      throw error;
    }
    this.times[operation].add(performance.now() - begunMs);
  }
}
