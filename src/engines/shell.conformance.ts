// What every engine whose containers can be entered must do; each engine's test calls this with its own factory.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { EngineFactory } from './engine.conformance.ts';
import type { ContainerEngine, EngineOrder, ShellOrder, ShellProcess } from './engine.ts';

/** Runs the suite; `more` is added to all orders. */
export function shellConformance(name: string, create: EngineFactory, more: Partial<EngineOrder> = {}): void {
  suite(`${name}: shells in containers`, () => {
    let root = '';
    let engine: ContainerEngine;
    let count = 0;
    // The engine's own timers do not keep a process alive, so the tests do.
    let alive: NodeJS.Timeout;
    before(() => {
      alive = setInterval(() => undefined, 1000);
      root = realpathSync(mkdtempSync(join(tmpdir(), 'shell-')));
      engine = create(join(root, 'state'));
    });
    after(async () => {
      clearInterval(alive);
      await engine.close();
      rmSync(root, { recursive: true, force: true });
    });

    /** A container whose script sets MOOD and waits. */
    async function running(): Promise<EngineOrder> {
      const containerId = `container_1_0001_01_${String(++count).padStart(6, '0')}`;
      const workFolder = join(root, containerId);
      mkdirSync(workFolder);
      writeFileSync(join(workFolder, 'launch.sh'), `export MOOD="so 'so'"; export SET=1; exec /bin/bash -c "sleep 600; true"`);
      const limits = { memoryMiB: 128, vcores: 1 };
      const order = { containerId, user: 'u', script: join(workFolder, 'launch.sh'), workFolder, environment: {}, limits, ...more };
      await engine.start(order);
      return order;
    }
    const enter = ({ containerId }: EngineOrder, command: readonly string[], terminal?: ShellOrder['terminal']): Promise<ShellProcess> =>
      engine.enter!({ containerId, command, awaitedVariable: 'SET', ...(terminal && { terminal }) });
    const stop = async ({ containerId }: EngineOrder) => {
      engine.signal(containerId, 'SIGKILL');
      await engine.wait(containerId);
    };

    test('runs a command with the environment and in the folder of the container, and tells its exit code', async () => {
      const order = await running();
      const shell = await enter(order, [
        'sh',
        '-c',
        'echo "$MOOD|$CONTAINER_ID|$PWD|$1"; echo bad >&2; cat; exit 7',
        'sh',
        `it's "one" $word`,
      ]);
      shell.input.end('what came in\n');
      const [output, errors, code] = await Promise.all([text(shell.output), text(shell.errors), shell.ended]);
      assert.equal(output, `so 'so'|${order.containerId}|${order.workFolder}|it's "one" $word\nwhat came in\n`);
      assert.deepEqual([errors, code], ['bad\n', 7]);
      await stop(order);
    });

    test('passes on bytes as they are, however many, and waits for whoever reads them', async () => {
      const order = await running();
      const shell = await enter(order, ['cat']);
      const sent = Buffer.alloc(3_000_000, Buffer.from([0, 255, 10, 13, 4, 27, 200]));
      shell.input.end(sent);
      shell.errors.resume();
      const read: Buffer[] = [];
      for await (const piece of shell.output) read.push(piece as Buffer);
      assert.ok(Buffer.concat(read).equals(sent));
      assert.equal(await shell.ended, 0);
      await stop(order);
    });

    test('gives the command no children that it did not start', async () => {
      const order = await running();
      const shell = await enter(order, ['cat', '/proc/thread-self/children']);
      const [output, errors, code] = await Promise.all([text(shell.output), text(shell.errors), shell.ended]);
      assert.deepEqual([output, errors, code], ['', '', 0]);
      await stop(order);
    });

    test('gives the command none of the ways by which this process speaks with it', async () => {
      const order = await running();
      const shell = await enter(order, ['ls', '-l', '/proc/self/fd']);
      const [output, , code] = await Promise.all([text(shell.output), text(shell.errors), shell.ended]);
      assert.match(output, / 2 -> /);
      assert.doesNotMatch(output, /socket:/);
      assert.equal(code, 0);
      await stop(order);
    });

    test('says so where there is no such program', async () => {
      const order = await running();
      const shell = await enter(order, ['no-such-program']);
      const [errors, code] = await Promise.all([text(shell.errors), shell.ended, text(shell.output)]);
      assert.match(errors, /no-such-program/);
      assert.ok(code === 127 || code === 255, String(code));
      await stop(order);
    });

    test('gives a terminal of the size that is wanted, which can change', async () => {
      const order = await running();
      const shell = await enter(order, ['bash', '--norc'], { rows: 31, columns: 97, type: 'xterm-256color' });
      const shown = new Shown(shell);
      // A shell that starts before runc has set its terminal up ends its lines twice.
      shell.input.write('echo "[$TERM $MOOD]"; stty size\r');
      await shown.until(/\[xterm-256color so 'so'\]\r+\n31 97\r+\n/);
      // Letters of several bytes are letters, whatever the servers were started with.
      shell.input.write('[[ ${LC_ALL:-${LC_CTYPE:-$LANG}} == *UTF-8 ]] && echo it is" "UTF-8\r');
      await shown.until(/it is UTF-8\r+\n/);
      shell.resize({ rows: 44, columns: 120 });
      shell.input.write('while [ "$(stty size)" != "44 120" ]; do :; done; echo is" "changed\r');
      await shown.until(/is changed\r+\n/);
      shell.input.write('echo rea"dy"; cat; echo after" "cat\r');
      await shown.until(/ready\r+\n/);
      shell.input.write('twice\r');
      await shown.until(/twice\r+\n.*twice\r+\n/s);
      shell.input.write('\x03');
      await shown.until(/\^C.*[#$] $/s);
      shell.input.write('echo after" "break\r');
      await shown.until(/after break\r+\n/);
      shell.input.write('exit 5\r');
      assert.equal(await shell.ended, 5);
      await stop(order);
    });

    const strays: readonly (readonly [string, string])[] = [
      ['a child', 'sleep $TIME & wait'],
      ["a child that a terminal's end does not reach", '(trap "" HUP; exec sleep $TIME) > /dev/null 2>&1 & wait'],
      ['a session of its own', "setsid sh -c 'exec sleep $TIME' < /dev/null > /dev/null 2>&1 & wait; sleep $TIME"],
      ['a daemon, forked twice', "(setsid sh -c '(sleep $TIME &) > /dev/null 2>&1' &); sleep $TIME"],
    ];
    for (const [title, command] of strays)
      for (const terminal of [undefined, { rows: 24, columns: 80, type: 'xterm' }])
        test(`ends with all that it started: ${title}${terminal ? ', in a terminal' : ''}`, async () => {
          const order = await running();
          const seconds = String(1_000_000 + randomInt(1_000_000_000));
          const shell = await enter(order, ['bash', '-c', `TIME=${seconds}; export TIME; ${command}`], terminal);
          shell.output.resume();
          shell.errors.resume();
          while (sleepers(seconds).length === 0) await new Promise(setImmediate);
          await shell.end();
          assert.notEqual(await shell.ended, 0);
          assert.deepEqual(sleepers(seconds), []);
          assert.ok(engine.signal(order.containerId, 'SIGQUIT'), 'the container goes on');
          await stop(order);
        });

    for (const terminal of [undefined, { rows: 24, columns: 80, type: 'xterm' }])
      test(`leaves nothing behind when it ends by itself, and gives all that it wrote${terminal ? ', in a terminal' : ''}`, async () => {
        const order = await running();
        const seconds = String(1_000_000 + randomInt(1_000_000_000));
        const shell = await enter(order, ['bash', '-c', `setsid sleep ${seconds} & echo done; exit 3`], terminal);
        shell.errors.resume();
        const [output, code] = await Promise.all([text(shell.output), shell.ended]);
        // Where terminals are behind each other, each may turn the end of a line.
        assert.deepEqual([output.replaceAll('\r', ''), code, sleepers(seconds)], ['done\n', 3, []]);
        await stop(order);
      });

    test('ends with the container, and its memory counts for it', async () => {
      const order = await running();
      const seconds = String(1_000_000 + randomInt(1_000_000_000));
      const shell = await enter(order, ['sleep', seconds]);
      shell.output.resume();
      shell.errors.resume();
      const isCounted = async () =>
        (await engine.usage()).get(order.containerId)?.processes.some(({ commandLine }) => commandLine === `sleep ${seconds}`);
      while (!(await isCounted())) await new Promise(setImmediate);
      await stop(order);
      assert.notEqual(await shell.ended, 0);
      assert.deepEqual(sleepers(seconds), []);
      await assert.rejects(enter(order, ['true']), /not running/);
    });
  });
}

/** What a shell does takes milliseconds; it is not waited for until the test's own time is over, which would not say what was shown. */
const longestMs = 60_000;

/** What a shell shows, as it comes. */
class Shown {
  #text = '';
  #isOver = false;
  #changed: () => void = () => undefined;

  constructor({ output, errors }: ShellProcess) {
    for (const stream of [output, errors])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#text += text;
        this.#changed();
      });
    output.once('close', () => {
      this.#isOver = true;
      this.#changed();
    });
  }

  async until(pattern: RegExp): Promise<void> {
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      this.#changed();
    }, longestMs);
    while (!pattern.test(this.#text)) {
      const shown = JSON.stringify(this.#text);
      assert.ok(!this.#isOver, `the shell ended without ${pattern}: ${shown}`);
      assert.ok(!isLate, `the shell goes on without ${pattern}: ${shown}`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
    clearTimeout(late);
  }
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let found = '';
  for await (const piece of stream) found += String(piece);
  return found;
}

/** Processes that sleep for so long. */
const sleepers = (seconds: string): string[] =>
  readdirSync('/proc').filter((name) => {
    if (!/^\d/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(`\0${seconds}\0`);
    } catch {
      return false;
    }
  });
