// Ports for `heddle up --ports auto`: free ones, wired to each other through the settings of all roles.
import { createServer } from 'node:net';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { timelineSettings } from '../config/settings/timeline.ts';

/** `count` ports that are free on loopback now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  try {
    return await Promise.all(
      servers.map(
        (server) =>
          new Promise<number>((resolve, reject) => {
            server.once('error', reject);
            server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
          }),
      ),
    );
  } finally {
    for (const server of servers) server.close();
  }
}

/** Settings that put every role on a free port of loopback. */
export async function freePortSettings(configuration: Configuration): Promise<Record<string, string>> {
  const keys = [
    commonSettings.resourceManagerWebAddress.key,
    commonSettings.timelineWebAddress.key,
    commonSettings.historyWebAddress.key,
    timelineSettings.readerWebAddress.key,
    nodeManagerSettings.webAddress.key,
    nodeManagerSettings.address.key,
    nodeManagerSettings.localizerAddress.key,
    ...(configuration.values(commonSettings).webProxyAddress === undefined ? [] : [commonSettings.webProxyAddress.key]),
  ];
  const ports = await freePorts(keys.length + 2);
  const settings: Record<string, string> = {};
  for (const [index, key] of keys.entries()) settings[key] = `127.0.0.1:${ports[index]}`;
  settings[nodeManagerSettings.shufflePort.key] = String(ports[keys.length]);
  settings[timelineSettings.collectorBindPortRanges.key] = String(ports[keys.length + 1]);
  return settings;
}
