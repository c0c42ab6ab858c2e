// What has very many parts is read some at a time.
import { setOwn } from '../../lib/own-member.ts';

/** What comes of reading an entity: undefined for each part behind the first ones, so that whoever reads may pause. */
export type Gradually<Read> = Generator<undefined, Read>;

/** What is read, at once: for what is known to be small. */
export function atOnce<Read>(reading: Gradually<Read>): Read {
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
  }
}

/** Of one entity. */
export const partsAtOnce = 500;

/** Reads rows some at a time: the first, and those behind the last one so far. Each of the latter is undefined first. */
export function* gradualRows<Row, Read>(
  first: () => readonly Row[],
  behind: (last: Row) => readonly Row[],
  take: (row: Row) => Read,
): Generator<undefined, Read[]> {
  let rows = first();
  const taken = rows.map(take);
  while (rows.length >= partsAtOnce) {
    rows = behind(rows.at(-1)!);
    for (const row of rows) {
      taken.push(take(row));
      yield undefined;
    }
  }
  return taken;
}

/** An object of pairs. */
export function* gradualRecord<Value>(pairs: readonly (readonly [string, Value])[]): Gradually<Record<string, Value>> {
  if (pairs.length <= partsAtOnce) return Object.fromEntries(pairs);
  const record: Record<string, Value> = {};
  for (const [name, value] of pairs) {
    setOwn(record, name, value);
    yield undefined;
  }
  return record;
}
