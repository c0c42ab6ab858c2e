import assert from 'node:assert/strict';
import { test } from 'node:test';
import { int, list, object, record, text } from '../wire/codec/describe.ts';
import { writeJson } from '../wire/codec/json.ts';
import { writeXml } from '../wire/codec/xml.ts';
import { KeptTexts } from './kept-texts.ts';

const usage = record('usage', { name: text(), parts: list(object({ count: int() })) }, { json: 'natural' });
const other = record('other', { name: text() }, { json: 'natural' });
const value = (count: number, name = 'a') => ({ name, parts: [{ count }] });

test('what says the same has the same text, in each format its own', () => {
  const texts = new KeptTexts();
  const first = texts.textOf(usage, value(1), 'json');
  assert.equal(first.text, writeJson(usage, value(1)));
  assert.equal(texts.textOf(usage, value(1), 'json'), first);
  assert.equal(texts.textOf(usage, value(1), 'xml').text, writeXml(usage, value(1)));
  assert.equal(texts.textOf(other, { name: 'a' }, 'json').text, writeJson(other, { name: 'a' }));
  assert.equal(texts.textOf(usage, value(1), 'json'), first);
});

test('a value that says what the one before said is not compared each time that it comes', () => {
  const texts = new KeptTexts();
  let reads = 0;
  const counted = {
    get name() {
      reads += 1;
      return 'a';
    },
  };
  texts.textOf(other, { name: 'a' }, 'json');
  const first = texts.textOf(other, counted, 'json');
  const before = reads;
  assert.equal(texts.textOf(other, counted, 'json'), first);
  assert.equal(reads, before);
});

test('what has changed anywhere is written anew, back and forth', () => {
  const texts = new KeptTexts();
  for (const now of [value(1), value(2), value(1), value(1, 'b'), { name: 'b', parts: [] }, { name: 'b' }, value(1, 'b')])
    assert.equal(texts.textOf(usage, now, 'json').text, writeJson(usage, now));
});

test('a text that is not short is not kept', () => {
  const texts = new KeptTexts();
  const long = { name: 'a'.repeat(100_000) };
  assert.notEqual(texts.textOf(other, long, 'json'), texts.textOf(other, long, 'json'));
  assert.equal(texts.textOf(other, { name: 'a' }, 'json'), texts.textOf(other, { name: 'a' }, 'json'));
});

test('a text is known as short and plain by what it is', () => {
  const texts = new KeptTexts();
  assert.ok(texts.textOf(other, { name: 'a' }, 'json').isShortAscii);
  assert.ok(!texts.textOf(other, { name: 'ä' }, 'json').isShortAscii);
  assert.ok(!texts.textOf(other, { name: 'a'.repeat(100_000) }, 'json').isShortAscii);
});
