import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import type { Application } from '../applications/application.ts';
import { ClusterState } from '../cluster/state.ts';
import type { Cluster } from '../cluster.ts';
import { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { anApplication, applicationIdOf, aSubmission } from '../test-support/builders.ts';
import { accessOf, queuePolicy, RememberedAudit } from '../test-support/commands.ts';
import type { ApplicationFilter } from './application-filter.ts';
import { type ApplicationSearch, findApplications, type ListParts } from './find-applications.ts';

const everything: ApplicationFilter = {
  states: undefined,
  users: undefined,
  types: undefined,
  tags: undefined,
  name: undefined,
  queues: undefined,
  startedFromMs: undefined,
  startedToMs: undefined,
  finishedFromMs: undefined,
  finishedToMs: undefined,
};

/** Applications in memory, and ended ones in the store; `inQueue` is what the scheduler has of every queue. */
async function placed(live: Iterable<Application>, ended: readonly Application[], inQueue: readonly string[] = []) {
  const store = new ResourceManagerStore(openDatabase(':memory:', { logger: silentLogger }));
  for (const application of ended) await store.putFinished(application, { json: `{"id":"${application.id}"}`, xml: '' }, true);
  const policy = queuePolicy();
  const state = new ClusterState();
  for (const application of live) state.addApplication(application);
  const parts: ListParts = {
    cluster: { view: state } as unknown as Cluster,
    policy: Object.assign(Object.create(policy), { applicationsOf: () => [...inQueue], isOf: (id: string) => inQueue.includes(id) }),
    access: accessOf(policy, new RememberedAudit()),
    store,
  };
  const search = (more: Partial<ApplicationSearch> & { filter?: ApplicationFilter } = {}) =>
    findApplications(parts, { filter: everything, user: 'ann', hidesInvisible: false, texts: 'none', ...more });
  const ids = (filter: Partial<ApplicationFilter>, more: Partial<ApplicationSearch> = {}): string[] =>
    [...search({ filter: { ...everything, ...filter }, ...more })].flatMap((one) => (one ? [one.application().id] : []));
  return { store, state, search, ids };
}

const alive = (sequence: number, more: Partial<Application> = {}, submission: Parameters<typeof aSubmission>[0] = {}): Application => {
  const id = applicationIdOf(sequence);
  return anApplication({ id, queue: 'root.open', submission: aSubmission({ applicationId: id, ...submission }), ...more });
};
const gone = (sequence: number, more: Partial<Application> = {}, submission: Parameters<typeof aSubmission>[0] = {}): Application =>
  alive(sequence, { state: 'FINISHED', finishedMs: 5, ...more }, submission);

describe('applications of a list', () => {
  it('pass the same filters whether they live or have ended, in any script and case', async () => {
    for (const submission of [{ type: 'ÄPPLE' }, { type: 'Spark', tags: ['Red', 'blue'] }, { name: 'nightly' }]) {
      const { ids, store } = await placed([alive(1, {}, submission), alive(2)], [gone(3, {}, submission), gone(4)]);
      const filter = {
        ...('type' in submission ? { types: new Set(['äpple', 'spark']) } : {}),
        ...('tags' in submission ? { tags: new Set(['red']) } : {}),
        ...('name' in submission ? { name: 'nightly' } : {}),
      };
      assert.deepEqual(ids(filter), [applicationIdOf(1), applicationIdOf(3)], JSON.stringify(submission));
      store.close();
    }
  });

  it('are of the users that are asked for', async () => {
    const { ids, store } = await placed([alive(1), alive(2, { user: 'bob' })], [gone(3, { user: 'bob' }), gone(4, { user: 'carl' })]);
    assert.deepEqual(ids({ users: new Set(['bob', 'carl']) }), [applicationIdOf(2), applicationIdOf(3), applicationIdOf(4)]);
    store.close();
  });

  it('are of the queues where the scheduler has them, and of those that they were submitted to', async () => {
    const live = [alive(1, { queue: 'root.open.below' }), alive(2), gone(3), alive(4, { queue: 'root.closed' })];
    const { ids, store } = await placed(live, [gone(5), gone(6, { queue: 'root.closed' })], [applicationIdOf(1)]);
    const inOpen = [1, 2, 3, 5].map(applicationIdOf);
    assert.deepEqual(ids({ queues: new Set(['root.open']) }), inOpen);
    assert.deepEqual(ids({ queues: new Set(['root.open', 'root.closed']) }).sort(), [...inOpen, ...[4, 6].map(applicationIdOf)].sort());
    store.close();
  });

  it('stand in it once, also one that ends while it is made', async () => {
    const live = [alive(1), alive(2)];
    const { search, store, state } = await placed(live, [gone(3)]);
    const found: string[] = [];
    for (const one of search()) {
      if (!one) continue;
      found.push(one.application().id);
      if (found.length !== 1) continue;
      await store.putFinished(gone(1), undefined, true);
      state.removeApplication(live[0]!);
    }
    assert.deepEqual(found, [applicationIdOf(1), applicationIdOf(2), applicationIdOf(3)]);
    store.close();
  });

  it('are named or left out where the caller may not view them', async () => {
    const live = [alive(1), alive(2, { user: 'bob' })];
    const { ids, search, store } = await placed(live, [gone(3), gone(4, { user: 'bob' })]);
    assert.deepEqual(ids({}, { hidesInvisible: true }), [applicationIdOf(1), applicationIdOf(3)]);
    assert.deepEqual(
      [...search()].flatMap((one) => (one ? [one.visible] : [])),
      [true, false, true, false],
    );
    for (const user of ['admin', 'bob']) assert.ok(ids({}, { hidesInvisible: true, user }).includes(applicationIdOf(4)), user);
    assert.deepEqual(ids({}, { hidesInvisible: true, user: undefined }), []);
    store.close();
  });

  it('bring the text that the store keeps where it is asked for', async () => {
    const { search, store } = await placed([alive(1)], [gone(2)]);
    const kept = (texts: 'json' | 'none') => [...search({ texts })].flatMap((one) => (one ? [one.keptText] : []));
    assert.deepEqual(kept('json'), [undefined, `{"id":"${applicationIdOf(2)}"}`]);
    assert.deepEqual(kept('none'), [undefined, undefined]);
    store.close();
  });

  it('bring none that is damaged: lists hold it as it is', async () => {
    const { search, store } = await placed([], []);
    const [json, xml] = [`{"id":"${applicationIdOf(1)}"}`, `<app><id>${applicationIdOf(1)}</id></app>`];
    const texts = [
      { json, xml },
      { json: '{"id":"a', xml: '<app><id>a' },
      { json: '', xml: '' },
      { json: `{"id":"${applicationIdOf(4)}""}`, xml: `<app><id>${applicationIdOf(4)}</id><</app>` },
      { json, xml },
    ];
    for (const [at, fragments] of texts.entries()) await store.putFinished(gone(at + 1), fragments, true);
    const kept = (format: 'json' | 'xml') => [...search({ texts: format })].flatMap((one) => (one ? [one.keptText] : []));
    for (const times of [1, 2]) {
      assert.deepEqual(kept('json'), [json, undefined, undefined, undefined, undefined], String(times));
      assert.deepEqual(kept('xml'), [xml, undefined, undefined, undefined, undefined], String(times));
    }
    store.close();
  });
});
