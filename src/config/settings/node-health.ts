// Settings of the checks of a node: its disks, its scripts.
import { defineSettings } from '../table.ts';

/** Part of the table of the node manager. */
export const nodeHealthSettings = defineSettings({
  diskCheckEnabled: { key: 'yarn.nodemanager.disk-health-checker.enable', type: 'boolean', default: true, about: 'Checks of the folders.' },
  diskCheckIntervalMs: {
    key: 'yarn.nodemanager.disk-health-checker.interval-ms',
    type: 'durationMs',
    default: 120_000,
    minimum: 1,
    about: 'Time between checks of the folders.',
  },
  diskMaximumUtilizationPercent: {
    key: 'yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage',
    type: 'number',
    default: 90,
    minimum: 0,
    maximum: 100,
    about: 'Part of a disk in use above which a folder is bad.',
  },
  diskLowUtilizationPercent: {
    key: 'yarn.nodemanager.disk-health-checker.disk-utilization-watermark-low-per-disk-percentage',
    type: 'number',
    minimum: 0,
    maximum: 100,
    about: 'Part of a disk in use below which a folder is good again.',
  },
  diskMinimumFreeMiB: {
    key: 'yarn.nodemanager.disk-health-checker.min-free-space-per-disk-mb',
    type: 'integer',
    default: 0,
    minimum: 0,
    about: 'Free space in MiB below which a folder is bad.',
  },
  diskHighFreeMiB: {
    key: 'yarn.nodemanager.disk-health-checker.min-free-space-per-disk-watermark-high-mb',
    type: 'integer',
    minimum: 0,
    about: 'Free space in MiB above which a folder is good again.',
  },
  diskMinimumHealthyFraction: {
    key: 'yarn.nodemanager.disk-health-checker.min-healthy-disks',
    type: 'number',
    default: 0.25,
    minimum: 0,
    maximum: 1,
    about: 'Part of the folders that has to be good for a healthy node.',
  },
  healthScripts: {
    key: 'yarn.nodemanager.health-checker.scripts',
    type: 'list',
    default: 'script',
    about: 'Names of the scripts that say whether the node is healthy.',
  },
  healthScriptSettings: {
    key: 'yarn.nodemanager.health-checker.',
    type: 'family',
    about: 'Of each script by its name: NAME.path, NAME.opts (arguments, by commas), NAME.interval-ms, NAME.timeout-ms.',
  },
  healthIntervalMs: {
    key: 'yarn.nodemanager.health-checker.interval-ms',
    type: 'durationMs',
    default: 600_000,
    minimum: 1,
    about: 'Time between runs of the script.',
  },
  healthTimeoutMs: {
    key: 'yarn.nodemanager.health-checker.timeout-ms',
    type: 'durationMs',
    default: 1_200_000,
    minimum: 1,
    about: 'Time after which the script counts as failed.',
  },
});
