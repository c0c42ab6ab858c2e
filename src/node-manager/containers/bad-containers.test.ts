// Containers that misbehave: each ends with a diagnosis, nothing of it is left, and the node goes on.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findHierarchies, makeBase } from '../../engines/control-groups/hierarchies.ts';
import { type NodeFixture, startNode } from '../test-support/node-fixture.ts';

/** A time to sleep that no other process sleeps. */
const rareSeconds = () => String(1_000_000 + randomInt(1_000_000_000));

/** Processes with this word on their command line. */
function processesWith(word: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(word);
    } catch {
      return false;
    }
  });
}

/** The node still runs containers and keeps nothing of those that ended. */
async function checkNode(node: NodeFixture): Promise<void> {
  const order = node.order('exit 0');
  node.start(order);
  assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, 0);
  node.resourceManager.send({ type: 'finishApplications', applicationIds: [order.applicationId] });
  const folder = join(node.dataDir, 'node-manager/local/usercache/ada/appcache');
  while (readdirSync(folder).length > 0) await new Promise((resolve) => setTimeout(resolve, 2));
}

test('a command that does not exist', async () => {
  await using node = await startNode();
  const order = node.order('no-such-command-anywhere --now');
  node.start(order);
  const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
  assert.equal(exitCode, 127);
  assert.match(diagnostics, /no-such-command-anywhere: command not found/);
  await checkNode(node);
});

test('a script that cannot be parsed', async () => {
  await using node = await startNode();
  const order = node.order('if true; then (');
  node.start(order);
  const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
  assert.ok(exitCode > 0);
  assert.match(diagnostics, /syntax error/);
  await checkNode(node);
});

test('orphans in groups and sessions of their own', async () => {
  await using node = await startNode();
  const seconds = rareSeconds();
  const order = node.order(
    `mkfifo gate; sleep ${seconds} & nohup sleep ${seconds} > /dev/null & setsid sleep ${seconds} & (setsid bash -c 'sleep ${seconds} & exec setsid sleep ${seconds}' &); (env -i setsid sleep ${seconds} > /dev/null &); read -r line < gate; exit 0`,
  );
  node.start(order);
  while (processesWith(seconds).length < 6) await new Promise((resolve) => setTimeout(resolve, 2));
  writeFileSync(join(node.dataDir, 'node-manager/local/usercache/ada/appcache', order.applicationId, order.containerId, 'gate'), 'go\n');
  assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, 0);
  assert.deepEqual(processesWith(seconds), []);
  await checkNode(node);
});

test('one that is deaf to TERM is killed after the delay', async () => {
  await using node = await startNode({ 'yarn.nodemanager.sleep-delay-before-sigkill.ms': '50' });
  const seconds = rareSeconds();
  const order = node.order(
    `trap '' TERM; (trap '' TERM; setsid bash -c 'while :; do sleep ${seconds}; done' &); while :; do sleep ${seconds}; done`,
  );
  node.start(order);
  await node.resourceManager.running(order.containerId);
  while (processesWith(seconds).length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
  node.resourceManager.send({
    type: 'stopContainers',
    containers: [{ containerId: order.containerId, exitCode: -105, diagnostics: 'enough' }],
  });
  const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
  assert.equal(exitCode, -105);
  assert.match(diagnostics, /enough[\s\S]*Exit code is 137/);
  assert.deepEqual(processesWith(seconds), []);
  await checkNode(node);
});

for (const [title, wrap] of [
  ['memory beyond its limit', (command: string) => command],
  ['memory beyond its limit in a daemon', (command: string) => `(setsid bash -c '${command}' &); sleep 600`],
] as const)
  test(title, async () => {
    await using node = await startNode({ 'yarn.nodemanager.container-monitor.interval-ms': '20' });
    // Grows to 64 MiB and then waits, so that the machine is not in danger.
    const order = node.order(wrap('x=0123456789abcdef; while [ \\${#x} -lt 67108864 ]; do x=\\$x\\$x; done; sleep 600'), {
      resource: { memoryMiB: 24, vcores: 1 },
    });
    node.start(order);
    const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
    assert.equal(exitCode, -104);
    assert.match(
      diagnostics,
      /is running \d+B beyond the 'PHYSICAL' memory limit\. Current usage: [\d.]+ MB of 24 MB physical memory used/,
    );
    await checkNode(node);
  });

const hierarchy = `/heddle-test-${process.pid}`;
const { unified, legacy } = findHierarchies();
const { missing } = makeBase({ unified, legacy }, hierarchy, ['pids']);
const reason = missing.size > 0 ? [...missing.values()].join('; ') : false;
after(() => {
  for (const mount of new Set([...legacy.values(), unified?.path ?? '/nowhere'])) {
    try {
      rmdirSync(join(mount, hierarchy));
    } catch {
      // None was made there.
    }
  }
});
test('a fork bomb', { skip: reason }, async () => {
  await using node = await startNode({
    'heddle.node-manager.cgroups': 'required',
    'heddle.node-manager.maximum-processes': '50',
    'yarn.nodemanager.linux-container-executor.cgroups.hierarchy': hierarchy,
  });
  const order = node.order('bomb() { bomb | bomb & }; bomb 2> /dev/null; mkfifo gate; read -r line < gate');
  node.start(order);
  await node.resourceManager.running(order.containerId);
  const pids = legacy.get('pids') ?? unified!.path;
  const [own] = readdirSync(join(pids, hierarchy), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const group = join(pids, hierarchy, own!.name, 'processes', order.containerId);
  while (Number(/^max (\d+)/m.exec(readFileSync(join(group, 'pids.events'), 'utf8'))?.[1]) === 0)
    await new Promise((resolve) => setTimeout(resolve, 2));
  assert.ok(Number(readFileSync(join(group, 'pids.current'), 'utf8')) <= 50);
  const other = node.order('exit 6');
  node.start(other);
  assert.equal((await node.resourceManager.complete(other.containerId)).exitCode, 6);
  node.resourceManager.send({
    type: 'stopContainers',
    containers: [{ containerId: order.containerId, exitCode: -105, diagnostics: 'enough' }],
  });
  assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, -105);
  assert.throws(() => readdirSync(group));
  await checkNode(node);
});
