// Commands of operators, against a server that answers as a cluster would: labels, sizes of nodes, queues, reservations, users, the whole.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { differences } from '../lib/differences.ts';
import { memoryMiB, parseMemory } from './amounts.ts';
import { linesOf } from './cluster.ts';
import { requestOf } from './reservation.ts';
import { type CommandLine, commandsAt, type StubAnswer, type StubRequest, StubServer } from './test-support/command-line.ts';

const base = '/ws/v1/cluster';
let answers: Record<string, StubAnswer | ((request: StubRequest) => StubAnswer)> = {};
const server = new StubServer((request) => {
  const answer = answers[`${request.method} ${request.path}`] ?? answers[request.path];
  return typeof answer === 'function' ? answer(request) : answer;
});
let commands: CommandLine;
const folder = mkdtempSync(join(tmpdir(), 'heddle-operators-'));

before(async () => {
  const url = await server.listen();
  commands = commandsAt(url);
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  server.requests.length = 0;
  answers = {};
});

const heddle = (...args: string[]) => commands.run(...args);
const sent = () => server.requests.filter(({ method }) => method !== 'GET');
const bodies = () => sent().map(({ body }) => JSON.parse(body));

describe('amounts of memory', () => {
  it('have a unit, or count MiB', () => {
    assert.deepEqual(['512', '512m', '2g', '1.5GiB', '1t', '0.5 m'].map(parseMemory), [512, 512, 2048, 1536, 1_048_576, 1]);
    assert.deepEqual(['', '0', '-1', '2x', 'g', '1e3', '9'.repeat(30)].map(parseMemory), Array(7).fill(undefined));
    assert.throws(() => memoryMiB('2x'), /512m or 2g/);
  });
});

describe('labels', () => {
  it('are listed with what their nodes offer, added and removed', async () => {
    const nodeLabelInfo = [
      {
        name: '<DEFAULT_PARTITION>',
        exclusivity: 'true',
        activeNMs: '2',
        partitionInfo: { resourceAvailable: { memory: '8192', vCores: '8' } },
      },
      { name: 'gpu', exclusivity: 'false' },
    ];
    answers[`${base}/get-rm-node-labels`] = { json: { nodeLabelInfo } };
    answers[`POST ${base}/add-node-labels`] = { text: '' };
    answers[`POST ${base}/remove-node-labels`] = { text: '' };
    const { out } = await heddle('label', 'list');
    assert.match(out, /\(none\) +exclusive +2 +8 GiB +8\ngpu +shared +0 +0 MiB +0/);
    assert.equal((await heddle('label', 'add', 'a', 'b')).code, 0);
    assert.equal((await heddle('label', 'add', 'c', '--shared')).code, 0);
    assert.deepEqual(bodies(), [
      { nodeLabelInfo: ['a', 'b'].map((name) => ({ name, exclusivity: true })) },
      { nodeLabelInfo: [{ name: 'c', exclusivity: false }] },
    ]);
    await heddle('label', 'remove', 'a', 'b');
    assert.deepEqual(sent().at(-1)?.query.getAll('labels'), ['a', 'b']);
  });

  it('are given to nodes and taken away', async () => {
    answers[`POST ${base}/nodes/a%3A1/replace-labels`] = { text: '' };
    answers[`POST ${base}/nodes/b%3A0/replace-labels`] = { text: '' };
    answers[`${base}/get-node-to-labels`] = {
      json: { nodeToLabels: { entry: { key: 'a:1', value: { nodeLabelInfo: { name: 'gpu', exclusivity: 'true' } } } } },
    };
    answers[`${base}/nodes`] = { json: { nodes: { node: [{ id: 'a:1' }] } } };
    assert.deepEqual(await heddle('node', 'labels', 'a:1', 'gpu'), { code: 0, out: 'a:1 has the label gpu.\n', err: '' });
    answers[`POST ${base}/nodes/a%3A2/replace-labels`] = { text: '' };
    assert.match((await heddle('node', 'labels', 'a:2', 'gpu')).err, /note: the cluster has no node a:2 yet/);
    server.requests.pop();
    server.requests.splice(
      server.requests.findLastIndex(({ method }) => method === 'POST'),
      1,
    );
    const absent = (name: string) => `heddle: note: the cluster has no node ${name} yet; "heddle node list --all" shows those it has\n`;
    assert.deepEqual(await heddle('node', 'labels', 'b', '--none'), { code: 0, out: 'b has no label any more.\n', err: absent('b') });
    assert.deepEqual(
      sent().map(({ query }) => query.get('labels')),
      ['gpu', null],
    );
    assert.match((await heddle('node', 'labels')).out, /a:1 +gpu/);
    assert.deepEqual(await heddle('node', 'labels', 'b:1'), { code: 0, out: 'b:1 has no label.\n', err: absent('b:1') });
    assert.equal((await heddle('node', 'labels', '--none')).code, 2);
  });
});

describe('nodes', () => {
  it('offer something else, the rest stays', async () => {
    let memory = 4096;
    const resourceInformation = () => ['memory-mb', 'vcores', 'gpu'].map((name) => ({ name, value: name === 'memory-mb' ? memory : 4 }));
    answers[`${base}/nodes/a%3A1`] = () => ({
      json: { node: { id: 'a:1', totalResource: { resourceInformations: { resourceInformation: resourceInformation() } } } },
    });
    answers[`POST ${base}/nodes/a%3A1/resource`] = ({ body }) => {
      memory = JSON.parse(body).resource.memory;
      return { json: {} };
    };
    assert.equal((await heddle('node', 'resource', 'a:1', '--memory', '3g')).out, 'a:1 offers 3 GiB, 4 vcores, 4 gpu.\n');
    const [{ resource, overCommitTimeout }] = bodies();
    assert.deepEqual([resource.memory, resource.vCores, overCommitTimeout], [3072, 4, -1]);
    assert.match(
      (await heddle('node', 'resource', 'a:1', '--resource', 'fpga=1')).err,
      /fpga is no resource type.*\n.*memory-mb, vcores, gpu/,
    );
    assert.equal((await heddle('node', 'resource', 'a:1')).code, 0);
    assert.equal(sent().length, 1);
  });

  it('leave at once and come back by the names that YARN has for it', async () => {
    answers['POST /api/v1/nodes/a%3A1/drain'] = { json: { nodeId: 'a:1', state: 'DECOMMISSIONED' } };
    answers['POST /api/v1/nodes/a%3A1/resume'] = { json: { nodeId: 'a:1', state: 'RUNNING' } };
    assert.match((await heddle('node', 'decommission', 'a:1')).out, /is DECOMMISSIONED/);
    assert.deepEqual(bodies(), [{ gracefulSeconds: 0 }]);
    assert.equal((await heddle('node', 'recommission', 'a:1')).out, 'a:1 works again.\n');
  });
});

describe('queues', () => {
  const conf = `${base}/scheduler-conf`;
  const property = (values: Record<string, string>) => ({
    json: { property: Object.entries(values).map(([name, value]) => ({ name, value })) },
  });

  const side = { guaranteedPercent: 1, maximumPercent: 100, guaranteed: {}, used: { memoryMiB: 2048, vcores: 2 }, pending: {} };
  const standing = { running: 1, waiting: 0, preempted: 0 };
  const whatIf = {
    ...{ sentence: 'One starts.', starting: 1, containers: 1, preempted: 0, moreKeys: 0, moreQueues: 3, moreApplications: 0 },
    keys: [{ key: 'a', before: '1' }],
    queues: [
      { path: 'root.b', partition: '', after: { state: 'RUNNING', ...side } },
      { path: 'root.night.root.night-default', partition: '', before: { state: 'RUNNING', ...side } },
    ],
    applications: [
      {
        ...{ id: 'application_1_0001', name: 'load', user: 'ada', queue: 'root.b', starts: true },
        ...{ before: { ...standing, running: 0, waiting: 1 }, after: standing },
      },
    ],
  };

  it('of a file are tried on what runs', async () => {
    const path = join(folder, 'other.xml');
    writeFileSync(path, '<configuration><property><name>b</name><value>2</value></property></configuration>');
    answers['POST /api/v1/queues/what-if'] = { json: whatIf };
    const { code, out } = await heddle('queue', 'what-if', path);
    assert.equal(code, 0);
    assert.deepEqual(bodies(), [{ properties: { entry: [{ key: 'b', value: '2' }] } }]);
    for (const line of [
      /^- a = 1\n/,
      /2 GiB, 2 vcores/,
      /\nroot\.night \(without a reservation\) /,
      /and 3 more queues/,
      /load +ada +root\.b +yes +0 -> 1 +1 -> 0 +0\n/,
      /One starts\.\n$/,
    ])
      assert.match(out, line);
    const fair = '<?xml version="1.0"?>\n<!-- pools -->\n<allocations><queue name="a"/></allocations>';
    writeFileSync(path, fair);
    assert.equal((await heddle('queue', 'what-if', path)).code, 0);
    assert.deepEqual(bodies().at(-1), { allocations: fair });
    assert.equal((await heddle('queue', 'what-if', join(folder, 'nothing.xml'))).code, 2);
    const conf = join(folder, 'what-if');
    mkdirSync(conf);
    assert.match((await heddle('queue', 'what-if', conf)).err, /what-if: there is no queue file in it\n/);
    const found = async (...form: string[]) => {
      assert.equal((await heddle('queue', 'what-if', ...form)).code, 0);
      return Object.keys(bodies().at(-1) as object);
    };
    writeFileSync(join(conf, 'fair-scheduler.xml'), fair);
    assert.deepEqual(await found(conf), ['allocations'], 'the only one');
    writeFileSync(join(conf, 'capacity-scheduler.xml'), '<configuration/>');
    assert.deepEqual(await found('--conf', conf), ['properties'], 'that of the scheduler of the settings');
    const fairScheduler = 'org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler';
    assert.deepEqual(await found(conf, '--set', `yarn.resourcemanager.scheduler.class=${fairScheduler}`), ['allocations']);
  });

  it('are changed together, and what changed is said', async () => {
    const names = { 'yarn.scheduler.capacity.root.queues': 'a,b' };
    let stored: Record<string, string> = { ...names, 'yarn.scheduler.capacity.root.a.capacity': '10' };
    answers[conf] = () => property(stored);
    answers[`PUT ${conf}`] = () => {
      stored = { ...names, 'yarn.scheduler.capacity.root.a.capacity': '20', more: '1' };
      return { text: 'done' };
    };
    const { code, out } = await heddle('queue', 'set', 'a', 'capacity=20', '--unset', 'state', '--with', 'b:capacity=80');
    assert.deepEqual([code, out], [0, '+ more = 1\n~ yarn.scheduler.capacity.root.a.capacity: 10 -> 20\n']);
    assert.deepEqual(bodies(), [
      {
        'update-queue': [
          { 'queue-name': 'root.b', params: { entry: [{ key: 'capacity', value: '80' }] } },
          { 'queue-name': 'root.a', params: { entry: [{ key: 'capacity', value: '20' }, { key: 'state' }] } },
        ],
      },
    ]);
    assert.equal((await heddle('queue', 'set', 'a', 'capacity=20')).out, 'That is so already.\n');
  });

  it('are not given keys that nobody would read, which YARN stores', async () => {
    const makes = { 'yarn.scheduler.capacity.root.m.auto-queue-creation-v2.enabled': 'true' };
    answers[conf] = property({ 'yarn.scheduler.capacity.root.queues': 'a,m', ...makes });
    answers[`PUT ${conf}`] = { text: 'done' };
    for (const [queue, value, said] of [
      [
        'b',
        'capacity=1',
        /^heddle: yarn\.scheduler\.capacity\.root\.b\.capacity has no effect: there is no queue root\.b\n {2}"heddle queue list"/,
      ],
      ['a.b', 'capacity=1', /there is no queue root\.a\.b\n/],
      ['a', 'capcity=1', /has no effect: queues have no setting capcity\n {2}.*queue-options\.md/],
      ['global', 'node-locality-dely=1', /has no effect: the scheduler has no setting node-locality-dely\n/],
    ] as const) {
      const { code, err } = await heddle('queue', 'set', queue, value);
      assert.equal(code, 1);
      assert.match(err, said);
    }
    assert.match((await heddle('queue', 'set', 'a', 'capacity=1', '--with', 'x:capacity=9')).err, /there is no queue root\.x/);
    assert.equal((await heddle('queue', 'set', 'global', 'yarn')).code, 2);
    assert.deepEqual(sent(), []);
    // One that an ancestor makes by itself may be there, and a key that is taken away need not be known.
    assert.equal((await heddle('queue', 'set', 'm.of-ada', 'capacity=1')).code, 0);
    assert.equal((await heddle('queue', 'set', 'b', '--unset', 'colour')).code, 0);
    const unneeded = await heddle('queue', 'set', 'global', 'schedule-asynchronously.enable=true');
    assert.match(unneeded.err, /^(heddle: note: .*changes nothing here.*\n)?$/);
  });

  it('and the scheduler itself is changed by short keys or whole ones', async () => {
    answers[conf] = property({ 'yarn.scheduler.capacity.root.queues': 'a' });
    answers[`PUT ${conf}`] = { text: 'done' };
    const key = 'yarn.scheduler.capacity.maximum-am-resource-percent';
    for (const written of ['maximum-am-resource-percent', key]) {
      assert.equal((await heddle('queue', 'set', 'global', `${written}=0.5`, '--unset', 'node-locality-delay')).code, 0);
      assert.deepEqual(bodies().at(-1), {
        'global-updates': { entry: [{ key, value: '0.5' }, { key: 'yarn.scheduler.capacity.node-locality-delay' }] },
      });
    }
  });

  it('are added several at once, and refusals say what to do', async () => {
    answers[conf] = property({ 'yarn.scheduler.capacity.root.queues': 'a' });
    answers[`PUT ${conf}`] = { text: 'done' };
    assert.equal((await heddle('queue', 'add', 'a.x', 'capacity=60', '--with', 'a.y:capacity=40', 'a:state=RUNNING')).code, 0);
    const params = (key: string, value: string) => ({ entry: [{ key, value }] });
    assert.deepEqual(bodies().at(-1), {
      'add-queue': [
        { 'queue-name': 'root.a.x', params: params('capacity', '60') },
        { 'queue-name': 'root.a.y', params: params('capacity', '40') },
      ],
      'update-queue': [{ 'queue-name': 'root.a', params: params('state', 'RUNNING') }],
    });
    const refusals = {
      'Can not convert the leaf queue: root.a to parent queue since it is not yet in stopped state. Current State : RUNNING':
        /"heddle queue set root\.a state=STOPPED".*"--with root\.a:state=RUNNING"/,
      'Illegal capacity sum of 0.6 for children of queue a for label=. It should be either 0 or 1.0': /"--with QUEUE:capacity=N"/,
      'root.b cannot be deleted from the capacity scheduler configuration, as the queue is not yet in stopped state. Current State : RUNNING':
        /"heddle queue set root\.b state=STOPPED"/,
      "Can't add existing queue root.b": /"heddle queue set root\.b KEY=VALUE"/,
    };
    for (const [refusal, remedy] of Object.entries(refusals)) {
      answers[`PUT ${conf}`] = { status: 400, text: `Failed to re-init queues : ${refusal}` };
      const { code, err } = await heddle('queue', 'add', 'a.x', 'capacity=60');
      assert.equal(code, 1);
      assert.match(err, remedy);
    }
  });

  it('are only looked at with --dry-run, and refusals lose the names of classes', async () => {
    answers[conf] = property({ a: '1' });
    answers[`POST ${conf}/validate`] = property({ a: '2' });
    answers['POST /api/v1/queues/what-if'] = { json: whatIf };
    const { out } = await heddle('queue', 'add', 'b', 'capacity=1', '--dry-run');
    assert.match(out, /~ a: 1 -> 2\n/);
    assert.match(out, /root\.b .*- -> 1%.*\n/);
    assert.match(out, /\nOne starts\.\n\nNothing was changed/);
    assert.deepEqual(bodies().at(-1), { 'add-queue': [{ 'queue-name': 'root.b', params: { entry: [{ key: 'capacity', value: '1' }] } }] });
    assert.equal(JSON.parse((await heddle('queue', 'add', 'b', 'capacity=1', '--dry-run', '--json')).out).whatIf.starting, 1);
    answers[`POST ${conf}/validate`] = {
      status: 400,
      text: 'CapacityScheduler configuration validation failed:java.io.IOException: too much',
    };
    const refused = await heddle('queue', 'remove', 'b', '--dry-run');
    assert.deepEqual([refused.code, refused.err], [1, 'heddle: too much\n']);
    for (const wrong of [['a'], ['a', 'capacity'], ['a', 'yarn.scheduler.capacity.root.a.capacity=1'], ['a', 'b=1', '--with', 'x']])
      assert.equal((await heddle('queue', 'set', ...wrong)).code, 2, wrong.join(' '));
    assert.match((await heddle('queue', 'set', 'a', 'capacity=1', 'capacity=2')).err, /^heddle: capacity is given twice\n/);
  });

  it('are looked at with --dry-run where a file has them, too', async () => {
    answers[conf] = { status: 400, text: 'CapacityScheduler is not an instance of MutableConfScheduler' };
    answers['POST /api/v1/queues/what-if'] = { json: whatIf };
    const queue = [{ queueName: 'b' }];
    answers[`${base}/scheduler`] = {
      json: { scheduler: { schedulerInfo: { type: 'capacityScheduler', queueName: 'root', queues: { queue } } } },
    };
    const { code, out } = await heddle('queue', 'set', 'b', 'capacity=1', '--dry-run');
    assert.deepEqual([code, bodies().length], [0, 1]);
    for (const wrong of [
      ['set', 'c', 'capacity=1'],
      ['set', 'b', 'capcity=1'],
      ['add', 'c.d', 'capacity=1'],
    ])
      assert.equal((await heddle('queue', ...wrong, '--dry-run')).code, 1, wrong.join(' '));
    assert.equal(bodies().length, 1);
    assert.match(out, /^- a = 1\n.*\nOne starts\.\n\nNothing was changed: .*come from a file/s);
    const { changed, differences: found } = JSON.parse((await heddle('queue', 'set', 'b', 'capacity=1', '--dry-run', '--json')).out);
    assert.deepEqual([changed, found], [false, [{ key: 'a', from: '1' }]]);
    assert.equal((await heddle('queue', 'set', 'b', 'capacity=1')).code, 1);
  });

  it('are added below queues that are there alone', async () => {
    answers[conf] = property({ 'yarn.scheduler.capacity.root.queues': 'a' });
    answers[`PUT ${conf}`] = { text: 'done' };
    for (const path of ['x.b', 'a.b.c'])
      assert.match(
        (await heddle('queue', 'add', path)).err,
        /^heddle: root\.\S+ cannot be added: there is no queue root\.\S*\n {2}"heddle queue list"/,
      );
    assert.deepEqual(sent(), []);
    assert.equal((await heddle('queue', 'add', 'x.b', '--with', 'x:capacity=0')).code, 0);
  });

  it('are not changed by values that cannot be read, whose keys are named', async () => {
    answers[conf] = property({ 'yarn.scheduler.capacity.root.queues': 'a,b' });
    for (const [value, said] of [
      ['capacity=abc', 'For input string: "abc"'],
      ['state=stoppd', 'No enum constant org.apache.hadoop.yarn.api.records.QueueState.STOPPD'],
    ] as const) {
      answers[`PUT ${conf}`] = { status: 400, text: `Failed to re-init queues : ${said}` };
      const [key, text] = value.split('=');
      assert.deepEqual(await heddle('queue', 'set', 'a', value, '--with', 'b:capacity=1'), {
        ...{ code: 1, out: '' },
        err: `heddle: yarn.scheduler.capacity.root.a.${key}: '${text}' is not understood\n  docs/reference/queue-options.md says what it takes.\n`,
      });
    }
  });

  it('of a file are compared with those of the cluster, and checked without one', async () => {
    const path = join(folder, 'capacity-scheduler.xml');
    writeFileSync(
      path,
      '<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>default</value></property></configuration>',
    );
    answers[conf] = property({ 'yarn.scheduler.capacity.root.queues': 'default' });
    assert.deepEqual(await heddle('queue', 'diff', path), { code: 0, out: 'They are the same.\n', err: '' });
    answers[conf] = property({ 'yarn.scheduler.capacity.root.queues': 'a' });
    const differing = await heddle('queue', 'diff', path);
    assert.deepEqual([differing.code, differing.out], [1, '~ yarn.scheduler.capacity.root.queues: a -> default\n']);
    for (const form of [[folder], ['--conf', folder]])
      assert.equal((await heddle('queue', 'diff', ...form)).out, differing.out, form.join(' '));
    answers[conf] = { status: 400, text: 'CapacityScheduler is not an instance of MutableConfScheduler' };
    const unknown = await heddle('queue', 'diff', path);
    assert.equal(unknown.code, 2, 'no difference, as 1 would say');
    assert.match(unknown.err, /does not keep its queues itself\n.*refresh-queues/);
    const checked = await heddle('queue', 'validate', path);
    assert.equal(checked.code, 1, 'the capacities of its queues do not sum up');
    assert.match(checked.err, /capacity-scheduler\.xml/);
    assert.equal((await heddle('queue', 'validate', join(folder, 'none'))).code, 2);
    assert.deepEqual(differences(new Map([['x', '1']]), new Map([['x', '1']])), []);
  });

  it('are named in remedies with their blanks, and not added under names that are none', async () => {
    answers[conf] = property({ 'yarn.scheduler.capacity.root.queues': 'default' });
    answers['PUT /ws/v1/cluster/scheduler-conf'] = { status: 400, text: "Can't add existing queue root.a b" };
    const known = await heddle('queue', 'add', 'a b', 'capacity=10');
    assert.match(known.err, /"heddle queue set 'root\.a b' KEY=VALUE" changes it/);
    answers['PUT /ws/v1/cluster/scheduler-conf'] = { status: 400, text: "Can't add existing queue root.a" };
    assert.match((await heddle('queue', 'add', 'a', 'capacity=10')).err, /"heddle queue set root\.a KEY=VALUE" changes it/);
    for (const name of [' a', 'a,b', 'root.', 'root..a']) {
      const { code, err } = await heddle('queue', 'add', name, 'capacity=10');
      assert.deepEqual([code, /is no path of a queue\n/.test(err)], [2, true], name);
    }
  });

  it('are shown one by one, by the end of their path where that is plain', async () => {
    const leaf = (queuePath: string) => ({
      queueName: 'a',
      queuePath,
      absoluteCapacity: 10,
      users: { user: [{ username: 'ada', numActiveApplications: 2 }] },
    });
    answers[`${base}/scheduler`] = {
      json: {
        scheduler: {
          schedulerInfo: { type: 'capacityScheduler', queueName: 'root', queues: { queue: [leaf('root.x.a'), leaf('root.y.a')] } },
        },
      },
    };
    assert.match((await heddle('queue', 'show', 'x.a')).out, /queue +root\.x\.a\n[\s\S]*guaranteed +10%[\s\S]*ada +2/);
    assert.match((await heddle('queue', 'show', 'a')).err, /several queues are called a\n.*root\.x\.a, root\.y\.a/);
    assert.equal((await heddle('queue', 'show', 'z')).code, 1);
  });
});

describe('reservations', () => {
  it('are asked for by what is wanted and until when', async () => {
    answers[`POST ${base}/reservation/new-reservation`] = { json: { 'reservation-id': 'r1' } };
    answers[`POST ${base}/reservation/submit`] = { text: '' };
    const wish = ['--from', '2030-01-01T00:00Z', '--until', '2030-01-01T02:00Z', '--kind', 'order'];
    const requests = ['--request', 'containers=4,memory=2g,duration=1h,concurrency=2', '--request', 'duration=30m'];
    assert.equal((await heddle('reservation', 'submit', 'plan', ...wish, ...requests)).out, 'r1\n');
    const { queue, 'reservation-definition': definition } = JSON.parse(sent().at(-1)?.body ?? '');
    assert.deepEqual([queue, definition.deadline - definition.arrival], ['plan', 7_200_000]);
    assert.deepEqual(definition['reservation-requests'], {
      'reservation-request-interpreter': 2,
      'reservation-request': [
        { capability: { memory: 2048, vCores: 1 }, 'min-concurrency': 2, 'num-containers': 4, duration: 3_600_000 },
        { capability: { memory: 1024, vCores: 1 }, 'min-concurrency': 1, 'num-containers': 1, duration: 1_800_000 },
      ],
    });
    assert.equal((await heddle('reservation', 'submit', 'plan', '--request', 'duration=1h', '--until', '2020-01-01')).code, 2);
    const past = await heddle('reservation', 'submit', 'plan', '--request', 'duration=1h', '--from', '2020-01-01', '--until', '2h');
    assert.deepEqual([past.code, /--from lies in the past/.test(past.err)], [2, true]);
    assert.throws(() => requestOf('duration=99999999999d'));
    for (const wrong of ['', 'duration=0', 'duration=1h,vcores=0', 'duration=1h,memory=x', 'duration=1h,size=3'])
      assert.throws(() => requestOf(wrong), wrong);
  });

  it('are listed, and ended', async () => {
    const definition = {
      arrival: '1000',
      deadline: '2000',
      'reservation-requests': { 'reservation-request': { duration: '60000', 'num-containers': '3' } },
    };
    answers[`${base}/reservation/list`] = {
      json: { reservations: { 'reservation-id': 'r1', user: 'ada', 'reservation-definition': definition } },
    };
    answers[`POST ${base}/reservation/delete`] = { json: {} };
    assert.match((await heddle('reservation', 'list', 'plan')).out, /r1 +- +ada .*any +3 × /);
    assert.equal((await heddle('reservation', 'delete', 'r1')).out, 'r1 was ended.\n');
    assert.deepEqual(bodies(), [{ 'reservation-id': 'r1' }]);
  });
});

describe('the secret of a cluster', () => {
  it('is not made by putting a new one in its place', async () => {
    const { code, err } = await heddle('secret', 'rotate', '--data', join(folder, 'none'));
    assert.equal(code, 1);
    assert.match(err, /^heddle: there is no secret in .*none\/secrets\/cluster\n {2}Name the data folder/);
    assert.equal(existsSync(join(folder, 'none')), false);
  });
});

describe('the whole', () => {
  const metrics = { activeNodes: 2, lostNodes: 1, allocatedMB: 1024, totalMB: 4096, appsRunning: 1, appsPending: 2 };

  it('says how the cluster is', async () => {
    answers[`${base}/info`] = { json: { clusterInfo: { state: 'STARTED', haState: 'ACTIVE', startedOn: 1 } } };
    answers[`${base}/metrics`] = { json: { clusterMetrics: metrics } };
    answers[`${base}/scheduler`] = { json: { scheduler: { schedulerInfo: { type: 'fifoScheduler' } } } };
    const { out } = await heddle('cluster', 'status');
    assert.match(out, /state +started, active\n/);
    assert.match(out, /nodes +2 active, 1 lost\nmemory +1 GiB of 4 GiB \(25%\)/);
    answers[`${base}/apps`] = { json: { apps: null } };
    assert.match((await heddle('top')).out, /1 run, 2 wait[\s\S]*No application runs or waits/);
  });

  it('says what the machines really use, and what is asked for on nodes with labels, too', async () => {
    answers[`${base}/info`] = { json: { clusterInfo: {} } };
    answers[`${base}/metrics`] = { json: { clusterMetrics: { ...metrics, containersPending: 0, utilizedMBPercent: 141 } } };
    answers[`${base}/scheduler`] = { json: { scheduler: { schedulerInfo: { type: 'capacityScheduler' } } } };
    const sample = { totalMemoryMiB: 8192, usedMemoryMiB: 2048, totalVcores: 8, usedVcores: 2, containers: 2, pendingContainers: 5 };
    const really = { machineMemoryMiB: 1474.56, machineCores: 0 };
    answers['/api/v1/usage'] = { json: { span: 'now', stepMs: 10_000, samples: [{ ...sample, ...really }] } };
    const { out } = await heddle('cluster', 'status');
    assert.match(
      out,
      /memory +2 GiB of 8 GiB \(25%\), the machines use 18%\nwith labels +4 GiB of it\nvcores +2 of 8 \(25%\)\ncontainers +2 run, 5 are waited for\n/,
    );
    answers[`${base}/apps`] = { json: { apps: null } };
    assert.match((await heddle('top')).out, /containers: 2 run, 5 are waited for/);
    answers['/api/v1/usage'] = undefined;
    assert.match((await heddle('cluster', 'status')).out, /memory +1 GiB of 4 GiB \(25%\)\nvcores/);
  });

  it('shows what uses most first, and no more than is wanted', () => {
    const applications = [1, 2, 3].map((number) => ({ id: `app${number}`, state: 'RUNNING', allocatedMB: number }));
    const lines = linesOf({ metrics, queues: [], applications } as unknown as Parameters<typeof linesOf>[0], 2);
    assert.deepEqual([lines.length, lines.at(-1)], [8, 'and 1 more']);
  });

  it('says where deliveries of a webhook that are named cannot be sent again', async () => {
    answers['POST /api/v1/webhooks/w/redeliver'] = { json: { redelivered: 1 } };
    assert.deepEqual(await heddle('webhook', 'redeliver', 'w', '7'), { code: 0, out: '1 event is sent again.\n', err: '' });
    assert.equal((await heddle('webhook', 'redeliver', 'w')).code, 0);
    const missing = await heddle('webhook', 'redeliver', 'w', '7', '8');
    assert.deepEqual([missing.code, missing.out], [1, '']);
    assert.match(missing.err, /1 of 2 deliveries are sent again: .*\n {2}"heddle webhook show w" lists/);
  });

  it('says in which groups users are', async () => {
    answers['/api/v1/users/ada/groups'] = { json: { user: 'ada', groups: ['crew', 'ops'] } };
    assert.deepEqual(await heddle('user', 'groups'), { code: 0, out: 'ada : crew ops\n', err: '' });
    answers['/api/v1/users/bob/groups'] = { json: { user: 'bob', groups: [] } };
    assert.match((await heddle('user', 'groups', 'bob')).err, /knows no groups of bob/);
    assert.deepEqual(JSON.parse((await heddle('user', 'groups', 'ada', '--json')).out), [{ user: 'ada', groups: ['crew', 'ops'] }]);
  });
});
