// What every piece of a node manager's start is given.
import type { Configuration } from '../../config/load.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { nodeManagerSettings } from '../../config/settings/node-manager.ts';
import type { SettingsOf } from '../../config/table.ts';
import type { Closer } from '../../lib/closer.ts';
import type { RoleDependencies } from '../../lib/role.ts';
import type { AuxiliaryService } from '../auxiliary/service.ts';
import { NodeMetrics } from '../metrics.ts';

/** What a node manager is given besides the usual: the services that may be plugged in. */
export interface NodeManagerDependencies extends RoleDependencies {
  readonly auxiliaryServices?: readonly AuxiliaryService[];
  /** Resolves when the node may join its cluster; absent: at once. */
  readonly mayJoin?: Promise<unknown> | undefined;
}

/** Configuration, clock, chance, log; and where a piece says how what it opened is closed. */
export interface StartOptions {
  readonly configuration: Configuration;
  readonly common: SettingsOf<typeof commonSettings>;
  readonly settings: SettingsOf<typeof nodeManagerSettings>;
  readonly dependencies: NodeManagerDependencies;
  /** Each piece adds what it opened at once; closed in reverse order, also when a later piece fails. */
  readonly closer: Closer;
  /** What pieces count for those who watch the node. */
  readonly metrics: NodeMetrics;
}

/** Reads the settings. @throws ConfigurationError for values that are none */
export const startOptions = (configuration: Configuration, dependencies: NodeManagerDependencies, closer: Closer): StartOptions => ({
  configuration,
  common: configuration.values(commonSettings),
  settings: configuration.values(nodeManagerSettings),
  dependencies,
  closer,
  metrics: new NodeMetrics(),
});
