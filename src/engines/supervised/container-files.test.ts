import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseStat } from '../../lib/process-stat.ts';
import { ContainerFiles } from './container-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'container-files-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const files = new ContainerFiles(folder);
const id = 'container_1_0001_01_000001';
const write = (kind: 'pid' | 'exit', text: string | Buffer) => writeFileSync(join(folder, `${id}.${kind}`), text);
const ownStat = readFileSync('/proc/self/stat', 'latin1').trim();

test('without files nothing is known of a container', () => {
  assert.equal(files.start(id), undefined);
  assert.equal(files.hasStart(id), false);
  assert.equal(files.exitCode(id), undefined);
  assert.equal(files.livingPid(id), undefined);
  assert.deepEqual(files.containerIds(), []);
});

test('a pid file tells leader, time of its start and folder, in any encoding of names', () => {
  write('pid', Buffer.concat([Buffer.from(`${ownStat}\n`), Buffer.from('/tmp/größe\n')]));
  const { startTicks } = parseStat(ownStat)!;
  assert.deepEqual(files.start(id), { pid: process.pid, startTicks, workFolder: '/tmp/größe' });
  assert.equal(files.livingPid(id), process.pid);
});

test('a process that has the number of the leader but started at another time is not taken for it', () => {
  const fields = ownStat.slice(ownStat.lastIndexOf(')') + 2).split(' ');
  fields[19] = String(Number(fields[19]) - 1);
  write('pid', `${process.pid} (node) ${fields.join(' ')}\n/tmp\n`);
  assert.equal(files.start(id)?.pid, process.pid);
  assert.equal(files.livingPid(id), undefined);
});

test('a pid file that was created and not written yet is there and says nothing', () => {
  write('pid', '');
  assert.equal(files.hasStart(id), false);
  write('pid', '12');
  assert.equal(files.hasStart(id), true);
  assert.equal(files.start(id), undefined);
});

test('only a complete exit file is an exit', () => {
  for (const [text, code] of [
    ['', undefined],
    ['13', undefined],
    ['137\n', 137],
    ['0\n', 0],
    ['x\n', undefined],
    ['-1\n', undefined],
  ] as const) {
    write('exit', text);
    assert.equal(files.exitCode(id), code, JSON.stringify(text));
  }
});

test('containers are listed once, other files never, and go with their files', () => {
  writeFileSync(join(folder, 'launcher.sh'), '');
  writeFileSync(join(folder, 'container_2.exit'), '1\n');
  assert.deepEqual(files.containerIds().toSorted(), [id, 'container_2']);
  files.remove(id);
  files.remove(id);
  files.remove('container_2');
  assert.deepEqual(files.containerIds(), []);
});

test('the writing of an exit file is noticed, that of others is not', async () => {
  const noticed: string[] = [];
  const first = Promise.withResolvers<void>();
  const watcher = files.watchExits(
    (containerId) => {
      noticed.push(containerId);
      first.resolve();
    },
    (error) => first.reject(error),
  );
  // The watch does not keep the process alive, so the test does.
  const alive = setInterval(() => undefined, 1000);
  writeFileSync(join(folder, `${id}.pid`), 'x');
  writeFileSync(join(folder, `${id}.exit`), '5\n');
  await first.promise;
  clearInterval(alive);
  watcher.close();
  assert.deepEqual([...new Set(noticed)], [id]);
});
