// Long answers: whole or streamed the text is the same, others get their turn, searches end.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Answer } from '../../http/answers.ts';
import { ManualClock } from '../../lib/clock.ts';
import { Turns } from '../../lib/turns.ts';
import { Failure } from '../../model/errors.ts';
import { listPieces, longAnswer } from './long-answer.ts';
import { entitiesText, eventsText } from './v1-lists.ts';

const parts = (clock = new ManualClock()) => ({ turns: new Turns(), clock, maximumSearchMs: 1000 });
const form = { open: '[', separator: ',', close: ']', write: (item: number | string) => JSON.stringify(item) };

async function bodyOf(answer: Answer): Promise<string> {
  if (answer.kind === 'rendered') return answer.body;
  assert.equal(answer.kind, 'pieces');
  return textOf(Readable.from((answer as { body: AsyncIterable<string> }).body));
}

test('a short list leaves as a whole, a long one while it is made; both are the same text', async () => {
  for (const [count, kind] of [
    [0, 'rendered'],
    [1, 'rendered'],
    [2000, 'rendered'],
    [200_000, 'pieces'],
  ] as const) {
    const items = Array.from({ length: count }, (_, i) => i);
    const withGaps = items.flatMap((item) => (item % 3 === 0 ? [undefined, item] : [item]));
    const answer = await longAnswer(listPieces(withGaps, form), 'application/json', parts());
    assert.equal(answer.kind, kind);
    assert.equal(await bodyOf(answer), JSON.stringify(items));
  }
});

test('a short list waits for nobody', async () => {
  const waiting = new Turns({ later: () => assert.fail('it waited for a turn') });
  const found = Array.from({ length: 20 }, (_, i) => ({ entity: `e${i}`, entitytype: 't', events: [] }));
  for (const pieces of [entitiesText('json', found), entitiesText('xml', found), eventsText('json', found), eventsText('xml', found)]) {
    const answer = await longAnswer(pieces, 'application/json', { ...parts(), turns: waiting });
    assert.equal(answer.kind, 'rendered');
  }
});

test('others get their turn while a long list is made', async () => {
  let others = 0;
  let isDone = false;
  const count = () => {
    others += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const items = Array.from({ length: 20_000 }, (_, i) => i);
  await bodyOf(await longAnswer(listPieces(items, form), 'application/json', parts()));
  isDone = true;
  // A piece holds some 45 items.
  assert.ok(others > 300, `${others}`);
});

test('a search that finds nothing more ends: refused before anything was sent, cut short afterwards', async () => {
  const clock = new ManualClock();
  function* endless(found: readonly string[]): Generator<string | undefined, undefined> {
    yield* found;
    for (;;) {
      clock.advance(1);
      yield undefined;
    }
  }
  await assert.rejects(
    longAnswer(listPieces(endless([]), form), 'application/json', parts(clock)),
    (error) => error instanceof Failure && error.code === 'TIMELINE_SEARCH_TOO_LONG',
  );
  const begun = await longAnswer(listPieces(endless(['x'.repeat(300_000)]), form), 'application/json', parts(clock));
  assert.equal(begun.kind, 'pieces');
  await assert.rejects(bodyOf(begun));
});

test('entities and events are the same lists in JSON and in XML', async () => {
  const entities = [{ entity: 'a', entitytype: 't' }, undefined, { entity: 'b<', entitytype: 't', otherinfo: { n: 1 } }];
  assert.equal(
    textOfPieces(entitiesText('json', entities)),
    '{"entities":[{"entitytype":"t","entity":"a"},{"entitytype":"t","entity":"b<","otherinfo":{"n":1}}]}',
  );
  assert.match(
    textOfPieces(entitiesText('xml', entities)),
    /^<\?xml[^>]*><entities><entities><entitytype>t<\/entitytype><entity>a<\/entity><\/entities><entities>.*<entity>b&lt;<\/entity>.*<\/entities><\/entities>$/,
  );
  const event = (timestamp: number) => ({ timestamp, eventtype: 'E', eventinfo: {} });
  const named = (entity: string, ...times: number[]) => ({ entity, entitytype: 't', events: times.map(event) });
  const found = [named('a'), named('a', 3, 2), undefined, named('a', 1), named('b'), undefined];
  const events = JSON.parse(textOfPieces(eventsText('json', found)));
  assert.deepEqual(events, { events: [named('a', 3, 2, 1), named('b')] });
  assert.deepEqual(JSON.parse(textOfPieces(eventsText('json', []))), { events: [] });
  const xml = textOfPieces(eventsText('xml', found));
  assert.equal(xml.match(/<timestamp>/g)?.length, 3);
  assert.equal(xml.match(/<entity>/g)?.length, 2);
  assert.equal(xml.match(/<events>/g)?.length, xml.match(/<\/events>/g)?.length);
});

function textOfPieces(pieces: Iterator<string, string>): string {
  let text = '';
  for (let step = pieces.next(); ; step = pieces.next()) {
    text += step.value;
    if (step.done) return text;
  }
}
