// What a role (resource manager, node manager, …) gives back when it has started.
import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';
import type { Random } from './random.ts';

/** What every role is given besides its configuration. */
export interface RoleDependencies {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

/** A started role. `addresses` maps a name (`web`, `reader`, …) to a base URL such as `http://127.0.0.1:8088`. */
export interface RunningRole {
  readonly addresses: Readonly<Record<string, string>>;
  close(): Promise<void>;
}
