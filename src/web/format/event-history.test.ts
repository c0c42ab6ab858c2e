import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compactLines, everyLine, partsOf, within } from './event-history.ts';
import { stretchOf } from './stretch.ts';

const at = (time: number, kind: string, containerId?: string) => ({ id: `${time}`, kind, time, ...(containerId && { containerId }) });
const events = [
  at(1000, 'application.created'),
  at(1100, 'application.state'),
  at(1200, 'container.created', 'a'),
  at(1300, 'container.created', 'b'),
  at(1900, 'container.finished', 'a'),
  at(1999, 'application.finished'),
];
const ids = (lines: readonly { readonly events: readonly { readonly id: string }[] }[]) =>
  lines.map((line) => line.events.map(({ id }) => id).join('+'));

describe('the history of an application', () => {
  it('has a line for each event, or one for what belongs together', () => {
    assert.deepEqual(ids(everyLine(events)), ['1000', '1100', '1200', '1300', '1900', '1999']);
    assert.deepEqual(ids(compactLines(events)), ['1000', '1300', '1200+1900', '1999']);
    assert.deepEqual(
      compactLines(events).map(({ last }) => last.kind),
      ['application.created', 'container.created', 'container.finished', 'application.finished'],
    );
  });

  it('is narrowed to the stretch that the address names', () => {
    assert.deepEqual(
      within(events, stretchOf('1100-1300')).map(({ id }) => id),
      ['1100', '1200'],
    );
    assert.equal(within(events, undefined).length, 6);
  });

  it('is counted over its time, or over the stretch, in even parts', () => {
    const whole = partsOf(events, undefined, 10);
    assert.deepEqual(
      whole.map(({ count }) => count),
      [1, 1, 1, 1, 0, 0, 0, 0, 0, 2],
    );
    assert.deepEqual([whole[0]!.fromMs, whole.at(-1)!.toMs], [1000, 2000]);
    assert.deepEqual(partsOf(events, { fromMs: 1100, toMs: 1102 }, 10), [
      { fromMs: 1100, toMs: 1101, count: 1 },
      { fromMs: 1101, toMs: 1102, count: 0 },
    ]);
    assert.deepEqual(partsOf([], undefined, 10), []);
  });
});
