// Random JSON against what changes something: never a 5xx, nothing in the log, and after a refusal everything is as it was.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type AbusedCluster, startAbusedCluster } from './abused-cluster.ts';
import { send } from './raw-request.ts';
import { freshApplicationId } from './samples.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121);
const runs = Number(process.env['HEDDLE_TEST_RUNS'] ?? 40);

const awkward = fc.constantFrom<unknown>(
  ...[null, '', ' ', '0', '-1', 'NaN', 'Infinity', '1e999', '9223372036854775807', '99999999999999999999', true, false, 0, -1, 1.5],
  ...[
    1e300,
    -1e300,
    2 ** 31,
    2 ** 53,
    [],
    {},
    [[]],
    [null],
    '\u0000',
    '\ud800',
    '\u202e',
    '</x>',
    '&x;',
    ']]>',
    '__proto__',
    'constructor',
  ],
  ...['root', 'default', 'root.default', 'fast', '..', '/', '*', 'KILLED', 'LIFETIME', 'true'],
);
const leaf = fc.oneof(
  { weight: 3, arbitrary: awkward },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);

/** Objects with these names, each with a value of its own kind or anything else. */
const spoiled = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      Object.entries(members).map(([name, value]) => [name, fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: leaf })]),
    ),
    { requiredKeys: [] },
  );
const entries = (value: fc.Arbitrary<unknown>) => spoiled({ entry: fc.array(spoiled({ key: leaf, value }), { maxLength: 3 }) });
const resource = spoiled({
  memory: leaf,
  vCores: leaf,
  resourceInformations: spoiled({ resourceInformation: fc.array(leaf, { maxLength: 2 }) }),
});
const queueChange = spoiled({ 'queue-name': fc.constantFrom('root.default', 'root.a', 'root', 'default', ''), params: entries(leaf) });
const plain = (value: fc.Arbitrary<unknown>) => fc.dictionary(fc.constantFrom('a', '__proto__', 'constructor', ''), value, { maxKeys: 2 });

describe(`random bodies (HEDDLE_TEST_SEED=${seed})`, () => {
  let abused: AbusedCluster;
  before(async () => {
    abused = await startAbusedCluster();
  });
  after(() => abused[Symbol.asyncDispose]());

  const targets: Record<string, { method: string; path: (running: string) => string; timeline?: true; body: () => fc.Arbitrary<unknown> }> =
    {
      submission: {
        method: 'POST',
        path: () => '/ws/v1/cluster/apps',
        body: () =>
          spoiled({
            'application-name': leaf,
            'application-type': leaf,
            queue: leaf,
            priority: leaf,
            resource,
            'max-app-attempts': leaf,
            'application-tags': spoiled({ tag: fc.array(leaf, { maxLength: 3 }) }),
            'app-node-label-expression': leaf,
            'reservation-id': fc.constant(''),
            'log-aggregation-context': leaf,
            'am-container-spec': spoiled({
              commands: spoiled({ command: leaf }),
              environment: entries(leaf),
              'local-resources': entries(spoiled({ resource: leaf, size: leaf, type: leaf, visibility: leaf, timestamp: leaf })),
              'service-data': entries(leaf),
              'application-acls': entries(leaf),
              credentials: spoiled({ tokens: entries(leaf), secrets: entries(leaf) }),
            }),
          }).map((body) => ({ ...body, 'application-id': freshApplicationId(abused.running.id), 'unmanaged-AM': true })),
      },
      state: {
        method: 'PUT',
        path: (id) => `/ws/v1/cluster/apps/${id}/state`,
        body: () => spoiled({ state: leaf.filter((word) => word !== 'KILLED') }),
      },
      queue: { method: 'PUT', path: (id) => `/ws/v1/cluster/apps/${id}/queue`, body: () => spoiled({ queue: leaf }) },
      priority: { method: 'PUT', path: (id) => `/ws/v1/cluster/apps/${id}/priority`, body: () => spoiled({ priority: leaf }) },
      'queue configuration': {
        method: 'PUT',
        path: () => '/ws/v1/cluster/scheduler-conf',
        body: () =>
          spoiled({
            'add-queue': fc.array(queueChange, { maxLength: 2 }),
            'update-queue': fc.array(queueChange, { maxLength: 2 }),
            'remove-queue': fc.array(leaf, { maxLength: 2 }),
            'global-updates': entries(leaf),
          }),
      },
      labels: {
        method: 'POST',
        path: () => '/ws/v1/cluster/add-node-labels',
        body: () => spoiled({ nodeLabelInfo: fc.array(spoiled({ name: leaf, exclusivity: leaf }), { maxLength: 3 }) }),
      },
      'labels of nodes': {
        method: 'POST',
        path: () => '/ws/v1/cluster/replace-node-to-labels',
        body: () =>
          spoiled({ nodeToLabels: fc.array(spoiled({ nodeId: leaf, labels: fc.array(leaf, { maxLength: 2 }) }), { maxLength: 2 }) }),
      },
      entities: {
        method: 'POST',
        path: () => '/ws/v1/timeline',
        timeline: true,
        body: () =>
          spoiled({
            entities: fc.array(
              spoiled({
                entity: leaf,
                entitytype: leaf,
                starttime: leaf,
                domain: leaf,
                events: fc.array(spoiled({ timestamp: leaf, eventtype: leaf, eventinfo: plain(leaf) }), { maxLength: 2 }),
                relatedentities: plain(fc.array(leaf, { maxLength: 2 })),
                primaryfilters: plain(fc.array(leaf, { maxLength: 2 })),
                otherinfo: plain(leaf),
              }),
              { maxLength: 2 },
            ),
          }),
      },
      domain: {
        method: 'PUT',
        path: () => '/ws/v1/timeline/domain',
        timeline: true,
        body: () => spoiled({ id: leaf, owner: leaf, readers: leaf, writers: leaf, description: leaf, createdtime: leaf }),
      },
    };

  for (const [name, { method, path, timeline, body }] of Object.entries(targets)) {
    test(name, async () => {
      let last = await abused.picture();
      await fc.assert(
        fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: body() }, { weight: 1, arbitrary: fc.jsonValue() }), async (value) => {
          const answer = await send(timeline ? abused.timelinePort : abused.resourceManagerPort, {
            method,
            target: `${path(abused.running.id)}?user.name=root`,
            headers: { 'content-type': 'application/json', accept: 'application/json' },
            body: JSON.stringify(value),
          });
          assert.ok(answer.status >= 200 && answer.status < 500, `${answer.status} ${answer.text.slice(0, 300)}`);
          assert.deepEqual(abused.errors(), []);
          const now = await abused.picture();
          if (answer.status >= 400) assert.deepEqual(now, last, `${answer.status} ${answer.text}`);
          last = now;
        }),
        { seed, numRuns: runs, endOnFailure: true },
      );
    });
  }

  test('entities of any depth', async () => {
    for (const depth of [100, 3000, 100_000]) {
      const info = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      const body = `{"entities":[{"entity":"deep_${depth}","entitytype":"DEEP","starttime":1,"otherinfo":{"a":${info}}}]}`;
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const put = await send(abused.timelinePort, { method: 'POST', target: '/ws/v1/timeline?user.name=root', headers, body });
      assert.ok(put.status < 500, `${depth}: ${put.status} ${put.text.slice(0, 200)}`);
      const got = await send(abused.timelinePort, { method: 'GET', target: '/ws/v1/timeline/DEEP?user.name=root', headers });
      assert.equal(got.status, 200, got.text.slice(0, 200));
    }
    assert.deepEqual(abused.errors(), []);
  });
});
