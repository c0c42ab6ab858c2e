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
  ['"a', /JsonEOFException: Unexpected end-of-input: was expecting closing quote for a string value/],
];

test('says of broken JSON what Jackson says', () => {
  for (const [text, says] of faults) assert.match(describeJsonFault(text), says, text);
});

/** Bodies, and what Hadoop 3.4.2 said of them: line, column, sentence. */
const refused: readonly (readonly [body: string, said: string])[] = [
  [
    '{"state":"a\u0001"}',
    '1:13 Illegal unquoted character ((CTRL-CHAR, code 1)): has to be escaped using backslash to be included in string value',
  ],
  [
    '{"state":"a\n"}',
    '1:13 Illegal unquoted character ((CTRL-CHAR, code 10)): has to be escaped using backslash to be included in string value',
  ],
  ['{"state":"\\x"}', "1:13 Unrecognized character escape 'x' (code 120)"],
  ['{"state":"\\u12"}', "1:16 Unexpected character ('\"' (code 34)): expected a hex-digit for character escape sequence"],
  ['{"state":"\\uZZZZ"}', "1:14 Unexpected character ('Z' (code 90)): expected a hex-digit for character escape sequence"],
  ['{"state":01}', '1:11 Invalid numeric value: Leading zeroes not allowed'],
  [
    '{"state":-}',
    "1:12 Unexpected character ('}' (code 125)) in numeric value: expected digit (0-9) to follow minus sign, for valid numeric value",
  ],
  [
    '{"state":-a}',
    "1:12 Unexpected character ('a' (code 97)) in numeric value: expected digit (0-9) to follow minus sign, for valid numeric value",
  ],
  ['{"state":1.}', "1:12 Unexpected character ('}' (code 125)) in numeric value: Decimal point not followed by a digit"],
  ['{"state":1.e}', "1:12 Unexpected character ('e' (code 101)) in numeric value: Decimal point not followed by a digit"],
  ['{"state":1e}', "1:12 Unexpected character ('}' (code 125)) in numeric value: Exponent indicator not followed by a digit"],
  ['{"state":1e+}', "1:12 Unexpected character ('}' (code 125)) in numeric value: Exponent indicator not followed by a digit"],
  [
    '{"state":.5}',
    "1:11 Unexpected character ('.' (code 46)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  ],
  [
    '{"state":+1}',
    "1:12 Unexpected character ('1' (code 49)) in numeric value: expected digit (0-9) to follow minus sign, for valid numeric value",
  ],
  ['{"state":NaN}', "1:13 Non-standard token 'NaN': enable JsonParser.Feature.ALLOW_NON_NUMERIC_NUMBERS to allow"],
  ['{"state":-Infinity}', "1:19 Non-standard token '-Infinity': enable JsonParser.Feature.ALLOW_NON_NUMERIC_NUMBERS to allow"],
  ['{"state":Infinity}', "1:18 Non-standard token 'Infinity': enable JsonParser.Feature.ALLOW_NON_NUMERIC_NUMBERS to allow"],
  ['{"state":-01}', '1:12 Invalid numeric value: Leading zeroes not allowed'],
  ['{"state":00}', '1:11 Invalid numeric value: Leading zeroes not allowed'],
  ['{"state" "x"}', "1:11 Unexpected character ('\"' (code 34)): was expecting a colon to separate field name and value"],
  ['{"state":}', "1:11 Unexpected character ('}' (code 125)): expected a value"],
  ['{,}', "1:3 Unexpected character (',' (code 44)): was expecting double-quote to start field name"],
  ['{"a":1,,}', "1:9 Unexpected character (',' (code 44)): was expecting double-quote to start field name"],
  ['{"a":1 "b":2}', "1:9 Unexpected character ('\"' (code 34)): was expecting comma to separate Object entries"],
  ['{1:2}', "1:3 Unexpected character ('1' (code 49)): was expecting double-quote to start field name"],
  [
    '{"a":[1,]}',
    "1:10 Unexpected character (']' (code 93)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  ],
  ['{"a":[1 2]}', "1:10 Unexpected character ('2' (code 50)): was expecting comma to separate Array entries"],
  [
    '{"a":]}',
    "1:7 Unexpected character (']' (code 93)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  ],
  ['{"a":1]', "1:8 Unexpected close marker ']': expected '}' (for Object starting at [Source: (BufferedReader); line: 1, column: 1])"],
  ['{"a"}', "1:6 Unexpected character ('}' (code 125)): was expecting a colon to separate field name and value"],
  ['{"a":tru}', "1:9 Unrecognized token 'tru': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')"],
  ['{"a":trueX}', "1:11 Unrecognized token 'trueX': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')"],
  ['{"a":nul', "1:9 Unrecognized token 'nul': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')"],
  ['{"a":"x', '1:8 Unexpected end-of-input: was expecting closing quote for a string value'],
  ['{"a":"x\\', '1:9 Unexpected end-of-input in character escape sequence'],
  ['{"a', '1:4 Unexpected end-of-input in field name'],
  ['{"', '1:3 Unexpected end-of-input in field name'],
  ['{', '1:2 Unexpected end-of-input: expected close marker for Object (start marker at [Source: (BufferedReader); line: 1, column: 1])'],
  ['[', '1:2 Unexpected end-of-input: expected close marker for Array (start marker at [Source: (BufferedReader); line: 1, column: 1])'],
  ['{"a":', '1:6 Unexpected end-of-input within/between Object entries'],
  [
    '{"a":1',
    '1:7 Unexpected end-of-input: expected close marker for Object (start marker at [Source: (BufferedReader); line: 1, column: 1])',
  ],
  ['{"a":1,', '1:8 Unexpected end-of-input within/between Object entries'],
  [
    '{"a":[',
    '1:7 Unexpected end-of-input: expected close marker for Array (start marker at [Source: (BufferedReader); line: 1, column: 6])',
  ],
  ['{"a":[1,', '1:9 Unexpected end-of-input within/between Array entries'],
  ['{"a":"\\u', '1:9 Unexpected end-of-input in character escape sequence'],
  ['}', "1:2 Unexpected close marker '}': expected ']' (for root starting at [Source: (BufferedReader); line: 1, column: 0])"],
  [']', "1:2 Unexpected close marker ']': expected '}' (for root starting at [Source: (BufferedReader); line: 1, column: 0])"],
  [
    ':',
    "1:2 Unexpected character (':' (code 58)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  ],
  ['"', '1:2 Unexpected end-of-input: was expecting closing quote for a string value'],
  [
    "'x'",
    "1:2 Unexpected character (''' (code 39)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  ],
  [
    '{"state":"K"}}',
    "1:15 Unexpected close marker '}': expected ']' (for root starting at [Source: (BufferedReader); line: 1, column: 0])",
  ],
  ['{"state":"K"} x', "1:16 Unrecognized token 'x': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')"],
  [
    '{"state":"K"},',
    "1:15 Unexpected character (',' (code 44)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  ],
  [
    '{"a":@}',
    "1:7 Unexpected character ('@' (code 64)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  ],
  [
    '{"a":\u00e9}',
    "1:7 Unrecognized token '\u00e9': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  ],
  [
    '{"a":#}',
    "1:7 Unexpected character ('#' (code 35)): expected a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
  ],
  ['{"a":"\t"}', '1:8 Illegal unquoted character ((CTRL-CHAR, code 9)): has to be escaped using backslash to be included in string value'],
  ['{\u0001}', '1:3 Illegal character ((CTRL-CHAR, code 1)): only regular white space (\\r, \\n, \\t) is allowed between tokens'],
  ['\u0001', '1:2 Illegal character ((CTRL-CHAR, code 1)): only regular white space (\\r, \\n, \\t) is allowed between tokens'],
  ['{"a":1\u0001}', '1:8 Illegal character ((CTRL-CHAR, code 1)): only regular white space (\\r, \\n, \\t) is allowed between tokens'],
  [
    '{"a":/x}',
    "1:7 Unexpected character ('/' (code 47)): maybe a (non-standard) comment? (not recognized as one since Feature 'ALLOW_COMMENTS' not enabled for parser)",
  ],
  ['{"a":1e5x}', "1:10 Unexpected character ('x' (code 120)): was expecting comma to separate Object entries"],
  ['{"a":12x}', "1:9 Unexpected character ('x' (code 120)): was expecting comma to separate Object entries"],
  ['{"a":1.2.3}', "1:10 Unexpected character ('.' (code 46)): was expecting comma to separate Object entries"],
  [
    '{"a":--1}',
    "1:8 Unexpected character ('-' (code 45)) in numeric value: expected digit (0-9) to follow minus sign, for valid numeric value",
  ],
  ['{"a":0x1}', "1:8 Unexpected character ('x' (code 120)): was expecting comma to separate Object entries"],
  ['-', '1:2 Unexpected end-of-inputNo digit following minus sign'],
  ['tru', "1:4 Unrecognized token 'tru': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')"],
  ['nullx', "1:6 Unrecognized token 'nullx': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')"],
];

test('stops where Jackson stops, by its sentence', () => {
  for (const [body, said] of refused) {
    assert.throws(() => JSON.parse(body), SyntaxError, body);
    const [, sentence, line, column] = /Exception: (.*?)\n at .*?line: (\d+), column: (\d+)\]$/s.exec(describeJsonFault(body)) ?? [];
    assert.equal(`${line}:${column} ${sentence}`, said, body);
  }
});

test('names what stands behind the end, unless that is none either', () => {
  const behind: readonly (readonly [text: string, token: string])[] = [
    [' 2', '2'],
    ['{}', '{'],
    [' []', '['],
    [' "x\\ty"', 'x\ty'],
    [' true', 'true'],
    ['\n\n-1.50e2 ', '-1.50e2'],
    [' {', '{'],
    [' 2 tru', '2'],
  ];
  for (const [text, token] of behind)
    assert.equal(describeJsonFault(`{"state":"KILLED"}${text}`), `java.lang.RuntimeException: Unexpected token: ${token}`);
  assert.match(describeJsonFault('{} "x'), /JsonEOFException: Unexpected end-of-input: was expecting closing quote/);
  assert.match(describeJsonFault('{} 01'), /Leading zeroes not allowed/);
});
