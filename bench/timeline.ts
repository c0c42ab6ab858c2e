// How fast does the timeline take entities and answer each filter with a million of them, also while it takes 5,000 a second and old ones go?
// `HEDDLE_BENCH_ENTITIES` sets another number of entities.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '../src/lib/log.ts';
import { openStore } from '../src/storage/sqlite.ts';
import { type EntityPut, EntityStore } from '../src/timeline/store/entity-store.ts';
import { timelineStore } from '../src/timeline/store/store-kind.ts';
import { startProcesses } from '../test/support/processes.ts';
import { answered, type Measure, percentile, rate, residentMiB } from './measure.ts';

const stored = Number(process.env['HEDDLE_BENCH_ENTITIES'] ?? 1_000_000);
const type = 'BENCH_TASK';
const spacingMs = 10;
/** How many are older than the time to live when the server starts: retention works while others are measured. */
const oldShare = 0.2;

const entity = (number: number, startMs: number): EntityPut => ({
  entity: `task_${String(number).padStart(8, '0')}`,
  entitytype: type,
  domain: 'DEFAULT',
  starttime: startMs,
  primaryfilters: { owner: [`user_${number % 50}`] },
  otherinfo: { status: number % 3 === 0 ? 'DONE' : 'RUNNING', worker: `worker_${number % 10_000}`, ticket: `ticket_${number}` },
  events: [
    { timestamp: startMs, eventtype: 'STARTED', eventinfo: { host: `host_${number % 500}` } },
    { timestamp: startMs + 5, eventtype: 'ENDED', eventinfo: {} },
  ],
});

/** Fills a store with entities of the last hours, those inserted when they started. */
async function fill(dataDir: string, firstMs: number): Promise<void> {
  const database = openStore(join(dataDir, 'timeline', 'timeline.sqlite'), timelineStore, { logger: silentLogger });
  const entities = new EntityStore(database);
  for (let begin = 0; begin < stored; begin += 2000) {
    const startMs = (number: number) => firstMs + number * spacingMs;
    await database.write(() => {
      for (let number = begin; number < Math.min(stored, begin + 2000); number++)
        entities.put([entity(number, startMs(number))], startMs(number));
    });
  }
  database.close();
}

/** The 50th and 99th percentile of a request's milliseconds, one at a time, and the longest. */
async function times(url: () => string, count: number): Promise<{ p50: number; p99: number; longest: number }> {
  const samples: number[] = [];
  for (let i = 0; i < count; i++) {
    const begin = performance.now();
    await answered('GET', url());
    samples.push(performance.now() - begin);
  }
  return { p50: percentile(samples, 0.5), p99: percentile(samples, 0.99), longest: Math.max(...samples) };
}

export async function timeline(): Promise<Measure[]> {
  const firstMs = Date.now() - stored * spacingMs;
  const youngMs = firstMs + oldShare * stored * spacingMs;
  await using cluster = await startProcesses({
    mode: 'none',
    settings: {
      'yarn.timeline-service.ttl-ms': `${Date.now() - youngMs}`,
      'yarn.timeline-service.leveldb-timeline-store.ttl-interval-ms': '1000',
    },
  });
  await fill(cluster.dataDir, firstMs);
  await cluster.start('timeline');
  const base = `${cluster.urls.timeline}/ws/v1/timeline`;
  const at = (share: number) => Math.round(firstMs + share * stored * spacingMs);
  const some = () => Math.floor(stored * (0.4 + 0.5 * Math.random()));
  const queries: Record<string, () => string> = {
    newest: () => `${base}/${type}?limit=20`,
    'one entity': () => `${base}/${type}/${entity(some(), 0).entity}`,
    primaryFilter: () => `${base}/${type}?limit=20&primaryFilter=owner:user_${some() % 50}`,
    'secondaryFilter, common': () => `${base}/${type}?limit=20&secondaryFilter=status:DONE`,
    'secondaryFilter, rare': () => `${base}/${type}?limit=20&secondaryFilter=ticket:ticket_${some()}`,
    'secondaryFilter, none': () => `${base}/${type}?limit=20&secondaryFilter=ticket:nothing`,
    'both filters': () => `${base}/${type}?limit=20&primaryFilter=owner:user_7&secondaryFilter=worker:worker_${some() % 10_000}`,
    'fromTs, recent': () => `${base}/${type}?limit=20&fromTs=${at(0.95)}`,
    'fromTs, old': () => `${base}/${type}?limit=20&fromTs=${at(0.45)}`,
    windowStart: () => `${base}/${type}?limit=20&windowStart=${at(0.99)}`,
    'windowStart and windowEnd': () => `${base}/${type}?limit=20&windowStart=${at(0.5)}&windowEnd=${at(0.6)}`,
    fromId: () => `${base}/${type}?limit=20&fromId=${entity(some(), 0).entity}`,
    events: () => `${base}/${type}/events?entityId=${entity(some(), 0).entity},${entity(some(), 0).entity}`,
  };
  const measures: Measure[] = [];
  const put = (name: string) => {
    let next = stored;
    return (count: number) =>
      answered('POST', `${base}?user.name=${name}`, {
        entities: Array.from({ length: count }, () => entity(next++, Date.now())),
      });
  };
  const putMany = put('ann');
  let isPutting = true;
  let late = 0;
  let lateAtStart = 0;
  const putting = (async () => {
    const begin = performance.now();
    for (let batch = 1; isPutting; batch++) {
      await putMany(100);
      const wait = begin + batch * 20 - performance.now();
      if (wait > 0) await sleep(wait);
      else late = Math.max(late, -wait);
    }
  })();
  // A server that has just started reads its pages for the first time and runs code that is not compiled yet: told by itself.
  const kinds = Object.values(queries);
  let asked = 0;
  const { p99: startP99 } = await times(() => kinds[asked++ % kinds.length]!(), 300);
  measures.push({ name: 'all kinds, the first 300 after the start, p99 under load', value: startP99, unit: 'ms' });
  [lateAtStart, late] = [late, 0];
  for (const [name, url] of Object.entries(queries)) {
    const { p50, p99 } = await times(url, 300);
    measures.push({ name: `${name}, p50 under load`, value: p50, unit: 'ms' }, { name: `${name}, p99 under load`, value: p99, unit: 'ms' });
  }
  isPutting = false;
  await putting;
  measures.push({ name: 'puts of 5,000/s: most behind', value: late, unit: 'ms' });
  measures.push({ name: 'puts of 5,000/s: most behind while the first 300 were asked', value: lateAtStart, unit: 'ms' });
  const large = answered('GET', `${base}/${type}?limit=1000000`);
  const about = await times(() => base, 300);
  measures.push({ name: 'about while a million is listed, p99', value: about.p99, unit: 'ms' });
  measures.push({ name: 'a list of a million', value: (await large).bytes / 1e6, unit: 'MB' });
  for (const [name, url] of Object.entries(queries))
    measures.push({ name: `${name}, p99`, value: (await times(url, 300)).p99, unit: 'ms' });
  measures.push({ name: 'puts in batches of 100', value: 100 * (await rate(8, 10_000, () => putMany(100))).perSecond, unit: '/s' });
  measures.push({ name: 'single puts', value: (await rate(16, 10_000, () => putMany(1))).perSecond, unit: '/s' });
  measures.push({ name: 'resident', value: residentMiB(cluster.pids.get('timeline') ?? 0), unit: 'MiB' });
  return measures;
}
