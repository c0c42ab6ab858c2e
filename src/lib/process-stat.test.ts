import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseStat, readStat } from './process-stat.ts';

describe('the stat of a process', () => {
  const fields = (state: string) =>
    `${state} 1 42 42 0 -1 4194560 100 0 0 0 12 34 5 6 20 0 1 0 98765 1048576 256 18446744073709551615 1 1 0`;

  it('is read whatever the name of the program', () => {
    for (const name of ['node', 'a b', 'a) (b', '((', ')', '']) {
      const stat = parseStat(`42 (${name}) ${fields('S')}`);
      assert.deepEqual(
        [stat?.pid, stat?.name, stat?.zombie, stat?.parentPid, stat?.groupId, stat?.sessionId],
        [42, name, false, 1, 42, 42],
        name,
      );
      assert.deepEqual(
        [stat?.userTimeMs, stat?.systemTimeMs, stat?.startTicks, stat?.virtualMemoryBytes, stat?.residentPages],
        [120, 340, 98_765, 1_048_576, 256],
      );
      assert.equal(stat?.endedChildrenTimeMs, 110);
    }
  });

  it('tells a process that has ended', () => {
    assert.ok(parseStat(`42 (x) ${fields('Z')}`)?.zombie);
    assert.ok(parseStat(`42 (x) ${fields('X')}`)?.zombie);
  });

  it('is none for other lines and processes that are gone', () => {
    for (const line of ['', '42', '42 (x', ')(']) assert.equal(parseStat(line), undefined, line);
    assert.equal(readStat(2 ** 22 + 5), undefined);
    const own = readStat(process.pid);
    assert.deepEqual([own?.pid, own?.parentPid, own?.zombie], [process.pid, process.ppid, false]);
  });
});
