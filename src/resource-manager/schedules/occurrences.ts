// When a schedule is due: cron expressions of five fields (minute, hour, day, month, day of the week) in a time zone.
import { Cron } from 'croner';

/** An expression or a time zone that cannot be. */
export class CronMalformed extends Error {
  override readonly name = 'CronMalformed';
}

/** The moments of an expression. */
export class Occurrences {
  readonly #cron: Cron;

  /**
   * @param expression five fields, or a nickname such as `@daily`
   * @param timeZone of the IANA database: `Europe/Berlin`. Where the clock is put forward what falls into the gap happens behind it, where it is put back
   * once
   * @throws CronMalformed
   */
  constructor(expression: string, timeZone: string) {
    try {
      new Intl.DateTimeFormat('en', { timeZone });
    } catch {
      throw new CronMalformed(`'${timeZone}' is no time zone; write one such as Europe/Berlin or UTC`);
    }
    try {
      this.#cron = new Cron(expression, { timezone: timeZone, mode: '5-part', paused: true });
    } catch (error) {
      throw new CronMalformed(`'${expression}' is no cron expression: ${(error as Error).message.replace(/^CronPattern: /, '')}`);
    }
  }

  /** The first after a moment, in ms since the epoch; undefined where there is none. */
  after(ms: number): number | undefined {
    return this.following(ms, 1)[0];
  }

  /** The first so many after a moment. */
  following(ms: number, most: number): number[] {
    try {
      return this.#cron.nextRuns(most, new Date(ms)).map((date) => date.getTime());
    } catch (error) {
      // The library calls itself from one month to the next: a day that no month of the expression has ends the stack.
      if (error instanceof RangeError) return [];
      throw error;
    }
  }
}
