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
