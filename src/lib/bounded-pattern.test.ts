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
