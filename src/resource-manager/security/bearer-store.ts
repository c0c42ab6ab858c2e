// Bearer tokens in the resource manager's store.
import { type KeptTokens, keptToken } from '../../auth/bearer/token-registry.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { storedJson } from '../store/stored-json.ts';

/** Under which kind the store has them; the key is the token's id. */
export const bearerTokenKind = 'bearer-token';

/** The registry's store on the resource manager's records. */
export const bearerStore = (store: Pick<ResourceManagerStore, 'records' | 'putRecord' | 'dropRecord'>): KeptTokens => ({
  load: () => [...store.records(bearerTokenKind).values()].map((written) => storedJson(keptToken, written, 'a bearer token')),
  put: (token) => store.putRecord(bearerTokenKind, token.id, JSON.stringify(token)),
  remove: (id) => store.dropRecord(bearerTokenKind, id),
});
