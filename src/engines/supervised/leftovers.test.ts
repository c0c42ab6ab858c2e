import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { readStat } from '../../lib/process-stat.ts';
import {
  containerAround,
  containerIn,
  type EndedContainer,
  Leftovers,
  orphanParents,
  readEnvironment,
  settledEnvironment,
} from './leftovers.ts';
import { ShellProcesses } from './shell-processes.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'leftovers-')));
const children: ChildProcess[] = [];
/** All that the tests started, for the end. */
const pids: number[] = [];
after(() => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ended as it should.
    }
  }
  for (const child of children) child.stdout?.destroy();
  rmSync(root, { recursive: true, force: true });
});
let count = 0;

/** A container whose leader runs the script in its own folder; `pids` are the numbers that the script prints, one a line. */
async function container(script: string, lines: number): Promise<{ ended: EndedContainer; pids: number[]; leader: ChildProcess }> {
  const containerId = `container_1_0001_01_${String(++count).padStart(6, '0')}`;
  const workFolder = join(root, containerId);
  mkdirSync(workFolder);
  const leader = spawn('/bin/bash', ['-c', script], {
    cwd: workFolder,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], CONTAINER_ID: containerId, WORK: workFolder },
  });
  children.push(leader);
  let text = '';
  leader.stdout!.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  while (text.split('\n').length <= lines) await once(leader.stdout!, 'data');
  const { startTicks } = readStat(leader.pid!)!;
  const printed = text
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
  pids.push(leader.pid!, ...printed);
  return { ended: { containerId, pid: leader.pid, startTicks, workFolder }, pids: printed, leader };
}
const lives = (pid: number | undefined) => readStat(pid!)?.zombie === false;
const leftovers = new Leftovers(systemClock, silentLogger);
async function endLeader({ leader }: { leader: ChildProcess }): Promise<void> {
  leader.kill('SIGKILL');
  await once(leader, 'exit');
}

test('a container is told from an environment by its id and its folder together', () => {
  const folders = new Map([['container_1', '/work/container_1']]);
  const of = (...variables: string[]) => containerIn(`\0${variables.join('\0')}\0`, (id) => folders.get(id));
  assert.equal(of('A=1', 'CONTAINER_ID=container_1', 'PWD=/work/container_1'), 'container_1');
  assert.equal(of('CONTAINER_ID=container_1', 'PWD=/elsewhere/container_1'), undefined);
  assert.equal(of('CONTAINER_ID=container_10', 'PWD=/work/container_1'), undefined);
  assert.equal(of('NOT_CONTAINER_ID=container_1', 'PWD=/work/container_1'), undefined);
  assert.equal(of(), undefined);
});

test('the environment of a process is read as it was started; one that is gone has none', () => {
  assert.match(readEnvironment(process.pid), /^\0(.*\0)+$/s);
  assert.equal(readEnvironment(2 ** 30), '');
});

test('orphans go to the first process or to an ancestor of this one', () => {
  const parents = orphanParents();
  assert.ok(parents.has(1) && parents.has(process.ppid));
  assert.equal(parents.has(process.pid), false);
});

test('a process in the folder of a container or below it stands in that container', async () => {
  const { ended, pids } = await container('mkdir -p a/b; (cd a/b; sleep 600 & echo $!); (cd /; sleep 600 & echo $!); exec sleep 600', 2);
  const folderOf = (id: string) => (id === ended.containerId ? ended.workFolder : undefined);
  assert.equal(containerAround(ended.pid!, folderOf), ended.containerId);
  assert.equal(containerAround(pids[0]!, folderOf), ended.containerId);
  assert.equal(containerAround(pids[1]!, folderOf), undefined);
  // A folder of the same name elsewhere is another one.
  assert.equal(
    containerAround(ended.pid!, (id) => `/elsewhere/${id}`),
    undefined,
  );
  assert.equal(containerAround(2 ** 30, folderOf), undefined);
});

/** Environments that are not there at the first looks at these processes, as where each is just executing another program. */
function late(pids: readonly number[]) {
  const looks = new Map(pids.map((pid) => [pid, 8]));
  return (pid: number): string | undefined => {
    const left = looks.get(pid) ?? 0;
    looks.set(pid, left - 1);
    return left > 0 ? undefined : settledEnvironment(pid);
  };
}

/** A script that does nothing but execute itself. */
const againAndAgain = 'exec "$0" -c "$1" "$0" "$1"';

test('an environment that is missing for a moment is told from one that is none', async () => {
  using again = {
    child: spawn('/bin/sh', ['-c', againAndAgain, '/bin/sh', againAndAgain], { env: { MARK: 'its' }, stdio: 'ignore' }),
    [Symbol.dispose]: () => void again.child.kill('SIGKILL'),
  };
  const pid = again.child.pid!;
  const marked = (text: string | undefined) => text?.includes('\0MARK=its\0');
  while (!marked(settledEnvironment(pid))) await new Promise(setImmediate);
  // Some looks fall between the two of one look, when it executes the next program already.
  for (let missed = 0; missed < 300; ) {
    const seen = settledEnvironment(pid);
    if (seen === undefined) missed++;
    else assert.ok(marked(seen), 'it is that of the process, or will come');
  }
  assert.equal(settledEnvironment(2 ** 30), '');
});
test('what was just executing another program while it was looked for is gone, too, when the end resolves', async () => {
  const made = await container("(cd / && setsid sh -c 'sleep 600 & echo $!') & sleep 600", 1);
  await endLeader(made);
  assert.deepEqual(made.pids.map(lives), [true]);
  await new Leftovers(systemClock, silentLogger, late(made.pids)).end(made.ended);
  assert.deepEqual(made.pids.map(lives), [false]);
});

test('the end of a shell waits for what was just executing another program, too', async () => {
  const mark = 'HEDDLE_SHELL=of-this-test';
  const leader = spawn('/bin/bash', ['-c', "(setsid sh -c 'sleep 600 & echo $!') & sleep 600"], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], HEDDLE_SHELL: 'of-this-test' },
  });
  children.push(leader);
  const [line] = (await once(leader.stdout!.setEncoding('utf8'), 'data')) as [string];
  const stray = Number(line);
  pids.push(leader.pid!, stray);
  const shell = new ShellProcesses(leader.pid!, mark, { clock: systemClock, logger: silentLogger }, late([stray]));
  await endLeader({ leader });
  assert.equal(lives(stray), true);
  await shell.end();
  assert.equal(lives(stray), false);
});

test('what is left of a session, what left it and all below that are gone when the end resolves', async () => {
  const made = await container(
    `sleep 600 & echo $!
    setsid sh -c 'sleep 600 & echo $!; echo $$; wait' &
    (cd / && setsid sh -c 'env -i sleep 600 & echo $!; wait') &
    wait`,
    4,
  );
  await endLeader(made);
  assert.equal(made.pids.filter(lives).length, 4);
  await leftovers.end(made.ended);
  assert.deepEqual(made.pids.filter(lives), []);
});

test('another container, and one with the same id elsewhere, keep what they have', async () => {
  const gone = await container('sleep 600 & echo $!; wait', 1);
  const other = await container('setsid sleep 600 & echo $!; exec sleep 600', 1);
  const folder = join(root, 'elsewhere', gone.ended.containerId);
  mkdirSync(folder, { recursive: true });
  const namesake = spawn('sleep', ['600'], { cwd: folder, detached: true, env: { CONTAINER_ID: gone.ended.containerId, PWD: folder } });
  pids.push(namesake.pid!);
  await once(namesake, 'spawn');
  await endLeader(gone);
  await leftovers.end(gone.ended);
  assert.deepEqual([gone.pids[0], other.ended.pid, other.pids[0], namesake.pid].map(lives), [false, true, true, true]);
});

test('a process that has the number of the leader but started later is spared with its session', async () => {
  const { ended, pids } = await container('sleep 600 & echo $!; wait', 1);
  // As if the container's leader had started and ended long before.
  const earlier = { ...ended, containerId: 'container_1_0001_01_999999', workFolder: '/nowhere', startTicks: ended.startTicks! - 1 };
  await leftovers.end(earlier);
  assert.deepEqual([ended.pid, pids[0]].map(lives), [true, true]);
});

test('many containers that end together are looked for together', async () => {
  const made = await Promise.all(Array.from({ length: 5 }, () => container('setsid sleep 600 & echo $!; wait', 1)));
  await Promise.all(made.map(endLeader));
  await Promise.all(made.map(({ ended }) => leftovers.end(ended)));
  assert.deepEqual(
    made.map(({ pids }) => lives(pids[0])),
    made.map(() => false),
  );
});

test('one that ends alone is looked for at once, those that follow it wait a moment for each other', async () => {
  const clock = new ManualClock();
  const paced = new Leftovers(clock, silentLogger);
  const gone = (id: string): EndedContainer => ({ containerId: id, pid: undefined, startTicks: undefined, workFolder: `/nowhere/${id}` });
  let told = '';
  const end = async (id: string) => {
    await paced.end(gone(id));
    told += id;
  };
  const turn = () => new Promise<void>((done) => setImmediate(done));
  /** Lets looks come to their end that are unsure for a moment, such as when a process of somebody else is just ending. */
  const untilTold = async (ids: string) => {
    for (; told.length < ids.length; clock.advance(1)) for (let i = 0; i < 20; i++) await turn();
    assert.deepEqual([...told].sort().join(''), ids);
  };
  void end('a');
  await untilTold('a');
  void end('b');
  void end('c');
  for (let i = 0; i < 20; i++) await turn();
  assert.equal(told, 'a');
  await untilTold('abc');
  clock.advance(60_000);
  void end('d');
  await untilTold('abcd');
});
