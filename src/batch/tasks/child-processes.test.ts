// Real processes: a task's command does its work in a process of its own, and may start others.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ChildProcesses } from './child-processes.ts';

/** Starts a shell; `line` waits for the next line that it says. */
function aShell(t: TestContext, script: string): { shell: ChildProcess; line: () => Promise<string>; ended: Promise<unknown> } {
  const shell = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(shell, 'close');
  t.after(async () => {
    shell.stdin?.end();
    shell.kill('SIGKILL');
    await ended;
  });
  const line = async () => String((await once(shell.stdout!, 'data'))[0]).trim();
  return { shell, line, ended };
}

/** Shell text that takes about a tenth of a second of CPU time or more. */
const work = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done';

describe('what runs below a process', () => {
  test('counts with its time while it runs and when it has ended, children of children as well', async (t) => {
    const children = new ChildProcesses(process.pid);
    const before = children.measure();
    const { shell, line, ended } = aShell(t, `sh -c '${work}; echo grandchild; read x; exit 0'; ${work}; echo child; read x`);
    assert.equal(await line(), 'grandchild');
    const ofGrandchild = children.measure();
    assert.ok(ofGrandchild.cpuTimeMs - before.cpuTimeMs >= 20, `${before.cpuTimeMs} → ${ofGrandchild.cpuTimeMs}`);
    assert.ok(ofGrandchild.residentBytes > before.residentBytes);
    assert.ok(ofGrandchild.virtualBytes > ofGrandchild.residentBytes);
    shell.stdin!.write('\n');
    assert.equal(await line(), 'child');
    const ofBoth = children.measure();
    assert.ok(ofBoth.cpuTimeMs - ofGrandchild.cpuTimeMs >= 20, `${ofGrandchild.cpuTimeMs} → ${ofBoth.cpuTimeMs}`);
    shell.stdin!.write('\n');
    await ended;
    const after = children.measure();
    assert.ok(after.cpuTimeMs >= ofBoth.cpuTimeMs, `${ofBoth.cpuTimeMs} → ${after.cpuTimeMs}`);
    assert.ok(after.virtualBytes < ofGrandchild.virtualBytes);
  });

  test('is found however late it came, and nothing beside it', async (t) => {
    const beside = aShell(t, 'echo ready; read x');
    const above = aShell(t, `echo ready; read x; sh -c 'echo below; read y; exit 0'; exit 0`);
    assert.deepEqual([await beside.line(), await above.line()], ['ready', 'ready']);
    const children = new ChildProcesses(above.shell.pid!);
    for (let look = 0; look < 3; look++) assert.deepEqual(children.measure(), { cpuTimeMs: 0, residentBytes: 0, virtualBytes: 0 });
    above.shell.stdin!.write('\n');
    assert.equal(await above.line(), 'below');
    const { residentBytes, virtualBytes } = children.measure();
    assert.ok(residentBytes > 0 && virtualBytes > residentBytes, `${residentBytes} of ${virtualBytes}`);
  });

  test('is found where another thread of the process started it', async (t) => {
    const children = new ChildProcesses(process.pid);
    const { residentBytes } = children.measure();
    const script = `
      const { parentPort } = require('node:worker_threads');
      const child = require('node:child_process').spawn('sh', ['-c', 'echo ready; read x'], { stdio: ['pipe', 'pipe', 'ignore'] });
      child.stdout.once('data', () => parentPort.postMessage('ready'));
      parentPort.once('message', () => child.stdin.end());`;
    const thread = new Worker(script, { eval: true });
    t.after(() => thread.terminate());
    await once(thread, 'message');
    assert.ok(children.measure().residentBytes > residentBytes);
    thread.postMessage('end');
    await once(thread, 'exit');
  });
});
