import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedPattern, PatternTooSlow } from './bounded-pattern.ts';

test('a pattern matches whole texts', () => {
  const pattern = boundedPattern('std(out|err)');
  assert.deepEqual(
    ['stdout', 'stderr', 'std', 'stdout2', 'xstdout'].map((text) => pattern.matches(text)),
    [true, true, false, false, false],
  );
  assert.equal(boundedPattern('a|b').matches('ab'), false);
});

test('what is no expression is refused, what never ends is stopped', () => {
  assert.throws(() => boundedPattern('['), SyntaxError);
  // Not one by itself: it would end the brackets that make it match as a whole.
  assert.throws(() => boundedPattern('a)|(?:b'), SyntaxError);
  assert.equal(boundedPattern('^a$|b').matches('ab'), false);
  assert.throws(() => boundedPattern('a'.repeat(2000)), SyntaxError);
  assert.throws(() => boundedPattern('(a+)+$', 20).matches(`${'a'.repeat(60)}b`), PatternTooSlow);
});

test('only time that the thread had counts', () => {
  // Twice another program had the processor all the while.
  const usedMs = [0, 0, 100, 104, 200, 210];
  const pattern = boundedPattern('(a+)+$', 10, () => usedMs.shift()!);
  assert.throws(() => pattern.matches(`${'a'.repeat(60)}b`), PatternTooSlow);
  assert.deepEqual(usedMs, []);
});

test('texts of more than a thousand characters match nothing, line ends are characters', () => {
  assert.equal(boundedPattern('.*').matches('x'.repeat(1000)), true);
  assert.equal(boundedPattern('.*').matches('x'.repeat(1001)), false);
  assert.equal(boundedPattern('a.b').matches('a\nb'), true);
});

test('an expression reaches nothing but the text', () => {
  const pattern = boundedPattern('(?<name>a)\\k<name>');
  assert.equal(pattern.matches('aa'), true);
  assert.equal(pattern.matches('ab'), false);
  assert.equal(pattern.matches('aa'), true, 'one call leaves nothing behind for the next');
});
