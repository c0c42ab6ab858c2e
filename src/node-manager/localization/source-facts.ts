// What a resource's source says of itself against what the submitter saw (FSDownload).
import { LocalizationFailure } from './errors.ts';

/**
 * Compares times. One in whole seconds is that of any moment in its second: Java 8 tells no more of a file of its machine.
 * @throws LocalizationFailure in Hadoop's words
 */
export function checkTime(source: string, expected: number, actual: number, nowMs: number): void {
  if (expected === actual || (expected % 1000 === 0 && Math.floor(actual / 1000) === expected / 1000)) return;
  throw new LocalizationFailure(
    `Resource ${source} changed on src filesystem - expected: "${isoText(expected)}", was: "${isoText(actual)}", current time: "${isoText(nowMs)}"`,
  );
}

/** Compares lengths of a file; an order without one names 0 or less. @throws LocalizationFailure */
export function checkSize(source: string, expected: number, actual: number): void {
  if (expected <= 0 || expected === actual) return;
  throw new LocalizationFailure(`Resource ${source} changed on src filesystem - expected: ${expected} bytes, was: ${actual} bytes`);
}

/** A PUBLIC resource that not all users may read. */
export const notPublic = (source: string): LocalizationFailure =>
  new LocalizationFailure(`Resource ${source} is not publicly accessible and as such cannot be part of the public cache.`);

/** `2025-10-13T09:14:05.123+0000` in local time, as Hadoop's Times.formatISO8601. */
export function isoText(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return String(timeMs);
  const offset = -date.getTimezoneOffset();
  const local = new Date(timeMs + offset * 60_000).toISOString().slice(0, -1);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
}
