// What administrators do: to nodes, labels, attributes, queues and the resource manager itself. With two faults at once the first one wins,
// and what is refused changes nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigurationError } from '../../config/table.ts';
import { ChangeRefused } from '../../scheduler/capacity/settings/mutation.ts';
import { ConfigurationRefused } from '../../scheduler/policy.ts';
import type { Node } from '../nodes/node.ts';
import { aNode } from '../test-support/builders.ts';
import { accessOf, callerNamed, codeOf, queuePolicy, RememberedAudit, types } from '../test-support/commands.ts';
import { refreshAccess, writeSchedulerLogs } from './administer.ts';
import { addLabels, mapAttributes, removeLabels, replaceLabels, replaceLabelsOfNode } from './labels.ts';
import { checkQueueAccess } from './queue-access.ts';
import {
  changeQueues,
  formatQueues,
  type QueuePorts,
  type RefreshQueuesPorts,
  readQueues,
  readQueuesVersion,
  refreshQueues,
  validateQueues,
} from './queue-configuration.ts';
import { drainNode, refreshNodeSizes, refreshNodes, resizeNode, resumeNode } from './update-node.ts';

const admin = callerNamed('admin');
const eve = callerNamed('eve');

function stand(aclEnabled = true) {
  const policy = queuePolicy();
  const audit = new RememberedAudit();
  const done: string[] = [];
  return { policy, audit, done, access: accessOf(policy, audit, aclEnabled) };
}

describe('nodes', () => {
  const nodeStand = (state: Node['state'] = 'RUNNING') => {
    const { audit, access, done } = stand();
    const node: Node = { ...aNode('n1:1'), state, resource: [4096, 8] };
    const shared = { nodes: { find: (id: string) => (id === 'n1:1' ? node : undefined) }, access, audit };
    return { audit, access, done, node, shared };
  };
  const amount = { memoryMiB: 2048, vcores: 4, others: new Map([['unknown', 3]]) };

  it('are resized by administrators, or by all where nothing is checked; the answer is the size after', async () => {
    const { shared, done, audit } = nodeStand();
    const resize = async (_node: Node, resource: readonly number[], timeoutMs: number) => void done.push(`${resource} ${timeoutMs}`);
    const ports = { ...shared, types, isUnchecked: false, resize };
    assert.equal(await codeOf(() => resizeNode(ports, eve, 'n1:1', amount, 0)), 'ONLY_ADMINISTRATORS');
    assert.equal(await codeOf(() => resizeNode(ports, eve, 'n9:1', amount, 0)), 'NODE_NOT_FOUND');
    assert.equal(await codeOf(() => resizeNode(ports, admin, 'n9', amount, 0)), 'ILLEGAL_ARGUMENT');
    assert.equal(await codeOf(() => resizeNode(ports, admin, 'n9:1', amount, 0)), 'NODE_NOT_FOUND');
    const lost = nodeStand('LOST');
    assert.equal(await codeOf(() => resizeNode({ ...ports, ...lost.shared }, admin, 'n1:1', amount, 0)), 'NODE_NOT_ACTIVE');
    assert.deepEqual(await resizeNode(ports, admin, 'n1:1', amount, -1), [2048, 4]);
    await resizeNode({ ...ports, isUnchecked: true }, eve, 'n1:1', amount, 0);
    assert.deepEqual(done, ['2048,4 -1', '2048,4 0']);
    assert.deepEqual(audit.lines, [
      'refused eve change the resource of a node',
      'changed admin change the resource of a node',
      'changed eve change the resource of a node',
    ]);
  });

  it('leave at once, in the time of the settings, or in a time of their own', async () => {
    const { shared, done, audit } = nodeStand();
    const refresh = async (seconds: number | undefined) => {
      done.push(String(seconds));
      return [{ nodeId: 'n1:1', state: 'DECOMMISSIONED' as const }];
    };
    const ports = { ...shared, leaveSeconds: 3600, refresh };
    assert.equal(await codeOf(() => refreshNodes(ports, eve, { graceful: true, seconds: 1 })), 'ONLY_ADMINISTRATORS');
    await refreshNodes(ports, admin, { graceful: false, seconds: undefined });
    await refreshNodes(ports, admin, { graceful: true, seconds: undefined });
    assert.deepEqual(await refreshNodes(ports, admin, { graceful: true, seconds: -1 }), [{ nodeId: 'n1:1', state: 'DECOMMISSIONED' }]);
    assert.deepEqual(done, ['undefined', '3600', '-1']);
    assert.equal(audit.lines.length, 4);
  });

  it('are drained and resumed by their ids', async () => {
    const { shared, done } = nodeStand();
    const drain = { ...shared, leaveSeconds: 60, drain: async (_node: Node, seconds: number) => void done.push(`drain ${seconds}`) };
    const resume = { ...shared, resume: async () => done.push('resume') < 4 };
    assert.equal(await codeOf(() => drainNode(drain, eve, 'n9:1', 1)), 'ONLY_ADMINISTRATORS');
    assert.equal(await codeOf(() => drainNode(drain, admin, 'n9:1', 1)), 'NODE_NOT_FOUND');
    assert.deepEqual(await drainNode(drain, admin, 'n1:1', undefined), { nodeId: 'n1:1', state: 'RUNNING' });
    await drainNode(drain, admin, 'n1:1', 5);
    assert.equal(await codeOf(() => resumeNode(resume, eve, 'n9:1')), 'ONLY_ADMINISTRATORS');
    assert.equal(await codeOf(() => resumeNode(resume, admin, 'n9:1')), 'NODE_NOT_FOUND');
    assert.deepEqual(await resumeNode(resume, admin, 'n1:1'), { nodeId: 'n1:1', state: 'RUNNING' });
    assert.equal(await codeOf(() => resumeNode(resume, admin, 'n1:1')), 'NODE_EXCLUDED');
    assert.deepEqual(done, ['drain 60', 'drain 5', 'resume', 'resume']);
  });

  it('get the sizes of their file again, or the reason why not', async () => {
    const { shared, audit } = nodeStand();
    const refused = async () => {
      throw new ConfigurationError('dynamic-resources.xml', 'key', 'much is no amount', 'Write a number.');
    };
    assert.equal(await codeOf(() => refreshNodeSizes({ ...shared, refresh: refused }, eve)), 'ONLY_ADMINISTRATORS');
    assert.equal(await codeOf(() => refreshNodeSizes({ ...shared, refresh: refused }, admin)), 'NODE_RESOURCES_REFUSED');
    assert.deepEqual(await refreshNodeSizes({ ...shared, refresh: async () => ['n1:1'] }, admin), ['n1:1']);
    assert.equal(audit.lines.at(-1), 'changed admin refresh sizes of nodes');
  });
});

describe('labels and attributes', () => {
  const nodesThere = { unknown: (names: readonly string[]) => names.filter((name) => !['n1', 'n1:0', 'n1:1'].includes(name)) };
  const labelStand = (isCentralized = true) => {
    const { access, audit, done } = stand(false);
    const labels = {
      add: async (wanted: readonly { name: string | undefined }[]) => void done.push(`add ${wanted.map(({ name }) => name)}`),
      remove: async (names: readonly string[]) => void done.push(`remove ${names}`),
      replace: async (wanted: ReadonlyMap<string, readonly string[]>) => void done.push(`replace ${JSON.stringify([...wanted])}`),
    };
    return { ports: { labels, nodes: nodesThere, access, audit, isCentralized }, audit, done };
  };

  it('are for administrators even where access lists are off', async () => {
    const { ports, done, audit } = labelStand();
    const label = { name: 'x', exclusive: true };
    assert.equal(await codeOf(() => addLabels(ports, eve, [label])), 'LABEL_WRITE_REFUSED');
    assert.equal(await codeOf(() => removeLabels(ports, eve, ['x'])), 'LABEL_WRITE_REFUSED');
    await addLabels(ports, admin, []);
    await addLabels(ports, admin, [label]);
    await removeLabels(ports, admin, ['x']);
    assert.deepEqual(done, ['add x', 'remove x']);
    assert.deepEqual(audit.lines.slice(0, 2), ['refused eve change node labels', 'refused eve change node labels']);
  });

  it('find the first of two faults when they are given to nodes', async () => {
    const { ports, done } = labelStand();
    const elsewhere = labelStand(false).ports;
    assert.equal(await codeOf(() => replaceLabels(elsewhere, eve, [[undefined, []]])), 'LABELS_NOT_CENTRALIZED');
    assert.equal(await codeOf(() => replaceLabels(ports, eve, [[undefined, []]])), 'LABEL_WRITE_REFUSED');
    assert.equal(
      await codeOf(() =>
        replaceLabels(ports, admin, [
          ['n1:x', []],
          [undefined, []],
        ]),
      ),
      'ILLEGAL_ARGUMENT',
    );
    assert.equal(await codeOf(() => replaceLabelsOfNode(ports, admin, 'n1:x', ['a'])), 'ILLEGAL_ARGUMENT');
    // Ids are read first: recorded of Hadoop 3.4.2.
    assert.equal(await codeOf(() => replaceLabelsOfNode(ports, eve, 'n1:x', ['a'])), 'ILLEGAL_ARGUMENT');
    assert.equal(await codeOf(() => replaceLabelsOfNode(ports, eve, 'n1', ['a'])), 'LABEL_WRITE_REFUSED');
    assert.deepEqual(done, []);
    await replaceLabels(ports, admin, [
      ['n1', ['a']],
      ['n2:5', []],
    ]);
    await replaceLabelsOfNode(ports, admin, 'n3', ['b']);
    assert.deepEqual(done, ['replace [["n1:0",["a"]],["n2:5",[]]]', 'replace [["n3:0",["b"]]]']);
  });

  it('are refused for nodes that are not there, where that is wanted, to administrators alone', async () => {
    const { ports, done } = labelStand();
    const attributes = { map: async () => void done.push('mapped') };
    const mustBeThere = { mustBeThere: true };
    const here = [
      ['n1:1', ['a']],
      ['n1', []],
    ] as const;
    const away = [...here, ['n9:1', ['a']]] as const;
    assert.equal(await codeOf(() => replaceLabels(ports, eve, away, mustBeThere)), 'LABEL_WRITE_REFUSED');
    assert.equal(await codeOf(() => replaceLabels(ports, admin, away, mustBeThere)), 'LABELS_REFUSED');
    const mapping = { ...ports, access: stand().access, attributes };
    const hosts = ['n1', 'n9'].map((host) => ({ host, attributes: [{ name: 'a' }] }));
    assert.equal(await codeOf(() => mapAttributes(mapping, eve, 'add', hosts, mustBeThere)), 'ONLY_ADMINISTRATORS');
    assert.equal(await codeOf(() => mapAttributes(mapping, admin, 'add', hosts, mustBeThere)), 'NODE_ATTRIBUTES_REFUSED');
    assert.deepEqual(done, []);
    await replaceLabels(ports, admin, here, mustBeThere);
    await replaceLabels(ports, admin, away);
    await mapAttributes(mapping, admin, 'add', hosts.slice(0, 1), mustBeThere);
    assert.equal(done.length, 3);
  });

  it('of hosts that are named twice are changed in one go', async () => {
    const { access, audit, done } = stand();
    const attributes = {
      map: async (operation: string, wanted: ReadonlyMap<string, readonly { name: string }[]>) =>
        void done.push(`${operation} ${[...wanted].map(([host, changes]) => `${host}=${changes.map(({ name }) => name)}`)}`),
    };
    const hosts = [
      { host: 'n1', attributes: [{ name: 'a' }] },
      { host: 'n1', attributes: [{ name: 'b' }] },
    ];
    const ports = { attributes, nodes: nodesThere, access, audit };
    assert.equal(await codeOf(() => mapAttributes(ports, eve, 'add', hosts)), 'ONLY_ADMINISTRATORS');
    assert.equal(await mapAttributes(ports, admin, 'add', hosts), 1);
    assert.deepEqual(done, ['add n1=a,b']);
    assert.equal(audit.lines.at(-1), 'changed admin add attributes of nodes');
  });
});

describe('the queue configuration', () => {
  const change = { remove: [], add: [], update: [], global: [] };
  const queueStand = (options: { kind?: 'capacity' | 'fair'; mutable?: boolean; fails?: Error } = {}) => {
    const { audit, done } = stand();
    const policy = queuePolicy(options.kind);
    const run = (what: string) => {
      if (options.fails) throw options.fails;
      done.push(what);
    };
    const properties = new Map([['key', 'value']]);
    const ports: QueuePorts = {
      queues: {
        mutable: options.mutable ?? true,
        history: () => [],
        version: 7,
        properties: () => properties,
        change: async () => run('change'),
        validate() {
          run('validate');
          return properties;
        },
        format: async () => run('format'),
        refresh() {
          run('refresh');
          return 'file';
        },
      },
      policy,
      access: accessOf(policy, audit),
      audit,
    };
    return { ports, audit, done, properties };
  };

  it('asks who calls before anything else, then whether it can be changed at all', async () => {
    const fixed = queueStand({ mutable: false }).ports;
    const fair = queueStand({ kind: 'fair', mutable: false }).ports;
    for (const [run, code] of [
      [readQueues, 'QUEUES_NOT_READABLE'],
      [readQueuesVersion, 'QUEUES_WITHOUT_VERSION'],
      [formatQueues, 'QUEUES_NOT_FORMATTABLE'],
      [(ports: QueuePorts, caller: typeof eve) => validateQueues(ports, caller, change), 'QUEUES_NOT_VALIDATED'],
      [(ports: QueuePorts, caller: typeof eve) => changeQueues(ports, caller, change), 'QUEUES_IN_FILE'],
    ] as const) {
      assert.equal(await codeOf(() => run(fixed, eve)), 'ONLY_ADMINISTRATORS');
      assert.equal(await codeOf(() => run(fixed, admin)), code);
    }
    assert.equal(await codeOf(() => changeQueues(fair, admin, change)), 'QUEUES_NOT_CHANGEABLE');
  });

  it('is read and changed by administrators', async () => {
    const { ports, done, audit, properties } = queueStand();
    assert.equal(readQueues(ports, admin), properties);
    assert.equal(readQueuesVersion(ports, admin), 7);
    await changeQueues(ports, admin, change);
    assert.equal(await validateQueues(ports, admin, change), properties);
    await formatQueues(ports, admin);
    assert.deepEqual(done, ['change', 'validate', 'format']);
    assert.deepEqual(audit.lines, ['changed admin change the scheduler configuration', 'changed admin format the scheduler configuration']);
  });

  it('says why a change is refused', async () => {
    const text = async (run: () => unknown) => {
      try {
        await run();
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const queues = queueStand({ fails: new ConfigurationRefused('sum of capacities') }).ports;
    const keys = queueStand({ fails: new ChangeRefused('Queue root.x not found') }).ports;
    assert.equal(await text(() => changeQueues(queues, admin, change)), 'Failed to re-init queues : sum of capacities');
    const own = new ConfigurationRefused('-5 is below 0', { key: 'root.a.max', remedy: 'Give more.', isOwn: true });
    assert.equal(
      await text(() => changeQueues(queueStand({ fails: own }).ports, admin, change)),
      'Failed to re-init queues : root.a.max: -5 is below 0. Give more.',
    );
    assert.equal(await text(() => changeQueues(keys, admin, change)), 'Queue root.x not found');
    assert.equal(
      await text(() => validateQueues(keys, admin, change)),
      'CapacityScheduler configuration validation failed:java.io.IOException: Queue root.x not found',
    );
    const broken = queueStand({ fails: new Error('a bug') });
    await assert.rejects(changeQueues(broken.ports, admin, change), /^Error: a bug$/);
    assert.deepEqual(broken.audit.lines, []);
  });

  it('is read from its file again, or the file is named with what is wrong', async () => {
    const refreshing = (fails?: Error): RefreshQueuesPorts => ({
      ...queueStand({ ...(fails ? { fails } : {}) }).ports,
      fileName: () => 'capacity-scheduler.xml',
      explained: ({ message }) => new ConfigurationError('capacity-scheduler.xml', 'queues', message, 'Repair it.'),
    });
    assert.equal(await codeOf(() => refreshQueues(refreshing(), eve)), 'ONLY_ADMINISTRATORS');
    assert.deepEqual(refreshQueues(refreshing(), admin), { scheduler: 'capacity', from: 'file', file: 'capacity-scheduler.xml' });
    assert.equal(await codeOf(() => refreshQueues(refreshing(new ConfigurationRefused('bad')), admin)), 'QUEUES_REFUSED');
    assert.equal(await codeOf(() => refreshQueues(refreshing(new ConfigurationError('f', 'k', 'p', 'r')), admin)), 'QUEUES_REFUSED');
    assert.throws(() => refreshQueues(refreshing(new Error('a bug')), admin), /^Error: a bug$/);
  });
});

describe('the resource manager itself', () => {
  it('takes other administrators at once, and keeps its own where the settings cannot be read', async () => {
    const { access, audit } = stand();
    const fails = () => {
      throw new ConfigurationError('core-site.xml', 'key', 'problem', 'remedy');
    };
    assert.equal(await codeOf(() => refreshAccess({ refresh: fails, access, audit }, eve)), 'ONLY_ADMINISTRATORS');
    assert.equal(await codeOf(() => refreshAccess({ refresh: fails, access, audit }, admin)), 'ACCESS_REFUSED');
    assert.equal(refreshAccess({ refresh: () => ({ adminAcl: 'eve' }), access, audit }, admin), 'eve');
    assert.equal(await codeOf(() => refreshAccess({ refresh: fails, access, audit }, admin)), 'ONLY_ADMINISTRATORS');
    assert.deepEqual([access.isAdministrator('eve'), access.isAdministrator('heddle')], [true, true]);
  });

  it('checks calls for the log of the scheduler in the order of Hadoop', async () => {
    const { access } = stand();
    const codes = [];
    let nowMs = 5000;
    const ports = { access, clock: { steadyMs: () => nowMs }, written: { untilMs: 0 } };
    for (const [caller, period] of [
      [eve, undefined],
      [admin, undefined],
      [admin, 'long'],
      [admin, '0'],
      [admin, '-3'],
      [admin, '+60'],
      [admin, '0'],
      [admin, '1'],
    ] as const)
      codes.push(await codeOf(() => writeSchedulerLogs(ports, caller, period)));
    nowMs += 60_000;
    codes.push(await codeOf(() => writeSchedulerLogs(ports, admin, '1')));
    assert.deepEqual(codes, [
      'ONLY_ADMINISTRATORS',
      'SCHEDULER_LOG_PERIOD_MISSING',
      'BAD_NUMBER',
      'SCHEDULER_LOG_PERIOD_TOO_SMALL',
      'SCHEDULER_LOG_PERIOD_TOO_SMALL',
      'done',
      'SCHEDULER_LOG_PERIOD_TOO_SMALL',
      'SCHEDULER_LOG_BUSY',
      'done',
    ]);
  });

  it('says who may use a queue to administrators of the queue alone', async () => {
    const { access } = stand();
    const ask = (caller: typeof eve, user: string, acl: string) => checkQueueAccess({ access }, caller, 'root.closed', user, acl);
    assert.equal(await codeOf(() => ask(eve, '', 'ANY')), 'QUEUE_ACCESS_CHECK_REFUSED');
    const carol = callerNamed('carol');
    assert.equal(await codeOf(() => ask(carol, '', 'ANY')), 'QUEUE_ACCESS_USER_MISSING');
    assert.equal(await codeOf(() => ask(carol, 'bob', 'ANY')), 'QUEUE_ACL_TYPE_UNKNOWN');
    assert.deepEqual([ask(carol, 'bob', 'SUBMIT_APPLICATIONS'), ask(carol, 'ada', 'SUBMIT_APPLICATIONS')], [true, false]);
  });
});
