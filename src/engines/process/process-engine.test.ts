import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { parseStat, readStat } from '../../lib/process-stat.ts';
import { engineConformance } from '../engine.conformance.ts';
import type { ContainerEngine } from '../engine.ts';
import { shellConformance } from '../shell.conformance.ts';
import { whyNotConcealed } from './concealment.ts';
import { createProcessEngine } from './process-engine.ts';

const create = (folder: string) => createProcessEngine({ folder, clock: systemClock, logger: silentLogger, noNewPrivileges: true });
engineConformance('process', create);
shellConformance('process', create);
const secrets = mkdtempSync(join(tmpdir(), 'secrets-'));
writeFileSync(join(secrets, 'secret'), 'x');
after(() => rmSync(secrets, { recursive: true }));
const isConcealing = whyNotConcealed() === undefined;
const concealing = (folder: string) =>
  createProcessEngine({ folder, clock: systemClock, logger: silentLogger, noNewPrivileges: true, concealed: [secrets] });
if (isConcealing) shellConformance('process, concealed', concealing);

test('a shell sees what its container sees, also one that an earlier process started', { skip: !isConcealing }, async () => {
  const root = mkdtempSync(join(tmpdir(), 'engine-'));
  const containerId = 'container_1_0001_01_000001';
  writeFileSync(join(root, 'a.sh'), 'exec sleep 600');
  const order = { containerId, user: 'u', script: join(root, 'a.sh'), workFolder: root, environment: {} };
  const first = concealing(join(root, 'state'));
  const { pid } = await first.start({ ...order, limits: { memoryMiB: 1, vcores: 1 } });
  const alive = setInterval(() => undefined, 1000);
  const look = async (engine: ContainerEngine) => {
    const command = ['sh', '-c', 'ls -A "$0"; readlink /proc/self/ns/user /proc/self/ns/mnt; grep NoNewPrivs /proc/self/status', secrets];
    const shell = await engine.enter!({ containerId, command });
    shell.errors.resume();
    let shown = '';
    for await (const piece of shell.output) shown += String(piece);
    return shown;
  };
  const expected = `${['user', 'mnt'].map((name) => `${readlinkSync(`/proc/${pid}/ns/${name}`)}\n`).join('')}NoNewPrivs:\t1\n`;
  assert.equal(await look(first), expected);
  await first.close();
  const second = concealing(join(root, 'state'));
  assert.equal((await second.recover(containerId)).state, 'running');
  assert.equal(await look(second), expected);
  second.signal(containerId, 'SIGKILL');
  await second.wait(containerId);
  clearInterval(alive);
  await second.close();
  rmSync(root, { recursive: true, force: true });
});

test('no program in a container gains rights, where that is asked for', async () => {
  const root = mkdtempSync(join(tmpdir(), 'engine-'));
  const containerId = 'container_1_0001_01_000001';
  const limits = { memoryMiB: 1, vcores: 1 };
  writeFileSync(join(root, 'a.sh'), 'grep NoNewPrivs /proc/self/status > flag');
  const flags: string[] = [];
  for (const noNewPrivileges of [true, false]) {
    const engine = createProcessEngine({
      folder: join(root, String(noNewPrivileges)),
      clock: systemClock,
      logger: silentLogger,
      noNewPrivileges,
    });
    await engine.start({ containerId, user: 'u', script: join(root, 'a.sh'), workFolder: root, environment: {}, limits });
    await engine.wait(containerId);
    flags.push(readFileSync(join(root, 'flag'), 'utf8').trim());
    await engine.close();
  }
  const own = /^NoNewPrivs:\t(\d)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  assert.deepEqual(flags, ['NoNewPrivs:\t1', `NoNewPrivs:\t${own}`]);
  rmSync(root, { recursive: true, force: true });
});

test('the death of the launcher loses no container and no exit, and the next start works', async () => {
  const root = mkdtempSync(join(tmpdir(), 'engine-'));
  const engine = create(join(root, 'state'));
  const order = (containerId: string, script: string) => {
    writeFileSync(join(root, `${containerId}.sh`), script);
    return {
      containerId,
      user: 'u',
      script: join(root, `${containerId}.sh`),
      workFolder: root,
      environment: {},
      limits: { memoryMiB: 1, vcores: 1 },
    };
  };
  const { pid } = await engine.start(order('container_1_0001_01_000001', 'mkfifo gate; read -r code < gate; exit "$code"'));
  const keeper = parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))!.parentPid;
  const launcher = parseStat(readFileSync(`/proc/${keeper}/stat`, 'latin1'))!.parentPid;
  process.kill(launcher, 'SIGKILL');
  while (
    await engine.start(order('container_1_0001_01_000002', 'exit 4')).then(
      () => false,
      () => true,
    )
  );
  assert.deepEqual(await engine.wait('container_1_0001_01_000002'), { exitCode: 4 });
  writeFileSync(join(root, 'gate'), '6\n');
  assert.deepEqual(await engine.wait('container_1_0001_01_000001'), { exitCode: 6 });
  await engine.close();
  rmSync(root, { recursive: true, force: true });
});

test('a container whose keeper was killed ends as lost', async () => {
  const root = mkdtempSync(join(tmpdir(), 'engine-'));
  const engine = create(join(root, 'state'));
  writeFileSync(join(root, 'a.sh'), 'sleep 600');
  const containerId = 'container_1_0001_01_000001';
  const limits = { memoryMiB: 1, vcores: 1 };
  const { pid } = await engine.start({ containerId, user: 'u', script: join(root, 'a.sh'), workFolder: root, environment: {}, limits });
  const keeper = parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))!.parentPid;
  process.kill(keeper, 'SIGKILL');
  engine.signal(containerId, 'SIGKILL');
  // The engine's own look at its containers must not keep a process alive, so the test does.
  const alive = setInterval(() => undefined, 1000);
  assert.deepEqual(await engine.wait(containerId), { exitCode: 154 });
  clearInterval(alive);
  await engine.close();
  rmSync(root, { recursive: true, force: true });
});

test('what a container left behind while no engine watched ends when its successor hears of it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'engine-'));
  const containerId = 'container_1_0001_01_000001';
  writeFileSync(
    join(root, 'a.sh'),
    'mkfifo gate; read -r line < gate; (setsid sh -c "echo \\$\\$ > stray; exec sleep 600" &); until [ -s stray ]; do :; done',
  );
  const limits = { memoryMiB: 1, vcores: 1 };
  const first = create(join(root, 'state'));
  const { pid } = await first.start({ containerId, user: 'u', script: join(root, 'a.sh'), workFolder: root, environment: {}, limits });
  await first.close();
  while (!existsSync(join(root, 'gate'))) await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(join(root, 'gate'), 'go\n');
  while (existsSync(`/proc/${pid}`)) await new Promise((resolve) => setImmediate(resolve));
  const stray = Number(readFileSync(join(root, 'stray'), 'utf8'));
  assert.ok(existsSync(`/proc/${stray}`));
  const second = create(join(root, 'state'));
  const alive = setInterval(() => undefined, 1000);
  assert.equal((await second.recover(containerId)).state, 'exited');
  clearInterval(alive);
  assert.notEqual(readStat(stray)?.zombie ?? true, false);
  await second.close();
  rmSync(root, { recursive: true, force: true });
});
