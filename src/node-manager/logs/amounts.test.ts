import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gatheredAmounts } from './amounts.ts';

const mib = 1024 * 1024;
const amount = (bytes: number, storedBytes = bytes, start = 0) => ({ file: { bytes, storedBytes }, start });
const starts = (...amounts: ReturnType<typeof amount>[]) => gatheredAmounts(amounts, 100 * mib).kept.map(({ start }) => start);

it('files are gathered whole, whatever few blocks a small or compressed one has', () => {
  assert.deepEqual(starts(amount(5), amount(mib, 0), amount(0), amount(60 * mib, 2 * mib), amount(7, 7, 3)), [0, 0, 0, 0, 3]);
});

it('of a file that is mostly holes only its end counts', () => {
  const { kept, leftOutBytes } = gatheredAmounts([amount(30_000 * mib, 0), amount(5)], 100 * mib);
  assert.deepEqual([kept.map(({ start }) => start), leftOutBytes], [[29_984 * mib, 0], 29_984 * mib]);
});

it('beyond the limit of all together the ends of files are gathered, then none', () => {
  assert.deepEqual(starts(amount(70 * mib), amount(50 * mib), amount(9), amount(0)), [0, 20 * mib, 0]);
});
