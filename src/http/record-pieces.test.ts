import assert from 'node:assert/strict';
import { test } from 'node:test';
import { int, list, object, record, text } from '../wire/codec/describe.ts';
import { writeJson } from '../wire/codec/json.ts';
import { madeOnTheWay } from '../wire/codec/pieces.ts';
import { writeXml } from '../wire/codec/xml.ts';
import { recordPieces } from './record-pieces.ts';

const tasks = record('tasks', { task: list(object({ id: text(), number: int() })) }, { json: 'natural' });
const numbers = Array.from({ length: 50_000 }, (_, number) => number);
const viewOf = (number: number) => ({ id: `task ${number}`, number });

test('a long record is sent in slices between which others are served', async () => {
  for (const format of ['json', 'xml'] as const) {
    let [others, isDone, made] = [0, false, 0];
    const count = () => {
      others += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const view = (number: number) => {
      made += 1;
      return viewOf(number);
    };
    const slices = recordPieces(tasks, { task: madeOnTheWay(numbers, view) }, format)!;
    const found = [(await slices.next()).value as string];
    assert.ok(made < numbers.length / 2, `${made} were made for the first slice`);
    for await (const slice of slices) found.push(slice);
    isDone = true;
    const whole = (format === 'json' ? writeJson : writeXml)(tasks, { task: numbers.map(viewOf) });
    assert.equal(found.join(''), whole);
    assert.ok(found.length > 20 && others > 20, `${found.length} slices, ${others} times others`);
  }
});

test('a short one is not', () => {
  for (const format of ['json', 'xml'] as const)
    assert.equal(recordPieces(tasks, { task: madeOnTheWay(numbers.slice(0, 100), viewOf) }, format), undefined);
});
