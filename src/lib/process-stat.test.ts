import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { isExecuting, parseStat, readStat } from './process-stat.ts';

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

describe('a process that executes another program', { skip: existsSync('/proc/self/environ') ? false : 'needs /proc' }, () => {
  const started = (program: string, words: readonly string[], env: Record<string, string>) => {
    const child = spawn(program, words, { stdio: 'ignore', env });
    return { child, pid: child.pid!, [Symbol.dispose]: () => void child.kill('SIGKILL') };
  };

  it('is told in the moment in which nothing tells whose it is', () => {
    // One that does nothing else.
    using again = started('/bin/sh', ['-c', `exec "$0" -c 'exec "$0" -c "$1" "$0" "$1"' "$0" 'exec "$0" -c "$1" "$0" "$1"'`, '/bin/sh'], {
      A: 'b',
    });
    while (!isExecuting(again.pid)) assert.ok(readStat(again.pid), 'it goes on');
  });

  it('is none of those that have no environment, live on, are gone, or are the kernel’s', async () => {
    using bare = started('/bin/sleep', ['600'], {});
    while (readStat(bare.pid)?.name !== 'sleep' || isExecuting(bare.pid)) await setImmediate();
    assert.equal(readFileSync(`/proc/${bare.pid}/environ`, 'latin1'), '');
    const kernel = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && readStat(Number(pid))?.parentPid === 2);
    for (const pid of [process.pid, bare.pid, 2 ** 22, ...kernel.map(Number)]) assert.equal(isExecuting(pid), false, String(pid));
  });
});
