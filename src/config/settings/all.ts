// All settings tables together: for checks, for the reference page, for `heddle config`.
import type { SettingEntry, SettingsTable } from '../table.ts';
import { batchSettings } from './batch.ts';
import { commonSettings } from './common.ts';
import { engineSettings } from './engines.ts';
import { heddleSettings } from './heddle.ts';
import { historySettings } from './history.ts';
import { httpSettings } from './http.ts';
import { nodeManagerSettings } from './node-manager.ts';
import { proxySettings } from './proxy.ts';
import { resourceManagerSettings } from './resource-manager.ts';
import { rpcSettings } from './rpc.ts';
import { schedulerSettings } from './scheduler.ts';
import { securitySettings } from './security.ts';
import { serviceAccessSettings } from './service-access.ts';
import { shuffleSettings } from './shuffle.ts';
import { timelineSettings } from './timeline.ts';
import { tlsSettings } from './tls.ts';

/** Every table, by the component that reads it. */
export const settingsTables: Readonly<Record<string, SettingsTable>> = {
  common: commonSettings,
  'resource-manager': resourceManagerSettings,
  rpc: rpcSettings,
  'service-access': serviceAccessSettings,
  scheduler: schedulerSettings,
  'node-manager': nodeManagerSettings,
  shuffle: shuffleSettings,
  engines: engineSettings,
  timeline: timelineSettings,
  history: historySettings,
  batch: batchSettings,
  proxy: proxySettings,
  heddle: heddleSettings,
  http: httpSettings,
  security: securitySettings,
  tls: tlsSettings,
};

let byKey: Map<string, SettingEntry> | undefined;
let families: string[] = [];

/** Every setting by its key. Where two tables share a key, the first one's entry. */
export function allSettings(): ReadonlyMap<string, SettingEntry> {
  if (!byKey) {
    byKey = new Map();
    for (const table of Object.values(settingsTables))
      for (const entry of Object.values(table)) if (!byKey.has(entry.key)) byKey.set(entry.key, entry);
    families = [...byKey.values()].filter((entry) => entry.type === 'family').map((entry) => entry.key);
  }
  return byKey;
}

/** The family that a key belongs to, such as `hadoop.proxyuser.`, or undefined. */
export function familyOf(key: string): string | undefined {
  allSettings();
  return families.find((prefix) => key.startsWith(prefix));
}
