// A store of which rows of every kind are broken: the resource manager starts, goes on without them, and keeps them aside.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, it } from 'node:test';
import { pino } from 'pino';
import { loadConfiguration } from '../../config/load.ts';
import { ManualClock } from '../../lib/clock.ts';
import { Closer } from '../../lib/closer.ts';
import { seededRandom } from '../../lib/random.ts';
import { examineStore } from '../../storage/store-examination.ts';
import { repairStore } from '../../storage/store-repair.ts';
import { restoredMarkOf } from '../../wire/files/restored-mark.ts';
import { anApplication, applicationIdOf } from '../test-support/builders.ts';
import { openState } from './open-state.ts';
import { resourceManagerStore } from './store-kind.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-kind-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function open(dataDir = folder, { clock = new ManualClock(), level = 'error' } = {}) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level, base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const closer = new Closer();
  const configuration = loadConfiguration({ confDir: folder, dataDir });
  const state = await openState({ configuration, clock, logger, random: seededRandom(1), closer });
  return { ...state, lines, closer };
}

it('broken rows of every kind are set aside and named; what is sound is there', async () => {
  const first = await open();
  const { store } = first;
  for (const sequence of [1, 2]) await store.putLive(anApplication({ id: applicationIdOf(sequence) }));
  for (const sequence of [3, 4])
    await store.putFinished(anApplication({ id: applicationIdOf(sequence), state: 'FINISHED', user: 'ann' }), undefined, true);
  await store.putRecord('node-attributes', 'n1', '[]');
  await store.putRecord('node-attributes', 'n2', '{}');
  await store.putRecord('reservation', 'r', '{"id":1}');
  await store.putRecord('token-key', '1', '{"id":1,"secret":"plain","createdMs":1}');
  await store.putRecord('delegation-token', '1', 'null');
  await store.putRecord('of a later version', 'x', 'whatever');
  await store.putRecord('leaving-node', 'n1:1', `{"nodeId":"n1:1"}`);
  await store.putRecord('node-size', 'n1:1', `{"nodeId":"n1:1","resource":[]}`);
  await store.setMeta('queue-configuration', '{"version":1}');
  await first.closer.close();
  const raw = new DatabaseSync(join(folder, 'resource-manager', 'state.sqlite'));
  raw.exec(`UPDATE live_applications SET document = json_remove(document, '$.submission.launch') WHERE id = '${applicationIdOf(2)}';
            UPDATE finished_applications SET document = '{' WHERE id = '${applicationIdOf(4)}';
            UPDATE meta SET value = 'seventeen' WHERE key = 'epoch';`);
  raw.close();

  const again = await open();
  assert.deepEqual(
    again.store.liveApplications().map(({ id }) => id),
    [applicationIdOf(1)],
  );
  assert.deepEqual([...again.store.records('node-attributes').keys()], ['n1']);
  assert.equal(again.store.records('reservation').size, 0);
  assert.equal(again.store.records('of a later version').size, 1);
  assert.ok(again.epoch > first.epoch + 1000, 'ids of containers are not given again');
  assert.deepEqual(again.containerTokenKey, first.containerTokenKey);
  assert.deepEqual(again.lines.map(({ table, key, fault }) => `${table} ${key}: ${fault}`).sort(), [
    `live_applications ${applicationIdOf(2)}: an application in the store of the resource manager cannot be read: /submission/launch is missing`,
    'meta epoch: epoch is no number',
    'meta queue-configuration: queue-configuration /properties is missing',
    'records delegation-token 1: delegation-token the body is not an object',
    'records leaving-node n1:1: leaving-node /httpAddress is missing',
    'records node-attributes n2: node-attributes the body is not a list',
    'records node-size n1:1: node-size /resource is not an object',
    'records reservation r: reservation /id is not a text',
    'records token-key 1: token-key /secret is not an object',
  ]);
  // Ended ones are looked at when they are read: once more by their columns, then they are gone.
  const row = again.store.finished(applicationIdOf(4));
  assert.ok(row);
  const shown = again.store.applicationOf(row);
  assert.deepEqual([shown.id, shown.user, shown.state, shown.attempts], [applicationIdOf(4), 'ann', 'FINISHED', []]);
  await again.store.putRecord('wait', 'for', 'it');
  assert.equal(again.store.finished(applicationIdOf(4)), undefined);
  assert.ok(again.store.finished(applicationIdOf(3)));
  await again.closer.close();
  const third = await open();
  assert.deepEqual([third.lines, third.epoch], [[], again.epoch + 1]);
  await third.closer.close();
});

it('damaged answers of ended applications are found, are in no list, and are emptied; their applications stay', async () => {
  const other = join(folder, 'answers');
  const path = join(other, 'resource-manager', 'state.sqlite');
  const first = await open(other);
  for (const sequence of [1, 2, 3]) {
    const id = applicationIdOf(sequence);
    await first.store.putFinished(
      anApplication({ id, state: 'FINISHED' }),
      { json: `{"id":"${id}"}`, xml: `<app><id>${id}</id></app>` },
      true,
    );
  }
  await first.closer.close();
  const raw = new DatabaseSync(path);
  raw.exec(`UPDATE finished_applications SET json = '{"id":"' || id || '"' WHERE number = 1;
            UPDATE finished_applications SET xml = x'3c' WHERE number = 2`);
  raw.close();
  const texts = async () => {
    const { store, lines, closer } = await open(other);
    const found = (['json', 'xml'] as const).map((format) => store.finishedSlice({}, 0, 9, format).map(({ text }) => text !== null));
    assert.deepEqual([store.finishedCount(), store.unsettledApplications(), lines], [3, [], []]);
    assert.equal(store.finished(applicationIdOf(2))?.id, applicationIdOf(2));
    await closer.close();
    return found;
  };
  const expected = [
    [false, true, true],
    [true, false, true],
  ];
  assert.deepEqual(await texts(), expected);
  assert.deepEqual(
    examineStore(resourceManagerStore, path).findings.map(({ what }) => what),
    ['2 ready-made answers in finished_applications are damaged: 1 (json is no JSON), 2 (xml is no text)'],
  );
  assert.deepEqual(repairStore(resourceManagerStore, path, 's'), ['2 ready-made answers were emptied']);
  const { findings, rejected } = examineStore(resourceManagerStore, path);
  assert.deepEqual([findings, rejected, await texts()], [[], 0, expected]);
});

it('a store that was put back counts its start beyond all that may have been since the backup, once', async () => {
  const other = join(folder, 'other');
  const before = await open(other);
  await before.closer.close();
  writeFileSync(restoredMarkOf(other), 'of yesterday');
  const restored = await open(other);
  assert.ok(restored.epoch > before.epoch + 1000 && restored.epoch < 2 ** 23, String(restored.epoch));
  await restored.closer.close();
  const next = await open(other);
  assert.equal(next.epoch, restored.epoch + 1);
  await next.closer.close();
});

it('a start at an earlier time than the last one goes on counting from that, and says so', async () => {
  const dataDir = mkdtempSync(join(folder, 'clock-'));
  const nowMs = Date.UTC(2026, 10, 30);
  const [first, again, back] = [nowMs, nowMs + 1000, nowMs - 86_400_000].map(
    (atMs) => () => open(dataDir, { clock: new ManualClock(atMs), level: 'warn' }),
  );
  let last = 0;
  for (const start of [first!, again!]) {
    const { startedMs, lines, closer } = await start();
    assert.deepEqual([startedMs > last, lines], [true, []]);
    last = startedMs;
    await closer.close();
  }
  const { startedMs, lines, closer } = await back!();
  await closer.close();
  assert.equal(startedMs, last + 1);
  assert.deepEqual(
    lines.map(({ level, now, lastStart, msg }) => [level, now, lastStart, String(msg)]),
    [
      [
        ...[40, '2026-11-29T00:00:00.000Z', '2026-11-30T00:00:01.000Z'],
        'the clock of this machine says less than at the last start: set it right, for tokens, lifetimes and schedules go by it',
      ],
    ],
  );
});
