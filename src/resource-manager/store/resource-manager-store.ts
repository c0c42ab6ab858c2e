// What survives a restart of the resource manager, on SQLite: live applications, finished ones, keys, and small records of
// other parts (labels, reservations, queue edits, tokens).
import type { Histogram } from '../../lib/histogram.ts';
import { fields, type JsonOf, whole } from '../../lib/json-shape.ts';
import type { RowKey } from '../../storage/broken-rows.ts';
import type { Database } from '../../storage/sqlite.ts';
import type { SubmittedWork } from '../../wire/cluster/submitted.ts';
import { type Application, finalStatus, publicState } from '../applications/application.ts';
import type { Container } from '../applications/container.ts';
import { awaitsLogs } from '../applications/log-gathering.ts';
import { type KeptSubmissionKey, keptSubmissionKey } from '../applications/submission-keys.ts';
import { applicationFromText, applicationOfColumns, applicationToText, sumsToText, takeSums } from './application-document.ts';
import { containerFromText, containerToText } from './container-document.ts';
import type { FinishedLead } from './finished-lead.ts';
import { briefColumns, FinishedQueries } from './finished-queries.ts';
import type { FinishedBrief, FinishedFilter, FinishedOrder, FinishedPlace, FinishedRow } from './finished-rows.ts';
import { migrations } from './migrations.ts';
import { NodeOrders } from './node-orders.ts';
import { SingleValues } from './single-values.ts';
import { storedJson } from './stored-json.ts';
import { submittedWorkFromText, submittedWorkToText } from './submitted-work.ts';

/** Rendered fragments of a finished application. */
export interface Fragments {
  readonly json: string;
  readonly xml: string;
}

/** A note of a master; those of one application are in the order of their numbers. */
export interface NumberedNote {
  readonly number: number;
  readonly note: string;
}

/** Ended applications of a queue; they stay counted when they are no longer kept. */
export interface ApplicationTotal {
  readonly queue: string;
  readonly kind: 'SUBMITTED' | 'FINISHED' | 'FAILED' | 'KILLED';
  readonly count: number;
}

/** The answer in which an end was told. */
export interface ToldIn {
  readonly attemptId: string;
  /** Among all answers that masters of the attempt were given. */
  readonly answer: number;
}

/** A container whose master has not said that it heard of its end. */
export interface KeptContainer {
  readonly container: Container;
  /** Undefined where no answer may have told its end. */
  readonly endTold: ToldIn | undefined;
}

/** A row of an ended application, without the texts kept for lists. */
const wholeRow = `SELECT ${briefColumns}, document FROM finished_applications`;
/** Under which kind keys of submissions are kept, by the ids of their applications. */
export const submissionKeyKind = 'submission-key';
const opportunisticTotalsName = 'opportunistic-totals';
const storedTotals = fields({ everAllocated: whole(), everReleased: whole(), nodeLocal: whole(), rackLocal: whole(), offSwitch: whole() });
const noOpportunisticTotals: OpportunisticTotals = { everAllocated: 0, everReleased: 0, nodeLocal: 0, rackLocal: 0, offSwitch: 0 };

/** Opportunistic containers since the first start: given and ended, and how close to what was wished. */
export type OpportunisticTotals = Readonly<JsonOf<typeof storedTotals>>;

/** The store of the resource manager. Reads are immediate, writes resolve when durable. */
export class ResourceManagerStore {
  readonly #database: Database;
  readonly #statements;
  readonly #queries: FinishedQueries;
  readonly #singles: SingleValues;
  #lastNote: number;
  /** What administrators said of nodes. */
  readonly nodeOrders = new NodeOrders(this);

  /** How long changes took until they were durable. */
  readonly commitTimes: Histogram;

  constructor(database: Database) {
    this.#database = database;
    this.commitTimes = database.commitTimes;
    database.migrate(migrations);
    this.#queries = new FinishedQueries(database);
    this.#singles = new SingleValues(database);
    this.#statements = {
      meta: database.prepare('SELECT value FROM meta WHERE key = ?'),
      setMeta: database.prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value'),
      putLive: database.prepare(
        `INSERT INTO live_applications (id, document) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM finished_applications WHERE id = ?1)
         ON CONFLICT (id) DO UPDATE SET document = excluded.document`,
      ),
      dropLive: database.prepare('DELETE FROM live_applications WHERE id = ?'),
      live: database.prepare(
        'SELECT id, document, (SELECT sums FROM application_sums WHERE application = id) AS sums FROM live_applications ORDER BY id',
      ),
      putFinished: database.prepare(
        `INSERT INTO finished_applications (id, user, name, queue, type, tags, state, final_status, started_ms, finished_ms, priority, settled, awaits_logs, document, json, xml)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET state = excluded.state, final_status = excluded.final_status, finished_ms = excluded.finished_ms, priority = excluded.priority,
           settled = max(settled, excluded.settled), awaits_logs = excluded.awaits_logs, document = excluded.document, json = excluded.json, xml = excluded.xml`,
      ),
      finished: database.prepare(`${wholeRow} WHERE id = ?`),
      isFinished: database.prepare('SELECT 1 FROM finished_applications WHERE id = ?'),
      unsettled: database.prepare(`${wholeRow} WHERE settled = 0`),
      overdueLogs: database.prepare(`${wholeRow} WHERE awaits_logs = 1 AND finished_ms <= ? ORDER BY finished_ms LIMIT ?`),
      putWork: database.prepare('INSERT OR IGNORE INTO finished_work (application, work) VALUES (?, ?)'),
      work: database.prepare('SELECT work FROM finished_work WHERE application = ?'),
      totals: database.prepare('SELECT queue, kind, count FROM application_totals'),
      addTotal: database.prepare(
        'INSERT INTO application_totals (queue, kind, count) VALUES (?, ?, 1) ON CONFLICT (queue, kind) DO UPDATE SET count = count + 1',
      ),
      finishedCount: database.prepare('SELECT count(*) AS count FROM finished_applications'),
      putTag: database.prepare(
        'INSERT OR IGNORE INTO finished_tags (tag, number) SELECT ?, number FROM finished_applications WHERE id = ?',
      ),
      facets: database.prepare('SELECT state, final_status, user, queue, type, count FROM finished_facets WHERE count > 0'),
      statistics: database.prepare('SELECT state, type, count FROM finished_counts WHERE count > 0'),
      trimByAge: database.prepare('DELETE FROM finished_applications WHERE finished_ms < ? AND settled = 1'),
      trimByCount: database.prepare(
        'DELETE FROM finished_applications WHERE number <= (SELECT max(number) - ? FROM finished_applications) AND settled = 1',
      ),
      dropMeta: database.prepare('DELETE FROM meta WHERE key = ?'),
      records: database.prepare('SELECT key, value FROM records WHERE kind = ? ORDER BY key'),
      record: database.prepare('SELECT value FROM records WHERE kind = ? AND key = ?'),
      putRecord: database.prepare(
        'INSERT INTO records (kind, key, value) VALUES (?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value',
      ),
      dropRecord: database.prepare('DELETE FROM records WHERE kind = ? AND key = ?'),
      addNote: database.prepare(
        'INSERT OR REPLACE INTO notes (number, application, note) SELECT ?, id, ? FROM live_applications WHERE id = ?',
      ),
      lastNote: database.prepare('SELECT coalesce(max(number), 0) AS number FROM notes'),
      notes: database.prepare('SELECT note FROM notes WHERE application = ? ORDER BY number'),
      dropNotes: database.prepare('DELETE FROM notes WHERE application = ?'),
      putContainer: database.prepare(
        'INSERT OR REPLACE INTO containers (application, id, record) SELECT id, ?, ? FROM live_applications WHERE id = ?',
      ),
      changeContainer: database.prepare('UPDATE containers SET record = ? WHERE application = ? AND id = ?'),
      putSums: database.prepare(
        'INSERT OR REPLACE INTO application_sums (application, sums) SELECT id, ? FROM live_applications WHERE id = ?',
      ),
      dropSums: database.prepare('DELETE FROM application_sums WHERE application = ?'),
      counted: database.prepare('UPDATE containers SET counted = 1 WHERE application = ? AND id = ?'),
      endTold: database.prepare('UPDATE containers SET told_to = ?, told_in = ?, counted = 1 WHERE application = ? AND id = ?'),
      containers: database.prepare('SELECT record, told_to, told_in, counted FROM containers ORDER BY application, id'),
      dropContainer: database.prepare('DELETE FROM containers WHERE application = ? AND id = ?'),
      dropContainers: database.prepare('DELETE FROM containers WHERE application = ?'),
    };
    this.#lastNote = (this.#statements.lastNote.get() as { number: number }).number;
  }

  /** A single value kept under a name, or undefined. */
  meta(key: string): string | undefined {
    return (this.#statements.meta.get(key) as { value: string } | undefined)?.value;
  }

  setMeta(key: string, value: string): Promise<void> {
    const { setMeta, dropMeta } = this.#statements;
    return this.#singles.write(`meta ${key}`, value, {
      read: () => this.meta(key),
      put: (text) => void setMeta.run(key, text),
      drop: () => void dropMeta.run(key),
    });
  }

  /** Keeps a live application as it is now, in the same transaction with its key; changes nothing for one whose end is kept. */
  putLive(application: Application, key?: { readonly kept: KeptSubmissionKey; readonly dropped: readonly string[] }): Promise<void> {
    const text = applicationToText(application, false);
    return this.#counting(application, [], (mark) => {
      this.#statements.putLive.run(application.id, text);
      mark();
      if (!key) return;
      for (const id of key.dropped) this.#statements.dropRecord.run(submissionKeyKind, id);
      this.#statements.putRecord.run(submissionKeyKind, application.id, JSON.stringify(key.kept));
    });
  }

  /** Keeps nothing of submissions that were refused, nor of their keys. */
  dropRefused(applicationIds: readonly string[]): Promise<void> {
    return this.#database.write(() => {
      for (const id of applicationIds) {
        this.#statements.dropLive.run(id);
        this.#statements.dropRecord.run(submissionKeyKind, id);
      }
    });
  }

  /** The keys under which applications were submitted, as far as they are kept. */
  submissionKeys(): KeptSubmissionKey[] {
    return [...this.records(submissionKeyKind).values()].map((text) => storedJson(keptSubmissionKey, text, 'the key of a submission'));
  }

  /** Gives notes the numbers by which they are kept: one that is written again, because it is not sure that it was, is kept once. */
  numberNotes(notes: readonly string[]): NumberedNote[] {
    return notes.map((note) => ({ number: ++this.#lastNote, note }));
  }

  /** Keeps what a master of a live application wants remembered; nothing of one whose end is kept. */
  addNotes(applicationId: string, notes: readonly NumberedNote[]): Promise<void> {
    return this.#database.write(() => {
      for (const { number, note } of notes) this.#statements.addNote.run(number, note, applicationId);
    });
  }

  /** The notes of an application's masters, the earliest first. */
  notesOf(applicationId: string): string[] {
    return (this.#statements.notes.all(applicationId) as { note: string }[]).map(({ note }) => note);
  }

  /** Keeps a container that was given to a master; nothing of an application whose end is kept. */
  putContainer(container: Container): Promise<void> {
    const text = containerToText(container);
    return this.#database.write(() => void this.#statements.putContainer.run(container.id, text, container.applicationId));
  }

  /** Keeps what a container has become, and what its application used before; nothing of one that is not kept (any more). */
  changeContainer(container: Container, application: Application): Promise<void> {
    const text = containerToText(container);
    const sums = sumsToText(application);
    return this.#counting(application, [], (mark) => {
      this.#statements.changeContainer.run(text, container.applicationId, container.id);
      this.#statements.putSums.run(sums, application.id);
      mark();
    });
  }

  /** Keeps in which answer the ends of these containers of an application are told, and its sums with them. */
  putEndsTold(application: Application, containerIds: readonly string[], { attemptId, answer }: ToldIn): Promise<void> {
    const sums = application.uncountedEnds.size > 0 ? sumsToText(application) : undefined;
    return this.#counting(application, containerIds, (mark) => {
      for (const id of containerIds) this.#statements.endTold.run(attemptId, answer, application.id, id);
      if (sums !== undefined) this.#statements.putSums.run(sums, application.id);
      mark();
    });
  }

  /** Keeps nothing of these containers of an application any more, but what it used with them; undefined: nobody knows it. */
  dropContainers(applicationId: string, application: Application | undefined, containerIds: readonly string[]): Promise<void> {
    const sums = application && application.uncountedEnds.size > 0 ? sumsToText(application) : undefined;
    return this.#counting(application, containerIds, (mark) => {
      for (const id of containerIds) this.#statements.dropContainer.run(applicationId, id);
      if (sums !== undefined) this.#statements.putSums.run(sums, applicationId);
      mark();
    });
  }

  /**
   * A write with which the sums of an application are kept as they are now. `mark` says of the kept containers that are new in them that they
   * count; of `others` the write itself does.
   */
  async #counting(application: Application | undefined, others: readonly string[], write: (mark: () => void) => void): Promise<void> {
    if (!application || application.uncountedEnds.size === 0) return this.#database.write(() => write(() => undefined));
    const counted = [...application.uncountedEnds];
    const known = new Set(others);
    const marked = counted.filter((id) => !known.has(id));
    await this.#database.write(() =>
      write(() => {
        for (const id of marked) this.#statements.counted.run(application.id, id);
      }),
    );
    for (const id of counted) application.uncountedEnds.delete(id);
  }

  /** Every container whose master has not heard of its end. */
  containers(): KeptContainer[] {
    const rows = this.#statements.containers.all() as { record: string; told_to: string | null; told_in: number | null; counted: number }[];
    return rows.map(({ record, told_to: attemptId, told_in: answer, counted }) => ({
      container: { ...containerFromText(record), counted: counted === 1 },
      endTold: attemptId === null || answer === null ? undefined : { attemptId, answer },
    }));
  }

  /** Every application that had not ended when the last process stopped. One that cannot be read is set aside. */
  liveApplications(): Application[] {
    const found: Application[] = [];
    // One by one: the texts of tens of thousands are not held beside what they become.
    for (const { id, document, sums } of this.#statements.live.iterate()) {
      const key = { id: String(id) };
      const application = this.#fromText(String(document), 'live_applications', key, typeof sums === 'string' ? sums : undefined);
      if (application) found.push(application);
    }
    return found;
  }

  /**
   * Keeps an ended application (again, when something about it changed) and forgets its live form. With the first time it is counted in
   * the totals. `settled`: others were told of its end; until then it is among `unsettledApplications`. `patienceMs`: what is new in it may wait so
   * long for another commit.
   */
  putFinished(application: Application, fragments: Fragments | undefined, settled: boolean, patienceMs = 0): Promise<void> {
    const { id, user, queue, submission, startedMs, finishedMs, submittedQueue } = application;
    const state = publicState(application);
    const row = [
      id,
      user,
      submission.name,
      queue,
      submission.type,
      submission.tags.join(','),
      state,
      finalStatus(application),
      startedMs,
      finishedMs,
      application.priority,
      settled ? 1 : 0,
      awaitsLogs(application) ? 1 : 0,
    ];
    const text = applicationToText(application, true);
    return this.#database.write(() => {
      const isFirst = !this.#statements.isFinished.get(id);
      if (submittedQueue !== '' && isFirst) {
        this.#statements.addTotal.run(submittedQueue, 'SUBMITTED');
        this.#statements.addTotal.run(queue, state);
      }
      const work = isFirst ? submittedWorkToText(submission) : undefined;
      if (work !== undefined) this.#statements.putWork.run(id, work);
      this.#statements.putFinished.run(...row, text, fragments?.json ?? null, fragments?.xml ?? null);
      for (const tag of submission.tags) this.#statements.putTag.run(tag.toLowerCase(), id);
      this.#statements.dropLive.run(id);
      this.#statements.dropNotes.run(id);
      this.#statements.dropContainers.run(id);
      this.#statements.dropSums.run(id);
    }, patienceMs);
  }

  /** Forgets the live form of an application whose final form is stored. */
  dropLive(id: string): Promise<void> {
    return this.#database.write(() => void this.#statements.dropLive.run(id));
  }

  finished(id: string): FinishedRow | undefined {
    return this.#statements.finished.get(id) as FinishedRow | undefined;
  }

  /** What an ended application ran, without secrets; undefined where it is not kept. One that cannot be read is set aside. */
  finishedWork(id: string): SubmittedWork | undefined {
    const row = this.#statements.work.get(id) as { work: string } | undefined;
    if (row === undefined) return undefined;
    try {
      return submittedWorkFromText(row.work);
    } catch (error) {
      this.#database.reject({ table: 'finished_work', key: { application: id }, fault: (error as Error).message });
      return undefined;
    }
  }

  /** The application of a row. One that cannot be read is set aside; this once it is what its columns say. */
  applicationOf(row: FinishedRow): Application {
    return this.#read(row) ?? applicationOfColumns(row);
  }

  /** Ended applications of whose end others may not have been told. */
  unsettledApplications(): Application[] {
    return (this.#statements.unsettled.all() as unknown as FinishedRow[]).flatMap((row) => this.#read(row) ?? []);
  }

  /** Ended applications of whose logs a node has not told the end, the earliest ended first: up to `limit` of those that ended by then. */
  overdueLogs(endedByMs: number, limit: number): Application[] {
    return (this.#statements.overdueLogs.all(Math.trunc(endedByMs), limit) as unknown as FinishedRow[]).flatMap(
      (row) => this.#read(row) ?? [],
    );
  }

  /** How many of all applications that ever ended were submitted to a queue, and ended there in a state. */
  applicationTotals(): ApplicationTotal[] {
    return this.#statements.totals.all() as unknown as ApplicationTotal[];
  }

  /** The application of a row; undefined for one that cannot be read, which is set aside. */
  #read({ number, document }: FinishedRow): Application | undefined {
    return this.#fromText(document, 'finished_applications', { number });
  }

  #fromText(document: string, table: string, key: RowKey, sums?: string): Application | undefined {
    try {
      const application = applicationFromText(document);
      if (sums !== undefined) takeSums(application, sums);
      return application;
    } catch (error) {
      this.#database.reject({ table, key, fault: (error as Error).message });
      return undefined;
    }
  }

  finishedCount(): number {
    return (this.#statements.finishedCount.get() as { count: number }).count;
  }

  /** Number of finished applications by public state and type. */
  finishedStatistics(): { state: string; type: string; count: number }[] {
    return this.#statements.statistics.all() as { state: string; type: string; count: number }[];
  }

  /** Number of finished applications by everything that lists are filtered by. */
  finishedFacets(): { state: string; final_status: string; user: string; queue: string; type: string; count: number }[] {
    return this.#statements.facets.all() as ReturnType<ResourceManagerStore['finishedFacets']>;
  }

  /** Up to `limit` rows with numbers above `after`, in order of ending; call again with the last number for more. */
  finishedSlice(
    filter: FinishedFilter,
    after: number,
    limit: number,
    text: 'json' | 'xml' | 'none' = 'none',
    lead?: FinishedLead,
  ): FinishedBrief[] {
    return this.#queries.slice(filter, after, limit, text, lead);
  }

  /** What leads to the rows of a filter, for its slices; undefined: all rows are looked at. */
  finishedLead(filter: FinishedFilter): FinishedLead | undefined {
    return this.#queries.lead(filter);
  }

  /** Up to `limit` rows behind `after` in the given order; call again with the last row's place for more. */
  finishedPage(filter: FinishedFilter, order: FinishedOrder, after: FinishedPlace | undefined, limit: number): FinishedBrief[] {
    return this.#queries.page(filter, order, after, limit);
  }

  /** The whole of an application that a brief row stands for; what its columns say where it was removed since that was read. */
  applicationOfBrief(brief: FinishedBrief): Application {
    const row = this.finished(brief.id);
    return row ? this.applicationOf(row) : applicationOfColumns(brief);
  }

  /** The latest ended applications, newest first, of the given public states. */
  newestFinished(states: readonly string[] | undefined, limit: number): FinishedBrief[] {
    return this.#queries.newest(states, limit);
  }

  /** Drops what ended before `beforeMs`, then the oldest beyond `maximumCount`. */
  trimFinished(beforeMs: number, maximumCount: number): Promise<void> {
    return this.#database.write(() => {
      this.#statements.trimByAge.run(Math.trunc(beforeMs));
      this.#statements.trimByCount.run(maximumCount);
    });
  }

  /** The records of a kind, by key. */
  records(kind: string): Map<string, string> {
    return new Map((this.#statements.records.all(kind) as { key: string; value: string }[]).map(({ key, value }) => [key, value]));
  }

  putRecord(kind: string, key: string, value: string): Promise<void> {
    return this.#writeRecord(kind, key, value);
  }

  dropRecord(kind: string, key: string): Promise<void> {
    return this.#writeRecord(kind, key, undefined);
  }

  #writeRecord(kind: string, key: string, value: string | undefined): Promise<void> {
    const { record, putRecord, dropRecord } = this.#statements;
    return this.#singles.write(`record ${kind} ${key}`, value, {
      read: () => (record.get(kind, key) as { value: string } | undefined)?.value,
      put: (text) => void putRecord.run(kind, key, text),
      drop: () => void dropRecord.run(kind, key),
    });
  }

  /** The totals of opportunistic containers as they were kept last. */
  opportunisticTotals(): OpportunisticTotals {
    const written = this.meta(opportunisticTotalsName);
    return written === undefined ? noOpportunisticTotals : storedJson(storedTotals, written, 'the counters of opportunistic containers');
  }

  putOpportunisticTotals({ everAllocated, everReleased, nodeLocal, rackLocal, offSwitch }: OpportunisticTotals): Promise<void> {
    return this.setMeta(opportunisticTotalsName, JSON.stringify({ everAllocated, everReleased, nodeLocal, rackLocal, offSwitch }));
  }

  close(): void {
    this.#singles.close();
    this.#database.close();
  }
}
