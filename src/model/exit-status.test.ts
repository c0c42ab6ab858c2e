import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  endPhrase,
  exitMeaning,
  exitOutcome,
  exitStatus,
  isSignalled,
  killedTaskStatuses,
  processExitCode,
  statusesWithoutBlacklisting,
  stoppedContainerStatuses,
  uncountedAttemptStatuses,
  uncountedInstanceStatuses,
} from './exit-status.ts';

const sorted = (statuses: Iterable<number>): number[] => [...statuses].sort((a, b) => b - a);

test("the statuses have the numbers of Hadoop's ContainerExitStatus", () => {
  assert.deepEqual(sorted(Object.values(exitStatus)), [0, -100, -101, -102, -103, -104, -105, -106, -107, -108, -109, -1000]);
});

test("the sets hold what Hadoop's methods decide", () => {
  assert.deepEqual(sorted(uncountedAttemptStatuses), [-100, -101, -102, -106]);
  assert.deepEqual(sorted(statusesWithoutBlacklisting), [0, -100, -101, -102, -103, -104, -105, -106, -107]);
  assert.deepEqual(sorted(killedTaskStatuses), [-100, -102, -108]);
  assert.deepEqual(sorted(uncountedInstanceStatuses), [-100, -101, -102, -106, -107, -108]);
  assert.deepEqual(sorted(stoppedContainerStatuses), [-100, -102, -105, -106, -107]);
});

test('a process is signalled that ends with 128 + SIGKILL or 128 + SIGTERM; a lost one is not', () => {
  assert.deepEqual([128 + 9, 128 + 15, 128 + 3, processExitCode.lost, 0].map(isSignalled), [true, true, false, false, false]);
});

test('every end is said in words, with its number', () => {
  for (const code of [...Object.values(exitStatus), ...Object.values(processExitCode)])
    assert.match(exitMeaning(code), /^[a-z][a-z ,]+ \(-?\d+\)$/);
  assert.deepEqual([exitMeaning(exitStatus.preempted), exitMeaning(3)], ['preempted (-102)', 'exit status 3']);
  assert.deepEqual(
    [-104, 0, 3].map((code) => endPhrase(code)),
    ['ended: over its memory (-104)', 'ended with exit code 0', 'ended with exit code 3'],
  );
});

test('an end is a failure unless it went well or was brought about from outside', () => {
  const { success, preempted, killedByContainerScheduler, exceededPhysicalMemory } = exitStatus;
  const codes = [success, preempted, killedByContainerScheduler, processExitCode.forceKilled, exceededPhysicalMemory, -1, 1];
  assert.deepEqual(codes.map(exitOutcome), ['SUCCEEDED', 'STOPPED', 'STOPPED', 'STOPPED', 'FAILED', 'FAILED', 'FAILED']);
});
