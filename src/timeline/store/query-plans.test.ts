import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import { lookedThrough, recordingStatements } from '../../storage/test-support/query-plans.ts';
import { DomainStore } from './domain-store.ts';
import { EntityStore } from './entity-store.ts';
import { FlowStore } from './flow-store.ts';
import { timelineMigrations } from './migrations.ts';
import { timelineTokenStore } from './token-store.ts';
import { V2Expiry } from './v2-expiry.ts';
import { V2Store } from './v2-store.ts';

/** Those of one entity are few. */
const eventsOfOneEntity = 'SELECT 1 AS found FROM v2_events WHERE entity = ? AND name = ? LIMIT 1';

test('rows are found by all that is known of them, however many there are', () => {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(timelineMigrations);
  const { recorded, statements } = recordingStatements(database);
  new EntityStore(recorded);
  new DomainStore(recorded);
  new FlowStore(recorded);
  new V2Store(recorded);
  new V2Expiry(recorded);
  timelineTokenStore(recorded);
  assert.ok(statements.length > 100, `${statements.length} statements`);
  for (const sql of statements) assert.deepEqual(lookedThrough(database, sql), sql === eventsOfOneEntity ? ['name'] : [], sql);
});
