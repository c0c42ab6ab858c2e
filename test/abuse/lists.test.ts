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
import { InfoChanges } from '../../src/timeline/store/info-changes.ts';
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
/** Hosts get a label, on each of which a node has one of its own. */
function label(hosts: readonly string[]): void {
  const labels = new LabelManager({
    enabled: true,
    store,
    queueUsing: () => undefined,
    partitionsChanged: () => undefined,
    nodesChanged: () => undefined,
  });
  void labels.add([{ name: 'fast', exclusive: true }]);
  void labels.replace(new Map(hosts.map((name) => [`${name}:1`, ['fast']])));
  void labels.replace(new Map(hosts.map((name) => [`${name}:0`, ['fast']])));
}

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
  'hosts with labels': label,
  'attributes of one host': (names) =>
    mapAttributes(
      attributePorts,
      {} as never,
      'add',
      names.map((name) => ({ host: 'h', attributes: [{ name, value: 'v' }] })),
    ),
  'auxiliary services': (names) => readManifest({ services: names.map((name) => ({ name })) }),
  'relations of an entity': (names) => relationHolds({ present: true, item: { type: 't', ids: names } } as never, names),
  'other info that changes': (names) => {
    const info = names.map((name) => [name, 2] as const);
    const changes = new InfoChanges({ events: [], filters: [], info, cleared: new Set() });
    for (const text of ['0', '1']) changes.into(() => text);
    for (const _gone of changes.gone([info, names.map((name) => [name, 1] as const)]));
  },
  'puts of one entity, each with a filter and other info of its own': (names) =>
    entities((store) =>
      store.put(
        names.map((name) => ({ ...anEntity, primaryfilters: { f: [name] }, otherinfo: { last: name } })),
        1,
      ),
    ),
  'primary filters of one entity': (names) => entities((store) => store.put([{ ...anEntity, primaryfilters: { f: [...names] } }], 1)),
};

/** What a database does takes longer: so many characters are enough where it is not 64 KiB. */
const enough: Readonly<Record<string, number>> = {
  'puts of one entity, each with a filter and other info of its own': 4096,
  'primary filters of one entity': 8192,
};

describe('work grows with the number', () => {
  for (const [what, work] of Object.entries(tried))
    it(`of ${what}`, () => {
      assert.equal(
        growthFault((text) => void work(text.split(',')), namesOf, enough[what] ?? 65_536),
        undefined,
      );
    });

  it('of the terms of a constraint, of which no more are read than are taken', () => {
    const nested = (depth: number): object | string =>
      depth === 0 ? 'in,node,a' : { type: 'or', constraints: Array.from({ length: 100 }, () => nested(depth - 1)) };
    assert.throws(() => readConstraint(nested(2)), /more than 1000 tags, values and brackets/);
  });
});
