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

/** Whether a role does its work; where it does not, why not. */
export interface Readiness {
  readonly ready: boolean;
  readonly reason?: string;
  /** Waiting does not help: an operator has to change a setting or a file. */
  readonly isHopeless?: boolean;
}

/** Where a role's readiness is known. */
export interface ReadinessSource {
  readonly current: Readiness;
  /** Hears of changes from now on. */
  onChange(listener: (now: Readiness) => void): void;
}

/** A started role. `addresses` maps a name (`web`, `reader`, …) to a base URL such as `http://127.0.0.1:8088`. */
export interface RunningRole {
  readonly addresses: Readonly<Record<string, string>>;
  /** Absent: it is ready from its start on. */
  readonly readiness?: ReadinessSource | undefined;
  close(): Promise<void>;
}
