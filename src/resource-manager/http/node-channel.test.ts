import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { ClusterSecret } from '../../auth/cluster-secret.ts';
import { ProvenAgent } from '../../client/proven-agent.ts';
import { loadConfiguration } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { checked } from '../../lib/json-shape.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import { connectChannel, type ReliableChannel } from '../../lib/reliable-channel.ts';
import type { RunningRole } from '../../lib/role.ts';
import { type NodeCommand, nodeChannelPath, nodeCommand, type RegisterMessage } from '../../wire/cluster/node-channel.ts';
import { start } from '../server.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-node-channel-'));
const secret = systemRandom.bytes(32);
const secretFile = join(folder, 'secrets/cluster');
const lines: Record<string, unknown>[] = [];
let role: RunningRole;

const registration = (nodeId: string): RegisterMessage => ({
  type: 'register',
  nodeId,
  httpAddress: `${nodeId.split(':')[0]}:8042`,
  rack: '/default-rack',
  resource: { memoryMiB: 1024, vcores: 1 },
  version: '0.1.0',
  physicalMemoryMiB: 4096,
  physicalCores: 4,
  containers: [],
  applications: [],
  health: { healthy: true, report: '', time: 1 },
});

/** Connections of who knows the secrets in a file. */
function agentWith(path: string): ProvenAgent {
  const known = new ClusterSecret(path, { clock: systemClock, random: systemRandom });
  return new ProvenAgent({ url: () => role.addresses['web']!, keys: () => known.nodeKeys, unknown: 'the secret is another' });
}

/** A node that sends what a test says, and remembers the commands it got. */
function connectNode(firstMessage: unknown) {
  const commands: NodeCommand[] = [];
  let heard = (): void => undefined;
  const channel: ReliableChannel<unknown> = connectChannel<unknown>({
    url: () => `${role.addresses['web']!.replace('http', 'ws')}${nodeChannelPath}`,
    agent: agentWith(secretFile),
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    onNewSession: () => channel.send(firstMessage),
    onMessage(received) {
      const { value: command, fault } = checked(nodeCommand, received);
      assert.ok(command, String(fault));
      commands.push(command);
      heard();
    },
  });
  const until = async <T>(find: () => T | undefined | false): Promise<T> => {
    for (;;) {
      const found = find();
      if (found) return found;
      await new Promise<void>((resolve) => {
        heard = resolve;
      });
    }
  };
  const command = (type: NodeCommand['type']): Promise<NodeCommand> => until(() => commands.find((one) => one.type === type));
  return { channel, command, commands, until, [Symbol.dispose]: () => channel.close() };
}

const nodesOf = async (): Promise<{ id: string; state: string; healthReport: string }[]> => {
  const answer = await fetch(`${role.addresses['web']}/ws/v1/cluster/nodes?user.name=root`);
  return ((await answer.json()) as { nodes?: { node: { id: string; state: string; healthReport: string }[] } }).nodes?.node ?? [];
};

describe('the node channel of the resource manager', () => {
  before(async () => {
    mkdirSync(join(folder, 'secrets'), { recursive: true });
    writeFileSync(secretFile, secret.toString('base64'), { mode: 0o600 });
    const configuration = loadConfiguration({
      dataDir: join(folder, 'data'),
      set: {
        'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
        'yarn.timeline-service.enabled': 'false',
        'heddle.cluster.secret-file': secretFile,
      },
    });
    const logger = pino({ level: 'warn', base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    role = await start(configuration, { logger, clock: systemClock, random: systemRandom });
  });
  after(async () => {
    await role.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('refuses a node whose registration cannot be read, and says where', async () => {
    const { health: _health, ...rest } = registration('unread:1');
    using node = connectNode({ ...rest, health: { healthy: true, report: '' } });
    assert.deepEqual(await node.command('refuse'), {
      type: 'refuse',
      reason: "The resource manager cannot read this node's messages: /health/time is missing",
    });
    assert.deepEqual(await nodesOf(), []);
  });

  // docs/protocol.md, P16.
  it('asks a stranger once to register, and says nothing more to one that is refused, whatever it says', async () => {
    const gathered = (number: number) => ({
      type: 'logAggregation',
      applicationId: `application_1_${String(number).padStart(4, '0')}`,
      status: 'SUCCEEDED',
      diagnostics: '',
    });
    using stranger = connectNode(gathered(0));
    await stranger.command('resync');
    for (let number = 1; number < 200; number++) stranger.channel.send(number % 2 ? gathered(number) : { type: 'nonsense' });
    stranger.channel.send({ ...registration('refused:1'), nodeId: 'no id' });
    await stranger.command('refuse');
    for (let number = 0; number < 200; number++) stranger.channel.send(number % 2 ? gathered(number) : { type: 'nonsense' });
    stranger.channel.send({ ...registration('refused:1'), nodeId: 'no id either' });
    await stranger.until(() => stranger.commands.length >= 3);
    assert.deepEqual(
      stranger.commands.map(({ type }) => type),
      ['resync', 'refuse', 'refuse'],
    );
    // Registering wipes this out.
    stranger.channel.send(registration('taken:1'));
    await stranger.command('registered');
  });

  it('drops a message of a registered node that cannot be read as a whole, tells where, and hears the next ones', async () => {
    using node = connectNode(registration('n1:1'));
    await node.command('registered');
    const report = {
      containerId: 'container_1_0001_01_000001',
      state: 'RUNNING',
      exitCode: -1000,
      diagnostics: '',
      resource: { memoryMiB: 1, vcores: 1 },
      priority: 0,
      createdTime: 1,
    };
    node.channel.send({ type: 'containers', reports: [report, { ...report, state: 'ASLEEP' }] });
    node.channel.send({ type: 'health', healthy: false, report: 'a disk is full', time: 2 });
    // The answer to this comes after the effects of both.
    node.channel.send({ type: 'containers', reports: [report] });
    await node.command('stopContainers');
    assert.deepEqual(
      lines
        .filter(({ nodeId }) => nodeId === 'n1:1')
        .map(({ fault }) => fault)
        .filter(Boolean),
      ['/reports/1/state is not one of NEW, RUNNING, COMPLETE'],
    );
    assert.deepEqual(
      (await nodesOf()).map(({ id, state, healthReport }) => [id, state, healthReport]),
      [
        ['n1:1', 'UNHEALTHY', 'a disk is full'],
        ['taken:1', 'RUNNING', ''],
      ],
    );
  });
});
