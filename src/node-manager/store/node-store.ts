// What of a node survives a restart, in SQLite: its applications, containers, localized files. Writes are queued, committed in groups and
// tried again until they are durable (record-writer.ts); what is told or thrown away only then waits for that.

import { dirname } from 'node:path';
import { longestContainerTokenLifeMs } from '../../auth/container-token.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Histogram } from '../../lib/histogram.ts';
import { checked, type JsonShape, many, whole } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import { type Database, openStore } from '../../storage/sqlite.ts';
import { jsonFault, type RowCheck, type StoreKind } from '../../storage/store-kind.ts';
import { type ApplicationRecord, applicationRecord } from '../applications/application.ts';
import { type ContainerRecord, containerRecord } from '../containers/container.ts';
import type { DeviceStore } from '../devices/gpus.ts';
import { type LocalizedRecord, type LocalizedStore, localizedRecord } from '../localization/cache.ts';
import { type LeftApplication, type LeftLogStore, leftRecord } from '../logs/left-logs.ts';
import { RecordWriter } from './record-writer.ts';

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

/** A container that has ended and of which only that is remembered. */
export interface PastContainer {
  readonly containerId: string;
  readonly applicationId: string;
  readonly exitCode: number;
}

/** How far a write is hurried: `patient` ones, for which nobody waits, leave the disk to others for a moment. */
export type Hurry = 'now' | 'patient';

/** The store of one node. Promises resolve when what they are about is durable, however long that takes. */
export interface NodeStore extends LocalizedStore, DeviceStore, LeftLogStore {
  /** The name of what is remembered here: another one in each store that began empty (docs/protocol.md, P5). */
  readonly memory: string;
  /** How long changes took until they were durable. */
  readonly commitTimes: Histogram;
  load(): NodeRecords;
  saveApplication(record: ApplicationRecord, hurry?: Hurry): Promise<void>;
  /** Removes an application and all its containers, past ones too. */
  removeApplication(applicationId: string): void;
  /** Remembers that an application is over, for as long as a token of one of its containers may be shown. */
  rememberEnd(applicationId: string): void;
  /** Whether that is remembered. */
  hasEnded(applicationId: string): boolean;
  saveContainer(record: ContainerRecord, hurry?: Hurry): Promise<void>;
  /** Remembers nothing of a container but that it has ended, until its application is removed. */
  forgetContainer(past: PastContainer): Promise<void>;
  /** The exit code of a container of which only that is remembered. */
  pastExitCode(containerId: string): number | undefined;
  /** Resolves when all that was to be written so far is durable. */
  durable(): Promise<void>;
  /** Why nothing can be written now, naming the folder; undefined while it can. */
  readonly trouble: string | undefined;
  /** Calls `listener` whenever `trouble` changes. */
  onTrouble(listener: (trouble: string | undefined) => void): void;
  close(): void;
}

/** What may wait so long for a commit that is made for something else. */
const patienceMs = 50;

/** Twice as long as a token may be shown: the clocks of two machines may differ. */
const endsRememberedMs = 2 * longestContainerTokenLifeMs;

const deviceNumbers = many(whole({ minimum: 0 }));

const recordOf = (table: string, described: JsonShape<unknown>, column = 'record'): RowCheck => ({
  table,
  atStart: true,
  fault: (row) => {
    const fault = jsonFault(described, row[column]);
    return fault && `${column} ${fault}`;
  },
});

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
  {
    id: 4,
    sql: `
      CREATE TABLE past_containers (id TEXT PRIMARY KEY, application TEXT NOT NULL, exit_code INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE INDEX past_containers_by_application ON past_containers (application);`,
  },
  {
    // Applications that are over and gone from here.
    id: 5,
    sql: `
      CREATE TABLE ended_applications (id TEXT PRIMARY KEY, ended_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE INDEX ended_applications_by_time ON ended_applications (ended_ms);`,
  },
  {
    // Random, so that no two stores have the same.
    id: 6,
    sql: `
      CREATE TABLE memory (name TEXT NOT NULL) STRICT;
      INSERT INTO memory (name) VALUES (lower(hex(randomblob(8))));`,
  },
];

/** What the store of a node holds. */
export const nodeStore: StoreKind = {
  name: 'the store of a node manager',
  migrations,
  rows: [
    recordOf('applications', applicationRecord),
    recordOf('containers', containerRecord),
    recordOf('localized', localizedRecord),
    recordOf('devices', deviceNumbers, 'numbers'),
    recordOf('left_logs', leftRecord),
  ],
};

/** What is read and written one by one. */
function statementsOf(database: Database) {
  return {
    saveApplication: database.prepare('INSERT OR REPLACE INTO applications (id, record) VALUES (?, ?)'),
    removeApplication: database.prepare('DELETE FROM applications WHERE id = ?'),
    saveContainer: database.prepare('INSERT OR REPLACE INTO containers (id, application, record) VALUES (?, ?, ?)'),
    removeContainer: database.prepare('DELETE FROM containers WHERE id = ?'),
    removeContainers: database.prepare('DELETE FROM containers WHERE application = ?'),
    savePast: database.prepare('INSERT OR REPLACE INTO past_containers (id, application, exit_code) VALUES (?, ?, ?)'),
    findPast: database.prepare('SELECT exit_code FROM past_containers WHERE id = ?'),
    removePast: database.prepare('DELETE FROM past_containers WHERE application = ?'),
    saveEnd: database.prepare('INSERT OR REPLACE INTO ended_applications (id, ended_ms) VALUES (?, ?)'),
    findEnd: database.prepare('SELECT 1 FROM ended_applications WHERE id = ?'),
    removeEnds: database.prepare('DELETE FROM ended_applications WHERE ended_ms < ?'),
    saveLocalized: database.prepare('INSERT OR REPLACE INTO localized (id, record) VALUES (?, ?)'),
    saveDevices: database.prepare('INSERT OR REPLACE INTO devices (container, numbers) VALUES (?, ?)'),
    removeDevices: database.prepare('DELETE FROM devices WHERE container = ?'),
    removeLocalized: database.prepare('DELETE FROM localized WHERE id = ?'),
    saveLeft: database.prepare('INSERT OR REPLACE INTO left_logs (id, record) VALUES (?, ?)'),
    removeLeft: database.prepare('DELETE FROM left_logs WHERE id = ?'),
  };
}

/** Opens the store in the file `path`; records that another version or damage left so that they cannot be read are set aside. @throws StoreUnusable */
export function openNodeStore(path: string, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }): NodeStore {
  const database: Database = openStore(path, nodeStore, { clock, logger });
  const statements = statementsOf(database);
  const writer = new RecordWriter(database, { clock, logger });
  // A disk that failed in the middle of this may have left containers without their application.
  void writer.write('orphans', () =>
    database.prepare('DELETE FROM containers WHERE application NOT IN (SELECT id FROM applications)').run(),
  );
  const named = (trouble: string | undefined) =>
    trouble &&
    `The state of the node cannot be written to ${dirname(path)}: ${trouble.replace(/\.?$/, '.')} Until it can, nothing new is started here.`;
  const patience = (hurry: Hurry = 'now') => (hurry === 'patient' ? patienceMs : 0);
  /** Past containers that are not durable yet. */
  const passing = new Map<string, number>();
  /** Ended applications that are not durable as such yet. */
  const ending = new Set<string>();
  return {
    ...{ memory: String(database.prepare('SELECT name FROM memory').get()!['name']), commitTimes: database.commitTimes },
    load: () => readRecords(database),
    saveApplication: (record, hurry) =>
      writer.write(
        `application ${record.applicationId}`,
        () => statements.saveApplication.run(record.applicationId, JSON.stringify(record)),
        patience(hurry),
      ),
    removeApplication: (applicationId) =>
      void writer.write(
        `application ${applicationId}`,
        () => {
          statements.removeContainers.run(applicationId);
          statements.removePast.run(applicationId);
          statements.removeApplication.run(applicationId);
        },
        patienceMs,
      ),
    rememberEnd(applicationId) {
      const endedMs = clock.now();
      ending.add(applicationId);
      const written = writer.write(
        `end ${applicationId}`,
        () => {
          statements.saveEnd.run(applicationId, endedMs);
          statements.removeEnds.run(endedMs - endsRememberedMs);
        },
        patienceMs,
      );
      void written.then(() => ending.delete(applicationId));
    },
    hasEnded: (applicationId) => ending.has(applicationId) || statements.findEnd.get(applicationId) !== undefined,
    saveContainer: (record, hurry) => {
      const { containerId, applicationId } = record.order;
      return writer.write(
        `container ${containerId}`,
        () => statements.saveContainer.run(containerId, applicationId, JSON.stringify(record)),
        patience(hurry),
      );
    },
    async forgetContainer({ containerId, applicationId, exitCode }) {
      passing.set(containerId, exitCode);
      await writer.write(`container ${containerId}`, () => {
        statements.savePast.run(containerId, applicationId, exitCode);
        statements.removeContainer.run(containerId);
      });
      passing.delete(containerId);
    },
    pastExitCode(containerId) {
      const found = passing.get(containerId) ?? statements.findPast.get(containerId)?.['exit_code'];
      return found === undefined ? undefined : Number(found);
    },
    saveLocalized: (record) =>
      void writer.write(`localized ${record.id}`, () => statements.saveLocalized.run(record.id, JSON.stringify(record))),
    removeLocalized: (id) => void writer.write(`localized ${id}`, () => statements.removeLocalized.run(id)),
    saveDevices: (containerId, numbers) =>
      void writer.write(`devices ${containerId}`, () => statements.saveDevices.run(containerId, JSON.stringify(numbers))),
    removeDevices: (containerId) => void writer.write(`devices ${containerId}`, () => statements.removeDevices.run(containerId)),
    saveLeft: (record) => void writer.write(`left ${record.id}`, () => statements.saveLeft.run(record.id, JSON.stringify(record))),
    removeLeft: (applicationId) => void writer.write(`left ${applicationId}`, () => statements.removeLeft.run(applicationId)),
    durable: () => writer.durable(),
    get trouble() {
      return named(writer.trouble);
    },
    onTrouble: (listener) => writer.onTrouble((trouble) => listener(named(trouble))),
    close() {
      writer.close();
      database.close();
    },
  };
}

/** Reads everything; what could not be read was set aside before. */
function readRecords(database: Database): NodeRecords {
  const read = <T>(described: JsonShape<T>, written: unknown): T | undefined => checked(described, JSON.parse(String(written))).value;
  const all = <T>(table: string, described: JsonShape<T>): T[] =>
    database
      .prepare(`SELECT record FROM ${table}`)
      .all()
      .map((row) => read(described, row['record']))
      .filter((record) => record !== undefined);
  const devices = new Map<string, readonly number[]>();
  const [applications, containers] = [all('applications', applicationRecord), all('containers', containerRecord)];
  for (const row of database.prepare('SELECT container, numbers FROM devices').all()) {
    const own = read(deviceNumbers, row['numbers']);
    if (own) devices.set(String(row['container']), own);
  }
  return { applications, containers, localized: all('localized', localizedRecord), devices, left: all('left_logs', leftRecord) };
}
