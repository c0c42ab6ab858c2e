// Things that must be closed, in reverse order of their opening.
import type { Logger } from './log.ts';

/** Collects closing actions; `close` runs them last to first, all of them, and reports the first failure. */
export class Closer {
  #closings: { name: string; close: () => void | Promise<void> }[] = [];

  /** Adds an action; `name` appears in the error when it fails. */
  add(name: string, close: () => void | Promise<void>): void {
    this.#closings.push({ name, close });
  }

  /** Runs every action once; a second call does nothing. */
  async close(): Promise<void> {
    let failed: Error | undefined;
    for (;;) {
      const next = this.#closings.pop();
      if (!next) break;
      try {
        await next.close();
      } catch (error) {
        failed ??= new Error(`closing ${next.name} failed`, { cause: error });
      }
    }
    if (failed) throw failed;
  }

  /** Closes what a start opened before it failed. Rejects with `error`, the reason of the failure; failures of closing are logged. */
  async closeAfter(error: unknown, logger: Logger): Promise<never> {
    await this.close().catch((problem: unknown) => logger.warn({ err: problem }, 'what a failed start had opened could not be closed'));
    throw error;
  }
}
