// Settings of what a node brings for containers, and of its cache.
import { defineSettings } from '../table.ts';

/** Part of the table of the node manager. */
export const nodeLocalizationSettings = defineSettings({
  localizerFetchThreads: {
    key: 'yarn.nodemanager.localizer.fetch.thread-count',
    type: 'integer',
    default: 4,
    minimum: 1,
    about: 'Downloads at a time.',
  },
  localizerCacheTargetMiB: {
    key: 'yarn.nodemanager.localizer.cache.target-size-mb',
    type: 'integer',
    default: 10_240,
    minimum: 0,
    about: 'Size in MiB to which the cache of localized files is cut.',
  },
  localizerCacheCleanupIntervalMs: {
    key: 'yarn.nodemanager.localizer.cache.cleanup.interval-ms',
    type: 'durationMs',
    default: 600_000,
    minimum: 1,
    about: 'Time between cuts of the cache.',
  },
  localizerMaximumBytes: {
    key: 'heddle.node-manager.localizer.maximum-bytes',
    type: 'bytes',
    default: '64g',
    minimum: 1,
    about: 'Longest resource that is brought to a container, packed or unpacked.',
  },
  localizerMaximumEntries: {
    key: 'heddle.node-manager.localizer.maximum-entries',
    type: 'integer',
    default: 1_000_000,
    minimum: 1,
    about: 'Most entries of an archive, or files of a folder, that are brought to a container.',
  },
  localizerMaximumRatio: {
    key: 'heddle.node-manager.localizer.maximum-ratio',
    type: 'integer',
    default: 200,
    minimum: 1,
    about: 'How many times larger an archive may become when it is unpacked; not asked below 64 MiB.',
  },
  localizerStallMs: {
    key: 'heddle.node-manager.localizer.stall-timeout',
    type: 'durationMs',
    default: '60s',
    minimum: 1,
    about: 'Silence of a server after which a download fails.',
  },
  localizerTimeoutMs: {
    key: 'heddle.node-manager.localizer.timeout',
    type: 'durationMs',
    default: '2h',
    minimum: 1,
    about: 'Longest time of one download.',
  },
  localCacheMaximumFiles: {
    key: 'yarn.nodemanager.local-cache.max-files-per-directory',
    type: 'integer',
    default: 8192,
    about: 'Files of one folder of the cache.',
    inert: 'the cache has a folder for each file',
  },
});
