// Requests that name many things, each once: work grows with their number, also where each of them looks at what the others did.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../src/lib/log.ts';
import { readConstraint } from '../../src/model/placement-constraint.ts';
import { readManifest } from '../../src/node-manager/auxiliary/manifest.ts';
import { mapAttributes } from '../../src/resource-manager/commands/labels.ts';
import { LabelManager } from '../../src/resource-manager/labels/label-manager.ts';
import { applyChange } from '../../src/scheduler/capacity/settings/mutation.ts';
import { openDatabase } from '../../src/storage/sqlite.ts';
import { EntityStore } from '../../src/timeline/store/entity-store.ts';
import { timelineMigrations } from '../../src/timeline/store/migrations.ts';
import { relationHolds } from '../../src/timeline/v2/filters.ts';
import { growthFault } from '../support/growth.ts';

/** Names of about so many characters together, all of them different. */
function namesOf(length: number): string {
  const names: string[] = [];
  for (let written = 0; written < length; written += names.at(-1)!.length + 1) names.push(`n${names.length}`);
  return names.join(',');
}

const noChange = { remove: [], add: [], update: [], global: [] };
const queuesOf = (names: readonly string[]) => new Map([['yarn.scheduler.capacity.root.queues', names.join(',')]]);

const store = { records: () => new Map<string, string>(), putRecord: async () => undefined, dropRecord: async () => undefined };
const labels = () =>
  new LabelManager({
    enabled: true,
    store,
    queueUsing: () => undefined,
    partitionsChanged: () => undefined,
    nodesChanged: () => undefined,
  });

const attributePorts = {
  attributes: { map: async () => undefined },
  nodes: { unknown: () => [] },
  access: { administrator: () => undefined },
  audit: { changed: () => undefined, refused: () => undefined },
} as unknown as Parameters<typeof mapAttributes>[0];

function entities(puts: (store: EntityStore, database: ReturnType<typeof openDatabase>) => void): void {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(timelineMigrations);
  puts(new EntityStore(database), database);
  database.close();
}
const anEntity = { entity: 'e', entitytype: 't', domain: 'd', starttime: 1 };

const tried: Readonly<Record<string, (names: readonly string[]) => unknown>> = {
  'queues that come below one': (names) =>
    applyChange(new Map(), { ...noChange, add: names.map((name) => ({ queue: `root.${name}`, parameters: [['capacity', '1']] })) }),
  'queues that go': (names) => applyChange(queuesOf(names), { ...noChange, remove: names.map((name) => `root.${name}`) }),
  'hosts with labels': (names) => labels().replace(new Map(names.map((name) => [`${name}:0`, []]))),
  'attributes of one host': (names) =>
    mapAttributes(
      attributePorts,
      {} as never,
      'add',
      names.map((name) => ({ host: 'h', attributes: [{ name, value: 'v' }] })),
    ),
  'auxiliary services': (names) => readManifest({ services: names.map((name) => ({ name })) }),
  'relations of an entity': (names) => relationHolds({ present: true, item: { type: 't', ids: names } } as never, names),
  'other info that changes': (names) =>
    entities((store) => {
      for (const value of [1, 2])
        store.put([{ ...anEntity, primaryfilters: { f: [1] }, otherinfo: Object.fromEntries(names.map((name) => [name, value])) }], 1);
    }),
  'puts of one entity, each with a filter and other info of its own': (names) =>
    entities((store) =>
      store.put(
        names.map((name) => ({ ...anEntity, primaryfilters: { f: [name] }, otherinfo: { last: name } })),
        1,
      ),
    ),
  'primary filters of one entity': (names) => entities((store) => store.put([{ ...anEntity, primaryfilters: { f: [...names] } }], 1)),
};

/** What a database does takes longer: fewer are enough. */
const stored: ReadonlySet<string> = new Set([
  'other info that changes',
  'puts of one entity, each with a filter and other info of its own',
  'primary filters of one entity',
]);

describe('work grows with the number', () => {
  for (const [what, work] of Object.entries(tried))
    it(`of ${what}`, () => {
      assert.equal(
        growthFault((text) => void work(text.split(',')), namesOf, (stored.has(what) ? 4 : 64) * 1024),
        undefined,
      );
    });

  it('of the terms of a constraint, of which no more are read than are taken', () => {
    const nested = (depth: number): object | string =>
      depth === 0 ? 'in,node,a' : { type: 'or', constraints: Array.from({ length: 100 }, () => nested(depth - 1)) };
    assert.throws(() => readConstraint(nested(2)), /more than 1000 tags, values and brackets/);
  });
});
