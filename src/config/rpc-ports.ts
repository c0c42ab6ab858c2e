// The ports of Hadoop RPC: under which names a running cluster tells them, and which settings say where they listen.
import { historySettings } from './settings/history.ts';
import { resourceManagerSettings } from './settings/resource-manager.ts';
import { timelineSettings } from './settings/timeline.ts';
import type { SettingEntry } from './table.ts';

/** Ports of the resource manager. */
export const resourceManagerRpc = {
  rpc: resourceManagerSettings.clientAddress,
  rpcMasters: resourceManagerSettings.schedulerAddress,
  rpcAdministration: resourceManagerSettings.adminAddress,
} as const satisfies Readonly<Record<string, SettingEntry>>;

/** Ports of the history server. */
export const historyRpc = {
  rpc: historySettings.address,
  rpcAdministration: historySettings.adminAddress,
} as const satisfies Readonly<Record<string, SettingEntry>>;

/** The port of the timeline server. */
export const timelineRpc = { rpc: timelineSettings.address } as const satisfies Readonly<Record<string, SettingEntry>>;

/** The ports of all servers of a cluster; each node has one of its own beside them. */
export const serverRpcEntries: readonly SettingEntry[] = [resourceManagerRpc, historyRpc, timelineRpc].flatMap((ports) =>
  Object.values(ports),
);

export type HistoryRpcName = keyof typeof historyRpc;
export const historyRpcNames = Object.keys(historyRpc) as readonly HistoryRpcName[];

export type RpcName = keyof typeof resourceManagerRpc;
export const rpcNames = Object.keys(resourceManagerRpc) as readonly RpcName[];
