import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { startNode } from '../test-support/node-fixture.ts';
import { type HealthSettings, startHealth } from './health.ts';
import type { HealthScript } from './script.ts';

const limits = { maximumUtilizationPercent: 100, lowUtilizationPercent: 100, minimumFreeMiB: 0, highFreeMiB: 0 };

/** Health over two local folders and one for logs below a folder of its own. */
async function healthOf(folder: string, more: Partial<HealthSettings> = {}) {
  const bad: string[][] = [];
  const health = await startHealth(
    {
      local: [join(folder, 'a'), join(folder, 'b')],
      logs: [join(folder, 'logs')],
      checkDisks: true,
      diskIntervalMs: 1000,
      limits,
      minimumHealthyFraction: 0.5,
      scripts: [],
      ...more,
    },
    {
      clock: new ManualClock(),
      logger: silentLogger,
      observer: { changed: () => undefined, badFolders: (folders) => void bad.push([...folders]) },
    },
  );
  return { health, bad };
}

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'health-')));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('a bad folder is named while enough are good; too few make the node unhealthy, and it recovers', async () => {
  await inFolder(async (folder) => {
    writeFileSync(join(folder, 'a'), '');
    const { health, bad } = await healthOf(folder);
    assert.equal(health.current.healthy, true);
    assert.equal(health.current.report, `1/2 local-dirs have errors:  [ ${folder}/a : Not a directory: ${folder}/a ] `);
    assert.deepEqual(bad.at(-1), [`${folder}/a`]);
    rmSync(join(folder, 'logs'), { recursive: true });
    writeFileSync(join(folder, 'logs'), '');
    await health.check();
    assert.equal(health.current.healthy, false);
    assert.match(health.current.report, /\] ; 1\/1 log-dirs have errors: {2}\[ .*logs : Not a directory/);
    assert.match(health.disksFailed ?? '', /log-dirs/);
    rmSync(join(folder, 'a'));
    rmSync(join(folder, 'logs'));
    await health.check();
    assert.deepEqual([health.current.healthy, health.current.report, bad.at(-1)], [true, '', []]);
    health.stop();
  });
});

test('a disk above its limits is full; below the low mark it is good again', async () => {
  await inFolder(async (folder) => {
    const { health } = await healthOf(folder, { limits: { ...limits, maximumUtilizationPercent: 0, lowUtilizationPercent: 0 } });
    assert.equal(health.current.healthy, false);
    assert.match(
      health.current.report,
      /^2\/2 local-dirs usable space is below configured utilization percentage\/no more usable space {2}\[ \S+\/a : used space above threshold of 0\.0%, \S+\/b : /,
    );
    health.stop();
    const { health: little } = await healthOf(folder, { limits: { ...limits, minimumFreeMiB: 2 ** 40 } });
    assert.match(little.current.report, /a : free space below limit of 1099511627776MB/);
    little.stop();
  });
});

test('a full disk and a read-only one are found out where they can be mounted', async (context) => {
  await inFolder(async (folder) => {
    for (const name of ['a', 'b']) mkdirSync(join(folder, name));
    const mount = (...parameters: string[]) => execFileSync('mount', parameters, { stdio: 'ignore' });
    try {
      mount('-t', 'tmpfs', '-o', 'size=64k', 'none', join(folder, 'a'));
    } catch {
      return context.skip('this user cannot mount');
    }
    try {
      mount('-t', 'tmpfs', '-o', 'ro', 'none', join(folder, 'b'));
      const { health } = await healthOf(folder, { limits: { ...limits, maximumUtilizationPercent: 90, lowUtilizationPercent: 50 } });
      assert.match(health.current.report, /^1\/2 local-dirs have errors: {2}\[ \S+\/b : Directory is not writable: /);
      assert.equal(health.current.healthy, true);
      writeFileSync(join(folder, 'a', 'big'), Buffer.alloc(62 * 1024));
      await health.check();
      assert.match(health.current.report, /1\/2 local-dirs usable space .*a : used space above threshold of 90\.0%/);
      assert.equal(health.current.healthy, false);
      // Between the marks it stays what it was.
      writeFileSync(join(folder, 'a', 'big'), Buffer.alloc(40 * 1024));
      await health.check();
      assert.match(health.current.report, /a : used space above threshold of 50\.0%/);
      rmSync(join(folder, 'a', 'big'));
      await health.check();
      assert.equal(health.current.healthy, true);
      health.stop();
    } finally {
      for (const name of ['a', 'b']) execFileSync('umount', ['-l', join(folder, name)], { stdio: 'ignore' });
    }
  });
});

test('scripts complain by lines that begin with ERROR or by taking too long, not by their exit code', async () => {
  await inFolder(async (folder) => {
    const script = (name: string, text: string, timeoutMs = 60_000): HealthScript => {
      const path = join(folder, name);
      writeFileSync(path, `#!/bin/bash\n${text}\n`, { mode: 0o755 });
      return { name, path, arguments: ['first', 'second'], intervalMs: 1000, timeoutMs };
    };
    const report = async (...scripts: HealthScript[]) => {
      const { health } = await healthOf(folder, { scripts });
      await health.check();
      health.stop();
      return health.current;
    };
    assert.deepEqual((await report(script('well', 'echo fine'))).healthy, true);
    assert.deepEqual((await report(script('code', 'exit 3'))).healthy, true);
    const { healthy, report: text } = await report(script('ill', 'echo before; echo ERROR $2 is broken'), script('well', 'echo fine'));
    assert.deepEqual([healthy, text], [false, 'before\nERROR second is broken\n']);
    const left = join(folder, 'left');
    const slow = await report(script('slow', `sleep 600 & echo $! > ${left}; wait`, 300));
    assert.deepEqual([slow.healthy, slow.report], [false, 'Node health script timed out']);
    assert.ok(existsSync(left));
    const both = await report(script('one', 'echo ERROR 1'), script('two', 'echo ERROR 2'));
    assert.equal(both.report, 'ERROR 1\n;ERROR 2\n');
    assert.equal((await report({ ...script('gone', ''), path: join(folder, 'nowhere') })).healthy, true);
  });
});

test('containers use the good folders; with too few they are refused with -101 until the folders are good again', async () => {
  await inFolder(async (folder) => {
    writeFileSync(join(folder, 'bad'), '');
    await using node = await startNode({
      'yarn.nodemanager.local-dirs': `${folder}/bad,${folder}/good`,
      'yarn.nodemanager.disk-health-checker.interval-ms': '10',
      'yarn.nodemanager.disk-health-checker.min-healthy-disks': '0.5',
    });
    const heard = (healthy: boolean) =>
      node.resourceManager.until(
        () => node.resourceManager.heard.findLast(({ type }) => type === 'health')?.['healthy' as never] === healthy,
      );
    for (let number = 0; number < 4; number++) {
      const order = node.order(`[[ \\$PWD == ${folder}/good/* ]]`);
      node.start(order);
      assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, 0);
    }
    rmSync(join(folder, 'good'), { recursive: true });
    writeFileSync(join(folder, 'good'), '');
    await heard(false);
    const refused = node.order('true');
    node.start(refused);
    const report = await node.resourceManager.complete(refused.containerId);
    assert.ok(report.exitCode === -101 || report.exitCode === -1000, report.diagnostics);
    rmSync(join(folder, 'good'));
    await heard(true);
    const order = node.order('true');
    node.start(order);
    assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, 0);
  });
});
