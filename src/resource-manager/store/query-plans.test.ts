import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import { lookedThrough, recordingStatements } from '../../storage/test-support/query-plans.ts';
import { SqliteOutboxStore } from '../publishing/outbox-store.ts';
import { resourceManagerStore } from '../start/store-kind.ts';
import { WebhookStore } from '../webhooks/webhook-store.ts';
import { ResourceManagerStore } from './resource-manager-store.ts';

test('rows are found by all that is known of them, however many there are', () => {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(resourceManagerStore.migrations);
  const { recorded, statements } = recordingStatements(database);
  new WebhookStore(recorded, new ResourceManagerStore(recorded));
  new SqliteOutboxStore(recorded);
  assert.ok(statements.length > 50, `${statements.length} statements`);
  for (const sql of statements) assert.deepEqual(lookedThrough(database, sql), [], sql);
});
