import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letterWidth } from './letter-widths.ts';

// Right values: wcwidth of glibc 2.36 in the locale C.UTF-8.
test('letters take as many columns as the C library of a node says', () => {
  const columns = (text: string) => [...text].map((letter) => letterWidth(letter.codePointAt(0)!));
  assert.deepEqual(columns('aé\u00adж─█▏→☺✓\u{1f1e9}'), Array<number>(11).fill(1));
  assert.deepEqual(columns('日本ア한、。！😀✅⌚䷀🈁\u{20000}'), Array<number>(13).fill(2));
  assert.deepEqual(columns('\u0301\u20dd\u200b\u200d\ufe0f\u1160\u{e0100}'), Array<number>(7).fill(0));
});
