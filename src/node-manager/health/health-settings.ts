// What of the node's health is checked, from its settings. Several scripts may be named (`yarn.nodemanager.health-checker.scripts`), each
// with keys of its own below `yarn.nodemanager.health-checker.NAME.`.
import type { Configuration } from '../../config/load.ts';
import { nodeManagerSettings } from '../../config/settings/node-manager.ts';
import { parseDuration } from '../../config/values.ts';
import type { HealthSettings } from './health.ts';
import type { HealthScript } from './script.ts';

/** Reads them. */
export function healthSettings(configuration: Configuration): HealthSettings {
  const settings = configuration.values(nodeManagerSettings);
  const maximum = settings.diskMaximumUtilizationPercent;
  const scripts = settings.healthScripts.flatMap((name): HealthScript[] => {
    const of = (what: string) => settings.healthScriptSettings.get(`${name}.${what}`)?.trim();
    const path = of('path');
    if (!path) return [];
    return [
      {
        name,
        path,
        arguments: (of('opts') ?? '').split(',').filter((argument) => argument !== ''),
        intervalMs: milliseconds(of('interval-ms')) ?? settings.healthIntervalMs,
        timeoutMs: milliseconds(of('timeout-ms')) ?? settings.healthTimeoutMs,
      },
    ];
  });
  return {
    local: settings.localDirectories,
    logs: settings.logDirectories,
    checkDisks: settings.diskCheckEnabled,
    diskIntervalMs: settings.diskCheckIntervalMs,
    limits: {
      maximumUtilizationPercent: maximum,
      lowUtilizationPercent: Math.min(maximum, settings.diskLowUtilizationPercent ?? maximum),
      minimumFreeMiB: settings.diskMinimumFreeMiB,
      highFreeMiB: Math.max(settings.diskMinimumFreeMiB, settings.diskHighFreeMiB ?? 0),
    },
    minimumHealthyFraction: settings.diskMinimumHealthyFraction,
    scripts,
  };
}

/** A positive time, or undefined for none and for one that cannot be read. */
function milliseconds(text: string | undefined): number | undefined {
  const value = text === undefined ? undefined : parseDuration(text);
  return value !== undefined && value > 0 ? value : undefined;
}
