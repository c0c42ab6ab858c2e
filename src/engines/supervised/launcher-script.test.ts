import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseStat, readStat } from '../../lib/process-stat.ts';
import { type LauncherOrder, launcherFields, launcherScript } from './launcher-script.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'launcher-')));
after(() => rmSync(root, { recursive: true, force: true }));
let count = 0;

/** A launcher of its own, with what it said so far. */
function startLauncher() {
  const folder = join(root, `engine-${++count}`);
  mkdirSync(join(folder, 'orders.1'), { recursive: true });
  writeFileSync(join(folder, 'launcher.sh'), launcherScript);
  const launcher: ChildProcess = spawn('/bin/bash', [join(folder, 'launcher.sh'), folder, '1'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<void>((resolve) => launcher.once('exit', () => resolve()));
  const lines: string[] = [];
  const waiters: (() => void)[] = [];
  let rest = '';
  launcher.stdout!.setEncoding('latin1').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    for (const tell of waiters.splice(0)) tell();
  });
  return {
    folder,
    launcher,
    lines,
    order(id: string, script: string, more: Partial<LauncherOrder> = {}) {
      const workFolder = join(folder, `work-${id}`);
      mkdirSync(workFolder);
      const order = { name: id, workFolder, command: ['/bin/bash', '-c', script], joins: [], variables: [], input: '', ...more };
      launcher.stdin!.write(launcherFields(order));
      return workFolder;
    },
    /** Resolves with the words of the line that begins with `what` and names the container. */
    async heard(what: string, id: string): Promise<string[]> {
      for (;;) {
        const line = lines.map((each) => each.split(' ')).find((words) => words[0] === what && words[1] === id);
        if (line) return line;
        await new Promise<void>((resolve) => waiters.push(resolve));
      }
    },
    file: (name: string) => readFileSync(join(folder, name), 'utf8'),
    async stop() {
      launcher.stdin!.end();
      await ended;
    },
  };
}

/** Resolves when the file is there and not empty. */
async function written(path: string): Promise<string> {
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (text.endsWith('\n')) return text;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a container is told of with its leader, and its files are written before', async () => {
  const { order, heard, file, lines, stop } = startLauncher();
  const workFolder = order('a', 'echo "$$ $PWD" > facts; exit 7');
  const [, , pid] = await heard('started', 'a');
  const [stat = '', folder] = file('a.pid').split('\n');
  assert.equal(parseStat(stat)?.pid, Number(pid));
  assert.equal(folder, workFolder);
  // A session and a process group of its own.
  assert.deepEqual([parseStat(stat)?.sessionId, parseStat(stat)?.groupId], [Number(pid), Number(pid)]);
  assert.deepEqual(await heard('exit', 'a'), ['exit', 'a', '7']);
  assert.equal(file('a.exit'), '7\n');
  assert.equal(readFileSync(join(workFolder, 'facts'), 'utf8'), `${pid} ${workFolder}\n`);
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    ['ready', 'started', 'exit'],
  );
  await stop();
});

test('a container that a signal ended has 128 and its number, with all that its group still had', async () => {
  const { order, heard, stop } = startLauncher();
  const workFolder = order('a', 'sleep 600 & echo $! > child; kill -TERM $$; wait');
  assert.deepEqual(await heard('exit', 'a'), ['exit', 'a', '143']);
  const child = Number(readFileSync(join(workFolder, 'child'), 'utf8'));
  while (readStat(child)?.zombie === false) await new Promise((resolve) => setImmediate(resolve));
  await stop();
});

test('a script is read by the shell that is there, and finds itself as in one of its own', async () => {
  const { order, heard, folder, stop } = startLauncher();
  const script = (name: string, text: string) => {
    const file = join(folder, `${name} it's.sh`);
    writeFileSync(file, text);
    return { command: ['.', file] };
  };
  const facts = `set -o pipefail -e\nprintf '%s|' "$0" "$#" "$*" "$-" "$(type -t note)" "\${BASH_ARGV0-unset}" > facts; exec /bin/bash -c "echo \\$\\$ > pid; exit 7"`;
  const workFolder = order('a', '', script('a', facts));
  const [, , pid] = await heard('started', 'a');
  assert.deepEqual(await heard('exit', 'a'), ['exit', 'a', '7']);
  const [name, count, all, flags, helper, own] = readFileSync(join(workFolder, 'facts'), 'utf8').split('|');
  assert.deepEqual([name, count, all, helper, own], [join(folder, "a it's.sh"), '0', '', '', 'unset']);
  assert.match(flags!, /e/);
  assert.equal(readFileSync(join(workFolder, 'pid'), 'utf8'), `${pid}\n`);
  order('failing', '', script('failing', 'set -e\nfalse\necho ran > ran'));
  order('ending', '', script('ending', '(exit 4)'));
  order('absent', '', { command: ['.', join(folder, 'nowhere')] });
  assert.deepEqual(
    [(await heard('exit', 'failing'))[2], (await heard('exit', 'ending'))[2], (await heard('exit', 'absent'))[2]],
    ['1', '4', '127'],
  );
  await stop();
});

test('a folder that is missing fails the start: no pid file, no exit file', async () => {
  const { order, heard, folder, lines, stop } = startLauncher();
  order('a', 'true', { workFolder: join(folder, 'nowhere') });
  await heard('failed', 'a');
  await stop();
  assert.deepEqual([existsSync(join(folder, 'a.pid')), existsSync(join(folder, 'a.exit'))], [false, false]);
  assert.deepEqual(lines, ['ready', 'failed a']);
});

test('an order of a generation that was fenced is not carried out, also when its launcher had it before (P5)', async () => {
  const { order, heard, folder, stop } = startLauncher();
  order('before', 'mkfifo gate; read -r code < gate; exit "$code"');
  await heard('started', 'before');
  renameSync(join(folder, 'orders.1'), join(folder, 'fenced.1'));
  const workFolder = order('late', 'echo ran > ran');
  assert.deepEqual(await heard('failed', 'late'), ['failed', 'late']);
  assert.deepEqual([existsSync(join(workFolder, 'ran')), existsSync(join(folder, 'late.exit'))], [false, false]);
  // What was claimed before goes on to its end.
  const gate = join(folder, 'work-before', 'gate');
  while (!existsSync(gate)) await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(gate, '5\n');
  assert.deepEqual(await heard('exit', 'before'), ['exit', 'before', '5']);
  await stop();
});

test('a start that is claimed already is not carried out by another order of its name (P5)', async () => {
  const { order, heard, folder, stop } = startLauncher();
  writeFileSync(join(folder, 'orders.1', 'a'), '');
  const workFolder = order('a', 'echo ran > ran');
  await heard('exit', 'a');
  await stop();
  assert.equal(existsSync(join(workFolder, 'ran')), false);
});

test('a control group that cannot be entered fails the start before anything runs', async () => {
  const { order, heard, folder, stop } = startLauncher();
  const workFolder = order('a', 'echo ran > ran', { joins: [join(folder, 'nowhere', 'cgroup.procs')] });
  await heard('failed', 'a');
  await stop();
  assert.equal(existsSync(join(workFolder, 'ran')), false);
});

test('the first process writes its number to each file to join', async () => {
  const { order, heard, file, folder, stop } = startLauncher();
  order('a', 'exit 0', { joins: [join(folder, 'cpu'), join(folder, 'memory')] });
  const [, , pid] = await heard('started', 'a');
  assert.deepEqual([file('cpu'), file('memory')], [`${pid}\n`, `${pid}\n`]);
  await heard('exit', 'a');
  await stop();
});

test('variables may have any name and value, also names that the launcher itself uses', async () => {
  const { order, heard, stop } = startLauncher();
  const value = 'a "b" $c `d` \\ ü\nsecond line';
  const names = ['id', 'work', 'input', 'joins', 'command', 'variables', 'fields', 'field', 'count', 'REPLY', '_ODD'];
  const workFolder = order('a', `printf '%s|' ${names.map((name) => `"$${name}"`).join(' ')} > values; env > environment; exit 7`, {
    variables: names.map((name, index) => `${name}=${index}${value}`),
  });
  assert.deepEqual(await heard('exit', 'a'), ['exit', 'a', '7']);
  const environment = readFileSync(join(workFolder, 'environment'), 'utf8');
  for (const [index, name] of names.entries()) assert.ok(environment.includes(`${name}=${index}${value}\n`), name);
  const shown = names.map((_name, index) => `${index}${value}`);
  assert.equal(readFileSync(join(workFolder, 'values'), 'utf8'), `${shown.join('|')}|`);
  await stop();
});

test('standard input is what the order says, or nothing', async () => {
  const { order, heard, stop } = startLauncher();
  const first = order('a', 'cat > input', { input: 'one\ntwo' });
  const second = order('b', 'cat > input');
  await Promise.all([heard('exit', 'a'), heard('exit', 'b')]);
  assert.equal(readFileSync(join(first, 'input'), 'utf8'), 'one\ntwo\n');
  assert.equal(readFileSync(join(second, 'input'), 'utf8'), '');
  await stop();
});

test('SIGQUIT is ignored in containers, SIGHUP and SIGPIPE are not', async () => {
  const { order, heard, stop } = startLauncher();
  order('quit', 'kill -QUIT $$; exit 3');
  order('hang-up', 'kill -HUP $$; exit 3');
  order('pipe', 'kill -PIPE $$; exit 3');
  assert.equal((await heard('exit', 'quit'))[2], '3');
  assert.equal((await heard('exit', 'hang-up'))[2], '129');
  assert.equal((await heard('exit', 'pipe'))[2], '141');
  await stop();
});

test('a container outlives its launcher and the engine, and its exit code is written all the same', async () => {
  const { order, heard, folder, launcher, stop } = startLauncher();
  const workFolder = order('a', 'mkfifo gate; read -r code < gate; exit "$code"');
  await heard('started', 'a');
  // The engine's end of the pipe goes, then the launcher.
  launcher.stdout!.destroy();
  await stop();
  assert.equal(existsSync(join(folder, 'a.exit')), false);
  while (!existsSync(join(workFolder, 'gate'))) await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(join(workFolder, 'gate'), '6\n');
  assert.equal(await written(join(folder, 'a.exit')), '6\n');
});

test('an order whose engine died before the start is carried out all the same', async () => {
  const { order, folder, launcher, stop } = startLauncher();
  launcher.stdout!.destroy();
  order('a', 'exit 4');
  assert.equal(await written(join(folder, 'a.exit')), '4\n');
  await stop();
});
