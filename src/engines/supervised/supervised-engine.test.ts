import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { type Clock, ManualClock, systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { readStat } from '../../lib/process-stat.ts';
import { processExitCode } from '../../model/exit-status.ts';
import type { EngineOrder } from '../engine.ts';
import type { ContainerRuntime } from './runtime.ts';
import { SupervisedEngine } from './supervised-engine.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'supervised-')));
// The engine's own timers and watches do not keep a process alive, so the tests do.
const alive = setInterval(() => undefined, 1000);
after(() => {
  clearInterval(alive);
  rmSync(root, { recursive: true, force: true });
});
const turn = () => new Promise((resolve) => setImmediate(resolve));
let count = 0;

/** Runs the script of an order by bash, and notes what the engine has it do. */
function bashRuntime(noted: string[] = [], more: Partial<ContainerRuntime> = {}): ContainerRuntime {
  return {
    name: 'bash',
    prepare: async ({ containerId, workFolder, script }) => ({
      workFolder,
      command: ['/bin/bash', script],
      joins: [],
      variables: [`CONTAINER_ID=${containerId}`],
      input: '',
    }),
    running: async (_containerId, pid) => ({ pid }),
    signal: (_containerId, pid, signal) => process.kill(-pid, signal),
    async ended(containerId, exitCode) {
      noted.push(`ended ${containerId} ${exitCode}`);
      return {};
    },
    members: () => new Map(),
    rememberedContainers: () => [],
    close: () => void noted.push('close'),
    enter: async () => assert.fail('nothing enters here'),
    ...more,
  };
}

/** A folder with engines over it, one after the other, and orders for them. */
function stand() {
  const home = join(root, String(++count));
  const folder = join(home, 'state');
  return {
    folder,
    engine: (runtime = bashRuntime(), clock: Clock = systemClock) => new SupervisedEngine({ folder, clock, logger: silentLogger }, runtime),
    /** The launcher of the newest engine, which stands still from now on. */
    async stopLauncher(): Promise<{ readonly pid: number; readonly record: string }> {
      for (;;) {
        const orders = readdirSync(folder).find((name) => name.startsWith('orders.'));
        const record = join(folder, orders ?? '', 'launcher');
        const pid = orders && existsSync(record) ? Number.parseInt(readFileSync(record, 'latin1'), 10) : Number.NaN;
        if (pid > 0) {
          process.kill(pid, 'SIGSTOP');
          while (!readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') T ')) await turn();
          return { pid, record };
        }
        await turn();
      }
    },
    order(containerId: string, script: string): EngineOrder {
      const workFolder = join(home, containerId);
      mkdirSync(workFolder, { recursive: true });
      writeFileSync(join(workFolder, 'launch.sh'), script);
      return {
        containerId,
        user: 'ada',
        script: join(workFolder, 'launch.sh'),
        workFolder,
        environment: {},
        limits: { memoryMiB: 1, vcores: 1 },
      };
    },
    /** Lets a container go on that waits at its gate; it ends with the code. */
    async open({ workFolder }: EngineOrder, code: number) {
      const gate = join(workFolder, 'gate');
      while (!existsSync(gate)) await turn();
      writeFileSync(gate, `${code}\n`);
    },
    async exitFile({ containerId }: EngineOrder) {
      while (!readdirSync(folder).some((name) => name.startsWith(`${containerId}.`) && name.endsWith('.exit'))) await turn();
    },
  };
}
const gated = 'mkfifo gate; read -r code < gate; exit "$code"';
const id = 'container_1_0001_01_000001';
const other = 'container_1_0001_01_000002';

test('a container is started once while it runs, again when it was forgotten', async () => {
  const { engine: create, order, open } = stand();
  const engine = create();
  const ordered = order(id, gated);
  await engine.start(ordered);
  await assert.rejects(engine.start(ordered), /is running already/);
  engine.forget(id);
  await assert.rejects(engine.start(ordered), /is running already/);
  await open(ordered, 5);
  assert.deepEqual(await engine.wait(id), { exitCode: 5 });
  engine.forget(id);
  rmSync(join(ordered.workFolder, 'gate'));
  await engine.start(ordered);
  await open(ordered, 6);
  assert.deepEqual(await engine.wait(id), { exitCode: 6 });
  await engine.close();
});

test('a container that runs while its node manager restarts is adopted: signalled, measured, waited for', async () => {
  const { engine: create, order } = stand();
  const ordered = order(id, "trap 'exit 9' TERM; sleep 600 & wait");
  const first = create();
  const { pid } = await first.start(ordered);
  await first.close();
  const second = create();
  assert.deepEqual(await second.recover(id), { state: 'running', pid });
  const commands = async () => (await second.usage()).get(id)?.processes.map(({ commandLine }) => commandLine) ?? [];
  while (!(await commands()).includes('sleep 600')) await turn();
  // Its keeper, an orphan since the launcher ended, is none of its processes.
  assert.deepEqual((await commands()).toSorted(), [`/bin/bash ${ordered.script}`, 'sleep 600']);
  assert.equal(second.signal(id, 'SIGTERM'), true);
  assert.deepEqual(await second.wait(id), { exitCode: 9 });
  assert.deepEqual(second.rememberedContainers(), [id]);
  second.forget(id);
  assert.deepEqual(second.rememberedContainers(), []);
  await second.close();
});

test('an exit while no node manager lived is found, and one in the moment of adoption is not missed', async () => {
  const { engine: create, order, open, exitFile } = stand();
  const [gone, leaving] = [order(id, gated), order(other, gated)];
  const first = create();
  await Promise.all([first.start(gone), first.start(leaving)]);
  await first.close();
  await open(gone, 3);
  await exitFile(gone);
  const noted: string[] = [];
  const second = create(bashRuntime(noted));
  assert.deepEqual(await second.recover(id), { state: 'exited', exitCode: 3 });
  assert.deepEqual(noted, [`ended ${id} 3`]);
  const adoption = second.recover(other);
  await open(leaving, 4);
  const found = await adoption;
  assert.deepEqual(found.state === 'running' ? await second.wait(other) : { exitCode: found.state === 'exited' && found.exitCode }, {
    exitCode: 4,
  });
  await second.close();
});

test('a leader that is dead without an exit file had its keeper killed: it ends as lost, adopted or not', async () => {
  const { engine: create, order } = stand();
  const [seen, unseen] = [order(id, 'exec sleep 600'), order(other, 'exec sleep 600')];
  const first = create();
  const pids = [(await first.start(seen)).pid, (await first.start(unseen)).pid];
  await first.close();
  const second = create();
  assert.equal((await second.recover(id)).state, 'running');
  for (const pid of pids) {
    process.kill(readStat(pid)!.parentPid, 'SIGKILL');
    process.kill(pid, 'SIGKILL');
  }
  while (pids.some((pid) => readStat(pid)?.zombie === false)) await turn();
  assert.deepEqual(await second.recover(other), { state: 'exited', exitCode: processExitCode.lost });
  assert.deepEqual(await second.wait(id), { exitCode: processExitCode.lost });
  await second.close();
});

/** A script that notes that it began, and the number of times it did. */
const counted = 'echo x >> runs; exit 3';
const runsOf = ({ workFolder }: EngineOrder) => readFileSync(join(workFolder, 'runs'), 'utf8').length / 2;

test('what a launcher that stands still was ordered is not carried out after a successor took over, who does it once', async () => {
  const { engine: create, order, stopLauncher } = stand();
  const ordered = order(id, counted);
  const first = create();
  const { pid, record } = await stopLauncher();
  const start = first.start(ordered).catch((error: Error) => error);
  await turn();
  // Were it known, the successor would end it.
  rmSync(record);
  const second = create();
  assert.deepEqual(await second.recover(id), { state: 'unknown' });
  await second.start(ordered);
  assert.deepEqual(await second.wait(id), { exitCode: 3 });
  process.kill(pid, 'SIGCONT');
  assert.match(String(await start), /could not start/);
  assert.equal(runsOf(ordered), 1);
  await assert.rejects(second.start(ordered), /is running already/);
  await second.close();
  const third = create();
  await assert.rejects(third.start(ordered), /was started before/);
  assert.deepEqual(await third.recover(id), { state: 'exited', exitCode: 3 });
  await assert.rejects(third.start(ordered), /was started before/);
  await third.close();
  await first.close();
});

test('a launcher that was killed with orders unread is replaced, and they are carried out once', async () => {
  const { engine: create, order, stopLauncher } = stand();
  const orders = [order(id, counted), order(other, counted)];
  const engine = create();
  const { pid } = await stopLauncher();
  const starts = orders.map((each) => engine.start(each));
  await turn();
  process.kill(pid, 'SIGKILL');
  await Promise.all(starts);
  for (const each of orders) {
    assert.deepEqual(await engine.wait(each.containerId), { exitCode: 3 });
    assert.equal(runsOf(each), 1);
  }
  await engine.close();
});

test('what a launcher had started when it was killed is not started by its successor, though it could not say so', async () => {
  const { engine: create, folder, order, stopLauncher } = stand();
  const ordered = order(id, counted);
  const engine = create();
  const { pid, record } = await stopLauncher();
  const starting = engine.start(ordered);
  await turn();
  // Its last words: the claim, and who was started.
  const leader = spawn('/bin/bash', ['-c', 'read -r line'], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const generation = basename(dirname(record)).slice('orders.'.length);
  const name = `${id}.${generation}-1`;
  writeFileSync(join(folder, `${name}.pid`), `${readFileSync(`/proc/${leader.pid}/stat`, 'latin1').trim()}\n${ordered.workFolder}\n`);
  writeFileSync(join(dirname(record), name), '');
  process.kill(pid, 'SIGKILL');
  assert.deepEqual(await starting, { pid: leader.pid });
  leader.stdin!.end();
  writeFileSync(join(folder, `${name}.exit`), '7\n');
  assert.equal((await engine.wait(id)).exitCode, 7);
  assert.equal(existsSync(join(ordered.workFolder, 'runs')), false);
  await engine.close();
});

test('a launcher that stands still is replaced after a while', async () => {
  const { engine: create, order, stopLauncher } = stand();
  const ordered = order(id, counted);
  const clock = new ManualClock();
  const engine = create(bashRuntime(), clock);
  const { pid } = await stopLauncher();
  const start = engine.start(ordered);
  await turn();
  clock.advance(30_000);
  await start;
  while (readStat(pid)?.zombie === false) await turn();
  assert.deepEqual(await engine.wait(id), { exitCode: 3 });
  assert.equal(runsOf(ordered), 1);
  await engine.close();
});

test('an engine closes though its launcher stands still', async () => {
  const { engine: create, stopLauncher } = stand();
  const engine = create();
  await stopLauncher();
  await engine.close();
});

test('what may have run before the machine was started anew is lost with it, also where nothing is left of it, but for what had ended by then', async () => {
  const { engine: create, folder } = stand();
  await create().close();
  writeFileSync(join(folder, 'boot'), 'another\n');
  const third = `${id.slice(0, -1)}9`;
  for (const each of [other, third])
    writeFileSync(join(folder, `${each}.pid`), `${readFileSync('/proc/self/stat', 'latin1').trim()}\n/nowhere\n`);
  writeFileSync(join(folder, `${third}.exit`), '7\n');
  const engine = create();
  const lost = { state: 'exited', exitCode: processExitCode.lost, machineLost: true };
  assert.deepEqual([await engine.recover(id), await engine.recover(other)], [lost, lost]);
  assert.deepEqual(await engine.recover(third), { state: 'exited', exitCode: 7 });
  await engine.close();
});

test('that the machine was started anew is forgotten when the ends of all that it lost are, however many processes follow', async () => {
  const { engine: create, order, folder } = stand();
  await create().close();
  writeFileSync(join(folder, 'boot'), 'another\n');
  const lost = { state: 'exited', exitCode: processExitCode.lost, machineLost: true };
  const third = `${id.slice(0, -1)}9`;
  const died = create();
  assert.deepEqual(await died.recover(id), lost);
  // It starts something and dies before it has kept that the other ended: what began in this boot lives, the other is lost still.
  const now = order(third, 'sleep 600');
  const { pid } = await died.start(now);
  await died.close();
  const second = create();
  assert.deepEqual(await second.recover(id), lost);
  assert.deepEqual(await second.recover(third), { state: 'running', pid });
  assert.deepEqual(await second.recover(other), lost);
  second.recovered();
  second.forget(id);
  assert.equal(readFileSync(join(folder, 'boot'), 'latin1'), 'another\n');
  second.forget(other);
  assert.notEqual(readFileSync(join(folder, 'boot'), 'latin1'), 'another\n');
  second.signal(third, 'SIGKILL');
  await second.wait(third);
  await second.close();
  const last = create();
  assert.deepEqual(await last.recover(id), { state: 'unknown' });
  await last.close();
});

test('that the machine was started anew is forgotten at once where nothing was lost with it', async () => {
  const { engine: create, folder } = stand();
  await create().close();
  writeFileSync(join(folder, 'boot'), 'another\n');
  const engine = create();
  engine.recovered();
  assert.notEqual(readFileSync(join(folder, 'boot'), 'latin1'), 'another\n');
  await engine.close();
});

test('a process that took the number of a container’s leader is neither adopted nor ended', async () => {
  const { engine: create, folder } = stand();
  const engine = create();
  const fields = readFileSync('/proc/self/stat', 'latin1').split(' ');
  fields[21] = String(Number(fields[21]) - 1);
  writeFileSync(join(folder, `${id}.pid`), `${fields.join(' ').trim()}\n/nowhere\n`);
  assert.deepEqual(await engine.recover(id), { state: 'exited', exitCode: processExitCode.lost });
  await engine.close();
});

test('a container of which there is nothing was never started; an exit file alone is an exit', async () => {
  const { engine: create, folder } = stand();
  const noted: string[] = [];
  const engine = create(bashRuntime(noted));
  assert.deepEqual(await engine.recover(id), { state: 'unknown' });
  writeFileSync(join(folder, `${other}.exit`), '7\n');
  assert.deepEqual(await engine.recover(other), { state: 'exited', exitCode: 7 });
  assert.deepEqual(noted, [`ended ${id} undefined`, `ended ${other} 7`]);
  await engine.close();
});

test('a start that fails is undone: by the runtime before, by the launcher, by the runtime after', async () => {
  const { engine: create, order } = stand();
  const noted: string[] = [];
  const failing = (name: string) => async () => {
    throw new Error(`${name} failed`);
  };
  const before = create(bashRuntime(noted, { prepare: failing('prepare') }));
  await assert.rejects(before.start(order(id, 'true')), /prepare failed/);
  await before.close();
  const launching = create(bashRuntime(noted));
  await assert.rejects(launching.start({ ...order(other, 'true'), workFolder: join(root, 'nowhere') }), /could not start/);
  await assert.rejects(launching.wait(other), /not known/);
  assert.equal(launching.signal(other, 'SIGTERM'), false);
  await launching.close();
  assert.deepEqual(noted, [`ended ${id} undefined`, 'close', `ended ${other} undefined`, 'close']);
});

test('a runtime that cannot clean up does not keep an end from being told; memory that ran out is told of failures alone', async () => {
  const { engine: create, order } = stand();
  const untidy = create(
    bashRuntime([], {
      ended: async () => {
        throw new Error('no');
      },
    }),
  );
  await untidy.start(order(id, 'exit 3'));
  assert.deepEqual(await untidy.wait(id), { exitCode: 3 });
  await untidy.close();
  const starved = create(bashRuntime([], { ended: async () => ({ outOfMemory: true }) }));
  await starved.start({ ...order(other, 'exit 137') });
  assert.deepEqual(await starved.wait(other), { exitCode: 137, outOfMemory: true });
  const fine = order('container_1_0001_01_000003', 'exit 0');
  await starved.start(fine);
  assert.deepEqual(await starved.wait(fine.containerId), { exitCode: 0 });
  await starved.close();
});

test('an engine that is closed starts nothing; one whose launcher cannot be started any more says so instead of waiting', async () => {
  const { engine: create, order, folder, open } = stand();
  const closed = create();
  await closed.close();
  await assert.rejects(closed.start(order(id, 'true')), /the engine is closed/);
  await closed.close();
  const engine = create();
  const running = order(other, gated);
  const { pid } = await engine.start(running);
  const launcher = readStat(readStat(pid)!.parentPid)!.parentPid;
  await open(running, 0);
  await engine.wait(other);
  // Without its folder no other launcher can take the place of one that was killed.
  rmSync(folder, { recursive: true });
  process.kill(launcher, 'SIGKILL');
  for (;;) {
    const error = await engine.start({ ...running, containerId: id }).then(
      () => undefined,
      (failure: Error) => failure,
    );
    if (/could not be started$/.test(error?.message ?? '')) break;
  }
  await engine.close();
});

test('only runtimes that change limits give an engine that does', async () => {
  const { engine: create } = stand();
  const rigid = create();
  assert.equal(rigid.resize, undefined);
  await rigid.close();
  const resized: unknown[] = [];
  const elastic = create(bashRuntime([], { resize: async (...parameters) => void resized.push(parameters) }));
  await elastic.resize?.(id, { memoryMiB: 2, vcores: 1 });
  assert.deepEqual(resized, [[id, { memoryMiB: 2, vcores: 1 }]]);
  await elastic.close();
});
