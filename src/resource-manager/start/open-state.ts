// Opens what survives restarts, and counts this one: the number in ids of applications and the epoch in ids of containers grow with each.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../lib/iso-time.ts';
import { openStore } from '../../storage/sqlite.ts';
import { StoreReadiness } from '../../storage/store-readiness.ts';
import { restoredMarkOf } from '../../wire/files/restored-mark.ts';
import type { OutboxStore } from '../publishing/outbox.ts';
import { SqliteOutboxStore } from '../publishing/outbox-store.ts';
import { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { WebhookStore } from '../webhooks/webhook-store.ts';
import type { Starting } from './starting.ts';
import { metaNames, resourceManagerStore } from './store-kind.ts';

/**
 * Starts whose number is lost, or is that of a backup, are counted on from here: above all numbers that counting would have come to, one a minute.
 * Hadoop's container ids have room for it (23 bits).
 */
const lostEpoch = (nowMs: number): number => Math.max(0, Math.floor((nowMs - Date.UTC(2020, 0, 1)) / 60_000));

/** What is owed waits so long for a commit that is made for something else. */
const outboxPatienceMs = 50;

/** What was opened. */
export interface OpenedState {
  readonly store: ResourceManagerStore;
  /** Whether it still takes changes. */
  readonly readiness: StoreReadiness;
  /** What is owed to others. */
  readonly outboxes: OutboxStore;
  readonly webhooks: WebhookStore;
  /** When this resource manager started, ms since the epoch; above that of every start before, whatever the machine's clock says. */
  readonly startedMs: number;
  /** Number of starts before this one; more where some are not known. */
  readonly epoch: number;
  /** Signs container tokens; the same in every start. */
  readonly containerTokenKey: Buffer;
  /** Root of the keys of masters' tokens, which no node knows; the same in every start. */
  readonly masterTokenKey: Buffer;
}

/** Opens the store; the new numbers are durable when it resolves. */
export async function openState({ configuration, clock, logger, random, closer }: Starting): Promise<OpenedState> {
  const database = openStore(join(configuration.dataDir, 'resource-manager', 'state.sqlite'), resourceManagerStore, {
    logger,
    clock,
  });
  closer.add('store', () => database.close());
  const readiness = new StoreReadiness(database, { clock, logger, folder: configuration.dataDir });
  closer.add('readiness', () => readiness.close());
  const store = new ResourceManagerStore(database);
  const [nowMs, lastMs] = [clock.now(), Number(store.meta(metaNames.started) ?? 0)];
  const startedMs = Math.max(nowMs, lastMs + 1);
  if (nowMs < lastMs)
    logger.warn(
      { now: isoTime(nowMs), lastStart: isoTime(lastMs) },
      'the clock of this machine says less than at the last start: set it right, for tokens, lifetimes and schedules go by it',
    );
  const before = store.meta(metaNames.epoch);
  const isNew = store.meta(metaNames.started) === undefined && store.meta(metaNames.containerKey) === undefined;
  const restored = restoredMarkOf(configuration.dataDir);
  const isRestored = existsSync(restored);
  const counted = before !== undefined ? Number(before) + 1 : 0;
  const epoch = isRestored || (before === undefined && !isNew) ? Math.max(counted, lostEpoch(startedMs)) : counted;
  const keyOf = (name: string): Buffer => Buffer.from(store.meta(name) ?? random.bytes(32).toString('base64'), 'base64');
  const containerTokenKey = keyOf(metaNames.containerKey);
  const masterTokenKey = keyOf(metaNames.masterKey);
  await Promise.all([
    store.setMeta(metaNames.epoch, String(epoch)),
    store.setMeta(metaNames.started, String(startedMs)),
    store.setMeta(metaNames.containerKey, containerTokenKey.toString('base64')),
    store.setMeta(metaNames.masterKey, masterTokenKey.toString('base64')),
  ]);
  if (isRestored) rmSync(restored, { force: true });
  return {
    store,
    readiness,
    outboxes: new SqliteOutboxStore(database, outboxPatienceMs),
    webhooks: new WebhookStore(database, store),
    startedMs,
    epoch,
    containerTokenKey,
    masterTokenKey,
  };
}
