import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../../model/errors.ts';
import { boolean, float, holder, int, list, long, map, object, record, text } from './describe.ts';
import { writeJson } from './json.ts';
import { doubleText, floatText, longText } from './numbers.ts';
import { readBody } from './read.ts';
import { writeXml } from './xml.ts';

const fields = {
  id: text(),
  count: int(),
  big: long(),
  share: float(),
  on: boolean(),
  tags: list(text()),
  seconds: map(long()),
  queues: holder('queue', object({ name: text() })),
};
const natural = record('thing', fields, { json: 'natural' });
const bare = record('thing', fields, { json: 'natural', wrapped: false });
const mapped = record('thing', fields, { json: 'mapped' });
const value = {
  id: 'a"b',
  count: 3,
  big: 2 ** 63,
  share: 100,
  on: true,
  tags: ['x'],
  seconds: { mb: 1, cores: 2 },
  queues: [{ name: 'q' }],
};

test('the natural form repeats map entries and keeps lists of one', () => {
  assert.equal(
    writeJson(natural, value),
    '{"thing":{"id":"a\\"b","count":3,"big":9223372036854775807,"share":100.0,"on":true,"tags":["x"],"seconds":{"entry":{"key":"mb","value":"1"},"entry":{"key":"cores","value":"2"}},"queues":{"queue":[{"name":"q"}]}}}',
  );
  assert.equal(writeJson(bare, { tags: [], seconds: {}, queues: [] }), '{"seconds":{},"queues":{}}');
});

test('the mapped form writes texts and collapses lists of one', () => {
  assert.equal(
    writeJson(mapped, value),
    '{"id":"a\\"b","count":"3","big":"9223372036854775807","share":"100.0","on":"true","tags":"x","seconds":{"entry":[{"key":"mb","value":"1"},{"key":"cores","value":"2"}]},"queues":{"queue":{"name":"q"}}}',
  );
  assert.equal(writeJson(mapped, {}), '{}');
  assert.equal(writeJson(mapped, { seconds: {} }), '{"seconds":null}');
});

test('XML repeats elements, escapes text and leaves absent members out', () => {
  assert.equal(
    writeXml(natural, { id: 'a<&', tags: ['x', 'y'], seconds: { mb: 1 }, queues: [{ name: 'q' }] }),
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><thing><id>a&lt;&amp;</id><tags>x</tags><tags>y</tags><seconds><entry><key>mb</key><value>1</value></entry></seconds><queues><queue><name>q</name></queue></queues></thing>',
  );
  assert.match(writeXml(natural, {}), /<thing\/>$/);
});

test('bodies are read with leniency, in both formats', () => {
  const json = readBody(
    bare,
    Buffer.from(
      '{"id":5,"count":"high","on":"true","tags":"x","seconds":{"entry":{"key":"mb","value":"7"}},"queues":{"queue":{"name":"q"}},"other":1,"big":null}',
    ),
    'json',
  );
  assert.deepEqual(json, { id: '5', count: 0, on: true, tags: ['x'], seconds: [['mb', 7]], queues: [{ name: 'q' }] });
  const xml = readBody(
    bare,
    Buffer.from('<thing><id> a </id><count>4</count><tags>x</tags><tags>y</tags><queues><queue><name>q</name></queue></queues></thing>'),
    'xml',
  );
  assert.deepEqual(xml, { id: ' a ', count: 4, tags: ['x', 'y'], queues: [{ name: 'q' }] });
});

test('what cannot be parsed is refused with the sentence of the reader', () => {
  const refused = (body: string, format: 'json' | 'xml', sentence: RegExp) =>
    assert.throws(
      () => readBody(bare, Buffer.from(body), format),
      (error) => error instanceof Failure && error.entry.status === 400 && sentence.test(error.message),
    );
  refused('', 'json', /JSON expression can not be empty!/);
  refused('[]', 'json', /"pi" is null/);
  refused(
    '{"a":',
    'json',
    /Unexpected end-of-input within\/between Object entries\n at \[Source: \(BufferedReader\); line: 1, column: 6\]/,
  );
  refused(
    '{',
    'json',
    /expected close marker for Object \(start marker at \[Source: \(BufferedReader\); line: 1, column: 1\]\)\n at \[Source: \(BufferedReader\); line: 1, column: 2\]/,
  );
  refused('word', 'json', /Unrecognized token 'word'.*\n at \[Source: \(BufferedReader\); line: 1, column: 5\]/s);
  refused('<other/>', 'xml', /unexpected element \(uri:"", local:"other"\)\. Expected elements are <\{\}thing>/);
  refused('<thing><a>', 'xml', /lineNumber: 1; columnNumber: 11; XML document structures/);
});

test('numbers have the text of Java', () => {
  assert.deepEqual([100, 12.5, 1e-5, 30.000002, 312.5127, 0, Number.NaN, 1e10].map(floatText), [
    '100.0',
    '12.5',
    '1.0E-5',
    '30.000002',
    '312.5127',
    '0.0',
    'NaN',
    '1.0E10',
  ]);
  assert.deepEqual([0.001, 1e7, 9999999, -1.5].map(doubleText), ['0.001', '1.0E7', '9999999.0', '-1.5']);
  assert.deepEqual([2 ** 53, 2 ** 63, 12n, -1].map(longText), ['9007199254740992', '9223372036854775807', '12', '-1']);
});
