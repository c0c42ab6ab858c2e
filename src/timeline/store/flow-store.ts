// Timeline v2: which application belongs to which flow and run, when flows were active, and whether an application's collector is open.
import type { Database, Statement } from '../../storage/sqlite.ts';

/** An application with its flow. `run` is a flow run id. */
export interface ApplicationContext {
  readonly cluster: string;
  readonly user: string;
  readonly flow: string;
  readonly run: number;
  readonly application: string;
}

type PlacedApplication = ApplicationContext & { readonly timestamp: number; readonly sequence: number };

/** A run of a flow; times in ms since the epoch. */
export interface FlowRun {
  readonly cluster: string;
  readonly user: string;
  readonly flow: string;
  readonly run: number;
  readonly startedMs: number;
  /** null while no application of it has ended. */
  readonly finishedMs: number | null;
}

/** A flow that was active on a day, with the runs of that day. */
export interface FlowActivity {
  readonly cluster: string;
  readonly dayMs: number;
  readonly user: string;
  readonly flow: string;
  readonly runs: readonly { readonly run: number; readonly version: string }[];
}

export const dayMs = 86_400_000;
const farFutureMs = Number.MAX_SAFE_INTEGER;
const rowsAtOnce = 100;
const contextColumns = 'cluster, user, flow, run, application';

export class FlowStore {
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(database: Database) {
    this.#sql = prepareStatements((text) => database.prepare(text));
  }

  /** The flow of an application, or undefined. */
  contextOf(cluster: string, application: string): ApplicationContext | undefined {
    return this.#sql.context.get(cluster, application) as ApplicationContext | undefined;
  }

  /** Records an application's flow, run and activity; the first record stays. Must run inside `Database.write`. */
  putApplication(context: ApplicationContext & { version: string; timestamp: number; sequence: number }, createdMs: number): void {
    const { cluster, user, flow, run, application, version, timestamp, sequence } = context;
    this.#sql.putContext.run(cluster, application, user, flow, run, version, timestamp, sequence);
    this.#sql.putRun.run(cluster, user, flow, run, createdMs);
    this.#sql.putActivity.run(cluster, createdMs - (createdMs % dayMs), user, flow, run, version);
  }

  /** Records that an application of a run has ended. Must run inside `Database.write`. */
  finishApplication(context: ApplicationContext, finishedMs: number): void {
    const { cluster, user, flow, run, application } = context;
    this.#sql.finishRun.run(finishedMs, cluster, user, flow, run);
    this.#sql.putActivityOf.run(finishedMs - (finishedMs % dayMs), cluster, application);
  }

  /** Opens an application's collector, or closes it at a time. Must run inside `Database.write`. */
  setCollector(cluster: string, application: string, untilMs: number): void {
    this.#sql.setCollector.run(untilMs, cluster, application);
  }

  /** Records that an application has ended, or (null) that it runs: retention goes by it. Must run inside `Database.write`. */
  setEnded(cluster: string, application: string, endedMs: number | null): void {
    this.#sql.setEnded.run(endedMs, cluster, application);
  }

  /** Whether an application's collector takes entities now. */
  collectorOpen(cluster: string, application: string, nowMs: number): boolean {
    return this.#sql.collector.get(cluster, application, nowMs) !== undefined;
  }

  /**
   * Applications of a flow (or of one run), newest first, from `from` on (inclusive). Read some at a time: between two of them anything may
   * be written.
   */
  *applications(
    flow: { cluster: string; user: string; flow: string; run?: number },
    from?: { run: number; timestamp: number; sequence: number },
  ): Generator<ApplicationContext, undefined> {
    const of = [flow.cluster, flow.user, flow.flow, flow.run ?? -farFutureMs, flow.run ?? farFutureMs] as const;
    let { run, timestamp, sequence } = from ?? { run: farFutureMs, timestamp: farFutureMs, sequence: farFutureMs };
    for (;;) {
      const rows = this.#sql.applications.all(...of, run, timestamp, sequence, rowsAtOnce) as unknown as PlacedApplication[];
      for (const { timestamp: _timestamp, sequence: _sequence, ...context } of rows) yield context;
      const last = rows.at(-1);
      if (!last || rows.length < rowsAtOnce) return;
      // The next place: the application that would come behind it.
      ({ run, timestamp, sequence } = { ...last, sequence: last.sequence - 1 });
    }
  }

  /** One run, or undefined. */
  run(cluster: string, user: string, flow: string, run: number): FlowRun | undefined {
    return this.#sql.run.get(cluster, user, flow, run) as FlowRun | undefined;
  }

  /** Runs of a flow, newest first, from `fromRun` on (inclusive), started within the given times; read some at a time. */
  *runs(
    flow: { cluster: string; user: string; flow: string },
    range: { fromRun?: number; startMs: number; endMs: number; limit: number },
  ): Generator<FlowRun, undefined> {
    let { fromRun = farFutureMs, limit } = range;
    while (limit > 0) {
      const asked = Math.min(limit, rowsAtOnce);
      const rows = this.#sql.runs.all(
        flow.cluster,
        flow.user,
        flow.flow,
        fromRun,
        range.startMs,
        range.endMs,
        asked,
      ) as unknown as FlowRun[];
      yield* rows;
      const last = rows.at(-1);
      if (!last || rows.length < asked) return;
      [fromRun, limit] = [last.run - 1, limit - rows.length];
    }
  }

  /** Flows active between two days (inclusive), latest day first, from `from` on (inclusive); read some at a time. */
  *activity(
    cluster: string,
    range: { startDayMs: number; endDayMs: number; limit: number; from?: { dayMs: number; user: string; flow: string } },
  ): Generator<FlowActivity, undefined> {
    let { limit, from = { dayMs: farFutureMs, user: '', flow: '' } } = range;
    let overlap = 0;
    while (limit > 0) {
      const asked = Math.min(limit, rowsAtOnce) + overlap;
      const { startDayMs, endDayMs } = range;
      const rows = this.#sql.activity.all(
        cluster,
        startDayMs,
        Math.min(endDayMs, from.dayMs),
        from.dayMs,
        from.user,
        from.user,
        from.flow,
        asked,
      ) as unknown as Omit<FlowActivity, 'runs'>[];
      for (const row of rows.slice(overlap)) {
        const runs = this.#sql.runsOfDay.all(row.cluster, row.dayMs, row.user, row.flow) as unknown as { run: number; version: string }[];
        yield { ...row, runs };
      }
      const last = rows.at(-1);
      if (!last || rows.length < asked) return;
      limit -= rows.length - overlap;
      [from, overlap] = [last, 1];
    }
  }
}

function prepareStatements(prepare: (sql: string) => Statement) {
  return {
    context: prepare(`SELECT ${contextColumns} FROM v2_contexts WHERE cluster = ? AND application = ?`),
    putContext: prepare(
      `INSERT INTO v2_contexts (cluster, application, user, flow, run, version, timestamp, sequence, collector, collector_until_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', 0) ON CONFLICT DO NOTHING`,
    ),
    putRun: prepare(
      `INSERT INTO v2_runs (cluster, user, flow, run, started_ms) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET started_ms = min(started_ms, excluded.started_ms)`,
    ),
    finishRun: prepare(
      'UPDATE v2_runs SET finished_ms = max(coalesce(finished_ms, 0), ?) WHERE cluster = ? AND user = ? AND flow = ? AND run = ?',
    ),
    putActivity: prepare(
      'INSERT INTO v2_activity (cluster, day_ms, user, flow, run, version) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    putActivityOf: prepare(
      `INSERT INTO v2_activity (cluster, day_ms, user, flow, run, version)
       SELECT cluster, ?, user, flow, run, version FROM v2_contexts WHERE cluster = ? AND application = ? ON CONFLICT DO NOTHING`,
    ),
    setCollector: prepare("UPDATE v2_contexts SET collector = 'open', collector_until_ms = ? WHERE cluster = ? AND application = ?"),
    setEnded: prepare('UPDATE v2_contexts SET ended_ms = ? WHERE cluster = ? AND application = ?'),
    collector: prepare(
      "SELECT 1 AS found FROM v2_contexts WHERE cluster = ? AND application = ? AND collector = 'open' AND collector_until_ms >= ?",
    ),
    applications: prepare(
      `SELECT ${contextColumns}, timestamp, sequence FROM v2_contexts WHERE cluster = ? AND user = ? AND flow = ? AND run >= ? AND run <= ?
         AND (run, timestamp, sequence) <= (?, ?, ?)
       ORDER BY run DESC, timestamp DESC, sequence DESC LIMIT ?`,
    ),
    run: prepare(
      'SELECT cluster, user, flow, run, started_ms AS startedMs, finished_ms AS finishedMs FROM v2_runs WHERE cluster = ? AND user = ? AND flow = ? AND run = ?',
    ),
    runs: prepare(
      `SELECT cluster, user, flow, run, started_ms AS startedMs, finished_ms AS finishedMs FROM v2_runs
       WHERE cluster = ? AND user = ? AND flow = ? AND run <= ? AND started_ms >= ? AND started_ms <= ? ORDER BY run DESC LIMIT ?`,
    ),
    activity: prepare(
      `SELECT DISTINCT cluster, day_ms AS dayMs, user, flow FROM v2_activity
       WHERE cluster = ? AND day_ms >= ? AND day_ms <= ? AND (day_ms < ? OR user > ? OR (user = ? AND flow >= ?))
       ORDER BY day_ms DESC, user, flow LIMIT ?`,
    ),
    runsOfDay: prepare('SELECT run, version FROM v2_activity WHERE cluster = ? AND day_ms = ? AND user = ? AND flow = ? ORDER BY run'),
  };
}
