import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonMembers } from './json-members.ts';

test('members come as they stand there: repeated, in order, with what they hold', () => {
  const text = ' { "b" : {"x":[1,{"y":"}\\"]"}]} , "1":-7.5e3,"b":[],\n"a\\u0041":null , "e": "{" ,"t":true}\n';
  assert.deepEqual(
    jsonMembers(text).map(({ name, from, to }) => [name, text.slice(from, to)]),
    [
      ['b', '{"x":[1,{"y":"}\\"]"}]}'],
      ['1', '-7.5e3'],
      ['b', '[]'],
      ['aA', 'null'],
      ['e', '"{"'],
      ['t', 'true'],
    ],
  );
  assert.deepEqual([jsonMembers('{}'), jsonMembers(' { } ')], [[], []]);
});
