// What goes of timeline v2 when it is old: applications that ended, with all that was put for them, then their runs and days; entities kept
// for users. Nothing goes of an application that runs, nor of the run that it belongs to. (Hadoop leaves age to the time to live of HBase.)
import type { Database, Statement } from '../../storage/sqlite.ts';
import { applicationScope, applicationType, runScope } from '../v2/scopes.ts';
import { type ApplicationContext, dayMs } from './flow-store.ts';
import type { AgingEntities } from './retention.ts';

export class V2Expiry implements AgingEntities {
  readonly #sql: ReturnType<typeof prepareStatements>;

  constructor(database: Database) {
    this.#sql = prepareStatements((text) => database.prepare(text));
  }

  /** Applications that ended, entities of users that were written to last, and days that were over, at `untilMs` (retention.ts). */
  expire(untilMs: number, most: number): { readonly rows: number; readonly entities: number } {
    let [rows, entities] = [0, 0];
    const remove = (key: number): void => {
      const removed = this.#removeEntity(key, most - rows);
      rows += removed.rows;
      if (removed.isGone) entities += 1;
    };
    while (rows < most) {
      const context = this.#sql.endedContext.get(untilMs) as ApplicationContext | undefined;
      const key = context ? this.#entityOf(context) : (this.#sql.oldOfUser.get(untilMs) as { key: number } | undefined)?.key;
      if (key !== undefined) remove(key);
      else if (context) rows += this.#removeContext(context, most - rows);
      else return { rows: rows + Number(this.#sql.removeDays.run(untilMs - dayMs, most - rows).changes), entities };
    }
    return { rows, entities };
  }

  /** An entity of an application, those that were put for it first. */
  #entityOf(context: ApplicationContext): number | undefined {
    const found =
      this.#sql.entityOfScope.get(applicationScope(context)) ??
      this.#sql.entityById.get(runScope(context), applicationType, context.application);
    return (found as { key: number } | undefined)?.key;
  }

  #removeEntity(key: number, most: number): { rows: number; isGone: boolean } {
    let rows = 0;
    for (const remove of this.#sql.removeParts) if (rows < most) rows += Number(remove.run(key, key, most - rows).changes);
    if (rows >= most) return { rows, isGone: false };
    this.#sql.removeEntity.run(key);
    return { rows: rows + 1, isGone: true };
  }

  /** Forgets an application of which nothing is left; with the last one of a run, its days and the run itself. Returns how many rows went. */
  #removeContext({ cluster, user, flow, run, application }: ApplicationContext, most: number): number {
    const ofRun = [cluster, user, flow, run] as const;
    let rows = 0;
    if (!this.#sql.otherOfRun.get(...ofRun, application)) {
      rows = Number(this.#sql.removeDaysOfRun.run(...ofRun, most).changes);
      const scope = runScope({ cluster, user, flow, run });
      if (rows < most) rows += Number(this.#sql.removeMetricsOfRun.run(scope, scope, most - rows).changes);
      if (rows >= most) return rows;
      this.#sql.removeRun.run(...ofRun);
    }
    this.#sql.removeContext.run(cluster, application);
    return rows + 1;
  }
}

/** Tables with the parts of an entity, and what tells a row of one entity. */
const parts = {
  v2_info: 'name',
  v2_configs: 'name',
  v2_metrics: 'name, timestamp_ms',
  v2_events: 'timestamp_ms, name',
  v2_relations: 'direction, type',
};

function prepareStatements(prepare: (sql: string) => Statement) {
  const day = 'cluster, day_ms, user, flow, run';
  return {
    endedContext: prepare(
      'SELECT cluster, user, flow, run, application FROM v2_contexts WHERE ended_ms IS NOT NULL AND ended_ms <= ? ORDER BY ended_ms LIMIT 1',
    ),
    entityOfScope: prepare('SELECT key FROM v2_entities WHERE scope = ? LIMIT 1'),
    entityById: prepare('SELECT key FROM v2_entities WHERE scope = ? AND type = ? AND id = ? LIMIT 1'),
    oldOfUser: prepare('SELECT key FROM v2_entities WHERE written_ms IS NOT NULL AND written_ms <= ? ORDER BY written_ms LIMIT 1'),
    removeParts: Object.entries(parts).map(([table, key]) =>
      prepare(`DELETE FROM ${table} WHERE entity = ? AND (${key}) IN (SELECT ${key} FROM ${table} WHERE entity = ? LIMIT ?)`),
    ),
    removeEntity: prepare('DELETE FROM v2_entities WHERE key = ?'),
    otherOfRun: prepare(
      'SELECT 1 AS found FROM v2_contexts WHERE cluster = ? AND user = ? AND flow = ? AND run = ? AND application <> ? LIMIT 1',
    ),
    removeDaysOfRun: prepare(
      `DELETE FROM v2_activity WHERE (${day}) IN (
         SELECT ${day} FROM v2_activity WHERE cluster = ? AND user = ? AND flow = ? AND run = ? LIMIT ?)`,
    ),
    removeMetricsOfRun: prepare(
      'DELETE FROM v2_run_metrics WHERE scope = ? AND name IN (SELECT name FROM v2_run_metrics WHERE scope = ? LIMIT ?)',
    ),
    removeRun: prepare('DELETE FROM v2_runs WHERE cluster = ? AND user = ? AND flow = ? AND run = ?'),
    removeContext: prepare('DELETE FROM v2_contexts WHERE cluster = ? AND application = ?'),
    removeDays: prepare(
      `DELETE FROM v2_activity WHERE (${day}) IN (
         SELECT ${day} FROM v2_activity a WHERE day_ms <= ? AND NOT EXISTS (
           SELECT 1 FROM v2_contexts c INDEXED BY v2_contexts_running
           WHERE c.cluster = a.cluster AND c.user = a.user AND c.flow = a.flow AND c.run = a.run AND c.ended_ms IS NULL)
         ORDER BY day_ms LIMIT ?)`,
    ),
  };
}
