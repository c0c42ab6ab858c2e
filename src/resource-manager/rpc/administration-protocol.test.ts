// The administration protocol of a real resource manager over real connections.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadConfiguration } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import type { RunningRole } from '../../lib/role.ts';
import { RefusedCall, RpcTestClient } from '../../rpc/test-support/rpc-client.ts';
import { decode } from '../../wire/rpc/codec.ts';
import { administrationProtocol as protocol } from '../../wire/rpc/protocols/administration.ts';
import { applicationClientProtocol } from '../../wire/rpc/protocols/application-client.ts';
import { start } from '../server.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-rpc-'));
let manager: RunningRole;
let address: string;

const writeSettings = (settings: Record<string, string>): void => {
  const xml = Object.entries(settings).map(([key, value]) => `<property><name>${key}</name><value>${value}</value></property>`);
  writeFileSync(join(folder, 'yarn-site.xml'), `<configuration>${xml.join('')}</configuration>`);
};

before(async () => {
  writeSettings({ 'yarn.admin.acl': 'boss', 'yarn.cluster.max-application-priority': '5' });
  writeFileSync(
    join(folder, 'capacity-scheduler.xml'),
    `<configuration>${Object.entries({
      'root.queues': 'default,deep',
      'root.deep.capacity': '50',
      'root.deep.queues': 'one',
      'root.deep.one.capacity': '100',
      'root.default.capacity': '50',
      'root.default.default-application-priority': '2',
    })
      .map(([key, value]) => `<property><name>yarn.scheduler.capacity.${key}</name><value>${value}</value></property>`)
      .join('')}</configuration>`,
  );
  const configuration = loadConfiguration({
    confDir: folder,
    dataDir: join(folder, 'data'),
    set: {
      'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
      'yarn.resourcemanager.address': '127.0.0.1:0',
      'yarn.resourcemanager.admin.address': '127.0.0.1:0',
      'yarn.acl.enable': 'true',
      'yarn.node-labels.enabled': 'true',
      'hadoop.user.group.static.mapping.overrides': 'ann=one,two',
    },
  });
  manager = await start(configuration, { clock: systemClock, logger: silentLogger, random: seededRandom(7) });
  address = manager.addresses['rpcAdministration']!;
});
after(async () => {
  await manager.close();
  rmSync(folder, { recursive: true });
});

const as = (user: string) => RpcTestClient.named(address, user, protocol.name);
const clientAs = (user: string) => RpcTestClient.named(manager.addresses['rpc']!, user, applicationClientProtocol.name);

/** Runs the call and gives class and first line of its refusal. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (problem: unknown) => problem,
  );
  assert.ok(error instanceof RefusedCall, 'the call is refused');
  return `${error.header.exceptionClassName} ${error.header.errorMsg?.split('\n')[0]}`;
}

interface Recorded {
  readonly kind: string;
  readonly direction: string;
  readonly connection: number;
  readonly method: keyof (typeof protocol)['methods'];
  readonly body?: string;
  readonly header: { readonly status?: string; readonly exceptionClassName?: string; readonly errorMsg?: string };
  readonly context?: { readonly user: { readonly effectiveUser: string } };
}

it('names queues in the order of their parents, as they stand in the file until they are read again', async () => {
  using client = clientAs('ann');
  const named = async () => {
    const { queueUserAcls } = await client.call(applicationClientProtocol, 'getQueueUserAcls', {});
    return queueUserAcls.map(({ queueName }) => queueName);
  };
  assert.deepEqual(await named(), ['root', 'root.default', 'root.deep', 'root.deep.one']);
  using boss = as('boss');
  await boss.call(protocol, 'refreshQueues', {});
  // The order of a HashMap by path, as ParentQueue.reinitialize leaves it.
  assert.deepEqual(await named(), ['root', 'root.deep', 'root.deep.one', 'root.default']);
});

it('answers recorded calls as Hadoop did, in their order', async () => {
  const lines = readFileSync(join(import.meta.dirname, '../../../test/compatibility/rpc/admin.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const recorded = lines.map((line) => JSON.parse(line) as Recorded);
  const users = new Map(recorded.flatMap(({ connection, context }) => (context ? [[connection, context.user.effectiveUser]] : [])));
  let count = 0;
  for (const [index, { kind, connection, method, body = '' }] of recorded.entries()) {
    if (kind !== 'call') continue;
    const answer = recorded.slice(index).find((line) => line.kind === 'reply' && line.connection === connection)!;
    using client = as(users.get(connection) === 'root' ? 'boss' : 'nobody');
    const called = client.call(protocol, method, decode(protocol.methods[method][0], Buffer.from(body, 'base64')) as never);
    if (answer.header.status === 'SUCCESS') assert.ok(await called, method);
    else assert.equal(await refusal(called), `${answer.header.exceptionClassName} ${answer.header.errorMsg?.split('\n')[0]}`);
    count++;
  }
  assert.equal(count, 8);
});

describe('administrators', () => {
  it('alone may call', async () => {
    using client = as('eve');
    const node = { host: 'n1', port: 1 };
    const calls = {
      refreshQueues: {},
      refreshNodes: {},
      refreshSuperUserGroupsConfiguration: {},
      refreshUserToGroupsMappings: {},
      refreshAdminAcls: {},
      refreshNodesResources: {},
      refreshClusterMaxPriority: {},
      updateNodeResource: { node_resource_map: [{ node_id: node, resource_option: { resource: { memory: 1, virtual_cores: 1 } } }] },
      addToClusterNodeLabels: { nodeLabels: [{ name: 'x' }] },
      removeFromClusterNodeLabels: { nodeLabels: ['x'] },
      replaceLabelsOnNodes: { nodeToLabels: [{ nodeId: node, nodeLabels: [] }] },
      mapAttributesToNodes: { nodeToAttributes: [{ node: 'n1', nodeAttributes: [] }] },
      getGroupsForUser: { user: 'ann' },
      checkForDecommissioningNodes: {},
    } as const;
    for (const [method, request] of Object.entries(calls))
      assert.equal(
        await refusal(client.call(protocol, method as keyof typeof calls, request as never)),
        `org.apache.hadoop.yarn.exceptions.YarnException org.apache.hadoop.security.AccessControlException: User eve doesn't have permission to call '${method === 'replaceLabelsOnNodes' ? 'replaceLabelsOnNode' : method}'`,
      );
    using boss = as('boss');
    assert.deepEqual((await boss.call(protocol, 'getGroupsForUser', { user: 'ann' })).groups, ['one', 'two']);
    assert.deepEqual((await boss.call(protocol, 'checkForDecommissioningNodes', {})).decommissioningNodes, []);
  });

  it('are those of the settings as they were last read', async () => {
    using client = as('chief');
    assert.match(await refusal(client.call(protocol, 'refreshQueues', {})), /User chief doesn't have permission/);
    writeSettings({ 'yarn.admin.acl': 'boss,chief', 'yarn.cluster.max-application-priority': '5' });
    using boss = as('boss');
    await boss.call(protocol, 'refreshAdminAcls', {});
    await client.call(protocol, 'refreshQueues', {});
  });
});

describe('lists of services', () => {
  it('say who may speak which protocol as they were last read, also on connections that are open', async () => {
    const usual = { 'yarn.admin.acl': 'boss,chief', 'yarn.cluster.max-application-priority': '5' };
    using boss = as('boss');
    using eve = clientAs('eve');
    await eve.call(applicationClientProtocol, 'getClusterMetrics', {});
    writeSettings({ ...usual, 'hadoop.security.authorization': 'true', 'security.applicationclient.protocol.acl': 'ann' });
    await boss.call(protocol, 'refreshAdminAcls', {});
    const sentence = `User eve (auth:SIMPLE) is not authorized for protocol interface ${applicationClientProtocol.name}: denied by configured ACL`;
    const refused = `org.apache.hadoop.security.authorize.AuthorizationException ${sentence}`;
    assert.equal(await refusal(eve.call(applicationClientProtocol, 'getClusterMetrics', {})), refused);
    using again = clientAs('eve');
    const { header } = (await again.reply())!;
    assert.deepEqual([header.status, header.errorDetail, header.errorMsg], ['FATAL', 'FATAL_UNAUTHORIZED', sentence]);
    using ann = clientAs('ann');
    await ann.call(applicationClientProtocol, 'getClusterMetrics', {});
    using chief = as('eve');
    assert.match(await refusal(chief.call(protocol, 'refreshServiceAcls', {})), /doesn't have permission to call 'refreshServiceAcls'/);
    writeSettings({ ...usual, 'hadoop.security.authorization': 'true' });
    await boss.call(protocol, 'refreshServiceAcls', {});
    await eve.call(applicationClientProtocol, 'getClusterMetrics', {});
    writeSettings(usual);
    await boss.call(protocol, 'refreshServiceAcls', {});
  });
});

describe('labels', () => {
  it('come and go, and clients of the other protocol see them', async () => {
    using client = as('boss');
    await client.call(protocol, 'addToClusterNodeLabels', { nodeLabels: [{ name: 'fast', isExclusive: false }, { name: 'slow' }] });
    using looking = clientAs('ann');
    const shown = async () => (await looking.call(applicationClientProtocol, 'getClusterNodeLabels', {})).nodeLabels;
    assert.deepEqual(await shown(), [
      { name: 'fast', isExclusive: false },
      { name: 'slow', isExclusive: true },
    ]);
    assert.match(
      await refusal(client.call(protocol, 'addToClusterNodeLabels', { nodeLabels: [{ name: 'fast', isExclusive: true }] })),
      /^org.apache.hadoop.yarn.exceptions.YarnException java.io.IOException: .*fast/,
    );
    const unknown = { nodeToLabels: [{ nodeId: { host: 'n1', port: 1 }, nodeLabels: ['fast'] }] };
    assert.match(await refusal(client.call(protocol, 'replaceLabelsOnNodes', { ...unknown, failOnUnknownNodes: true })), /n1:1/);
    // Whether a node is there is told to administrators alone.
    using ann = as('ann');
    assert.doesNotMatch(await refusal(ann.call(protocol, 'replaceLabelsOnNodes', { ...unknown, failOnUnknownNodes: true })), /n1:1/);
    await client.call(protocol, 'replaceLabelsOnNodes', unknown);
    await client.call(protocol, 'removeFromClusterNodeLabels', { nodeLabels: ['fast', 'slow'] });
    assert.deepEqual(await shown(), []);
  });
});

describe('what is refused', () => {
  it('says so in the words of Hadoop where it has any', async () => {
    using client = as('boss');
    const size = (port: number) => ({ node_id: { host: 'none', port }, resource_option: { resource: { memory: 1024, virtual_cores: 1 } } });
    assert.equal(
      await refusal(client.call(protocol, 'updateNodeResource', { node_resource_map: [size(1)] })),
      'org.apache.hadoop.yarn.exceptions.YarnException Resource update get failed on all nodes due to change resource on an unrecognized node: none:1',
    );
    assert.match(
      await refusal(client.call(protocol, 'refreshServiceAcls', {})),
      /Service Authorization \(hadoop\.security\.authorization\) not enabled/,
    );
    const attributes = [{ node: 'n9', nodeAttributes: [{ attributeKey: { attributeName: 'a' }, attributeValue: '1' }] }];
    assert.match(
      await refusal(client.call(protocol, 'mapAttributesToNodes', { nodeToAttributes: attributes, failOnUnknownNodes: true })),
      /java\.io\.IOException: Following nodes does not exist : \[n9\]$/,
    );
  });
});

/** The priority that an application of the default queue is reported with. */
async function priorityGiven(client: RpcTestClient, wanted: number | undefined): Promise<number | undefined> {
  const { application_id } = await client.call(applicationClientProtocol, 'getNewApplication', {});
  await client.call(applicationClientProtocol, 'submitApplication', {
    application_submission_context: {
      application_id,
      queue: 'default',
      priority: wanted === undefined ? undefined : { priority: wanted },
      am_container_spec: { command: ['true'] },
      resource: { memory: 512, virtual_cores: 1 },
    },
  });
  const { application_report: report } = await client.call(applicationClientProtocol, 'getApplicationReport', { application_id });
  return report?.priority?.priority;
}

it('gives applications the priority that they name, else that of their queue', async () => {
  using client = clientAs('ann');
  assert.deepEqual([await priorityGiven(client, undefined), await priorityGiven(client, 0)], [2, 0]);
});

it('uses the highest priority of the settings as they were last read', async () => {
  using client = clientAs('ann');
  assert.equal(await priorityGiven(client, 9), 5);
  writeSettings({ 'yarn.admin.acl': 'boss', 'yarn.cluster.max-application-priority': '8' });
  using boss = as('boss');
  await boss.call(protocol, 'refreshClusterMaxPriority', {});
  assert.equal(await priorityGiven(client, 9), 8);
});
