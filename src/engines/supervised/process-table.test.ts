import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type ProcessStat, readStat } from '../../lib/process-stat.ts';
import { pageBytes, readProcesses, UsageReader } from './process-table.ts';

const children: ChildProcess[] = [];
/** All processes that the tests started, for the end. */
const started: number[] = [];
after(() => {
  for (const pid of started) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ended with its parent.
    }
  }
  for (const child of children) child.stdout?.destroy();
});

/** Starts a script in a session of its own; resolves with its pid and the numbers that it prints, one a line. */
async function session(script: string, lines: number): Promise<number[]> {
  const child = spawn('/bin/bash', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  while (text.split('\n').length <= lines) await once(child.stdout, 'data');
  const printed = text
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
  started.push(child.pid!, ...printed);
  return [child.pid!, ...printed];
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const noClaim = () => undefined;
const pidsOf = (usage: Awaited<ReturnType<UsageReader['read']>>, id: string) =>
  usage
    .get(id)
    ?.processes.map(({ pid }) => pid)
    .toSorted((a, b) => a! - b!);

test('all living processes are read but those that are skipped; those that have ended are not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'process-table-'));
  const gate = join(folder, 'gate');
  // A shell that has become another program does not take note of the end of its child.
  const [parent, child] = await session(`mkfifo ${gate}; (read -r < ${gate}) & echo $!; exec sleep 600`, 1);
  while (readStat(parent!)?.name !== 'sleep') await turn();
  writeFileSync(gate, 'end\n');
  while (readStat(child!)?.zombie !== true) await turn();
  rmSync(folder, { recursive: true });
  const pids = (await readProcesses()).map(({ pid }) => pid);
  assert.deepEqual([pids.includes(process.pid), pids.includes(parent!), pids.includes(child!)], [true, true, false]);
  assert.equal(
    (await readProcesses((pid) => pid === parent)).some(({ pid }) => pid === parent),
    false,
  );
});

test('a container uses what its session and all below it use', async () => {
  const [leader, member, elsewhere] = await session('sleep 600 & echo $!; setsid sleep 600 & echo $!; wait', 2);
  const usage = await new UsageReader().read(new Map([['a', leader!]]), new Map(), noClaim);
  const { processes, ...sums } = usage.get('a')!;
  assert.deepEqual(
    pidsOf(usage, 'a'),
    [leader, member, elsewhere].toSorted((a, b) => a! - b!),
  );
  assert.equal(
    sums.physicalMemoryBytes,
    processes.reduce((sum, { residentPages }) => sum + residentPages * pageBytes, 0),
  );
  assert.equal(
    sums.virtualMemoryBytes,
    processes.reduce((sum, { virtualMemoryBytes }) => sum + virtualMemoryBytes, 0),
  );
  assert.equal(
    processes.find(({ pid }) => pid === member)!.commandLine,
    readFileSync(`/proc/${member}/cmdline`, 'utf8').replace(/\0$/, '').replaceAll('\0', ' '),
  );
});

test('two containers share no process', async () => {
  const [first, firstChild] = await session('sleep 600 & echo $!; wait', 1);
  const [second, secondChild] = await session('sleep 600 & echo $!; wait', 1);
  const leaders = new Map([
    ['a', first!],
    ['b', second!],
  ]);
  const usage = await new UsageReader().read(leaders, new Map(), noClaim);
  assert.deepEqual(
    pidsOf(usage, 'a'),
    [first, firstChild].toSorted((a, b) => a! - b!),
  );
  assert.deepEqual(
    pidsOf(usage, 'b'),
    [second, secondChild].toSorted((a, b) => a! - b!),
  );
});

test('processes that are known to belong count wherever they stand, and claimed ones with all below them', async () => {
  const [leader] = await session('echo; exec sleep 600', 1);
  const [known] = await session('echo; exec sleep 600', 1);
  const [claimed, child] = await session('setsid sleep 600 & echo $!; wait', 1);
  const usage = await new UsageReader().read(new Map([['a', leader!]]), new Map([[known!, 'a']]), ({ pid }: ProcessStat) =>
    pid === claimed ? 'a' : undefined,
  );
  assert.deepEqual(
    pidsOf(usage, 'a'),
    [leader, known, claimed, child].toSorted((a, b) => a! - b!),
  );
});

test('a process that belonged to no container at two looks is not asked about until much later', async () => {
  const [leader] = await session('echo; exec sleep 600', 1);
  const reader = new UsageReader();
  const askedAt: number[] = [];
  for (let look = 1; look <= 21; look++)
    await reader.read(new Map([['a', leader!]]), new Map(), ({ pid }) => {
      if (pid === process.pid) askedAt.push(look);
      return undefined;
    });
  assert.deepEqual(askedAt, [1, 2, 21]);
});
