// Delegation tokens and their keys in the resource manager's store.
import type { MasterKey, StoredToken, TokenStore } from '../../auth/delegation/token-manager.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';

const keyKind = 'token-key';
const tokenKind = 'delegation-token';

/** Buffers as base64 inside JSON. */
const toText = (value: object): string =>
  JSON.stringify(value, function replace(this: Record<string, unknown>, name, plain) {
    const original = this[name];
    return Buffer.isBuffer(original) ? { base64: original.toString('base64') } : plain;
  });
const fromText = <T>(text: string): T =>
  JSON.parse(text, (_name, value) =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 1 && 'base64' in value
      ? Buffer.from(String(value.base64), 'base64')
      : value,
  ) as T;

/** The token manager's store on the resource manager's records. */
export function tokenStore(store: Pick<ResourceManagerStore, 'records' | 'meta' | 'putRecord' | 'dropRecord' | 'setMeta'>): TokenStore {
  return {
    load() {
      const tokens = [...store.records(tokenKind).values()].map((text) => fromText<StoredToken>(text));
      const keys = [...store.records(keyKind).values()].map((text) => fromText<MasterKey>(text));
      return {
        keys,
        tokens,
        lastSequenceNumber: Math.max(Number(store.meta('token-sequence') ?? 0), ...[...store.records(tokenKind).keys()].map(Number), 0),
      };
    },
    putKey: (key) => store.putRecord(keyKind, String(key.id), toText(key)),
    removeKey: (id) => store.dropRecord(keyKind, String(id)),
    async putToken(token) {
      const sequence = String(token.identifier.sequenceNumber);
      // Asked for in one turn, they go in one transaction.
      await Promise.all([store.putRecord(tokenKind, sequence, toText(token)), store.setMeta('token-sequence', sequence)]);
    },
    removeToken: (sequenceNumber) => store.dropRecord(tokenKind, String(sequenceNumber)),
  };
}
