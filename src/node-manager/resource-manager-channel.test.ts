import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { seededRandom } from '../lib/random.ts';
import type { RegisterMessage } from '../wire/cluster/node-channel.ts';
import type { ContainerManager } from './containers/container-manager.ts';
import { Membership } from './membership.ts';
import { type ConnectedNode, ResourceManagerChannel } from './resource-manager-channel.ts';
import { StubResourceManager, startNode } from './test-support/node-fixture.ts';

const hourMs = 3_600_000;
const noUsage = { physicalMemoryMiB: 0, virtualMemoryMiB: 0, cpuCores: 0 };
const usage = { physicalMemoryMiB: 512, virtualMemoryMiB: 512, cpuCores: 0.5 };

/** A node without containers. */
function anyNode(): ConnectedNode {
  const description = { nodeId: 'n:1', health: { healthy: true, report: '', time: 1 } } as Omit<
    RegisterMessage,
    'type' | 'containers' | 'applications'
  >;
  const more = {
    httpAddress: 'n:2',
    rack: '/r',
    resource: { memoryMiB: 1, vcores: 1 },
    version: '1',
    physicalMemoryMiB: 1,
    physicalCores: 1,
  };
  return {
    manager: { applications: new Map(), containers: new Map(), reports: () => [] } as unknown as ContainerManager,
    describe: () => ({ ...description, ...more }),
    registered: () => {},
    resourceChanged: () => {},
    refused: () => {},
  };
}

/** The node's end of the channel, on virtual time: a node with gathered logs, and a resource manager that answers as the test says. */
async function connect(answer: (resourceManager: StubResourceManager, message: string) => void) {
  const resourceManager = new StubResourceManager();
  resourceManager.answersRegistrations = false;
  const port = await resourceManager.listen();
  const clock = new ManualClock();
  const channel = new ResourceManagerChannel({
    url: () => `ws://127.0.0.1:${port}/`,
    clock,
    random: seededRandom(1),
    logger: silentLogger,
  });
  let refusals = 0;
  channel.usage(usage, noUsage, 0);
  for (let number = 0; number < 1000; number++) channel.logAggregation(`application_1_${number}`, 'SUCCEEDED', '');
  channel.connect({
    ...anyNode(),
    refused: () => {
      refusals++;
    },
  });
  await resourceManager.until(() => resourceManager.registrations().length === 1);
  /** Answers all that was heard, and lets all that is on its way arrive. */
  let answered = 0;
  const settle = async () => {
    for (let quiet = 0; quiet < 5; quiet++) {
      for (; answered < resourceManager.heard.length; answered++) {
        answer(resourceManager, resourceManager.heard[answered]!.type);
        quiet = 0;
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  await settle();
  return {
    resourceManager,
    /** Lets time pass in which the node says each second how it is. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 1000) {
        clock.advance(1000);
        channel.health({ healthy: true, report: '', time: clock.now() });
        await settle();
      }
    },
    count: (type: string) => resourceManager.heard.filter((message) => message.type === type).length,
    refusals: () => refusals,
    [Symbol.dispose]() {
      channel.close();
      resourceManager.close();
    },
  };
}

test('a node that is refused says nothing but that it is there, less and less often; how far its logs are it says once it is taken up', async () => {
  let wanted = false;
  using node = await connect((resourceManager, type) => {
    if (type !== 'register') return;
    if (wanted) resourceManager.answerRegistration(resourceManager.registrations().at(-1)!);
    else resourceManager.send({ type: 'refuse', reason: 'drained' });
  });
  await node.pass(120_000);
  const registrations = node.count('register');
  assert.ok(registrations >= 10 && registrations <= 20, String(registrations));
  // What it says before it hears the refusal is dropped there.
  assert.ok(node.resourceManager.heard.length <= 2 * registrations, String(node.resourceManager.heard.length));
  assert.equal(node.refusals(), registrations);
  wanted = true;
  await node.pass(12_000);
  assert.equal(node.count('register'), registrations + 1);
  assert.equal(node.count('logAggregation'), 1000);
  assert.ok(node.count('health') > 0);
});

test('a node says what it uses as soon as it is taken up, not a second later', async () => {
  let wanted = false;
  using node = await connect((resourceManager, type) => {
    if (type !== 'register') return;
    if (wanted) resourceManager.answerRegistration(resourceManager.registrations().at(-1)!);
    else resourceManager.send({ type: 'refuse', reason: 'drained' });
  });
  assert.equal(node.count('usage'), 0, 'a node that is refused');
  wanted = true;
  node.resourceManager.send({ type: 'resync' });
  await node.pass(5000);
  const said = node.resourceManager.heard.filter((message) => message.type === 'usage');
  assert.deepEqual(said, [{ type: 'usage', node: usage, containers: noUsage, runningContainers: 0 }]);
});

test('a node that was refused registers as soon as it is called back, and not more often than once a second', async () => {
  using node = await connect((resourceManager, type) => {
    if (type === 'register') resourceManager.send({ type: 'refuse', reason: 'drained' });
  });
  await node.pass(120_500);
  const before = node.count('register');
  await node.pass(1000);
  assert.equal(node.count('register'), before);
  node.resourceManager.send({ type: 'resync' });
  await node.resourceManager.until(() => node.count('register') === before + 1);
  // One that always calls back what it refuses.
  for (let second = 0; second < 20; second++) {
    for (let i = 0; i < 10; i++) node.resourceManager.send({ type: 'resync' });
    await node.pass(1000);
  }
  const registrations = node.count('register') - before;
  assert.ok(registrations <= 22, String(registrations));
});

// docs/protocol.md, P16.
test('a resource manager that asks for a registration after each message gets few of them', async () => {
  using node = await connect((resourceManager, type) => {
    if (type === 'register') resourceManager.answerRegistration(resourceManager.registrations().at(-1)!);
    else resourceManager.send({ type: 'resync' });
  });
  await node.pass(60_000);
  const registrations = node.count('register');
  assert.ok(registrations >= 5 && registrations <= 14, String(registrations));
  assert.ok(node.resourceManager.heard.length <= registrations * 1011, String(node.resourceManager.heard.length));
});

test('a resync after a long time is obeyed at once', async () => {
  using node = await connect((resourceManager, type) => {
    if (type === 'register') resourceManager.answerRegistration(resourceManager.registrations().at(-1)!);
  });
  for (let number = 2; number < 5; number++) {
    await node.pass(hourMs / 36);
    node.resourceManager.send({ type: 'resync' });
    await node.resourceManager.until(() => node.count('register') === number);
  }
});

test('a command that cannot be read is dropped as a whole and logged with its path; the node registers again and goes on', async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'error', base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  await using node = await startNode({}, { logger });
  const { resourceManager } = node;
  const good = node.order('exit 3');
  const bad = node.order('exit 4');

  resourceManager.sendAnything({ type: 'startContainers', containers: [good, { ...bad, launch: { ...bad.launch, commands: 'exit 4' } }] });
  await resourceManager.until(() => resourceManager.registrations().length === 2);
  assert.deepEqual(resourceManager.registrations()[1]?.containers, []);

  // Not again and again: a resource manager that always sends such commands is not answered with a registration each time.
  resourceManager.sendAnything({
    type: 'stopContainers',
    containers: [{ containerId: good.containerId, exitCode: '-105', diagnostics: '' }],
  });
  for (const message of [null, 'resync', [], {}, { type: 'toString' }, { type: 'hibernate' }]) resourceManager.sendAnything(message);

  node.start(good);
  assert.equal((await resourceManager.complete(good.containerId)).exitCode, 3);
  assert.deepEqual(resourceManager.reports(bad.containerId), []);
  assert.equal(resourceManager.registrations().length, 2);
  const kinds =
    'registered, startContainers, stopContainers, updateContainers, signalContainers, finishApplications, updateResource, refuse, resync';
  assert.deepEqual(
    lines.map(({ fault }) => fault),
    [
      '/containers/1/launch/commands is not a list',
      '/containers/0/exitCode is not a whole number',
      'the body is not an object',
      'the body is not an object',
      'the body is not an object',
      '/type is missing',
      `/type is not one of ${kinds}`,
      `/type is not one of ${kinds}`,
    ],
  );
});

test('a node whose connection breaks for a moment is ready as soon as it is back: its session goes on, and it does not register again', async () => {
  const resourceManager = new StubResourceManager();
  const port = await resourceManager.listen();
  const clock = new ManualClock();
  const membership = new Membership({ resourceManagerUrl: 'http://rm', clock, logger: silentLogger });
  const words: string[] = [];
  let wake = () => {};
  const heard: Partial<Membership> = {};
  for (const word of ['connected', 'disconnected', 'registered'] as const)
    heard[word] = (...given: never[]) => {
      (membership[word] as (...values: never[]) => void)(...given);
      words.push(word);
      wake();
    };
  const until = async (wanted: string) => {
    for (;;) {
      const word = words.shift();
      if (word === wanted) return;
      if (word === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  };
  const channel = new ResourceManagerChannel({
    ...{ url: () => `ws://127.0.0.1:${port}/`, clock, random: seededRandom(1), logger: silentLogger },
    membership: heard as Membership,
  });
  try {
    channel.connect(anyNode());
    await until('registered');
    assert.deepEqual(membership.current, { ready: true });
    resourceManager.cut();
    await until('disconnected');
    assert.equal(membership.current.ready, false);
    clock.advance(1000);
    await until('connected');
    assert.deepEqual(membership.current, { ready: true });
    assert.equal(resourceManager.registrations().length, 1);
  } finally {
    channel.close();
    membership.close();
    resourceManager.close();
  }
});
