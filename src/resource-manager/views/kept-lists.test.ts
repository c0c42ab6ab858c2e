import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { seededRandom } from '../../lib/random.ts';
import { TextBatch } from '../../lib/text-batch.ts';
import { KeptLists } from './kept-lists.ts';

/** Lists of things that began at some times, and what was kept of them. */
function world(more: { readonly mostBytes?: number } = {}) {
  const clock = new ManualClock();
  const state = { changes: 0 };
  const lists = new KeptLists({ changes: () => state.changes, clock, longestMs: 250, mostBytes: more.mostBytes ?? 10_000 });
  const made = (starts: readonly number[]): TextBatch => {
    const batch = new TextBatch(true);
    for (const startedMs of starts) {
      batch.add('{"elapsed":', true);
      batch.addElapsed(startedMs, clock.now());
      batch.add('}', true);
    }
    return batch;
  };
  /** Asks for a list as a request does, made in pieces; whether what was kept could be given, and the text. */
  const ask = (asked: string, pieces: readonly (readonly number[])[]): { isKept: boolean; text: string } => {
    const kept = lists.find(asked, clock.now());
    if (kept) {
      const bytes = kept.lend(clock.now());
      const text = bytes.toString('latin1');
      kept.giveBack(bytes);
      return { isKept: true, text };
    }
    const toKeep = lists.begin(asked, clock.now());
    let text = '';
    for (const starts of pieces) {
      const batch = made(starts);
      const { places } = batch;
      const bytes = batch.take();
      toKeep?.add(bytes, places);
      text += bytes.toString('latin1');
    }
    toKeep?.done();
    return { isKept: false, text };
  };
  const fresh = (pieces: readonly (readonly number[])[]): string => pieces.map((starts) => made(starts).take().toString('latin1')).join('');
  return { clock, state, lists, ask, fresh };
}

describe('a list that is asked for again', () => {
  it('is as it would be made now, whatever the times', () => {
    const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_123);
    const random = seededRandom(seed);
    let kept = 0;
    for (let round = 0; round < 300; round++) {
      const { clock, ask, fresh } = world();
      const startedMs = () => clock.now() - random.int(10 ** (1 + random.int(6)));
      const pieces = Array.from({ length: 1 + random.int(3) }, () => Array.from({ length: random.int(5) }, startedMs));
      for (let times = 0; times < 6; times++) {
        const { isKept, text } = ask('json?', pieces);
        assert.equal(text, fresh(pieces), `seed ${seed}`);
        if (isKept) kept++;
        clock.advance(random.int(60));
      }
    }
    assert.ok(kept > 300, `seed ${seed}: ${kept}`);
  });

  it('is kept from the second time on, until anything changed or a while went by', () => {
    const { clock, state, ask } = world();
    const asks = (): boolean[] => [1, 2, 3].map(() => ask('json?', [[clock.now() - 5000]]).isKept);
    assert.deepEqual(asks(), [false, false, true]);
    state.changes++;
    assert.deepEqual(asks(), [false, false, true]);
    clock.advance(249);
    assert.equal(ask('json?', [[1]]).isKept, true);
    clock.advance(1);
    assert.deepEqual(asks(), [false, false, true]);
    assert.equal(ask('xml?', [[1]]).isKept, false);
  });

  it('is sent to two at once from bytes of their own', () => {
    const { clock, lists, ask } = world();
    const startedMs = clock.now() - 1000;
    ask('json?', [[startedMs]]);
    ask('json?', [[startedMs]]);
    const list = lists.find('json?', clock.now())!;
    const first = list.lend(clock.now());
    const second = list.lend(clock.now() + 5);
    assert.deepEqual([first.toString(), second.toString()], ['{"elapsed":1000}', '{"elapsed":1005}']);
    list.giveBack(first);
    assert.equal(list.lend(clock.now()), first);
  });

  it('is not kept where a change came while it was made, where it is too long, or where the next moment may change it otherwise', () => {
    const { clock, state, lists } = world({ mostBytes: 20 });
    const tryToKeep = (bytes: string, places: readonly [] | undefined, before: () => void = () => undefined): boolean => {
      lists.begin('json?', clock.now());
      const toKeep = lists.begin('json?', clock.now())!;
      toKeep.add(Buffer.from('['), []);
      toKeep.add(Buffer.from(bytes), places);
      before();
      toKeep.done();
      return lists.find('json?', clock.now()) !== undefined;
    };
    assert.equal(tryToKeep('short', []), true);
    state.changes++;
    assert.equal(tryToKeep('short', undefined), false);
    assert.equal(tryToKeep('longer than twenty bytes', []), false);
    assert.equal(
      tryToKeep('short', [], () => state.changes++),
      false,
    );
    assert.equal(tryToKeep('short', []), true);
  });
});

describe('a batch of texts with times', () => {
  it('says where they stand, unless anything else may change', () => {
    const batch = new TextBatch(true);
    batch.add('since ');
    batch.addElapsed(100, 1234);
    assert.deepEqual(batch.places, [{ at: 6, sinceMs: 100, digits: 4 }]);
    assert.equal(batch.take().toString(), 'since 1134');
    batch.addElapsed(100, 99);
    assert.equal(batch.places, undefined);
    assert.equal(batch.take().toString(), '-1');
    batch.addPassing('now');
    assert.equal(batch.places, undefined);
    batch.take();
    batch.add('ä');
    assert.equal(batch.places, undefined);
    batch.take();
    assert.deepEqual(batch.places, []);
    assert.equal(new TextBatch().places, undefined);
  });
});
