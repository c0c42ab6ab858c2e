// How wide text is in a terminal, and how it is cut to a width: by what one sees as letters, of which some take two columns.

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const widthOfLetter = (letter: string): number => (wide.test(letter) ? 2 : 1);
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** How many columns of a terminal a line takes. */
export const columnsOf = (text: string): number =>
  isPlain(text) ? text.length : [...letters.segment(text)].reduce((all, { segment }) => all + widthOfLetter(segment), 0);

/** The text, where it is longer cut to so many columns with `…` at its end. */
export function fitted(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let width = 1;
  let cut = '';
  for (const { segment } of letters.segment(text)) {
    width += widthOfLetter(segment);
    if (width > columns) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** No column of a table is cut to less. */
const leastColumns = 10;
/** Long texts are cut to this before times are shortened, and to less only where that was not enough. */
const readableColumns = 20;
/** A moment, of which the beginning alone would say nothing. */
const moment = /^\d{4}-(\d\d-\d\d \d\d:\d\d):\d\d(?:\.\d+)?Z$/;
const shortMoment = /^\d\d-\d\d \d\d:\d\dZ$/;
/** Ids and addresses, which are copied from tables. */
const isCopied = /_\d{4,}|:\d+$|:\/\//;

type Rows = readonly (readonly string[])[];

/**
 * The cells of a table that fits into a terminal: the widest columns are cut first, then times lose their year and seconds (`11-29 03:39Z`). The first column
 * says what a row is about and stays whole, as columns with ids or addresses do; where nothing else can be cut the table stays wider.
 */
export function fittedRows(head: readonly string[], rows: Rows, terminalColumns: number, gap: number): string[][] {
  const cut = cutTo(readableColumns, head, rows, terminalColumns, gap);
  if (widthOf(head, cut, gap) <= terminalColumns) return cut;
  const short = rows.map((row) => row.map((cell, at) => (at === 0 ? cell : cell.replace(moment, '$1Z'))));
  return cutTo(leastColumns, head, short, terminalColumns, gap);
}

/** A table with the columns that a terminal has room for. */
export interface FittedTable {
  readonly head: readonly string[];
  readonly rows: string[][];
  /** Headings of the columns that are not shown. */
  readonly without: readonly string[];
}

/**
 * The table that fits into a terminal. Where cutting is not enough, columns give way whole, in the order in which `givesWay` has their headings; what is then
 * still too wide stays wider.
 */
export function fittedTable(
  head: readonly string[],
  rows: Rows,
  terminalColumns: number,
  gap: number,
  givesWay: readonly string[],
): FittedTable {
  for (let leaving = 0; ; leaving++) {
    const without = givesWay.slice(0, leaving);
    const kept = head.map((_, at) => at).filter((at) => !without.includes(head[at]!));
    const shown = kept.map((at) => head[at]!);
    const fitting = fittedRows(
      shown,
      rows.map((row) => kept.map((at) => row[at] ?? '')),
      terminalColumns,
      gap,
    );
    if (leaving === givesWay.length || widthOf(shown, fitting, gap) <= terminalColumns) return { head: shown, rows: fitting, without };
  }
}

const widthsOf = (head: readonly string[], rows: Rows): number[] =>
  head.map((name, at) => Math.max(columnsOf(name), ...rows.map((row) => columnsOf(row[at] ?? ''))));
const widthOf = (head: readonly string[], rows: Rows, gap: number): number =>
  widthsOf(head, rows).reduce((all, width) => all + width, gap * (head.length - 1));

/** The cells with their widest columns cut as far as is needed, to so many columns at the least. */
function cutTo(least: number, head: readonly string[], rows: Rows, terminalColumns: number, gap: number): string[][] {
  const widths = widthsOf(head, rows);
  const isWhole = (cell = ''): boolean => isCopied.test(cell) || moment.test(cell) || shortMoment.test(cell);
  const cuttable = head.map((_, at) => at).filter((at) => at > 0 && !rows.some((row) => isWhole(row[at])));
  for (let over = widthOf(head, rows, gap) - terminalColumns; over > 0; over--) {
    const widest = cuttable.reduce<number | undefined>(
      (most, at) => (most === undefined || widths[at]! > widths[most]! ? at : most),
      undefined,
    );
    if (widest === undefined || widths[widest]! <= Math.max(least, columnsOf(head[widest]!))) break;
    widths[widest]!--;
  }
  return rows.map((row) => row.map((cell, at) => fitted(cell, widths[at]!)));
}
