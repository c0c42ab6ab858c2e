// The store of the resource manager on a real database: what is kept, what is forgotten, what lists select.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import type { Application } from '../applications/application.ts';
import { aContainer, anApplication, anAttempt, applicationIdOf, aSubmission, timestampMs } from '../test-support/builders.ts';
import { applicationFromText, applicationToText } from './application-document.ts';
import type { FinishedFilter } from './finished-rows.ts';
import { migrations } from './migrations.ts';
import { ResourceManagerStore } from './resource-manager-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-rm-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const aFile = (): string => join(folder, `${++files}.sqlite`);
const open = (file = ':memory:') => new ResourceManagerStore(openDatabase(file, { logger: silentLogger }));

/** A copy without members that are undefined, Maps and Sets as they are. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null || value instanceof Map || value instanceof Set) return value;
  const known = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(known.map(([name, member]) => [name, withoutUndefined(member)]));
}

const ended = (sequence: number, more: Partial<Application> = {}): Application =>
  anApplication({
    id: applicationIdOf(sequence),
    state: 'FINISHED',
    finishedMs: timestampMs + sequence,
    attempts: [anAttempt({ finalStatus: 'SUCCEEDED', state: 'FINISHED' })],
    ...more,
  });

describe('the text of an application', () => {
  const live = anApplication({
    attempts: [anAttempt({ blacklistedNodes: new Set(['n1', 'n2']), containers: new Map([['c', aContainer()]]) })],
    logAggregation: new Map([['n1:1', { status: 'RUNNING', diagnostics: 'd' }]]),
  });

  it('gives everything back but containers, which nodes tell of', () => {
    const again = applicationFromText(applicationToText(live, false));
    // Members that are undefined are absent in a text; nothing else is lost.
    const wanted = { ...live, attempts: [{ ...live.attempts[0], containers: new Map() }] };
    assert.deepEqual(again, withoutUndefined(wanted));
  });

  it('of a version that counted the sessions of named registrations alone counts on from there', () => {
    const former = applicationToText(anApplication({ attempts: [anAttempt({ sessions: 3 })] }), false).replace(
      '"sessions"',
      '"namedSessions"',
    );
    const [attempt] = applicationFromText(former).attempts;
    assert.equal(attempt?.sessions, 3);
    assert.ok(!('namedSessions' in attempt));
  });

  it('of a version that did not count containers that ended says that they are not known', () => {
    const former = applicationToText(anApplication({ endedContainers: undefined }), true);
    assert.equal(applicationFromText(former).endedContainers, undefined);
    const counts = { succeeded: 3, failed: 2, stopped: 1 };
    assert.deepEqual(applicationFromText(applicationToText(anApplication({ endedContainers: counts }), true)).endedContainers, counts);
  });

  it('of an ended one has no secrets, commands or variables', () => {
    const text = applicationToText(live, true);
    for (const word of ['s3cret', 't0ken', 'PLAIN', '"true"']) assert.ok(!text.includes(word), word);
    const again = applicationFromText(text);
    assert.deepEqual([again.submission.launch.commands, again.attempts[0]?.token, again.submission.name], [[], '', 'job']);
  });
});

describe('containers of masters', () => {
  it('are kept with the answer that told their end, over restarts, until that was heard', async () => {
    const file = aFile();
    const store = open(file);
    const [one, two] = [aContainer(), aContainer({ id: `${aContainer().id.slice(0, -1)}9` })];
    const application = anApplication({ id: one.applicationId });
    await store.putLive(application);
    for (const container of [one, two]) await store.putContainer(container);
    await store.putEndsTold(application, [one.id, 'of nobody'], { attemptId: 'a', answer: 2 ** 40 + 1 });
    store.close();
    const again = open(file);
    const told = () => again.containers().map(({ container, endTold }) => [container.id, endTold]);
    assert.deepEqual(told(), [
      [one.id, { attemptId: 'a', answer: 2 ** 40 + 1 }],
      [two.id, undefined],
    ]);
    await again.dropContainers(one.applicationId, application, [one.id]);
    assert.deepEqual(told(), [[two.id, undefined]]);
    again.close();
  });
});

describe('what the ended containers of an application add up to', () => {
  it('is kept with the ends that are told or heard, and says of which containers it knows', async () => {
    const file = aFile();
    const store = open(file);
    const [one, two] = [aContainer(), aContainer({ id: `${aContainer().id.slice(0, -1)}9` })];
    const application = anApplication({ id: one.applicationId, version: 3 });
    await store.putLive(application);
    for (const container of [one, two]) await store.putContainer(container);
    const end = (id: string): void => {
      application.endedContainers!.failed++;
      application.version++;
      application.uncountedEnds.add(id);
    };
    const sums = (from: ReturnType<typeof open>) => [
      from.liveApplications()[0]?.endedContainers?.failed,
      from.containers().map(({ container }) => container.counted),
    ];
    end(one.id);
    await store.putEndsTold(application, [], { attemptId: 'a', answer: 1 });
    assert.deepEqual([sums(store), application.uncountedEnds.size], [[1, [true, false]], 0]);
    end(two.id);
    await store.dropContainers(application.id, application, [one.id]);
    assert.deepEqual(sums(store), [2, [true]]);
    // A later form of the application has them, too.
    application.endedContainers!.failed++;
    application.version++;
    await store.putLive(application);
    assert.deepEqual(sums(store), [3, [true]]);
    store.close();
    const again = open(file);
    assert.deepEqual(sums(again), [3, [true]]);
    again.close();
  });
});

describe('live and ended applications', () => {
  it('survive another process, each in one form', async () => {
    const file = aFile();
    const store = open(file);
    await store.putLive(anApplication({ id: applicationIdOf(1) }));
    await store.putLive(anApplication({ id: applicationIdOf(2), user: 'bob' }));
    await store.addNotes(applicationIdOf(1), store.numberNotes(['one', 'two']));
    await store.putFinished(ended(1), { json: '{}', xml: '<app/>' }, true);
    store.close();
    const again = open(file);
    assert.deepEqual(
      again.liveApplications().map(({ id, user }) => [id, user]),
      [[applicationIdOf(2), 'bob']],
    );
    assert.deepEqual(
      [again.finished(applicationIdOf(1))?.id, again.finished(applicationIdOf(2)), again.notesOf(applicationIdOf(1))],
      [applicationIdOf(1), undefined, []],
    );
    again.close();
  });

  it('do not come back to life: what is kept late of an ended one changes nothing', async () => {
    const store = open();
    await store.putLive(anApplication({ id: applicationIdOf(1) }));
    await store.putFinished(ended(1), undefined, true);
    await store.putLive(anApplication({ id: applicationIdOf(1) }));
    await store.putContainer(aContainer({ applicationId: applicationIdOf(1) }));
    await store.addNotes(applicationIdOf(1), store.numberNotes(['late']));
    assert.deepEqual([store.liveApplications(), store.containers(), store.notesOf(applicationIdOf(1))], [[], [], []]);
  });

  it('take a later change of the end, and keep their place in the order of ending', async () => {
    const store = open();
    await store.putFinished(ended(1), undefined, true);
    await store.putFinished(ended(2), undefined, true);
    const json = `{"id":"${applicationIdOf(1)}"}`;
    await store.putFinished(ended(1, { state: 'KILLED' }), { json, xml: 'x' }, true);
    assert.deepEqual(
      store.finishedSlice({}, 0, 9, 'json').map(({ id, state, text }) => [id, state, text]),
      [
        [applicationIdOf(1), 'KILLED', json],
        [applicationIdOf(2), 'FINISHED', null],
      ],
    );
    assert.equal(store.finishedCount(), 2);
  });

  it('remember notes of masters in the order in which they came', async () => {
    const store = open();
    for (const id of ['a', 'b']) await store.putLive(anApplication({ id }));
    const first = store.numberNotes(['1', '2']);
    const add = (application: string, ...notes: string[]) => store.addNotes(application, store.numberNotes(notes));
    await Promise.all([store.addNotes('a', first), add('b', 'x'), add('a', '3')]);
    // It was written and said to have failed.
    await store.addNotes('a', first);
    assert.deepEqual([store.notesOf('a'), store.notesOf('b'), store.notesOf('c')], [['1', '2', '3'], ['x'], []]);
  });
});

describe('lists of ended applications', () => {
  const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122);

  it(`select what a plain filter selects, slice by slice, in the order of ending (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const pick = <Item>(items: readonly Item[]): Item => items[random.int(items.length)] as Item;
    const store = open();
    const all: Application[] = [];
    for (let sequence = 1; sequence <= 60; sequence++) {
      const id = applicationIdOf(sequence);
      const application = ended(sequence, {
        user: pick(['ann', 'bob', 'carl']),
        queue: pick(['root.a', 'root.b']),
        state: pick(['FINISHED', 'FAILED', 'KILLED'] as const),
        startedMs: timestampMs + random.int(50),
        finishedMs: timestampMs + random.int(100),
        submission: aSubmission({ applicationId: id, type: pick(['SPARK', 'Tez']), name: pick(['x', 'y']) }),
      });
      all.push(application);
      await store.putFinished(application, undefined, true);
    }
    const some = <Value>(value: () => Value): Value | undefined => (random.int(3) === 0 ? value() : undefined);
    for (let query = 0; query < 200; query++) {
      const filter: FinishedFilter = {
        ...(some(() => 1) && { states: [pick(['FINISHED', 'FAILED', 'KILLED'])] }),
        ...(some(() => 1) && { users: random.int(4) === 0 ? [] : [pick(['ann', 'bob']), 'nobody'] }),
        ...(some(() => 1) && { types: [pick(['spark', 'tez', 'other'])] }),
        ...(some(() => 1) && { queues: pick([['root.a'], ['root.b'], ['root.a', 'root.b']]) }),
        ...(some(() => 1) && { name: pick(['x', 'z']) }),
        ...(some(() => 1) && { startedFromMs: timestampMs + random.int(50) }),
        ...(some(() => 1) && { startedToMs: timestampMs + random.int(50) }),
        ...(some(() => 1) && { finishedFromMs: timestampMs + random.int(100) }),
        ...(some(() => 1) && { finishedToMs: timestampMs + random.int(100) }),
      };
      const wanted = all
        .filter(({ state }) => !filter.states || filter.states.includes(state))
        .filter(({ user }) => !filter.users || filter.users.includes(user))
        .filter(({ submission }) => !filter.types || filter.types.includes(submission.type.toLowerCase()))
        .filter(({ queue }) => !filter.queues || filter.queues.includes(queue))
        .filter(({ submission }) => filter.name === undefined || filter.name === submission.name)
        .filter(({ startedMs }) => startedMs >= (filter.startedFromMs ?? 0) && startedMs <= (filter.startedToMs ?? Number.MAX_SAFE_INTEGER))
        .filter(
          ({ finishedMs }) => finishedMs >= (filter.finishedFromMs ?? 0) && finishedMs <= (filter.finishedToMs ?? Number.MAX_SAFE_INTEGER),
        )
        .map(({ id }) => id);
      const found: string[] = [];
      for (let after = 0; ; ) {
        const slice = store.finishedSlice(filter, after, 1 + random.int(9));
        if (slice.length === 0) break;
        found.push(...slice.map(({ id }) => id));
        after = slice.at(-1)?.number ?? 0;
      }
      assert.deepEqual(found, wanted, JSON.stringify(filter));
    }
    store.close();
  });

  it('give the newest, counts by state and type, and the whole of a brief row', async () => {
    const store = open();
    for (let sequence = 1; sequence <= 5; sequence++)
      await store.putFinished(ended(sequence, sequence === 3 ? { state: 'FAILED' } : {}), undefined, true);
    assert.deepEqual(
      store.newestFinished(undefined, 2).map(({ id }) => id),
      [applicationIdOf(5), applicationIdOf(4)],
    );
    assert.deepEqual(
      store.newestFinished(['FAILED'], 2).map(({ id }) => id),
      [applicationIdOf(3)],
    );
    assert.deepEqual(
      store.finishedStatistics().map((row) => ({ ...row })),
      [
        { state: 'FAILED', type: 'YARN', count: 1 },
        { state: 'FINISHED', type: 'YARN', count: 4 },
      ],
    );
    const [brief] = store.finishedSlice({}, 0, 1);
    assert.equal(brief && store.applicationOfBrief(brief).id, applicationIdOf(1));
    // Removed since it was read.
    assert.equal(brief && store.applicationOfBrief({ ...brief, id: 'gone' }).id, 'gone');
  });

  it('are trimmed by age and by number, the oldest end first', async () => {
    const store = open();
    for (let sequence = 1; sequence <= 10; sequence++) await store.putFinished(ended(sequence), undefined, true);
    await store.trimFinished(timestampMs + 3, 100);
    const left = () => store.finishedSlice({}, 0, 99).map(({ id }) => Number(id.slice(-4)));
    assert.deepEqual(left(), [3, 4, 5, 6, 7, 8, 9, 10]);
    await store.trimFinished(0, 3);
    assert.deepEqual(left(), [8, 9, 10]);
  });
});

describe('the choices of lists of ended applications', () => {
  const told = (store: ReturnType<typeof open>) =>
    store.finishedFacets().map((row) => `${row.user} ${row.queue} ${row.type} ${row.state} ${row.final_status} ${row.count}`);

  it('are counted with each end, once, and no more when it is forgotten', async () => {
    const store = open();
    await store.putFinished(ended(1), undefined, true);
    await store.putFinished(ended(1), undefined, true);
    await store.putFinished(ended(2, { queue: 'root.b' }), undefined, true);
    await store.putFinished(ended(3), undefined, true);
    assert.deepEqual(told(store), ['ann root.b YARN FINISHED SUCCEEDED 1', 'ann root.default YARN FINISHED SUCCEEDED 2']);
    // What became known since.
    await store.putFinished(ended(3, { state: 'KILLED' }), undefined, true);
    const killed = 'ann root.default YARN KILLED SUCCEEDED 1';
    assert.deepEqual(told(store), ['ann root.b YARN FINISHED SUCCEEDED 1', 'ann root.default YARN FINISHED SUCCEEDED 1', killed]);
    await store.trimFinished(0, 1);
    assert.deepEqual(told(store), [killed]);
  });

  it('are there of a store of the version before', () => {
    const database = openDatabase(':memory:', { logger: silentLogger });
    database.migrate(migrations.filter(({ id }) => id < 13));
    const put = database.prepare(
      `INSERT INTO finished_applications (id, user, name, queue, type, tags, state, final_status, started_ms, finished_ms, priority, document)
       VALUES (?, ?, 'n', 'root.a', 'YARN', '', 'FINISHED', 'SUCCEEDED', 1, 2, 0, '{}')`,
    );
    for (const [id, user] of [
      ['a', 'ann'],
      ['b', 'ann'],
      ['c', 'bob'],
    ] as const)
      put.run(id, user);
    assert.deepEqual(told(new ResourceManagerStore(database)), [
      'ann root.a YARN FINISHED SUCCEEDED 2',
      'bob root.a YARN FINISHED SUCCEEDED 1',
    ]);
  });
});

describe('ends of applications', () => {
  it('are unsettled until others were told, over restarts, and stay settled when they are written again', async () => {
    const file = aFile();
    const store = open(file);
    await store.putFinished(ended(1), undefined, false);
    await store.putFinished(ended(2), undefined, false);
    await store.putFinished(ended(2), undefined, true);
    await store.putFinished(ended(2), undefined, false);
    store.close();
    const again = open(file);
    const unsettled = () => again.unsettledApplications().map(({ id }) => id);
    assert.deepEqual(unsettled(), [applicationIdOf(1)]);
    // Retention leaves what others do not know yet.
    await again.trimFinished(Number.MAX_SAFE_INTEGER, 1);
    assert.deepEqual([again.finishedCount(), unsettled()], [1, [applicationIdOf(1)]]);
    await again.putFinished(ended(1), undefined, true);
    assert.deepEqual(unsettled(), []);
    again.close();
  });

  it('are counted once, where they were submitted and where they ended, and stay counted when they are forgotten', async () => {
    const file = aFile();
    const store = open(file);
    await store.putFinished(ended(1), undefined, false);
    await store.putFinished(ended(1), undefined, true);
    await store.putFinished(ended(2, { state: 'KILLED', queue: 'root.b', submittedQueue: 'root.a' }), undefined, true);
    // Never admitted.
    await store.putFinished(ended(3, { state: 'FAILED', submittedQueue: '' }), undefined, true);
    await store.trimFinished(Number.MAX_SAFE_INTEGER, 0);
    store.close();
    const again = open(file);
    assert.deepEqual(
      again.applicationTotals().map(({ queue, kind, count }) => `${queue} ${kind} ${count}`),
      ['root.a SUBMITTED 1', 'root.b KILLED 1', 'root.default FINISHED 1', 'root.default SUBMITTED 1'],
    );
    again.close();
  });

  it('of a store of the version before are settled and counted as far as they are kept', () => {
    const database = openDatabase(':memory:', { logger: silentLogger });
    database.migrate(migrations.slice(0, 4));
    const put = database.prepare(
      `INSERT INTO finished_applications (id, user, name, queue, type, tags, state, final_status, started_ms, finished_ms, priority, document)
       VALUES (?, 'ann', '', ?, '', '', ?, '', 1, 2, 0, ?)`,
    );
    put.run('a', 'root.a', 'FINISHED', '{"admitted":true}');
    put.run('b', 'root.a', 'FAILED', '{"admitted":true}');
    put.run('c', 'root.b', 'FAILED', '{"admitted":false}');
    const store = new ResourceManagerStore(database);
    assert.deepEqual(
      store.applicationTotals().map(({ queue, kind, count }) => `${queue} ${kind} ${count}`),
      ['root.a FAILED 1', 'root.a FINISHED 1', 'root.a SUBMITTED 2'],
    );
    assert.deepEqual(store.unsettledApplications(), []);
    store.close();
  });
});

describe('records of other parts', () => {
  it('are kept by kind and key, replaced and dropped', async () => {
    const file = aFile();
    const store = open(file);
    await Promise.all([store.putRecord('label', 'b', '2'), store.putRecord('label', 'a', '1'), store.putRecord('token', 'a', 'x')]);
    await store.putRecord('label', 'b', '3');
    await store.dropRecord('token', 'a');
    await store.setMeta('epoch', '7');
    await store.setMeta('epoch', '8');
    store.close();
    const again = open(file);
    assert.deepEqual(
      [...again.records('label')],
      [
        ['a', '1'],
        ['b', '3'],
      ],
    );
    assert.deepEqual([again.records('token').size, again.meta('epoch'), again.meta('absent')], [0, '8', undefined]);
    again.close();
  });
});
