import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeMachines } from '../support/machines.ts';
import { until } from '../support/processes.ts';

const executable = join(import.meta.dirname, '../../bin/heddle.js');

test('nodes on several machines run an application; one whose cable is pulled is lost and comes back', async (context) => {
  const machines = makeMachines(3);
  if ('reason' in machines) return context.skip(machines.reason);
  using _ = machines;
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'machines-')));
  const [manager = '', ...nodes] = machines.addresses;
  const daemons: ChildProcess[] = [];
  const settings = (more: Record<string, string>) =>
    Object.entries({
      'yarn.resourcemanager.hostname': manager,
      'yarn.nm.liveness-monitor.expiry-interval-ms': '5000',
      'yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage': '100',
      // No other machine is on this network.
      'heddle.security.allow-unauthenticated': machines.addresses.join(),
      'heddle.node-manager.switch-users': 'false',
      'heddle.log.level': 'error',
      ...more,
    }).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const heddle = (index: number, parameters: readonly string[], rest: readonly string[] = []) => {
    const data = join(home, String(index));
    const [command, words] = machines.command(index, process.execPath, executable, ...parameters, '--data', data, ...rest);
    return spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  };
  const start = async (index: number, role: string, more: Record<string, string> = {}) => {
    const daemon = heddle(index, ['start', role, ...settings(more)]);
    daemons.push(daemon);
    let output = '';
    daemon.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await until(`the ${role} to be ready`, async () => output.includes('is ready'));
  };
  const ask = async (parameters: readonly string[], rest: readonly string[] = []): Promise<string> => {
    const child = heddle(0, [...parameters, ...settings({})], rest);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await once(child, 'close');
    return output;
  };
  try {
    await start(0, 'resource-manager');
    for (const [index, host] of nodes.entries()) {
      // The cluster's secret is brought by whoever sets up the machines.
      cpSync(join(home, '0/secrets'), join(home, String(index + 1), 'secrets'), { recursive: true });
      await start(index + 1, 'node-manager', { 'yarn.nodemanager.hostname': host, 'yarn.nodemanager.resource.memory-mb': '2048' });
    }
    // Each question is a command, which takes a quarter of a second of the processor.
    const [limitMs, everyMs] = [120_000, 1000];
    const states = async () => {
      const listed = JSON.parse(await ask(['node', 'list', '--all', '--json'])) as { id: string; state: string }[];
      return Object.fromEntries(listed.map(({ id, state }) => [id.split(':')[0], state]));
    };
    await until('both nodes to run', async () => Object.values(await states()).filter((state) => state === 'RUNNING').length === 2);
    const output = await ask(['run', '--instances', '3', '--memory', '1024'], ['--', 'bash', '-c', 'echo on $NM_HOST']);
    for (const host of nodes) assert.match(output, new RegExp(`\\[\\d\\] on ${host}\n`), output);

    machines.setCable(2, false);
    await until('the node without a cable to be lost', async () => (await states())[nodes[1]!] === 'LOST', limitMs, everyMs);
    assert.equal((await states())[nodes[0]!], 'RUNNING');
    machines.setCable(2, true);
    await until('the node to come back', async () => (await states())[nodes[1]!] === 'RUNNING', limitMs, everyMs);
  } finally {
    for (const daemon of daemons.reverse()) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue;
      const ended = once(daemon, 'exit');
      daemon.kill('SIGTERM');
      await ended;
    }
    rmSync(home, { recursive: true, force: true });
  }
});
