import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failureText } from './batch-failures.ts';

const id = 'attempt_1700000000000_0001_m_000000_3';

describe('a failed attempt', () => {
  it('is told with what its own command said first, and without any stack', () => {
    const diagnostics =
      'Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with code 3\nThe last lines of its standard error:\nTraceback\n  KeyError: 1\n\tat x (file:///a:1:1)';
    assert.equal(
      failureText({ id, diagnostics, nodeHttpAddress: 'node-7:8042' }),
      `${id} failed on node-7:\n  Traceback\n    KeyError: 1\n  Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with code 3`,
    );
  });

  it('is told with its diagnostics where it had no command, and not at all without any', () => {
    assert.equal(
      failureText({ id, diagnostics: 'Error: java.io.IOException: x\n\tat a.B.c(B.java:1)\n' }),
      `${id} failed:\n  Error: java.io.IOException: x`,
    );
    assert.equal(failureText({ id }), undefined);
  });
});
