import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RetryContext } from '../../wire/cluster/launch-context.ts';
import { freshRetries, nextRetry } from './retry-policy.ts';

/** How often a container that always ends with `exitCode` is started again, one end each `everyMs`; at most 20 are counted. */
function restarts(context: RetryContext | undefined, exitCode: number, everyMs = 10): number {
  let record = freshRetries(context);
  for (let count = 0; count < 20; count++) {
    const next = nextRetry(context, record, exitCode, 1_000_000 + count * everyMs);
    if (!next) return count;
    record = next;
  }
  return 20;
}

test('all errors are retried as often as asked, signals and success never', () => {
  const context: RetryContext = { policy: 'RETRY_ON_ALL_ERRORS', maximumRetries: 3 };
  assert.equal(restarts(context, 1), 3);
  assert.equal(restarts(context, 0), 0);
  assert.equal(restarts(context, 137), 0);
  assert.equal(restarts(context, 143), 0);
});

test('nothing is retried without a context, by the policy NEVER_RETRY or for other codes than the ones given', () => {
  assert.equal(restarts(undefined, 1), 0);
  assert.equal(restarts({ policy: 'NEVER_RETRY', maximumRetries: 3 }, 1), 0);
  const specific: RetryContext = { policy: 'RETRY_ON_SPECIFIC_ERROR_CODES', errorCodes: [7], maximumRetries: 2 };
  assert.equal(restarts(specific, 7), 2);
  assert.equal(restarts(specific, 8), 0);
});

test('-1 retries for ever', () => {
  assert.equal(restarts({ policy: 'RETRY_ON_ALL_ERRORS', maximumRetries: -1 }, 1), 20);
});

test('failures older than the validity interval are forgotten', () => {
  const context: RetryContext = { policy: 'RETRY_ON_ALL_ERRORS', maximumRetries: 3, failuresValidityIntervalMs: 100 };
  assert.equal(restarts(context, 1, 10), 3);
  assert.equal(restarts(context, 1, 60), 20);
});
