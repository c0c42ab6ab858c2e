// When a schedule is due: cron expressions of five fields (minute, hour, day, month, day of the week) in a time zone.
import { Cron } from 'croner';

/** An expression or a time zone that cannot be. */
export class CronMalformed extends Error {
  override readonly name = 'CronMalformed';
}

const fields = [
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['day of the month', '1 to 31'],
  ['month', '1 to 12, or JAN to DEC'],
  ['day of the week', '0 to 7, or SUN to SAT'],
] as const;
const nicknames = ['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually'];

const isRead = (expression: string): boolean => {
  try {
    return new Cron(expression, { mode: '5-part', paused: true }) !== undefined;
  } catch {
    return false;
  }
};

/** What is wrong with an expression, as a sentence; undefined where nothing is. */
export function expressionFault(expression: string): string | undefined {
  const why = faultIn(expression);
  return why === undefined ? undefined : `'${expression}' is no cron expression: ${why}`;
}

function faultIn(expression: string): string | undefined {
  const parts = expression.trim().split(/\s+/).filter(Boolean);
  if (parts.length === 1 && parts[0]!.startsWith('@'))
    return nicknames.includes(parts[0]!.toLowerCase()) ? undefined : `of its kind there are ${nicknames.join(', ')}`;
  if (parts.length !== fields.length) {
    const names = fields.map(([name]) => name).join(', ');
    return `it has ${parts.length} ${parts.length === 1 ? 'field' : 'fields'}, not ${fields.length} (${names})`;
  }
  // The library says neither in which field nor what may stand there: each is tried by itself.
  for (const [at, [name, values]] of fields.entries())
    if (!isRead(fields.map((_, index) => (index === at ? parts[at] : '*')).join(' ')))
      return `'${parts[at]}' is no ${name} (${values}; lists such as 1,2, ranges such as 1-5, steps such as */2)`;
  return undefined;
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
    } catch {
      throw new CronMalformed(expressionFault(expression) ?? `'${expression}' is no cron expression`);
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
