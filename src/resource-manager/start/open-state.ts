// Opens what survives restarts, and counts this one: the number in ids of applications and the epoch in ids of containers grow with each.
import { join } from 'node:path';
import { openDatabase } from '../../storage/sqlite.ts';
import type { OutboxStore } from '../publishing/outbox.ts';
import { SqliteOutboxStore } from '../publishing/outbox-store.ts';
import { ResourceManagerStore } from '../store/resource-manager-store.ts';
import type { Starting } from './starting.ts';

const containerKeyName = 'container-token-key';
const epochName = 'epoch';
const startedName = 'started';

/** What was opened. */
export interface OpenedState {
  readonly store: ResourceManagerStore;
  /** What is owed to others. */
  readonly outboxes: OutboxStore;
  /** When this resource manager started, ms since the epoch; above that of every start before, whatever the machine's clock says. */
  readonly startedMs: number;
  /** Number of starts before this one. */
  readonly epoch: number;
  /** Signs container tokens; the same in every start. */
  readonly containerTokenKey: Buffer;
}

/** Opens the store; the new numbers are durable when it resolves. */
export async function openState({ configuration, clock, logger, random, closer }: Starting): Promise<OpenedState> {
  const database = openDatabase(join(configuration.dataDir, 'resource-manager', 'state.sqlite'), {
    logger,
    clock,
  });
  closer.add('store', () => database.close());
  const store = new ResourceManagerStore(database);
  const startedMs = Math.max(clock.now(), Number(store.meta(startedName) ?? 0) + 1);
  const epoch = store.meta(epochName) === undefined ? 0 : Number(store.meta(epochName)) + 1;
  const containerTokenKey = Buffer.from(store.meta(containerKeyName) ?? random.bytes(32).toString('base64'), 'base64');
  await Promise.all([
    store.setMeta(epochName, String(epoch)),
    store.setMeta(startedName, String(startedMs)),
    store.setMeta(containerKeyName, containerTokenKey.toString('base64')),
  ]);
  return { store, outboxes: new SqliteOutboxStore(database), startedMs, epoch, containerTokenKey };
}
