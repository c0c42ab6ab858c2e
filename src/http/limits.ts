// How much a server takes at once, by the settings.
import type { Configuration } from '../config/load.ts';
import { httpSettings } from '../config/settings/http.ts';
import type { BodyBudgetLimits } from './body-budget.ts';

/** What one server takes at once. */
export interface ServiceLimits extends BodyBudgetLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
}

/** Where nothing is said. */
export const usualLimits: ServiceLimits = {
  connections: 16_384,
  connectionsPerAddress: 12_288,
  totalBytes: 512 * 1024 * 1024,
  perAddressBytes: 256 * 1024 * 1024,
};

/** The limits that the settings say. */
export function limitsOf(configuration: Configuration): ServiceLimits {
  const settings = configuration.values(httpSettings);
  return {
    connections: settings.maximumConnections,
    connectionsPerAddress: settings.maximumConnectionsPerAddress,
    totalBytes: settings.maximumBodyMemoryBytes,
    perAddressBytes: settings.maximumBodyMemoryPerAddressBytes,
  };
}
