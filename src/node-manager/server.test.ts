import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import type { AuxiliaryService } from './auxiliary/service.ts';
import { startNode } from './test-support/node-fixture.ts';

const auxiliarySettings = { 'yarn.nodemanager.aux-services': 'first,second,third' };

/** Services that note what is done to them; the one named `failing` does not start. */
function services(happened: string[], failing?: string): AuxiliaryService[] {
  return ['first', 'second', 'third'].map((name) => ({
    name,
    async start() {
      if (name === failing) throw new Error(`${name} does not start`);
      happened.push(`start ${name}`);
    },
    async stop() {
      happened.push(`stop ${name}`);
    },
  }));
}

test('services start in the order of the settings and stop last to first', async () => {
  const happened: string[] = [];
  const node = await startNode(auxiliarySettings, { auxiliaryServices: services(happened) });
  await node[Symbol.asyncDispose]();
  assert.deepEqual(happened, ['start first', 'start second', 'start third', 'stop third', 'stop second', 'stop first']);
});

test('a start that fails half way closes what it opened, and leaves the containers of an earlier process to the next start', async () => {
  await using node = await startNode({ ...auxiliarySettings, 'yarn.nodemanager.recovery.supervised': 'true' });
  const order = node.order('mkfifo gate; read -r code < gate; exit "$code"'.replaceAll('$', '\\$'));
  node.start(order);
  await node.resourceManager.running(order.containerId);
  const web = new URL(node.url());
  const address = { 'yarn.nodemanager.webapp.address': web.host };

  const happened: string[] = [];
  await assert.rejects(node.restart(address, { auxiliaryServices: services(happened, 'third') }), /third does not start/);
  assert.deepEqual(happened, ['start first', 'start second', 'stop second', 'stop first']);
  // The port of its web interface is free again, so that the next start can have it.
  const taken = createServer();
  await new Promise<void>((resolve, reject) => taken.once('error', reject).listen(Number(web.port), web.hostname, resolve));

  // A port that is taken, and settings that are wrong: the database and the engine, opened before, are closed again each time.
  await assert.rejects(node.restart(address), /EADDRINUSE/);
  await new Promise((resolve) => taken.close(resolve));
  await assert.rejects(node.restart({ 'yarn.nodemanager.node-labels.provider': 'nonsense' }), /nonsense is no provider/);

  await node.restart(address);
  const registered = node.resourceManager.registrations().at(-1)!;
  assert.deepEqual(
    registered.containers.map(({ containerId, state }) => [containerId, state]),
    [[order.containerId, 'RUNNING']],
  );
  writeFileSync(`${node.dataDir}/node-manager/local/usercache/ada/appcache/${order.applicationId}/${order.containerId}/gate`, '6\n');
  assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, 6);
});

test('/jmx counts what containers did', async () => {
  await using node = await startNode();
  const bean = async () => {
    const answer = await fetch(`${node.url()}/jmx?qry=Hadoop:service=NodeManager,name=NodeManagerMetrics`);
    const { beans } = (await answer.json()) as { beans: Record<string, number>[] };
    return beans[0] ?? {};
  };
  for (const code of [0, 3]) {
    const order = node.order(`exit ${code}`);
    node.start(order);
    assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, code);
  }
  const { ContainersLaunched, ContainersCompleted, ContainersFailed, ContainerLaunchDurationNumOps, LocalizationDurationMillisNumOps } =
    await bean();
  assert.deepEqual(
    [ContainersLaunched, ContainersCompleted, ContainersFailed, ContainerLaunchDurationNumOps, LocalizationDurationMillisNumOps],
    [2, 1, 1, 2, 2],
  );
});
