// What of a node survives a restart, in SQLite: its applications, containers, localized files. Writes are queued and committed in
// groups; nothing on the way of a container's start waits for them, because the engine's own files tell what really runs.
import { checked, type JsonShape, many, whole } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../storage/sqlite.ts';
import { type ApplicationRecord, applicationRecord } from '../applications/application.ts';
import { type ContainerRecord, containerRecord } from '../containers/container.ts';
import type { DeviceStore } from '../devices/gpus.ts';
import { type LocalizedRecord, type LocalizedStore, localizedRecord } from '../localization/cache.ts';
import { type LeftApplication, type LeftLogStore, leftRecord } from '../logs/left-logs.ts';

/** Everything that an earlier process of the node manager left. */
export interface NodeRecords {
  readonly applications: readonly ApplicationRecord[];
  readonly containers: readonly ContainerRecord[];
  readonly localized: readonly LocalizedRecord[];
  /** Container → numbers of its devices. */
  readonly devices: ReadonlyMap<string, readonly number[]>;
  /** Applications of which only logs are left. */
  readonly left: readonly LeftApplication[];
}

/** The store of one node. */
export interface NodeStore extends LocalizedStore, DeviceStore, LeftLogStore {
  load(): NodeRecords;
  saveApplication(record: ApplicationRecord): void;
  /** Removes an application and all its containers. */
  removeApplication(applicationId: string): void;
  /** Resolves when it is written down, or could not be. */
  saveContainer(record: ContainerRecord): Promise<void>;
  removeContainer(containerId: string): void;
  close(): void;
}

const deviceNumbers = many(whole({ minimum: 0 }));

const migrations = [
  {
    id: 1,
    sql: `
      CREATE TABLE applications (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE containers (id TEXT PRIMARY KEY, application TEXT NOT NULL, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE INDEX containers_by_application ON containers (application);
      CREATE TABLE localized (id INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT;`,
  },
  { id: 2, sql: 'CREATE TABLE devices (container TEXT PRIMARY KEY, numbers TEXT NOT NULL) STRICT, WITHOUT ROWID;' },
  { id: 3, sql: 'CREATE TABLE left_logs (id TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;' },
];

/** Opens the store in the file `path`. @throws StoreUnusable */
export function openNodeStore(path: string, logger: Logger, options: Pick<DatabaseOptions, 'clock'> = {}): NodeStore {
  const database: Database = openDatabase(path, { logger, ...options });
  try {
    database.migrate(migrations);
  } catch (error) {
    database.close();
    throw error;
  }
  const statements = {
    saveApplication: database.prepare('INSERT OR REPLACE INTO applications (id, record) VALUES (?, ?)'),
    removeApplication: database.prepare('DELETE FROM applications WHERE id = ?'),
    saveContainer: database.prepare('INSERT OR REPLACE INTO containers (id, application, record) VALUES (?, ?, ?)'),
    removeContainer: database.prepare('DELETE FROM containers WHERE id = ?'),
    removeContainers: database.prepare('DELETE FROM containers WHERE application = ?'),
    saveLocalized: database.prepare('INSERT OR REPLACE INTO localized (id, record) VALUES (?, ?)'),
    saveDevices: database.prepare('INSERT OR REPLACE INTO devices (container, numbers) VALUES (?, ?)'),
    removeDevices: database.prepare('DELETE FROM devices WHERE container = ?'),
    removeLocalized: database.prepare('DELETE FROM localized WHERE id = ?'),
    saveLeft: database.prepare('INSERT OR REPLACE INTO left_logs (id, record) VALUES (?, ?)'),
    removeLeft: database.prepare('DELETE FROM left_logs WHERE id = ?'),
  };
  const write = (change: () => void): Promise<void> =>
    database.write(change).catch((error: unknown) => logger.error({ err: error }, 'the state of the node could not be saved'));
  /** A record, or none where another version or damage left what cannot be read: the node starts without it and says so. */
  const read = <T>(table: string, described: JsonShape<T>, written: unknown): T | undefined => {
    const { value, fault } = checked(described, JSON.parse(String(written)));
    if (fault !== undefined) logger.error({ table, fault }, 'a record of the node cannot be read and is left out');
    return value;
  };
  const all = <T>(table: string, described: JsonShape<T>): T[] =>
    database
      .prepare(`SELECT record FROM ${table}`)
      .all()
      .map((row) => read(table, described, row['record']))
      .filter((record) => record !== undefined);
  const devices = () => {
    const numbers = new Map<string, readonly number[]>();
    for (const row of database.prepare('SELECT container, numbers FROM devices').all()) {
      const own = read('devices', deviceNumbers, row['numbers']);
      if (own) numbers.set(String(row['container']), own);
    }
    return numbers;
  };
  return {
    load: () => ({
      applications: all('applications', applicationRecord),
      containers: all('containers', containerRecord),
      localized: all('localized', localizedRecord),
      devices: devices(),
      left: all('left_logs', leftRecord),
    }),
    saveApplication: (record) => write(() => statements.saveApplication.run(record.applicationId, JSON.stringify(record))),
    removeApplication: (applicationId) =>
      write(() => {
        statements.removeContainers.run(applicationId);
        statements.removeApplication.run(applicationId);
      }),
    saveContainer: (record) =>
      write(() => statements.saveContainer.run(record.order.containerId, record.order.applicationId, JSON.stringify(record))),
    removeContainer: (containerId) => write(() => statements.removeContainer.run(containerId)),
    saveLocalized: (record) => write(() => statements.saveLocalized.run(record.id, JSON.stringify(record))),
    removeLocalized: (id) => write(() => statements.removeLocalized.run(id)),
    saveDevices: (containerId, numbers) => write(() => statements.saveDevices.run(containerId, JSON.stringify(numbers))),
    removeDevices: (containerId) => write(() => statements.removeDevices.run(containerId)),
    saveLeft: (record) => write(() => statements.saveLeft.run(record.id, JSON.stringify(record))),
    removeLeft: (applicationId) => write(() => statements.removeLeft.run(applicationId)),
    close: () => database.close(),
  };
}
