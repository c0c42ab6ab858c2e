import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareTexts } from './text-order.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_129) });

const sign = (number: number): number => Math.sign(number) + 0;

test('texts are ordered as the database orders them', () => {
  using database = new DatabaseSync(':memory:');
  const compare = database.prepare('SELECT (? > ?) - (? < ?) AS sign');
  const texts = fc.string({ unit: fc.constantFrom('', 'a', 'b', '\u00e9', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{1f600}') });
  fc.assert(
    fc.property(texts, texts, (left, right) => {
      assert.equal(sign(compareTexts(left, right)), compare.get(left, right, left, right)?.['sign']);
    }),
  );
});

test('a character of two units comes after those of one, unlike in the order of units', () => {
  assert.ok('\u{1f600}' < '\uffff');
  assert.ok(compareTexts('\u{1f600}', '\uffff') > 0);
});
