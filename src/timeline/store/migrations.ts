// The schema of the timeline's database. Numbered steps; a released one is never changed.
import type { Migration } from '../../storage/store-kind.ts';

// A view is one way to see an entity: the plain one (no filter) and one for each primary filter value, which holds only what was
// put together with that value. Hadoop's LevelDB store keeps such copies, and queries by primary filter show them.
const entitiesSql = `
CREATE TABLE entities (
  key INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  start_ms INTEGER NOT NULL,
  inserted_ms INTEGER NOT NULL,
  domain TEXT NOT NULL,
  UNIQUE (type, id)
);
CREATE INDEX entities_by_start ON entities (start_ms);
CREATE TABLE views (
  key INTEGER PRIMARY KEY,
  entity INTEGER NOT NULL,
  type TEXT NOT NULL,
  filter_name TEXT NOT NULL,
  filter_value TEXT NOT NULL,
  start_ms INTEGER NOT NULL,
  id TEXT NOT NULL
);
CREATE UNIQUE INDEX views_in_order ON views (type, filter_name, filter_value, start_ms DESC, id);
CREATE INDEX views_of_entity ON views (entity);
CREATE TABLE view_events (
  view INTEGER NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  type TEXT NOT NULL,
  info TEXT NOT NULL,
  PRIMARY KEY (view, timestamp_ms DESC, type)
) WITHOUT ROWID;
CREATE TABLE view_info (
  view INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (view, name)
) WITHOUT ROWID;
CREATE TABLE view_filters (
  view INTEGER NOT NULL,
  name TEXT NOT NULL,
  value_key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (view, name, value_key)
) WITHOUT ROWID;
CREATE TABLE relations (
  view INTEGER NOT NULL,
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (view, type, id)
) WITHOUT ROWID;
CREATE INDEX relations_by_source ON relations (type, id);
CREATE TABLE domains (
  id TEXT PRIMARY KEY,
  description TEXT,
  owner TEXT NOT NULL,
  readers TEXT,
  writers TEXT,
  created_ms INTEGER NOT NULL,
  modified_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX domains_of_owner ON domains (owner);
CREATE TABLE token_keys (
  id INTEGER PRIMARY KEY,
  secret BLOB NOT NULL,
  created_ms INTEGER NOT NULL
);
CREATE TABLE tokens (
  sequence_number INTEGER PRIMARY KEY AUTOINCREMENT,
  identifier BLOB NOT NULL,
  renew_before_ms INTEGER NOT NULL
);
`;

// Version 2. `scope` says whose an entity is: an application's (cluster, user, flow, run, application) or a user's (cluster, user),
// joined as in FROM_ID. `prefix` is the 64-bit sort key, unsigned, in 20 digits.
const flowsSql = `
CREATE TABLE v2_contexts (
  cluster TEXT NOT NULL,
  application TEXT NOT NULL,
  user TEXT NOT NULL,
  flow TEXT NOT NULL,
  run INTEGER NOT NULL,
  version TEXT NOT NULL,
  timestamp INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  collector TEXT NOT NULL,
  collector_until_ms INTEGER NOT NULL,
  PRIMARY KEY (cluster, application)
) WITHOUT ROWID;
CREATE INDEX v2_contexts_in_order ON v2_contexts (cluster, user, flow, run DESC, timestamp DESC, sequence DESC);
CREATE TABLE v2_runs (
  cluster TEXT NOT NULL,
  user TEXT NOT NULL,
  flow TEXT NOT NULL,
  run INTEGER NOT NULL,
  started_ms INTEGER NOT NULL,
  finished_ms INTEGER,
  PRIMARY KEY (cluster, user, flow, run DESC)
) WITHOUT ROWID;
CREATE TABLE v2_activity (
  cluster TEXT NOT NULL,
  day_ms INTEGER NOT NULL,
  user TEXT NOT NULL,
  flow TEXT NOT NULL,
  run INTEGER NOT NULL,
  version TEXT NOT NULL,
  PRIMARY KEY (cluster, day_ms DESC, user, flow, run)
) WITHOUT ROWID;
CREATE TABLE v2_entities (
  key INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,
  type TEXT NOT NULL,
  prefix TEXT NOT NULL,
  id TEXT NOT NULL,
  created_ms INTEGER,
  UNIQUE (scope, type, prefix, id)
);
CREATE INDEX v2_entities_by_id ON v2_entities (scope, type, id);
CREATE TABLE v2_info (entity INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (entity, name)) WITHOUT ROWID;
CREATE TABLE v2_configs (entity INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (entity, name)) WITHOUT ROWID;
CREATE TABLE v2_metrics (
  entity INTEGER NOT NULL,
  name TEXT NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (entity, name, timestamp_ms DESC)
) WITHOUT ROWID;
CREATE TABLE v2_events (
  entity INTEGER NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  name TEXT NOT NULL,
  info TEXT NOT NULL,
  PRIMARY KEY (entity, timestamp_ms DESC, name)
) WITHOUT ROWID;
CREATE TABLE v2_relations (
  entity INTEGER NOT NULL,
  direction TEXT NOT NULL,
  type TEXT NOT NULL,
  ids TEXT NOT NULL,
  PRIMARY KEY (entity, direction, type)
) WITHOUT ROWID;
`;

// What lists by other info and by time of insertion look up. `value` is the value's key (exact-json.ts: of strings, booleans and integers their
// JSON); it stands here as long as some view of the entity has it, so that a row may say nothing about the view that is asked for.
const searchSql = `
CREATE TABLE info_values (
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  start_ms INTEGER NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (type, name, value, start_ms DESC, id)
) WITHOUT ROWID;
INSERT OR IGNORE INTO info_values SELECT v.type, i.name, i.value, v.start_ms, v.id FROM view_info i JOIN views v ON v.key = i.view
  WHERE length(i.value) <= 200;
CREATE TABLE insertions (type TEXT NOT NULL, second INTEGER NOT NULL, first_ms INTEGER NOT NULL, PRIMARY KEY (type, second)) WITHOUT ROWID;
INSERT INTO insertions SELECT type, (start_ms - (start_ms % 1000 + 1000) % 1000) / 1000 AS second, min(inserted_ms) FROM entities GROUP BY 1, 2;
`;

// What retention of version 2 goes by: when an application ended (with the time its collector lingers), and when an entity kept for a user was
// written to last. Of stores of earlier versions: what the collector or the application says; entities of users are taken for written now.
const retentionSql = `
ALTER TABLE v2_contexts ADD COLUMN ended_ms INTEGER;
UPDATE v2_contexts SET ended_ms = collector_until_ms WHERE collector = 'open' AND collector_until_ms < 9007199254740991;
UPDATE v2_contexts SET ended_ms = (
  SELECT max(v.timestamp_ms) FROM v2_entities e JOIN v2_events v ON v.entity = e.key
  WHERE e.scope = replace(replace(cluster, '*', '**'), '!', '*!') || '!' || replace(replace(user, '*', '**'), '!', '*!') || '!' ||
    replace(replace(flow, '*', '**'), '!', '*!') || '!' || run
    AND e.type = 'YARN_APPLICATION' AND e.id = application AND v.name = 'YARN_APPLICATION_FINISHED'
) WHERE collector = '';
CREATE INDEX v2_contexts_by_end ON v2_contexts (ended_ms) WHERE ended_ms IS NOT NULL;
CREATE INDEX v2_contexts_running ON v2_contexts (cluster, user, flow, run) WHERE ended_ms IS NULL;
ALTER TABLE v2_entities ADD COLUMN written_ms INTEGER;
UPDATE v2_entities SET written_ms = unixepoch() * 1000
  WHERE length(replace(replace(scope, '**', ''), '*!', '')) - length(replace(replace(replace(scope, '**', ''), '*!', ''), '!', '')) = 1;
CREATE INDEX v2_entities_by_write ON v2_entities (written_ms) WHERE written_ms IS NOT NULL;
CREATE INDEX v2_activity_by_day ON v2_activity (day_ms);
CREATE INDEX v2_activity_of_run ON v2_activity (cluster, user, flow, run);
`;

// A view's events, other info and filters as one text (view-document.ts); null where they stand in tables of their own, as in views of stores of
// earlier versions and in large ones.
const documentsSql = 'ALTER TABLE views ADD COLUMN document TEXT';

// Sums over the applications of a run, kept with each put: the newest value of each metric of each application counts.
const runMetricsSql = `
CREATE TABLE v2_run_metrics (
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  timestamp_ms INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (scope, name)
) WITHOUT ROWID;
INSERT INTO v2_run_metrics SELECT e.scope, m.name, max(m.timestamp_ms), sum(CAST(m.value AS REAL))
  FROM v2_entities e JOIN v2_metrics m ON m.entity = e.key
  WHERE e.type = 'YARN_APPLICATION'
    AND m.timestamp_ms = (SELECT max(n.timestamp_ms) FROM v2_metrics n WHERE n.entity = m.entity AND n.name = m.name)
  GROUP BY e.scope, m.name;
`;

// Values of other info of entities made from now on are looked up by sorted runs of keys (info-index.ts); `info_values` keeps those of entities made
// before, and what is put to an entity once its keys are in a run.
const runsSql = `
CREATE TABLE info_runs (
  run INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  keys INTEGER NOT NULL,
  latest_ms INTEGER NOT NULL
);
CREATE TABLE info_chunks (
  key INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  first TEXT NOT NULL,
  keys TEXT NOT NULL
);
CREATE UNIQUE INDEX info_chunks_in_order ON info_chunks (run, first);
CREATE TABLE info_indexed (entity INTEGER NOT NULL);
INSERT INTO info_indexed SELECT coalesce(max(key), 0) FROM entities;
`;

// An entity of version 2 is found by its id alone, and of several with one id the first: with the shorter index SQLite rather went through the
// prefixes of all entities of a type.
const byIdSql = `
DROP INDEX v2_entities_by_id;
CREATE INDEX v2_entities_by_id ON v2_entities (scope, type, id, prefix);
`;

export const timelineMigrations: readonly Migration[] = [
  { id: 1, sql: entitiesSql },
  { id: 2, sql: flowsSql },
  // Keys made before were of simple authentication: there was no other.
  { id: 3, sql: "ALTER TABLE token_keys ADD COLUMN mechanism TEXT NOT NULL DEFAULT 'simple'" },
  { id: 4, sql: searchSql },
  { id: 5, sql: retentionSql },
  { id: 6, sql: documentsSql },
  { id: 7, sql: runMetricsSql },
  { id: 8, sql: runsSql },
  { id: 9, sql: byIdSql },
];
