// The resource manager's schema, one step a version.
import type { Migration } from '../../storage/store-kind.ts';

export const migrations: readonly Migration[] = [
  {
    id: 1,
    sql: `
      CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE live_applications (id TEXT PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE finished_applications (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        user TEXT NOT NULL,
        name TEXT NOT NULL,
        queue TEXT NOT NULL,
        type TEXT NOT NULL,
        tags TEXT NOT NULL,
        state TEXT NOT NULL,
        final_status TEXT NOT NULL,
        started_ms INTEGER NOT NULL,
        finished_ms INTEGER NOT NULL,
        document TEXT NOT NULL,
        json TEXT,
        xml TEXT
      );
      CREATE INDEX finished_by_end ON finished_applications (finished_ms);
      CREATE INDEX finished_by_state ON finished_applications (state, type);
      CREATE TABLE records (kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
    `,
  },
  {
    id: 2,
    sql: `
      CREATE TABLE notes (number INTEGER PRIMARY KEY, application TEXT NOT NULL, note TEXT NOT NULL);
      CREATE INDEX notes_by_application ON notes (application, number);
    `,
  },
  {
    // Pages of ended applications in the order of their beginnings and ends; priorities for pages in their order.
    id: 3,
    sql: `
      ALTER TABLE finished_applications ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
      UPDATE finished_applications SET priority = coalesce(json_extract(document, '$.priority'), 0);
      DROP INDEX finished_by_end;
      CREATE INDEX finished_by_end ON finished_applications (finished_ms, id);
      CREATE INDEX finished_by_start ON finished_applications (started_ms, id);
    `,
  },
  {
    // Containers of masters, from before the master hears of one until it has heard of its end.
    id: 4,
    sql: 'CREATE TABLE containers (application TEXT NOT NULL, id TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (application, id)) WITHOUT ROWID;',
  },
  {
    // What the timeline is owed; which ends were not told of yet; how many applications were ever submitted to a queue and ended there.
    id: 5,
    sql: `
      CREATE TABLE outbox (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        receiver TEXT NOT NULL,
        kept_ms INTEGER NOT NULL,
        messages INTEGER NOT NULL,
        characters INTEGER NOT NULL,
        texts TEXT NOT NULL
      );
      CREATE INDEX outbox_by_receiver ON outbox (receiver, number);
      ALTER TABLE finished_applications ADD COLUMN settled INTEGER NOT NULL DEFAULT 1;
      CREATE INDEX finished_unsettled ON finished_applications (number) WHERE settled = 0;
      CREATE TABLE application_totals (queue TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (queue, kind)) WITHOUT ROWID;
      INSERT INTO application_totals (queue, kind, count)
        SELECT queue, state, count(*) FROM finished_applications WHERE json_extract(document, '$.admitted') GROUP BY queue, state;
      INSERT INTO application_totals (queue, kind, count)
        SELECT queue, 'SUBMITTED', sum(count) FROM application_totals GROUP BY queue;
    `,
  },
  {
    // Nodes drained by hand were a list of ids.
    id: 6,
    sql: `
      INSERT OR IGNORE INTO records (kind, key, value)
        SELECT 'leaving-node', drained.value, json_object('nodeId', drained.value, 'httpAddress', '', 'byHand', json('true'), 'untilMs', 0)
        FROM meta, json_each(meta.value) AS drained WHERE meta.key = 'drained-nodes';
      DELETE FROM meta WHERE key = 'drained-nodes';
    `,
  },
  {
    // In which answer the end of a container was told to the master of which attempt, before that answer leaves.
    id: 7,
    sql: `
      ALTER TABLE containers ADD COLUMN told_to TEXT;
      ALTER TABLE containers ADD COLUMN told_in INTEGER;
    `,
  },
  {
    // Lists of ended applications by user, name, queue, type, tag and state in the order of their ends; how many there are of each state and type.
    id: 8,
    sql: `
      CREATE INDEX finished_by_user ON finished_applications (user);
      CREATE INDEX finished_by_name ON finished_applications (name);
      CREATE INDEX finished_by_queue ON finished_applications (queue);
      CREATE INDEX finished_by_type ON finished_applications (lower(type));
      DROP INDEX finished_by_state;
      CREATE INDEX finished_by_state ON finished_applications (state);
      CREATE TABLE finished_tags (tag TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (tag, number)) WITHOUT ROWID;
      CREATE INDEX finished_tags_by_number ON finished_tags (number);
      INSERT OR IGNORE INTO finished_tags (tag, number)
        WITH RECURSIVE split (number, tag, rest) AS (
          SELECT number, '', lower(tags) || ',' FROM finished_applications
          UNION ALL
          SELECT number, substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1) FROM split WHERE rest <> ''
        )
        SELECT tag, number FROM split WHERE tag <> '';
      CREATE TABLE finished_counts (state TEXT NOT NULL, type TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (state, type)) WITHOUT ROWID;
      INSERT INTO finished_counts (state, type, count) SELECT state, type, count(*) FROM finished_applications GROUP BY state, type;
      CREATE TRIGGER finished_added AFTER INSERT ON finished_applications BEGIN
        INSERT INTO finished_counts (state, type, count) VALUES (new.state, new.type, 1)
          ON CONFLICT (state, type) DO UPDATE SET count = count + 1;
      END;
      CREATE TRIGGER finished_changed AFTER UPDATE OF state ON finished_applications WHEN old.state <> new.state BEGIN
        UPDATE finished_counts SET count = count - 1 WHERE state = old.state AND type = old.type;
        INSERT INTO finished_counts (state, type, count) VALUES (new.state, new.type, 1)
          ON CONFLICT (state, type) DO UPDATE SET count = count + 1;
      END;
      CREATE TRIGGER finished_removed AFTER DELETE ON finished_applications BEGIN
        UPDATE finished_counts SET count = count - 1 WHERE state = old.state AND type = old.type;
        DELETE FROM finished_tags WHERE number = old.number;
      END;
    `,
  },
  {
    // What webhooks are owed, and what was given up for them.
    id: 9,
    sql: `
      CREATE TABLE webhook_events (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        hook TEXT NOT NULL,
        kind TEXT NOT NULL,
        made_ms INTEGER NOT NULL,
        subject TEXT NOT NULL,
        body TEXT NOT NULL,
        characters INTEGER NOT NULL,
        tries INTEGER NOT NULL,
        dead_ms INTEGER,
        reason TEXT
      );
      CREATE INDEX webhook_events_owed ON webhook_events (hook, number) WHERE dead_ms IS NULL;
      CREATE INDEX webhook_events_dead ON webhook_events (hook, number) WHERE dead_ms IS NOT NULL;
    `,
  },
  {
    // Live applications in the order of their coming: a document is longer than what a page of a table by key holds of a row.
    id: 10,
    sql: `
      CREATE TABLE live_applications_as_they_came (id TEXT NOT NULL PRIMARY KEY, document TEXT NOT NULL);
      INSERT INTO live_applications_as_they_came (id, document) SELECT id, document FROM live_applications ORDER BY id;
      DROP TABLE live_applications;
      ALTER TABLE live_applications_as_they_came RENAME TO live_applications;
    `,
  },
  {
    // Ended applications of whose logs a node has not told the end.
    id: 11,
    sql: `
      ALTER TABLE finished_applications ADD COLUMN awaits_logs INTEGER NOT NULL DEFAULT 0;
      UPDATE finished_applications SET awaits_logs = 1
        WHERE json_extract(document, '$.logAggregationEnabled')
          AND EXISTS (SELECT 1 FROM json_each(document, '$.logAggregation')
            WHERE json_extract(value, '$[1].status') IN ('NOT_START', 'RUNNING', 'RUNNING_WITH_FAILURE'));
      CREATE INDEX finished_awaiting_logs ON finished_applications (finished_ms) WHERE awaits_logs = 1;
    `,
  },
  {
    // What the ended containers of live applications add up to, and which of those that are kept it counts. Of earlier ones: what was told was counted.
    id: 12,
    sql: `
      CREATE TABLE application_sums (application TEXT PRIMARY KEY, sums TEXT NOT NULL) WITHOUT ROWID;
      ALTER TABLE containers ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
      UPDATE containers SET counted = 1 WHERE told_in IS NOT NULL;
    `,
  },
  {
    // How many ended applications there are of each combination that lists are filtered by.
    id: 13,
    sql: `
      CREATE TABLE finished_facets (
        state TEXT NOT NULL, final_status TEXT NOT NULL, user TEXT NOT NULL, queue TEXT NOT NULL, type TEXT NOT NULL, count INTEGER NOT NULL,
        PRIMARY KEY (user, queue, type, state, final_status)
      ) WITHOUT ROWID;
      INSERT INTO finished_facets (state, final_status, user, queue, type, count)
        SELECT state, final_status, user, queue, type, count(*) FROM finished_applications GROUP BY state, final_status, user, queue, type;
      CREATE TRIGGER facet_added AFTER INSERT ON finished_applications BEGIN
        INSERT INTO finished_facets (state, final_status, user, queue, type, count)
          VALUES (new.state, new.final_status, new.user, new.queue, new.type, 1)
          ON CONFLICT (user, queue, type, state, final_status) DO UPDATE SET count = count + 1;
      END;
      CREATE TRIGGER facet_changed AFTER UPDATE OF state, final_status ON finished_applications
        WHEN old.state <> new.state OR old.final_status <> new.final_status
      BEGIN
        UPDATE finished_facets SET count = count - 1
          WHERE user = old.user AND queue = old.queue AND type = old.type AND state = old.state AND final_status = old.final_status;
        INSERT INTO finished_facets (state, final_status, user, queue, type, count)
          VALUES (new.state, new.final_status, new.user, new.queue, new.type, 1)
          ON CONFLICT (user, queue, type, state, final_status) DO UPDATE SET count = count + 1;
      END;
      CREATE TRIGGER facet_removed AFTER DELETE ON finished_applications BEGIN
        UPDATE finished_facets SET count = count - 1
          WHERE user = old.user AND queue = old.queue AND type = old.type AND state = old.state AND final_status = old.final_status;
        DELETE FROM finished_facets
          WHERE user = old.user AND queue = old.queue AND type = old.type AND state = old.state AND final_status = old.final_status AND count <= 0;
      END;
    `,
  },
  {
    // What ended applications ran, for those who ask for one: lists never read it.
    id: 14,
    sql: `
      CREATE TABLE finished_work (application TEXT PRIMARY KEY, work TEXT NOT NULL) WITHOUT ROWID;
      CREATE TRIGGER finished_work_removed AFTER DELETE ON finished_applications BEGIN
        DELETE FROM finished_work WHERE application = old.id;
      END;
    `,
  },
];
