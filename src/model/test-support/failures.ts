// Failures as tests see them.
import assert from 'node:assert/strict';
import { Failure } from '../errors.ts';

/** The code of the failure that `run` throws, `none` where it throws nothing; anything else that it throws fails the test. */
export function codeOf(run: () => unknown): string {
  try {
    run();
    return 'none';
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return error.code;
  }
}
