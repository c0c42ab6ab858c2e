import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeJsonFault } from './json-fault.ts';

const faults: [text: string, says: RegExp][] = [
  ['{"a":1} x', /Unrecognized token 'x'.*\n at .*column: 10\]$/],
  ["{'a':1}", /^\S+ Unexpected character \('''.*\): was expecting double-quote to start field name\n at .*column: 3\]$/],
  ['{/*c*/"a":1}', /'\/' \(code 47\)\): maybe a \(non-standard\) comment.*\n at .*column: 3\]$/],
  ['\ufeff{}', /\(code 65279 \/ 0xfeff\)\): expected a valid value .*\n at .*column: 2\]$/],
  ['{"a" 1}', /was expecting a colon to separate field name and value/],
  ['[1 2]', /was expecting comma to separate Array entries/],
  ['{"a":1]', /Unexpected close marker ']': expected '}'/],
  ['{"a":tru}', /Unrecognized token 'tru'/],
  ['{"a":', /JsonEOFException: Unexpected end-of-input within\/between Object entries/],
  ['{', /JsonEOFException: .*expected close marker for Object/],
  ['"a', /JsonEOFException: Unexpected end-of-input in VALUE_STRING/],
];

test('says of broken JSON what Jackson says', () => {
  for (const [text, says] of faults) assert.match(describeJsonFault(text), says, text);
});
