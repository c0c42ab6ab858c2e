// How much a server takes at once, by the settings.
import { countedLocalUsers } from '../auth/local-users.ts';
import type { Configuration } from '../config/load.ts';
import { httpSettings } from '../config/settings/http.ts';
import type { ConnectionCountsOptions } from '../lib/connection-counts.ts';
import type { BodyBudgetLimits } from './body-budget.ts';

/** What one server takes at once. */
export interface ServiceLimits extends BodyBudgetLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** What the first line and the headers of a request have together at most. */
  readonly headerBytes: number;
  /** Tells users of this machine apart, who count one by one; absent: by their address. */
  readonly localUsers?: ConnectionCountsOptions['localUsers'];
}

/** What there is of it for connections. */
export const connectionLimits = ({
  connections,
  connectionsPerAddress,
  localUsers,
}: Pick<ServiceLimits, 'connections' | 'connectionsPerAddress' | 'localUsers'>): ConnectionCountsOptions => ({
  total: connections,
  perAddress: connectionsPerAddress,
  localUsers,
});

/** Where nothing is said. */
export const usualLimits: ServiceLimits = {
  connections: 16_384,
  connectionsPerAddress: 12_288,
  headerBytes: 65_536,
  totalBytes: 512 * 1024 * 1024,
  perAddressBytes: 256 * 1024 * 1024,
};

/** The limits that the settings say. */
export function limitsOf(configuration: Configuration): ServiceLimits {
  const settings = configuration.values(httpSettings);
  return {
    connections: settings.maximumConnections,
    connectionsPerAddress: settings.maximumConnectionsPerAddress,
    headerBytes: settings.maximumHeaderBytes,
    localUsers: countedLocalUsers(configuration),
    totalBytes: settings.maximumBodyMemoryBytes,
    perAddressBytes: settings.maximumBodyMemoryPerAddressBytes,
  };
}
