// Delegation tokens and their keys in the timeline's database.

import { decodeIdentifier, encodeIdentifier } from '../../auth/delegation/token-identifier.ts';
import type { MasterKey, StoredToken, TokenStore } from '../../auth/delegation/token-manager.ts';
import type { Database } from '../../storage/sqlite.ts';

/** The token store of a database that has the timeline's schema. */
export function timelineTokenStore(database: Database): TokenStore {
  const keys = database.prepare('SELECT id, secret, created_ms AS createdMs, mechanism FROM token_keys');
  const tokens = database.prepare('SELECT identifier, renew_before_ms AS renewBeforeMs FROM tokens');
  const last = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'tokens'");
  const putKey = database.prepare('INSERT OR REPLACE INTO token_keys (id, secret, created_ms, mechanism) VALUES (?, ?, ?, ?)');
  const removeKey = database.prepare('DELETE FROM token_keys WHERE id = ?');
  const putToken = database.prepare('INSERT OR REPLACE INTO tokens (sequence_number, identifier, renew_before_ms) VALUES (?, ?, ?)');
  const removeToken = database.prepare('DELETE FROM tokens WHERE sequence_number = ?');

  return {
    load() {
      const stored: StoredToken[] = [];
      for (const { identifier: bytes, renewBeforeMs } of tokens.all() as unknown as { identifier: Uint8Array; renewBeforeMs: number }[]) {
        const identifier = decodeIdentifier(Buffer.from(bytes));
        if (identifier) stored.push({ identifier, renewBeforeMs });
      }
      const masterKeys = (keys.all() as unknown as (Omit<MasterKey, 'secret'> & { readonly secret: Uint8Array })[]).map(
        ({ secret, ...key }): MasterKey => ({ ...key, secret: Buffer.from(secret) }),
      );
      return { keys: masterKeys, tokens: stored, lastSequenceNumber: (last.get() as { seq: number } | undefined)?.seq ?? 0 };
    },
    putKey: ({ id, secret, createdMs, mechanism }) => database.write(() => void putKey.run(id, secret, createdMs, mechanism)),
    removeKey: (id) => database.write(() => void removeKey.run(id)),
    putToken: ({ identifier, renewBeforeMs }) =>
      database.write(() => void putToken.run(identifier.sequenceNumber, encodeIdentifier(identifier), renewBeforeMs)),
    removeToken: (sequenceNumber) => database.write(() => void removeToken.run(sequenceNumber)),
  };
}
