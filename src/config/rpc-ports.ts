// The ports of Hadoop RPC: under which names a running cluster tells them, and which settings say where they listen.
import { historySettings } from './settings/history.ts';
import { resourceManagerSettings } from './settings/resource-manager.ts';
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

export type HistoryRpcName = keyof typeof historyRpc;
export const historyRpcNames = Object.keys(historyRpc) as readonly HistoryRpcName[];

export type RpcName = keyof typeof resourceManagerRpc;
export const rpcNames = Object.keys(resourceManagerRpc) as readonly RpcName[];
