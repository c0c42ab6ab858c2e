import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { ConfigurationError } from '../config/table.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { seededRandom } from '../lib/random.ts';
import { start } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-queues-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let folders = 0;

const capacity = (queues: Record<string, string>) =>
  `<configuration>${Object.entries(queues)
    .map(([key, value]) => `<property><name>yarn.scheduler.capacity.${key}</name><value>${value}</value></property>`)
    .join('')}</configuration>`;
const two = { 'root.queues': 'a,b', 'root.a.capacity': '50', 'root.b.capacity': '50' };

async function manager(files: Record<string, string>, set: Record<string, string> = {}) {
  const confDir = join(folder, String(folders++));
  const write = (name: string, text: string) => writeFileSync(join(confDir, name), text);
  rmSync(confDir, { recursive: true, force: true });
  (await import('node:fs')).mkdirSync(confDir);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const clock = new ManualClock();
  const configuration = loadConfiguration({
    confDir,
    dataDir: join(confDir, 'data'),
    set: { 'yarn.resourcemanager.webapp.address': '127.0.0.1:0', 'yarn.timeline-service.enabled': 'false', ...set },
  });
  const role = await start(configuration, { clock, logger: silentLogger, random: seededRandom(1) });
  const web = role.addresses['web'];
  const names = async (): Promise<string[]> => {
    const { scheduler } = (await (await fetch(`${web}/ws/v1/cluster/scheduler`)).json()) as {
      scheduler: {
        schedulerInfo: { queues?: { queue: { queueName: string }[] }; rootQueue?: { childQueues: { queue: { queueName: string }[] } } };
      };
    };
    const { queues, rootQueue } = scheduler.schedulerInfo;
    return (queues ?? rootQueue?.childQueues)!.queue.map(({ queueName }) => queueName).sort();
  };
  const refresh = () => fetch(`${web}/api/v1/queues/refresh`, { method: 'POST' });
  return { write, clock, names, refresh, [Symbol.asyncDispose]: () => role.close() };
}

test('refreshing takes the capacity file over; a bad one changes nothing and is named with its key and a remedy', async () => {
  await using cluster = await manager({ 'capacity-scheduler.xml': capacity(two) });
  assert.deepEqual(await cluster.names(), ['a', 'b']);
  cluster.write(
    'capacity-scheduler.xml',
    capacity({ ...two, 'root.queues': 'a,b,c', 'root.b.capacity': '20', 'root.c.capacity': '30', 'root.c.state': 'STOPPED' }),
  );
  assert.deepEqual(await (await cluster.refresh()).json(), { scheduler: 'capacity', from: 'file', file: 'capacity-scheduler.xml' });
  assert.deepEqual(await cluster.names(), ['a', 'b', 'c']);
  for (const [text, told] of [
    [
      capacity({ ...two, 'root.b.capacity': '60' }),
      /capacity-scheduler\.xml: yarn\.scheduler\.capacity\.root\.a\.capacity: Illegal capacity sum of 1\.1 .*add up to 100: a 50\.0, b 60\.0/,
    ],
    [
      capacity({ ...two, 'root.b.capacity': 'much' }),
      /capacity-scheduler\.xml: yarn\.scheduler\.capacity\.root\.b\.capacity: For input string: "much"/,
    ],
    ['<configuration><property></configuration>', /capacity-scheduler\.xml: line 1: .*Repair the XML/],
    [
      capacity({ ...two, 'root.ghost.queues': 'x' }),
      /root\.ghost\.queues: Queue root\.ghost has children \(x\), but its parent root does not name it/,
    ],
  ] as const) {
    cluster.write('capacity-scheduler.xml', text);
    const answer = await cluster.refresh();
    assert.equal(answer.status, 400);
    const { RemoteException } = (await answer.json()) as { RemoteException: { message: string } };
    assert.match(RemoteException.message, told);
    assert.deepEqual(await cluster.names(), ['a', 'b', 'c']);
  }
});

test('a file that changed and then stays the same is taken over by itself', async () => {
  await using cluster = await manager({ 'capacity-scheduler.xml': capacity(two) });
  cluster.write('capacity-scheduler.xml', capacity({ ...two, 'root.queues': 'a,b,c', 'root.c.capacity': '0' }));
  cluster.clock.advance(2000);
  assert.deepEqual(await cluster.names(), ['a', 'b']);
  cluster.clock.advance(2000);
  assert.deepEqual(await cluster.names(), ['a', 'b', 'c']);
  cluster.write('capacity-scheduler.xml', capacity({ ...two, 'root.a.capacity': '90' }));
  cluster.clock.advance(10_000);
  assert.deepEqual(await cluster.names(), ['a', 'b', 'c']);
});

test('the fair file is taken over by itself, a broken one is not', async () => {
  const file = (queues: string) => `<allocations>${queues}</allocations>`;
  await using cluster = await manager(
    { 'fair-scheduler.xml': file('<queue name="a"/>') },
    { 'yarn.resourcemanager.scheduler.class': 'fair' },
  );
  cluster.write('fair-scheduler.xml', file('<queue name="a"/><queue name="b"><weight>2</weight></queue>'));
  cluster.clock.advance(4000);
  assert.deepEqual(await cluster.names(), ['root.a', 'root.b']);
  for (const [text, told] of [
    ['<allocations><queue name="a"></allocations>', /fair-scheduler\.xml: line 1/],
    [file('<queue name="a"/><queue name="a"/>'), /queue root\.a: Two queues were named root\.a/],
    [file('<queue name="a"><weight>-1</weight></queue>'), /queue root\.a, weight: -1 is below 0/],
    [file('<queue name="a"><minResources>lots</minResources></queue>'), /queue root\.a, minResources: Error reading resource config/],
    [
      file('<queuePlacementPolicy><rule name="guess"/></queuePlacementPolicy>'),
      /queuePlacementPolicy, rule: No rule class found for guess/,
    ],
  ] as const) {
    cluster.write('fair-scheduler.xml', text);
    const answer = await cluster.refresh();
    assert.equal(answer.status, 400, text);
    assert.match(((await answer.json()) as { RemoteException: { message: string } }).RemoteException.message, told);
    assert.deepEqual(await cluster.names(), ['root.a', 'root.b']);
  }
});

test('a stored configuration is not overrun by the file', async () => {
  await using cluster = await manager(
    { 'capacity-scheduler.xml': capacity(two) },
    { 'yarn.scheduler.configuration.store.class': 'memory' },
  );
  cluster.write('capacity-scheduler.xml', capacity({ ...two, 'root.queues': 'a,b,c', 'root.c.capacity': '0' }));
  cluster.clock.advance(10_000);
  assert.equal(((await (await cluster.refresh()).json()) as { from: string }).from, 'store');
  assert.deepEqual(await cluster.names(), ['a', 'b']);
});

test('a resource manager does not start with bad queues', async () => {
  const refused = (pattern: RegExp) => (error: unknown) => error instanceof ConfigurationError && pattern.test(error.message);
  await assert.rejects(
    manager({ 'capacity-scheduler.xml': capacity({ ...two, 'root.queues': 'a,b,a' }) }),
    refused(/^capacity-scheduler\.xml: yarn\.scheduler\.capacity\.root\.queues: Two queues were named root\.a\. Name each child once\.$/),
  );
  await assert.rejects(
    manager({ 'capacity-scheduler.xml': capacity(two) }, { 'yarn.scheduler.capacity.root.a.capacity': '200' }),
    refused(/^command line: yarn\.scheduler\.capacity\.root\.a\.capacity: Illegal capacity of 200\.0/),
  );
  await assert.rejects(
    manager({ 'fair-scheduler.xml': '<queues/>' }, { 'yarn.resourcemanager.scheduler.class': 'fair' }),
    refused(/^fair-scheduler\.xml: allocations: Bad fair scheduler config file/),
  );
});
