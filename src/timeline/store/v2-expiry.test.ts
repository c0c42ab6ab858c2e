// What retention of version 2 takes, and what it leaves.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import type { EntityV2, SystemWrite } from '../../wire/timeline/v2-entity.ts';
import { Collector } from '../v2/collector.ts';
import type { Retrieval, Selection } from '../v2/query.ts';
import { Reader } from '../v2/reader.ts';
import { dayMs, FlowStore } from './flow-store.ts';
import { timelineMigrations } from './migrations.ts';
import { startRetention } from './retention.ts';
import { V2Expiry } from './v2-expiry.ts';
import { V2Store } from './v2-store.ts';

const cluster = 'c';
const lingerMs = 10;
const startMs = 1_795_000_000_000;
const all: Selection = { limit: 1000 };
const bare: Retrieval = { fields: new Set(), metricsLimit: 1, metricsStartMs: 0, metricsEndMs: Number.MAX_SAFE_INTEGER };
const idOf = (sequence: number) => `application_1_${String(sequence).padStart(4, '0')}`;

function aTimeline() {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(timelineMigrations);
  const clock = new ManualClock(startMs);
  const flows = new FlowStore(database);
  const entities = new V2Store(database);
  const collector = new Collector({ database, flows, entities, cluster, clock, lingerMs });
  const reader = new Reader(flows, entities);
  const expiry = new V2Expiry(database);
  const told = (write: Partial<SystemWrite> & { applicationId: string }) => collector.system([{ entities: [], ...write }]);
  return {
    database,
    clock,
    collector,
    expiry,
    flows,
    begin: (sequence: number, flow: string, run: number) =>
      told({
        applicationId: idOf(sequence),
        context: { user: 'ann', flow, run, version: '1' },
        collector: 'start',
        entities: [
          { type: 'YARN_APPLICATION', id: idOf(sequence), createdtime: clock.now(), metrics: [{ id: 'm', values: { 1: sequence } }] },
        ],
      }),
    finish: (sequence: number) => told({ applicationId: idOf(sequence), collector: 'stop', finishedTimeMs: clock.now() }),
    /** Runs bites until one was not full; each in a change of its own. */
    async sweep(ttlMs: number, most: number): Promise<number> {
      let deleted = 0;
      for (;;) {
        let bite = { rows: 0, entities: 0 };
        await database.write(() => {
          bite = expiry.expire(clock.now() - ttlMs, most);
        });
        deleted += bite.entities;
        if (bite.rows < most) return deleted;
      }
    },
    rows: (table: string) => (database.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count,
    entitiesOf: (sequence: number, type = 'TASK') => {
      const context = flows.contextOf(cluster, idOf(sequence));
      if (!context) return undefined;
      return [...reader.entities({ context, full: false }, type, all, bare)].flatMap((found) => (found ? [found['id']] : []));
    },
    userEntities: () => [...reader.userEntities(cluster, 'bob', 'TASK', all, bare)].flatMap((found) => (found ? [found['id']] : [])),
    days: () =>
      [...flows.activity(cluster, { startDayMs: 0, endDayMs: Number.MAX_SAFE_INTEGER, limit: 1000 })].flatMap(
        ({ dayMs: day, flow, runs }) => runs.map(({ run }) => `${day} ${flow} ${run}`),
      ),
  };
}

const task = (id: string): EntityV2 => ({
  type: 'TASK',
  id,
  createdtime: 1,
  info: { a: 1, b: 'x' },
  configs: { c: 'd' },
  metrics: [{ id: 'm', type: 'TIME_SERIES', values: { 1: 1, 2: 2, 3: 3 } }],
  events: [{ id: 'E', timestamp: 1 }],
  relatesto: { u: ['1'] },
});
const partTables = ['v2_info', 'v2_configs', 'v2_metrics', 'v2_events', 'v2_relations'];

describe('retention of version 2', () => {
  it('takes an application with everything that was put for it, the time after it ended; the run with its last one', async () => {
    const timeline = aTimeline();
    const { clock, collector } = timeline;
    await timeline.begin(1, 'f', 7);
    await timeline.begin(2, 'f', 7);
    await collector.put(idOf(1), [task('t1'), task('t2')], 'bob');
    await collector.put(idOf(2), [task('t3')], undefined);
    clock.advance(1000);
    await timeline.finish(1);
    clock.advance(500 + lingerMs - 1);
    assert.deepEqual(timeline.userEntities(), ['t1', 't2']);
    // Those that were kept for the user were written to long ago.
    assert.equal(await timeline.sweep(500, 3), 2);
    assert.deepEqual(timeline.userEntities(), []);
    assert.deepEqual(timeline.entitiesOf(1), ['t1', 't2']);
    clock.advance(1);
    assert.equal(await timeline.sweep(500, 3), 3);
    assert.equal(timeline.entitiesOf(1), undefined);
    assert.deepEqual(timeline.entitiesOf(2), ['t3']);
    assert.ok(timeline.flows.run(cluster, 'ann', 'f', 7));
    await timeline.finish(2);
    clock.advance(500 + lingerMs);
    await timeline.sweep(500, 3);
    for (const table of ['v2_contexts', 'v2_runs', 'v2_run_metrics', 'v2_activity', 'v2_entities', ...partTables])
      assert.equal(timeline.rows(table), 0, table);
  });

  it('takes nothing of an application that runs, however old, nor the days of its run', async () => {
    const timeline = aTimeline();
    await timeline.begin(1, 'f', 7);
    await timeline.begin(2, 'f', 7);
    await timeline.collector.put(idOf(1), [task('t1')], undefined);
    await timeline.finish(2);
    timeline.clock.advance(100 * dayMs);
    assert.equal(await timeline.sweep(1, 100), 1);
    assert.deepEqual([timeline.entitiesOf(1), timeline.entitiesOf(2)], [['t1'], undefined]);
    assert.deepEqual(timeline.days(), [`${startMs - (startMs % dayMs)} f 7`]);
    await timeline.finish(1);
    timeline.clock.advance(lingerMs);
    // The days are over; the application itself ended just now.
    await timeline.sweep(2 * dayMs, 100);
    assert.deepEqual(timeline.days(), [`${startMs + 100 * dayMs - (startMs % dayMs)} f 7`]);
    assert.deepEqual(timeline.entitiesOf(1), ['t1']);
  });

  it('takes an application that began again after its end for one that runs', async () => {
    const timeline = aTimeline();
    await timeline.begin(1, 'f', 7);
    await timeline.finish(1);
    await timeline.begin(1, 'f', 7);
    timeline.clock.advance(dayMs);
    assert.equal(await timeline.sweep(1, 100), 0);
  });

  it('takes no more rows at once than asked for, also of one large entity, and others are answered meanwhile', async () => {
    const timeline = aTimeline();
    const { database, clock, expiry } = timeline;
    await timeline.begin(1, 'f', 7);
    await timeline.begin(2, 'f', 7);
    const series = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [at, at]));
    await timeline.collector.put(idOf(1), [{ ...task('large'), metrics: [{ id: 'm', type: 'TIME_SERIES', values: series }] }], undefined);
    await timeline.collector.put(idOf(2), [task('t')], undefined);
    await timeline.finish(1);
    clock.advance(dayMs);
    const bites: number[] = [];
    let rows: number;
    do {
      rows = 0;
      await database.write(() => {
        rows = expiry.expire(clock.now() - 1, 50).rows;
      });
      bites.push(rows);
      assert.deepEqual(timeline.entitiesOf(2), ['t']);
    } while (rows >= 50);
    assert.ok(bites.length > 20, `${bites.length} bites`);
    assert.ok(Math.max(...bites) <= 50, `${bites}`);
    // Those of the task and of the application that runs.
    assert.equal(timeline.rows('v2_metrics'), 4);
  });

  it('runs by the clock, beside that of version 1', async () => {
    const timeline = aTimeline();
    const { database, clock, expiry } = timeline;
    await timeline.begin(1, 'f', 7);
    await timeline.finish(1);
    const turn = async () => {
      await new Promise((done) => setImmediate(done));
      database.flush();
      await new Promise((done) => setImmediate(done));
    };
    const retention = startRetention({ database, entities: expiry, clock, logger: silentLogger, ttlMs: 1000, intervalMs: 500 });
    await turn();
    assert.deepEqual(timeline.entitiesOf(1), []);
    for (let step = 0; step < 3; step++) {
      clock.advance(500);
      await turn();
    }
    assert.equal(timeline.entitiesOf(1), undefined);
    await retention.close();
  });

  it('leaves, whatever happens in whatever order, all of what is young or runs, and nothing of what is old', async () => {
    const sequences = fc.integer({ min: 1, max: 4 });
    const steps = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('begin' as const), sequence: sequences, run: fc.integer({ min: 1, max: 2 }) }),
        fc.record({ kind: fc.constant('put' as const), sequence: sequences, id: fc.integer({ min: 1, max: 3 }), forUser: fc.boolean() }),
        fc.record({ kind: fc.constant('finish' as const), sequence: sequences }),
        fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 400 }) }),
        fc.record({ kind: fc.constant('bite' as const), most: fc.integer({ min: 1, max: 8 }) }),
        fc.record({ kind: fc.constant('sweep' as const), most: fc.integer({ min: 1, max: 20 }) }),
      ),
      { maxLength: 40 },
    );
    const ttlMs = 300;
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const timeline = aTimeline();
        const { clock, collector, database, expiry } = timeline;
        const applications = new Map<number, { endedMs: number | undefined; puts: Set<string> }>();
        const ofUser = new Map<string, number>();
        const isOld = (ms: number | undefined) => ms !== undefined && ms <= clock.now() - ttlMs;
        for (const step of all) {
          if (step.kind === 'wait') clock.advance(step.ms);
          else if (step.kind === 'begin') {
            if (isOld(applications.get(step.sequence)?.endedMs)) continue;
            await timeline.begin(step.sequence, 'f', step.run);
            applications.set(step.sequence, { puts: applications.get(step.sequence)?.puts ?? new Set(), endedMs: undefined });
          } else if (step.kind === 'put') {
            const application = applications.get(step.sequence);
            if (!application || application.endedMs !== undefined) continue;
            await collector.put(idOf(step.sequence), [task(`t${step.id}`)], step.forUser ? 'bob' : undefined);
            application.puts.add(`t${step.id}`);
            if (step.forUser) ofUser.set(`t${step.id}`, clock.now());
          } else if (step.kind === 'finish') {
            const application = applications.get(step.sequence);
            if (!application || application.endedMs !== undefined) continue;
            await timeline.finish(step.sequence);
            application.endedMs = clock.now() + lingerMs;
          } else if (step.kind === 'bite') await database.write(() => void expiry.expire(clock.now() - ttlMs, step.most));
          else {
            await timeline.sweep(ttlMs, step.most);
            for (const [sequence, { endedMs }] of applications) {
              if (!isOld(endedMs)) continue;
              assert.equal(timeline.flows.contextOf(cluster, idOf(sequence)), undefined);
              applications.delete(sequence);
            }
            for (const [id, ms] of ofUser) if (isOld(ms)) ofUser.delete(id);
            assert.deepEqual(timeline.userEntities().sort(), [...ofUser.keys()].sort());
          }
          for (const [sequence, { endedMs, puts }] of applications)
            if (!isOld(endedMs)) assert.deepEqual(timeline.entitiesOf(sequence)?.sort(), [...puts].sort());
          for (const [id, ms] of ofUser) if (!isOld(ms)) assert.ok(timeline.userEntities().includes(id));
          for (const table of partTables)
            assert.equal(timeline.rows(`${table} WHERE entity NOT IN (SELECT key FROM v2_entities)`), 0, `${table} of nobody`);
        }
        database.close();
      }),
      { numRuns: 150 },
    );
  });

  it('goes on with a store of an earlier version: what had ended is old, what runs is not', () => {
    const database = new DatabaseSync(':memory:');
    const upTo = (last: number) => {
      for (const { id, sql } of timelineMigrations) if (id <= last) database.exec(sql);
    };
    upTo(4);
    const context = database.prepare("INSERT INTO v2_contexts VALUES ('c', ?, 'a!*b', 'f!1', 7, '1', 1, ?, ?, ?)");
    context.run('application_1_0001', 1, 'open', 500);
    context.run('application_1_0002', 2, 'open', Number.MAX_SAFE_INTEGER);
    context.run('application_1_0003', 3, '', 0);
    context.run('application_1_0004', 4, '', 0);
    const entity = database.prepare("INSERT INTO v2_entities (key, scope, type, prefix, id) VALUES (?, ?, ?, '0', ?)");
    entity.run(1, 'c!a*!**b!f*!1!7', 'YARN_APPLICATION', 'application_1_0003');
    entity.run(2, 'c!a*!**b', 'T', 'of a user');
    entity.run(3, 'c!a*!**b!f*!1!7!application_1_0003', 'T', 'of an application');
    entity.run(4, 'c!a*!**b!f*!1!7', 'YARN_APPLICATION', 'application_1_0004');
    database.exec("INSERT INTO v2_metrics VALUES (1, 'm', 5, '2'), (1, 'm', 6, '3'), (4, 'm', 2, '4'), (3, 'm', 9, '100')");
    database.exec("INSERT INTO v2_events VALUES (1, 700, 'YARN_APPLICATION_FINISHED', '{}')");
    for (const { id, sql } of timelineMigrations) if (id > 4) database.exec(sql);
    const ended = database.prepare('SELECT ended_ms FROM v2_contexts ORDER BY sequence').all() as { ended_ms: number | null }[];
    assert.deepEqual(
      ended.map(({ ended_ms }) => ended_ms),
      [500, null, 700, null],
    );
    const sums = database.prepare('SELECT scope, name, timestamp_ms, value FROM v2_run_metrics').all();
    assert.deepEqual(
      sums.map((row) => Object.values(row)),
      [['c!a*!**b!f*!1!7', 'm', 6, 7]],
    );
    const written = database.prepare('SELECT id FROM v2_entities WHERE written_ms IS NOT NULL').all() as { id: string }[];
    assert.deepEqual(
      written.map(({ id }) => id),
      ['of a user'],
    );
    database.close();
  });
});
