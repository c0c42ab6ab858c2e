// How commands print: tables for people, JSON for programs.

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { isoTime } from '../lib/iso-time.ts';
import { hasUnprintable, printable } from '../lib/printable.ts';
import { rawNumber } from '../wire/timeline/exact-json.ts';
import { fitted, fittedTable } from './columns.ts';

const require = createRequire(import.meta.url);

/** Prints sentences. Names and diagnostics in them are others': what would steer the terminal is replaced. */
export const printText = (text: string): void => void process.stdout.write(printable(text, true));

/** Prints what work wrote, as `cat` does: as it is. Resolves when more may be printed. */
export async function printContents(content: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(content)) await once(process.stdout, 'drain');
}

/** Prints sentences beside the output, on the error stream. */
export const printNote = (text: string): void => void process.stderr.write(printable(text, true));

/** JSON in which whole numbers of any size stand to the last digit; empty for undefined. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_name, inner: unknown) => (typeof inner === 'bigint' ? rawNumber(String(inner)) : inner), indent) ?? '';

/** Prints a value as indented JSON, what would steer the terminal as `\\uXXXX`. */
export function printJson(value: unknown): void {
  const text = jsonText(value, 2);
  process.stdout.write(`${hasUnprintable(text.replaceAll('\n', '')) ? text.replace(/[^\n\x20-\x7e]/g, escapedLetter) : text}\n`);
}

/** A value as JSON in one line, which no letter in it ends or steers the terminal by: for programs that read lines as they come. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value).replace(/[^\x20-\x7e]/g, escapedLetter)}\n`;

const escapedLetter = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

type Row = readonly (string | number | bigint | undefined)[];

/** How wide the terminal is; undefined where the output goes elsewhere. */
export const terminalColumns = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns : undefined);

let tablesAreWhole = false;
/** From now on tables are printed whole (`--wide`), however narrow the terminal is. */
export const printTablesWhole = (): void => {
  tablesAreWhole = true;
};

/**
 * Prints rows under headings, without frames so that `cut` and `awk` work on them: whole there, and fitted to the width of a terminal. `givesWay`: headings of
 * the columns that are left out where there is no room for all, the first one first.
 */
export function printTable(head: readonly string[], rows: readonly Row[], givesWay: readonly string[] = []): void {
  const columns = tablesAreWhole ? undefined : terminalColumns();
  const { text, without } = tableFor(columns, head, rows, givesWay);
  process.stdout.write(text);
  if (without.length > 0) process.stderr.write(`heddle: --wide also shows ${without.join(', ')}\n`);
}

const gap = '  ';

/** The lines of `printTable`, where it is given for a terminal so wide. What would steer the terminal is replaced. */
export const tableText = (head: readonly string[], rows: readonly Row[], columns?: number): string =>
  tableFor(columns, head, rows, []).text;

function tableFor(
  columns: number | undefined,
  head: readonly string[],
  rows: readonly Row[],
  givesWay: readonly string[],
): { readonly text: string; readonly without: readonly string[] } {
  const cells = rows.map((row) => row.map((cell) => (cell === undefined || cell === '' ? '-' : printable(String(cell)))));
  const shown = columns === undefined ? { head, rows: cells, without: [] } : fittedTable(head, cells, columns, gap.length, givesWay);
  const Table = require('cli-table3') as typeof import('cli-table3');
  const none = Object.fromEntries(
    [
      'top',
      'top-mid',
      'top-left',
      'top-right',
      'bottom',
      'bottom-mid',
      'bottom-left',
      'bottom-right',
      'left',
      'left-mid',
      'mid',
      'mid-mid',
      'right',
      'right-mid',
    ].map((name) => [name, '']),
  );
  const table = new Table({
    head: [...shown.head],
    chars: { ...none, middle: gap },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  for (const row of shown.rows) table.push(row);
  const lines = table.toString().split('\n');
  return { text: `${lines.map((line) => line.trimEnd()).join('\n')}\n`, without: shown.without };
}

/** Another screen of the terminal; what stood on the first one is there again afterwards, however the process ends. */
export class Screen {
  readonly #restore = (): void => void process.stdout.write('\u001b[?25h\u001b[?1049l');

  constructor() {
    process.stdout.write('\u001b[?1049h\u001b[?25l');
    process.once('exit', this.#restore);
  }

  /** Shows as much of the lines as there is room for. */
  show(lines: readonly string[]): void {
    const { rows = 24, columns = 80 } = process.stdout;
    const shown = lines.slice(0, rows - 1).map((line) => `${fitted(printable(line), columns)}\u001b[K\r\n`);
    process.stdout.write(`\u001b[H${shown.join('')}\u001b[J`);
  }

  close(): void {
    process.off('exit', this.#restore);
    this.#restore();
  }
}

/** Prints names and values, one a line. Undefined values are left out. */
export function printFacts(facts: readonly (readonly [name: string, value: string | number | bigint | undefined])[]): void {
  const known = facts.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(...known.map(([name]) => name.length)) + 2;
  process.stdout.write(known.map(([name, value]) => `${name.padEnd(width)}${printable(String(value), true)}\n`).join(''));
}

/** A time in epoch milliseconds for people; empty for none. */
export function formatTime(epochMs: number | bigint | undefined): string {
  return epochMs !== undefined && epochMs > 0
    ? isoTime(epochMs)
        .replace('T', ' ')
        .replace(/\.\d+Z$/, 'Z')
    : '';
}

/** A length of time for people: `1.2 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(durationMs: number | bigint | undefined): string {
  if (durationMs === undefined || durationMs < 0) return '';
  const seconds = Number(durationMs) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Mebibytes for people. */
export function formatMemory(memoryMiB: number | bigint | undefined): string {
  if (memoryMiB === undefined) return '';
  return memoryMiB >= 1024 ? `${Number((Number(memoryMiB) / 1024).toFixed(1))} GiB` : `${memoryMiB} MiB`;
}
