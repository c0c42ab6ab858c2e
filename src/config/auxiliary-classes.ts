// Which Java class an auxiliary service's name stands for, and where the shuffle among them listens.
import type { Configuration } from './load.ts';
import { nodeManagerSettings } from './settings/node-manager.ts';
import { shuffleSettings } from './settings/shuffle.ts';
import { parseAddress } from './values.ts';
import { serverAddress } from './web-addresses.ts';

/** The class of Hadoop's shuffle. */
export const shuffleClass = 'org.apache.hadoop.mapred.ShuffleHandler';

/** `yarn.nodemanager.aux-services.NAME.class`; undefined where nobody says it. */
export const auxiliaryClassOf = (configuration: Configuration, name: string): string | undefined =>
  configuration.values(nodeManagerSettings).auxiliaryServiceSettings.get(`${name}.class`)?.trim() || undefined;

/** Whether a name of `yarn.nodemanager.aux-services` is the shuffle: by its class, without one by Hadoop's name for it. */
const isShuffle = (configuration: Configuration, name: string): boolean =>
  (auxiliaryClassOf(configuration, name) ?? (name === 'mapreduce_shuffle' ? shuffleClass : undefined)) === shuffleClass;

/** Where a node serves the shuffle: the host of its web interface, a port of its own. Undefined where it runs no shuffle. */
export function shuffleAddress(
  configuration: Configuration,
): { readonly key: string; readonly host: string; readonly port: number; readonly isSet: boolean } | undefined {
  const { auxiliaryServices, bindHost } = configuration.values(nodeManagerSettings);
  if (!auxiliaryServices.some((name) => isShuffle(configuration, name))) return undefined;
  const { key } = shuffleSettings.port;
  const host = bindHost?.trim() || parseAddress(serverAddress(configuration, 'node-manager').address, 0)?.host || '127.0.0.1';
  return { key, host, port: configuration.values(shuffleSettings).port, isSet: configuration.origin(key) !== undefined };
}
