import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ContainerStart } from '../../src/wire/cluster/container-messages.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import { until } from '../support/processes.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Processes whose environment names one of the containers, and the node's folder: those of tests beside this one have the same ids. */
function processesOf({ dataDir }: NodeProcess, orders: readonly ContainerStart[]): string[] {
  const ids = new Set(orders.map(({ containerId }) => `CONTAINER_ID=${containerId}`));
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      return environment.includes(dataDir) && environment.split('\0').some((variable) => ids.has(variable));
    } catch {
      return false;
    }
  });
}

/** Ends the application and checks that nothing of it is left. */
async function leavesNothing(node: NodeProcess, orders: readonly ContainerStart[]): Promise<void> {
  const application = join(node.folder(orders[0]!), '..');
  node.resourceManager.send({ type: 'finishApplications', applicationIds: [orders[0]!.applicationId] });
  const processes = join(node.dataDir, 'node-manager/recovery/processes');
  const files = () => readdirSync(processes).filter((name) => name.startsWith('container_'));
  while (existsSync(application) || files().length > 0) await turn();
  assert.deepEqual(processesOf(node, orders), []);
}

test('a node manager killed with -9 adopts all its containers, learns how others ended meanwhile, and serves their logs', async () => {
  await using node = await startNodeProcess();
  const count = 20;
  const gated =
    'mkfifo gate; echo begun \\$CONTAINER_ID > <LOG_DIR>/stdout; read -r code < gate; echo ended with \\$code >> <LOG_DIR>/stdout; exit \\$code';
  const orders = Array.from({ length: count }, (_, index) => node.order(index + 1, gated));
  node.send(...orders);
  const gate = (order: ContainerStart) => join(node.folder(order), 'gate');
  for (const order of orders) {
    await node.resourceManager.running(order.containerId);
    while (!existsSync(gate(order))) await turn();
  }
  await node.stop('SIGKILL');
  const codeOf = (index: number) => index + 1;
  const meanwhile = orders.slice(0, count / 2);
  for (const [index, order] of meanwhile.entries()) writeFileSync(gate(order), `${codeOf(index)}\n`);
  for (const order of meanwhile) while (!node.hasEngineFile(order, 'exit')) await turn();
  await node.start();
  const adopted = node.resourceManager.registrations().at(-1)!.containers;
  assert.equal(adopted.length, count);
  for (const { containerId } of orders.slice(count / 2))
    assert.equal(adopted.find((report) => report.containerId === containerId)?.state, 'RUNNING', containerId);
  for (const [index, order] of orders.entries()) {
    if (index >= count / 2) writeFileSync(gate(order), `${codeOf(index)}\n`);
    const { exitCode } = await node.resourceManager.complete(order.containerId);
    assert.equal(exitCode, codeOf(index));
    const log = await (await fetch(`${node.url()}/api/v1/containers/${order.containerId}/logs/stdout?user.name=ada`)).text();
    assert.equal(log, `begun ${order.containerId}\nended with ${codeOf(index)}\n`);
  }
  await leavesNothing(node, orders);
});

test('a node manager killed at any step of a start goes on with it or undoes it', async () => {
  let asked = false;
  let answers = false;
  const words = createServer((_request, response) => {
    asked = true;
    if (answers) response.end('words\n');
  });
  await new Promise<void>((resolve) => words.listen(0, '127.0.0.1', resolve));
  await using node = await startNodeProcess();
  const resource = `http://127.0.0.1:${(words.address() as AddressInfo).port}/words`;
  const points: Readonly<Record<string, (order: ContainerStart) => boolean>> = {
    'its order was sent': () => true,
    'its folder was made': (order) => existsSync(node.folder(order)),
    'its files were being brought': () => asked,
    'its script was written': (order) => existsSync(join(node.folder(order), 'launch_container.sh')),
    'its process began': (order) => node.hasEngineFile(order, 'pid'),
    'it ran': (order) => node.resourceManager.reports(order.containerId).some(({ state }) => state === 'RUNNING'),
    'it ended': (order) => node.hasEngineFile(order, 'exit'),
    'its end was told': (order) => isComplete(order),
  };
  const isComplete = ({ containerId }: ContainerStart) =>
    node.resourceManager.reports(containerId).some(({ state }) => state === 'COMPLETE');
  const orders: ContainerStart[] = [];
  try {
    for (const [number, [point, reached]] of Object.entries(points).entries()) {
      const bringsFiles = point === 'its files were being brought';
      const order = node.order(number + 1, 'echo once >> <LOG_DIR>/stdout; sleep 0.05', {
        localResources: bringsFiles ? { words: { resource, type: 'FILE', visibility: 'APPLICATION', size: -1, timestamp: -1 } } : {},
      });
      orders.push(order);
      node.send(order);
      // A slow look may miss what soon passes.
      while (!reached(order) && !isComplete(order)) await turn();
      await node.stop('SIGKILL');
      answers = true;
      await node.start();
      const listed = node.resourceManager
        .registrations()
        .at(-1)!
        .containers.some(({ containerId }) => containerId === order.containerId);
      if (!listed) {
        // The order was not written down yet: the resource manager hears that nothing of it is here.
        assert.ok(['its order was sent', 'its folder was made', 'its script was written', 'its process began'].includes(point), point);
        continue;
      }
      const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
      assert.equal(exitCode, 0, `${point}: ${diagnostics}`);
      const log = await (await fetch(`${node.url()}/api/v1/containers/${order.containerId}/logs/stdout?user.name=ada`)).text();
      assert.equal(log, 'once\n', point);
    }
    // Where no order was written down the application is not known either.
    node.send(node.order(100, 'true'));
    await node.resourceManager.complete(node.order(100, '').containerId);
    await leavesNothing(node, orders);
  } finally {
    words.closeAllConnections();
    words.close();
  }
});

test('bad commands fail with a diagnosis, the node lives on, and nothing is left', async () => {
  await using node = await startNodeProcess({ 'yarn.nodemanager.sleep-delay-before-sigkill.ms': '50' });
  const orders: ContainerStart[] = [];
  const run = async (command: string): Promise<{ exitCode: number; diagnostics: string }> => {
    const order = node.order(orders.length + 1, command);
    orders.push(order);
    node.send(order);
    return node.resourceManager.complete(order.containerId);
  };
  const missing = await run('no-such-program --help');
  assert.equal(missing.exitCode, 127);
  assert.match(missing.diagnostics, /no-such-program: command not found/);
  assert.equal((await run('./launch_container.sh.missing')).exitCode, 127);
  assert.equal((await run('touch plain; ./plain')).exitCode, 126);
  assert.equal((await run("'unfinished")).exitCode, 2);
  assert.equal((await run('cat /proc/self/mem')).exitCode, 1);
  assert.equal((await run('sleep 600 & (setsid sleep 600 &) ; exit 5')).exitCode, 5);
  assert.equal((await run('kill -9 \\$\\$')).exitCode, 137);
  const stubborn = node.order(orders.length + 1, "trap '' TERM HUP INT; echo ready > <LOG_DIR>/ready; while true; do sleep 1; done");
  orders.push(stubborn);
  node.send(stubborn);
  await node.resourceManager.running(stubborn.containerId);
  node.resourceManager.send({
    type: 'stopContainers',
    containers: [{ containerId: stubborn.containerId, exitCode: -105, diagnostics: 'enough' }],
  });
  assert.equal((await node.resourceManager.complete(stubborn.containerId)).exitCode, -105);
  assert.equal((await run('true')).exitCode, 0);
  await leavesNothing(node, orders);
});

test('a container that fills the disk fails, and the room is free again for others', async (context) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'small-disk-')));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return context.skip('this user cannot mount a small disk');
  }
  try {
    await using node = await startNodeProcess({
      'yarn.nodemanager.local-dirs': join(folder, 'local'),
      'yarn.nodemanager.log-dirs': join(folder, 'logs'),
    });
    /** What a container left is removed after its end was told: until then there is no room for the next one, or more while it runs. */
    const gone = async (number: number): Promise<void> => {
      const { applicationId, containerId } = node.order(number, '');
      const left = join(folder, 'local/usercache/ada/appcache', applicationId, containerId);
      while (existsSync(left)) await turn();
    };
    for (const number of [1, 3]) {
      node.send(node.order(number, 'head -c 8M /dev/zero > big'));
      const { exitCode, diagnostics } = await node.resourceManager.complete(node.order(number, '').containerId);
      assert.equal(exitCode, 1);
      // It could not write why it failed.
      assert.match(diagnostics, /No space left on device: the disk of \S+ is full\./);
      await gone(number);
      node.send(node.order(number + 1, 'head -c 1M /dev/zero > small'));
      assert.equal((await node.resourceManager.complete(node.order(number + 1, '').containerId)).exitCode, 0);
      await gone(number + 1);
    }
  } finally {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  }
});

test('a node manager killed with -9 in the middle of a download brings the whole file when it comes back', async () => {
  const content = 'words '.repeat(100_000);
  let requests = 0;
  const { promise: half, resolve: begun } = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': String(content.length) });
    if (++requests > 1) response.end(content);
    else response.write(content.slice(0, content.length / 2), () => begun());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await using node = await startNodeProcess();
    const resource = `http://127.0.0.1:${(server.address() as AddressInfo).port}/words.txt`;
    const words = { resource, type: 'FILE', visibility: 'PUBLIC', size: -1, timestamp: 0 } as const;
    const order = node.order(1, `test $(cat words | wc -c) = ${content.length}`, { localResources: { words } });
    node.send(order);
    await half;
    await node.stop('SIGKILL');
    await node.start();
    const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
    assert.equal(exitCode, 0, diagnostics);
    assert.equal(requests, 2);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('an idle node manager takes little, also after its containers; what makes it small is its own affair', async (t) => {
  if (process.platform !== 'linux') return t.skip('memory is read from /proc');
  const { MALLOC_ARENA_MAX: _, ...environment } = process.env;
  // The first one fills the cache of compiled modules.
  await (await startNodeProcess({}, environment))[Symbol.asyncDispose]();
  await using node = await startNodeProcess({}, environment);
  // Its own pages: how many of Node.js's file are resident, some 46 MiB, is up to the kernel. Of those about 31 MiB are needed.
  const ownBytes = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${node.pid()}/status`, 'utf8'))?.[1]) * 1024;
  const shrinks = () => until('less than 38 MiB of its own', async () => ownBytes() < 38 * 2 ** 20, 60_000, 200);
  await shrinks();
  const orders = Array.from({ length: 100 }, (_, index) => node.order(index + 1, 'true'));
  node.send(...orders);
  for (const { containerId } of orders) assert.equal((await node.resourceManager.complete(containerId)).exitCode, 0);
  await shrinks();
  // Containers get Hadoop's default, and nothing of what the node manager was given for itself.
  const seen = join(node.home, 'seen');
  const asked = node.order(200, `echo [\\$MALLOC_ARENA_MAX\\$HEDDLE_MALLOC\\$MALLOC_TRIM_THRESHOLD_] > ${seen}`);
  node.send(asked);
  assert.equal((await node.resourceManager.complete(asked.containerId)).exitCode, 0);
  assert.equal(readFileSync(seen, 'utf8'), '[4]\n');
});
