// The schema of the timeline's database. Numbered steps; a released one is never changed.
import type { Migration } from '../../storage/sqlite.ts';

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

export const timelineMigrations: readonly Migration[] = [{ id: 1, sql: entitiesSql }];
