import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { assertEveryFaultIsFound } from '../../../test/support/message-faults.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import { type ApplicationRecord, applicationRecord } from '../applications/application.ts';
import { type ContainerRecord, containerRecord } from '../containers/container.ts';
import { openNodeStore } from './node-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'node-store-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const container: ContainerRecord = {
  order: {
    containerId: 'container_1_0001_01_000001',
    applicationId: 'application_1_0001',
    attemptId: 'appattempt_1_0001_000001',
    user: 'ada',
    resource: { memoryMiB: 1024, vcores: 1 },
    priority: 0,
    queue: 'root.default',
    isMaster: true,
    applicationAcls: {},
    submitTimeMs: 1,
    maxAttempts: 2,
    launch: { commands: [], environment: {}, localResources: {}, serviceData: {} },
  },
  createdTime: 1,
  exitCode: -1000,
  diagnostics: '',
  killed: false,
  complete: false,
};
const application: ApplicationRecord = { applicationId: 'application_1_0001', user: 'ada', acls: {}, finished: false };

test('records of a node are refused with the path of the member that is wrong or missing', () => {
  assertEveryFaultIsFound(
    containerRecord,
    {
      ...container,
      startedTime: 2,
      finishedTime: 3,
      retries: { remaining: 1, restartTimes: [4] },
      relaunching: true,
      paused: true,
    },
    container,
  );
  assertEveryFaultIsFound(
    applicationRecord,
    {
      ...application,
      acls: { VIEW_APP: '*' },
      logAggregation: { includePattern: 'a' },
      rolledLogs: [['/log', 'inode', 5]],
      upload: { file: 'n_1', isLast: false, taken: [['/log', 'inode', 5]] },
      logsGathered: true,
    },
    application,
  );
});

test('what cannot be read is left out and told with its place; the rest comes back', async () => {
  const path = join(folder, 'node.sqlite');
  const store = openNodeStore(path, { clock: systemClock, logger: silentLogger });
  void store.saveApplication(application);
  void store.saveApplication({ ...application, applicationId: 'application_1_0002' });
  await store.saveContainer(container);
  await store.saveContainer({ ...container, order: { ...container.order, containerId: 'container_1_0001_01_000002' } });
  store.saveDevices('container_1_0001_01_000001', [0]);
  store.saveDevices('container_1_0001_01_000002', [1]);
  store.saveLocalized({ id: 1, key: 'k', path: '/x', bytes: 3 });
  store.saveLeft({ id: 'application_1_0003', user: 'bob', acls: {} });
  store.close();

  const database = openDatabase(path, { logger: silentLogger });
  database
    .prepare(`UPDATE containers SET record = json_set(record, '$.order.launch.commands', 'x') WHERE id = 'container_1_0001_01_000002'`)
    .run();
  database.prepare(`UPDATE applications SET record = json_remove(record, '$.user') WHERE id = 'application_1_0002'`).run();
  database.prepare(`UPDATE devices SET numbers = '["1"]' WHERE container = 'container_1_0001_01_000002'`).run();
  database.close();

  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'error', base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const again = openNodeStore(path, { clock: systemClock, logger });
  const records = again.load();
  assert.deepEqual(records.applications, [application]);
  assert.deepEqual(records.containers, [container]);
  assert.deepEqual([...records.devices], [['container_1_0001_01_000001', [0]]]);
  assert.deepEqual(records.localized, [{ id: 1, key: 'k', path: '/x', bytes: 3 }]);
  assert.deepEqual(records.left, [{ id: 'application_1_0003', user: 'bob', acls: {} }]);
  assert.deepEqual(
    lines.map(({ table, fault }) => `${table} ${fault}`),
    [
      'applications record /user is missing',
      'containers record /order/launch/commands is not a list',
      'devices numbers /0 is not a whole number',
    ],
  );
  again.close();
});
