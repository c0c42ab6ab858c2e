// Delegation tokens and their keys in the resource manager's store.
import type { MasterKey, TokenStore } from '../../auth/delegation/token-manager.ts';
import { fields, type JsonOf, number, optional, text, whole } from '../../lib/json-shape.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { storedJson } from '../store/stored-json.ts';

/** Under which kinds the store has them, and under which name of `meta` the last number that was given. */
export const tokenKeyKind = 'token-key';
export const tokenKind = 'delegation-token';
export const tokenSequenceName = 'token-sequence';

/** Bytes are base64 inside JSON. */
export const storedTokenKey = fields({ id: whole(), secret: fields({ base64: text() }), createdMs: number(), mechanism: optional(text()) });
export const storedToken = fields({
  identifier: fields({
    owner: text(),
    renewer: text(),
    realUser: text(),
    issueDate: number(),
    maxDate: number(),
    sequenceNumber: whole(),
    masterKeyId: whole(),
  }),
  renewBeforeMs: number(),
});

const keyToText = ({ id, secret, createdMs, mechanism }: MasterKey): string =>
  JSON.stringify({ id, secret: { base64: secret.toString('base64') }, createdMs, mechanism } satisfies JsonOf<typeof storedTokenKey>);
const keyFromText = (written: string): MasterKey => {
  const { secret, mechanism = 'simple', ...key } = storedJson(storedTokenKey, written, 'a key of tokens');
  return { ...key, mechanism, secret: Buffer.from(secret.base64, 'base64') };
};

/** The token manager's store on the resource manager's records. */
export function tokenStore(store: Pick<ResourceManagerStore, 'records' | 'meta' | 'putRecord' | 'dropRecord' | 'setMeta'>): TokenStore {
  /** The largest number that was given; a token that is renewed has an earlier one. */
  const lastGiven = (): number =>
    Math.max(Number(store.meta(tokenSequenceName) ?? 0), ...[...store.records(tokenKind).keys()].map(Number), 0);
  let highest = lastGiven();
  return {
    load() {
      const tokens = [...store.records(tokenKind).values()].map((written) => storedJson(storedToken, written, 'a token'));
      const keys = [...store.records(tokenKeyKind).values()].map(keyFromText);
      return {
        keys,
        tokens,
        lastSequenceNumber: highest,
      };
    },
    putKey: (key) => store.putRecord(tokenKeyKind, String(key.id), keyToText(key)),
    removeKey: (id) => store.dropRecord(tokenKeyKind, String(id)),
    async putToken(token) {
      const sequence = token.identifier.sequenceNumber;
      highest = Math.max(highest, sequence);
      // Asked for in one turn, they go in one transaction.
      await Promise.all([
        store.putRecord(tokenKind, String(sequence), JSON.stringify(token)),
        store.setMeta(tokenSequenceName, String(highest)),
      ]);
    },
    removeToken: (sequenceNumber) => store.dropRecord(tokenKind, String(sequenceNumber)),
  };
}
