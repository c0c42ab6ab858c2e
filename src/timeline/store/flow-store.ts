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

  /** Whether an application's collector takes entities now. */
  collectorOpen(cluster: string, application: string, nowMs: number): boolean {
    return this.#sql.collector.get(cluster, application, nowMs) !== undefined;
  }

  /** Applications of a flow (or of one run), newest first, from `from` on (inclusive). */
  applications(
    flow: { cluster: string; user: string; flow: string; run?: number },
    from?: { run: number; timestamp: number; sequence: number },
  ): Iterable<ApplicationContext> {
    const { run, timestamp, sequence } = from ?? { run: farFutureMs, timestamp: farFutureMs, sequence: farFutureMs };
    return this.#sql.applications.iterate(
      flow.cluster,
      flow.user,
      flow.flow,
      flow.run ?? null,
      flow.run ?? null,
      run,
      run,
      timestamp,
      timestamp,
      sequence,
    ) as Iterable<unknown> as Iterable<ApplicationContext>;
  }

  /** One run, or undefined. */
  run(cluster: string, user: string, flow: string, run: number): FlowRun | undefined {
    return this.#sql.run.get(cluster, user, flow, run) as FlowRun | undefined;
  }

  /** Runs of a flow, newest first, from `fromRun` on (inclusive), started within the given times. */
  runs(
    flow: { cluster: string; user: string; flow: string },
    range: { fromRun?: number; startMs: number; endMs: number; limit: number },
  ): FlowRun[] {
    const { fromRun = farFutureMs, startMs, endMs, limit } = range;
    return this.#sql.runs.all(flow.cluster, flow.user, flow.flow, fromRun, startMs, endMs, limit) as unknown as FlowRun[];
  }

  /** Flows active between two days (inclusive), latest day first, from `from` on (inclusive). */
  activity(
    cluster: string,
    range: { startDayMs: number; endDayMs: number; limit: number; from?: { dayMs: number; user: string; flow: string } },
  ): FlowActivity[] {
    const from = range.from ?? { dayMs: farFutureMs, user: '', flow: '' };
    const rows = this.#sql.activity.all(
      cluster,
      range.startDayMs,
      range.endDayMs,
      from.dayMs,
      from.dayMs,
      from.user,
      from.user,
      from.flow,
      range.limit,
    ) as unknown as Omit<FlowActivity, 'runs'>[];
    return rows.map((row) => ({
      ...row,
      runs: this.#sql.runsOfDay.all(row.cluster, row.dayMs, row.user, row.flow) as unknown as { run: number; version: string }[],
    }));
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
    collector: prepare(
      "SELECT 1 AS found FROM v2_contexts WHERE cluster = ? AND application = ? AND collector = 'open' AND collector_until_ms >= ?",
    ),
    applications: prepare(
      `SELECT ${contextColumns} FROM v2_contexts WHERE cluster = ? AND user = ? AND flow = ? AND (? IS NULL OR run = ?)
         AND (run < ? OR (run = ? AND (timestamp < ? OR (timestamp = ? AND sequence <= ?))))
       ORDER BY run DESC, timestamp DESC, sequence DESC`,
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
       WHERE cluster = ? AND day_ms >= ? AND day_ms <= ? AND (day_ms < ? OR (day_ms = ? AND (user > ? OR (user = ? AND flow >= ?))))
       ORDER BY day_ms DESC, user, flow LIMIT ?`,
    ),
    runsOfDay: prepare('SELECT run, version FROM v2_activity WHERE cluster = ? AND day_ms = ? AND user = ? AND flow = ? ORDER BY run'),
  };
}
