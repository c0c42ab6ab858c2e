// Amounts as users write them on the command line and in job files.
import { InvalidArgumentError } from 'commander';
import { parseBytes, parseDuration } from '../config/values.ts';
import { CommandFailure } from './failure.ts';

const perUnit: Readonly<Record<string, number>> = { '': 1, m: 1, g: 1024, t: 1024 * 1024 };

/** MiB of `512`, `512m`, `2g`, `1.5GiB`; undefined when it is no amount of memory, or none at all. */
export function parseMemory(text: string): number | undefined {
  const found = /^(\d{1,12}(?:\.\d{1,6})?) ?([mgt]?)(?:i?b)?$/.exec(text.trim().toLowerCase());
  if (!found) return undefined;
  const value = Math.ceil(Number(found[1]) * perUnit[found[2] ?? '']!);
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** An option's memory in MiB. @throws InvalidArgumentError */
export function memoryMiB(text: string): number {
  const value = parseMemory(text);
  if (value === undefined) throw new InvalidArgumentError('Give memory such as 512m or 2g; a number alone counts MiB.');
  return value;
}

/** A thousand years: what is added to the time of now stays a date. */
const longestMs = 365_250 * 86_400_000;

/** ms of `90` (seconds), `30m`, `2h`; undefined when it is no time, or longer than a thousand years. */
export function parseTime(text: string): number | undefined {
  const ms = parseDuration(text, 's');
  return ms !== undefined && ms <= longestMs ? ms : undefined;
}

/** An option's time in ms, of at least a second. @throws InvalidArgumentError */
export function timeMs(text: string): number {
  const ms = parseTime(text);
  if (ms === undefined || ms < 1000)
    throw new InvalidArgumentError('Give a time from a second to a thousand years, such as 90, 30m or 2h.');
  return ms;
}

/** An option's bytes, at least one. @throws InvalidArgumentError */
export function byteCount(text: string): number {
  const bytes = parseBytes(text);
  if (bytes === undefined || !Number.isSafeInteger(bytes) || bytes < 1) throw new InvalidArgumentError('Give bytes, such as 1000 or 64k.');
  return bytes;
}

/** Amounts of resource types from `NAME=COUNT`. @throws CommandFailure */
export function readResources(texts: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    texts.map((text) => {
      const found = /^([^=]+)=(\d{1,15})$/.exec(text);
      if (!found) throw new CommandFailure(`--resource ${text}: is no amount of a resource`, 'Write NAME=COUNT, such as yarn.io/gpu=1.', 2);
      return [found[1]!, Number(found[2])];
    }),
  );
}
