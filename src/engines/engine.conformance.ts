// What every engine must do; each engine's test calls this with its own factory.

import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { pause } from '../lib/pause.ts';
import type { ContainerEngine, EngineOrder } from './engine.ts';

/** Makes an engine over a state folder; called again over the same folder it must find the containers of its predecessor. */
export type EngineFactory = (folder: string) => ContainerEngine;

/** Runs the suite; `more` is added to all orders. */
export function engineConformance(name: string, create: EngineFactory, more: Partial<EngineOrder> = {}): void {
  suite(`${name}: engine conformance`, () => {
    let root = '';
    let engine: ContainerEngine;
    let count = 0;
    before(() => {
      root = realpathSync(mkdtempSync(join(tmpdir(), 'engine-')));
      engine = create(join(root, 'state'));
    });
    after(async () => {
      await engine.close();
      rmSync(root, { recursive: true, force: true });
    });
    const order = (script: string, environment: Record<string, string> = {}): EngineOrder => {
      const containerId = `container_1_0001_01_${String(++count).padStart(6, '0')}`;
      const workFolder = join(root, containerId);
      mkdirSync(workFolder);
      writeFileSync(join(workFolder, 'launch.sh'), script);
      return {
        containerId,
        user: 'somebody',
        script: join(workFolder, 'launch.sh'),
        workFolder,
        environment,
        limits: { memoryMiB: 128, vcores: 1 },
        ...more,
      };
    };
    const output = (ordered: EngineOrder, file: string) => readFileSync(join(ordered.workFolder, file), 'utf8');
    /** Resolves when the script has opened the named pipe `gate` for writing. */
    const gate = '[ -p gate ] || mkfifo gate; ';

    test('runs the script in its folder and tells its exit code', async () => {
      const ordered = order('pwd > where; exit 7');
      const { pid } = await engine.start(ordered);
      assert.ok(pid > 0);
      assert.deepEqual(await engine.wait(ordered.containerId), { exitCode: 7 });
      assert.equal(output(ordered, 'where').trim(), ordered.workFolder);
      engine.forget(ordered.containerId);
      await assert.rejects(engine.wait(ordered.containerId));
    });

    test('passes the environment whatever its characters', async () => {
      const value = 'a "b" \'c\' $d `e` \\ ü\nsecond line';
      const ordered = order('printf %s "$STRANGE" > value', { STRANGE: value });
      await engine.start(ordered);
      await engine.wait(ordered.containerId);
      assert.equal(output(ordered, 'value'), value);
    });

    test('runs the order it was given and nothing of the one before', async () => {
      const first = order('printf %s "$ONLY_FIRST" > value', { ONLY_FIRST: 'x' });
      const second = order('printf %s "$ONLY_FIRST" > value');
      await Promise.all([engine.start(first), engine.start(second)]);
      await Promise.all([engine.wait(first.containerId), engine.wait(second.containerId)]);
      assert.equal(output(first, 'value'), 'x');
      assert.equal(output(second, 'value'), '');
    });

    test('SIGTERM reaches the script and all its children', async () => {
      const ordered = order(`${gate} trap 'exit 9' TERM; sleep 600 & echo ready > gate & wait`);
      await engine.start(ordered);
      await waitForGate(ordered);
      assert.equal(engine.signal(ordered.containerId, 'SIGTERM'), true);
      assert.deepEqual(await engine.wait(ordered.containerId), { exitCode: 9 });
      assert.equal(engine.signal(ordered.containerId, 'SIGTERM'), false);
    });

    test('SIGKILL gives exit code 137, SIGQUIT ends nothing', async () => {
      const ordered = order(`${gate} echo ready > gate; sleep 600`);
      await engine.start(ordered);
      await waitForGate(ordered);
      assert.equal(engine.signal(ordered.containerId, 'SIGQUIT'), true);
      assert.equal(engine.signal(ordered.containerId, 'SIGKILL'), true);
      assert.deepEqual(await engine.wait(ordered.containerId), { exitCode: 137 });
    });

    // What is left is told by the time it sleeps: numbers of processes may be others inside a container.
    const strays: readonly (readonly [string, string])[] = [
      ['a child', 'sleep $SECONDS_TO_SLEEP & echo x > stray'],
      ['a process group of its own', 'set -m; sleep $SECONDS_TO_SLEEP & echo x > stray'],
      ['nohup', 'nohup sleep $SECONDS_TO_SLEEP > /dev/null 2>&1 & echo x > stray'],
      ['a session of its own', "setsid sh -c 'echo x > stray; exec sleep $SECONDS_TO_SLEEP' < /dev/null > /dev/null 2>&1 &"],
      ['a daemon, forked twice', "(setsid sh -c '(sleep $SECONDS_TO_SLEEP & echo x > stray) > /dev/null 2>&1' &)"],
      [
        'a daemon elsewhere with a child that has no environment',
        '(cd / && setsid sh -c \'env -i sleep $SECONDS_TO_SLEEP & echo x > "$STRAY"; wait\' &)',
      ],
      [
        'a daemon without an environment',
        "(env -i setsid sh -c 'echo x > stray; exec sleep '$SECONDS_TO_SLEEP < /dev/null > /dev/null 2>&1 &)",
      ],
      ['a script that is deaf to TERM', '(setsid sh -c \'trap "" TERM HUP; echo x > stray; while :; do sleep $SECONDS_TO_SLEEP; done\' &)'],
    ];
    for (const [title, command] of strays) {
      test(`what the script leaves behind ends with it: ${title}`, async () => {
        const seconds = String(1_000_000 + randomInt(1_000_000_000));
        const ordered = order(`${command}\nwhile ! [ -s stray ]; do :; done; exit 5`, {
          SECONDS_TO_SLEEP: seconds,
          STRAY: join(root, `container_1_0001_01_${String(count + 1).padStart(6, '0')}`, 'stray'),
        });
        await engine.start(ordered);
        assert.deepEqual(await engine.wait(ordered.containerId), { exitCode: 5 });
        assert.deepEqual(sleepers(seconds), []);
      });
    }

    test('measures the processes of a container together', async () => {
      const ordered = order(`${gate} sleep 600 & sleep 600 & echo ready > gate; wait`);
      const { pid } = await engine.start(ordered);
      await waitForGate(ordered);
      const usage = (await engine.usage()).get(ordered.containerId);
      assert.ok(usage);
      assert.ok(usage.processes.length >= 3);
      assert.ok(usage.processes.some((process) => process.pid === pid));
      assert.ok(usage.physicalMemoryBytes > 0 && usage.virtualMemoryBytes >= usage.physicalMemoryBytes);
      engine.signal(ordered.containerId, 'SIGKILL');
      await engine.wait(ordered.containerId);
    });

    for (const environment of ['', 'env -i '])
      test(`measures what left the session too: ${environment}setsid`, async () => {
        const seconds = String(1_000_000 + randomInt(1_000_000_000));
        const ordered = order(`(${environment}setsid sh -c 'sleep ${seconds} & wait' &); sleep 600`);
        await engine.start(ordered);
        const seen = async () =>
          (await engine.usage()).get(ordered.containerId)?.processes.some(({ commandLine }) => commandLine === `sleep ${seconds}`);
        while (!(await seen()));
        engine.signal(ordered.containerId, 'SIGKILL');
        assert.deepEqual(await engine.wait(ordered.containerId), { exitCode: 137 });
        assert.deepEqual(sleepers(seconds), []);
      });

    test('a successor adopts what runs, learns what ended, knows what never was', async () => {
      const folder = join(root, 'shared-state');
      const first = create(folder);
      const running = order(`${gate} echo ready > gate; read -r code < gate; exit "$code"`);
      const ended = order('exit 3');
      await first.start(running);
      await first.start(ended);
      await first.wait(ended.containerId);
      await waitForGate(running);
      await first.close();
      const second = create(folder);
      try {
        assert.equal((await second.recover(running.containerId)).state, 'running');
        assert.deepEqual(await second.recover(ended.containerId), { state: 'exited', exitCode: 3 });
        assert.deepEqual(await second.recover('container_1_0001_01_999999'), { state: 'unknown' });
        assert.deepEqual([...second.rememberedContainers()].sort(), [running.containerId, ended.containerId].sort());
        writeFileSync(join(running.workFolder, 'gate'), '5\n');
        assert.deepEqual(await second.wait(running.containerId), { exitCode: 5 });
      } finally {
        await second.close();
      }
    });

    test('a paused container stands still until it is resumed', async (context) => {
      if (!engine.pause || !engine.resume) return context.skip('the engine cannot pause');
      const ordered = order(`${gate} echo ready > gate; while true; do :; done`);
      await engine.start(ordered);
      await waitForGate(ordered);
      const worked = async () => (await engine.usage()).get(ordered.containerId)!.cpuTimeMs;
      assert.equal(await engine.pause(ordered.containerId), true);
      // What was on a processor in that moment is given the time to leave it.
      for (let before = -1, now = await worked(); before !== now; now = await worked()) {
        before = now;
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      const paused = await worked();
      assert.equal(await engine.resume(ordered.containerId), true);
      while ((await worked()) === paused) await pause();
      await engine.pause(ordered.containerId);
      assert.equal(engine.signal(ordered.containerId, 'SIGKILL'), true);
      assert.deepEqual(await engine.wait(ordered.containerId), { exitCode: 137 });
      assert.equal(await engine.pause(ordered.containerId), false);
    });

    test('a container whose folder is missing is refused', async () => {
      const ordered = { ...order('true'), workFolder: join(root, 'nowhere') };
      await assert.rejects(engine.start(ordered));
    });
  });

  /** Reads the gate that the script opens when it is ready; the read blocks until then, in another thread of libuv. */
  async function waitForGate(ordered: EngineOrder): Promise<void> {
    const { access, readFile } = await import('node:fs/promises');
    const path = join(ordered.workFolder, 'gate');
    while (
      await access(path).then(
        () => false,
        () => true,
      )
    )
      await pause();
    await readFile(path);
  }
}

/** Processes that sleep for so many seconds. */
function sleepers(seconds: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(`\0${seconds}\0`);
    } catch {
      return false;
    }
  });
}
