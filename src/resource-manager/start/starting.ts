// What every piece of the start is given.
import type { RoleKey } from '../../auth/kerberos/role-key.ts';
import type { Configuration } from '../../config/load.ts';
import type { Closer } from '../../lib/closer.ts';
import type { RoleDependencies } from '../../lib/role.ts';

/** A start under way. */
export interface Starting extends RoleDependencies {
  readonly configuration: Configuration;
  /** Each piece adds what it opened; it is closed in reverse order, also when a later piece fails. */
  readonly closer: Closer;
  /** Its own Kerberos key; absent where it has none. */
  readonly roleKey?: RoleKey | undefined;
}
