// What the engine of a node is chosen by.
import type { containerRuntimes } from '../config/engine-rules.ts';
import type { engineSettings } from '../config/settings/engines.ts';
import type { nodeManagerSettings } from '../config/settings/node-manager.ts';
import type { SettingsOf } from '../config/table.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';

/** What the choice depends on. */
export interface EngineChoice {
  readonly settings: SettingsOf<typeof engineSettings>;
  /** Those that containers may choose, and that of those which choose none. */
  readonly runtimes: ReturnType<typeof containerRuntimes>;
  readonly node: SettingsOf<typeof nodeManagerSettings>;
  /** Virtual cores of the node. */
  readonly vcores: number;
  /** Devices are kept from containers that were not given them. */
  readonly devices: boolean;
  /** Containers run as other users than this process. */
  readonly switchesUsers: boolean;
  /** Files and folders that no container has any business with. Folders that are not there are made. */
  readonly secrets: {
    readonly folders: readonly string[];
    readonly files: readonly string[];
    /** Where the node manager writes what it brings: on disks that may be bad. */
    readonly bringing: readonly string[];
  };
  /**
   * Containers that would run as root are confined; where they can write besides (`made`: also where it is not there yet), and what they cannot
   * write to. Undefined: they are not.
   */
  readonly confined?:
    | { readonly made: readonly string[]; readonly writable: readonly string[]; readonly readOnly: readonly string[] }
    | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}
