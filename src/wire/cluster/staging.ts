// Paths and headers of the staging area on the resource manager, as clients and nodes call them.
import { fields, type JsonOf, text, whole } from '../../lib/json-shape.ts';

/** Below it `/{user}/{application}/{name}`, for users. */
export const stagingPath = '/api/v1/staging';

/** Below it `/{user}/{application}/{name}`, for nodes. */
export const nodeStagingPath = '/api/v1/nodes/staging';

/** Names the user in whose name a node reads, percent-encoded. */
export const stagingUserHeader = 'heddle-staging-user';

/** The answer to a file that was taken. */
export const stagedFile = fields({
  /** How local resources name it: `staging:/user/application/name`. */
  uri: text(),
  bytes: whole({ minimum: 0 }),
  /** Hex. */
  sha256: text(),
});
export type StagedFile = JsonOf<typeof stagedFile>;

/** The SHA-256 in a `repr-digest` header (RFC 9530), hex; undefined without one. */
export function digestOf(header: string | null): string | undefined {
  const found = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(header ?? '');
  return found ? Buffer.from(found[1]!, 'base64').toString('hex') : undefined;
}
