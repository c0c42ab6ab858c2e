import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseStat } from '../../lib/process-stat.ts';
import { ContainerFiles } from './container-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'container-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
/** The notes of boots aside. */
const namesIn = (own: string) => readdirSync(own).filter((name) => !/^boot(?:\.[0-9a-f]+)?$/.test(name));
/** A folder of its own, and files over it, one after the other as engines are. */
function stand() {
  const own = join(folder, String(++count));
  mkdirSync(own);
  return {
    own,
    open: () => new ContainerFiles(own),
    write: (name: string, text: string | Buffer) => writeFileSync(join(own, name), text),
    names: () => namesIn(own),
  };
}
const id = 'container_1_0001_01_000001';
const ownStat = readFileSync('/proc/self/stat', 'latin1').trim();
const { startTicks } = parseStat(ownStat)!;

test('without files nothing is known of a container', () => {
  const files = stand().open();
  assert.equal(files.start(id), undefined);
  assert.equal(files.claimedStart(id), undefined);
  assert.equal(files.exitCode(id), undefined);
  assert.equal(files.livingPid(id), undefined);
  assert.deepEqual(files.containerIds(), []);
});

test('a pid file tells leader, time of its start and folder, in any encoding of names', () => {
  const { open, write } = stand();
  const files = open();
  write('a.pid', Buffer.concat([Buffer.from(`${ownStat}\n`), Buffer.from('/tmp/größe\n')]));
  assert.deepEqual(files.start('a'), { pid: process.pid, startTicks, workFolder: '/tmp/größe' });
  assert.equal(files.livingPid('a'), process.pid);
});

test('a process that has the number of the leader but started at another time is not taken for it', () => {
  const { open, write } = stand();
  const files = open();
  const fields = ownStat.slice(ownStat.lastIndexOf(')') + 2).split(' ');
  fields[19] = String(Number(fields[19]) - 1);
  write('a.pid', `${process.pid} (node) ${fields.join(' ')}\n/tmp\n`);
  assert.equal(files.start('a')?.pid, process.pid);
  assert.equal(files.livingPid('a'), undefined);
});

test('a pid file that was not written whole says nothing', () => {
  const { open, write } = stand();
  const files = open();
  for (const text of ['', '12']) {
    write('a.pid', text);
    assert.equal(files.start('a'), undefined);
  }
});

test('only a complete exit file is an exit', () => {
  const { open, write } = stand();
  const files = open();
  for (const [text, code] of [
    ['', undefined],
    ['13', undefined],
    ['137\n', 137],
    ['0\n', 0],
    ['x\n', undefined],
    ['-1\n', undefined],
  ] as const) {
    write('a.exit', text);
    assert.equal(files.exitCode('a'), code, JSON.stringify(text));
  }
});

test('what was claimed when its generation was fenced was started, what was not can never be claimed, and is removed', () => {
  const { own, open, write, names } = stand();
  const files = open();
  const generation = files.begin();
  const [claimed, late] = [files.newName(id, generation), files.newName('container_2', generation)];
  write(`${claimed}.pid`, `${ownStat}\n/tmp\n`);
  write(`${late}.pid`, `${ownStat}\n/tmp\n`);
  assert.equal(files.claimedStart(id), undefined);
  const claim = (name: string) => writeFileSync(join(own, `orders.${generation}`, name), '', { flag: 'wx' });
  claim(claimed);
  assert.equal(files.claimedStart(id), claimed);
  assert.equal(files.isFenced(late), false);

  const next = open();
  assert.throws(() => claim(late), /ENOENT/);
  assert.equal(next.claimedStart(id), claimed);
  assert.equal(next.livingPid(claimed), process.pid);
  assert.equal(next.claimedStart('container_2'), undefined);
  assert.equal(next.isFenced(late), true);
  assert.deepEqual(next.containerIds(), [id]);
  // Also for those who come after it.
  const last = open();
  assert.equal(last.claimedStart(id), claimed);
  last.remove(id);
  assert.equal(last.claimedStart(id), undefined);
  assert.deepEqual(names(), []);
});

test('no two starts have one name, nor two generations', () => {
  const files = stand().open();
  const [first, second] = [files.begin(), files.begin()];
  assert.equal(new Set([files.newName(id, first), files.newName(id, first), files.newName(id, second)]).size, 3);
});

test('a generation whose folder is gone counts as fenced', () => {
  const files = stand().open();
  files.fence('0a');
  assert.equal(files.isFenced(`${id}.0a-1`), true);
});

test('a former launcher that stands still is ended', async () => {
  const { own, open } = stand();
  const generation = open().begin();
  const launcher = spawn('sleep', ['600']);
  const ended = once(launcher, 'exit');
  launcher.kill('SIGSTOP');
  writeFileSync(join(own, `orders.${generation}`, 'launcher'), readFileSync(`/proc/${launcher.pid}/stat`, 'latin1'));
  open();
  assert.deepEqual(await ended, [null, 'SIGKILL']);
  assert.deepEqual(namesIn(own), []);
});

test('after another boot nothing lives, whatever number it had', () => {
  const { open, write } = stand();
  assert.equal(open().rebooted, false);
  write(`${id}.pid`, `${ownStat}\n/tmp\n`);
  write('boot', 'another\n');
  const files = open();
  assert.equal(files.rebooted, true);
  assert.equal(files.claimedStart(id), id);
  assert.equal(files.livingPid(id), undefined);
  files.noteBoot();
  assert.equal(open().rebooted, false);
});

test('until it is noted that nothing more is to be told of another boot, each successor knows what ran in which', () => {
  const { own, open, write } = stand();
  const before = open();
  const [earlier, now] = [before.begin(), before.begin()];
  const other = `${id.slice(0, -1)}2`;
  write('boot', 'another\n');
  write(`boot.${earlier}`, 'another\n');
  for (const [container, generation] of [
    [id, earlier],
    [other, now],
  ] as const) {
    write(`${container}.${generation}-1.pid`, `${ownStat}\n/tmp\n`);
    write(`orders.${generation}/${container}.${generation}-1`, '');
  }
  for (let times = 0; times < 3; times++) {
    const files = open();
    const [lost, lives] = [files.claimedStart(id)!, files.claimedStart(other)!];
    assert.deepEqual([files.livingPid(lost), files.isOfEarlierBoot(lost)], [undefined, true]);
    assert.deepEqual([files.livingPid(lives), files.isOfEarlierBoot(lives)], [process.pid, false]);
    assert.equal(files.isOfEarlierBoot(undefined), times < 2, 'what left nothing is of the other boot until then');
    if (times === 1) files.noteBoot();
  }
  // Emptied by the loss of power.
  write(`boot.${now}`, '');
  assert.equal(open().livingPid(`${other}.${now}-1`), undefined);
  const last = open();
  for (const container of [id, other]) last.remove(container);
  assert.deepEqual(namesIn(own), []);
  assert.deepEqual(
    readdirSync(own).filter((name) => name !== 'boot'),
    [],
    'the notes of generations go with them',
  );
});

test('the note of a generation that nobody began is removed', () => {
  const { own, open, write } = stand();
  write('boot.0123456789ab', 'x\n');
  open();
  assert.deepEqual(readdirSync(own), ['boot']);
});

test('another boot is not forgotten where it cannot be noted, nor where the note was emptied', () => {
  const { own, open, write } = stand();
  open();
  write('boot', 'another\n');
  mkdirSync(join(own, 'boot.new'));
  assert.throws(() => open().noteBoot(), /EISDIR/);
  rmdirSync(join(own, 'boot.new'));
  assert.equal(open().rebooted, true);
  write('boot', '');
  assert.equal(open().rebooted, true);
  open().noteBoot();
  assert.equal(open().rebooted, false);
});

test('files of earlier versions count as claimed; containers are listed once, other files never', () => {
  const { open, write } = stand();
  write('launcher.sh', '');
  write(`${id}.pid`, '');
  write(`${id}.exit`, '1\n');
  write('container_2.exit', '1\n');
  const files = open();
  assert.equal(files.claimedStart(id), id);
  assert.deepEqual(files.containerIds().toSorted(), [id, 'container_2']);
  files.remove(id);
  files.remove(id);
  files.remove('container_2');
  assert.deepEqual(files.containerIds(), []);
});

test('folders in place of its files keep no engine from starting and go with their container', () => {
  const { own, open, names } = stand();
  const generation = 'abcdefabcdef';
  for (const name of [`${id}.pid`, 'container_2.exit', `fenced.${generation}/launcher`, `fenced.${generation}/${id}.${generation}-1`])
    mkdirSync(join(own, name, 'inside'), { recursive: true });
  const files = open();
  assert.deepEqual(files.containerIds().toSorted(), [id, 'container_2']);
  assert.deepEqual([files.start(id), files.exitCode('container_2')], [undefined, undefined]);
  files.remove(id);
  files.remove('container_2');
  assert.deepEqual(names(), []);
});

test('the writing of an exit file is noticed, that of others is not', async () => {
  const { open, write } = stand();
  const files = open();
  const noticed: string[] = [];
  const first = Promise.withResolvers<void>();
  const watcher = files.watchExits(
    (name) => {
      noticed.push(name);
      first.resolve();
    },
    (error) => first.reject(error),
  );
  // The watch does not keep the process alive, so the test does.
  const alive = setInterval(() => undefined, 1000);
  write(`${id}.pid`, 'x');
  write(`${id}.exit`, '5\n');
  await first.promise;
  clearInterval(alive);
  watcher.close();
  assert.deepEqual([...new Set(noticed)], [id]);
});
