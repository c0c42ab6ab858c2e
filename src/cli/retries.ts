// How often a failed instance is tried again, as options and files say it.
import { InvalidArgumentError } from 'commander';
import { endlessRetries } from '../wire/cluster/command-job.ts';

const most = 1000;
const endlessWord = 'unlimited';

/** What to write instead. */
export const retriesRemedy = `Give a whole number from 0 to ${most}, or ${endlessWord}.`;
/** What the option is about. */
export const retriesAbout = `how often a failed instance is tried again, after growing pauses of up to a minute; ${endlessWord}: for ever`;

/** The count that a text says; undefined where it says none. */
export function parseRetries(text: string): number | undefined {
  if (text === endlessWord) return endlessRetries;
  return /^\d{1,4}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
}

/** The count of an option. @throws InvalidArgumentError */
export function retriesOf(text: string): number {
  const count = parseRetries(text);
  if (count === undefined) throw new InvalidArgumentError(retriesRemedy);
  return count;
}

/** A count for people. */
export const retriesText = (count: number): string => (count === endlessRetries ? endlessWord : String(count));
