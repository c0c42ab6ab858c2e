// What becomes of the logs of ended applications: they are gathered in the remote folder, or left here for their time.

import { join } from 'node:path';
import { openLogStore } from '../../client/log-store.ts';
import { heddleSettings } from '../../config/settings/heddle.ts';
import type { ContainerEngine } from '../../engines/engine.ts';
import type { NodeAddress } from '../address.ts';
import type { Application } from '../applications/application.ts';
import { LogAggregator } from '../logs/aggregation.ts';
import { type LeftApplication, LeftLogs } from '../logs/left-logs.ts';
import type { ResourceManagerChannel } from '../resource-manager-channel.ts';
import type { NodeState } from './open-state.ts';
import type { StartOptions } from './start-options.ts';

/** The logs of a node. */
export interface NodeLogs {
  readonly aggregator: LogAggregator;
  readonly left: LeftLogs;
}

/** How long folders and logs of an ended application are kept for inspection, ms; -1: for ever (yarn.nodemanager.delete.debug-delay-sec). */
export const deleteDelayMsOf = ({ deleteDebugDelaySeconds }: StartOptions['settings']): number =>
  deleteDebugDelaySeconds < 0 ? -1 : deleteDebugDelaySeconds * 1000;

/** Builds them; nothing is gathered before `aggregator.begin`. */
export async function buildLogs(
  { configuration, common, settings, dependencies, closer }: StartOptions,
  { folders, store, records }: NodeState,
  node: { readonly engine: ContainerEngine; readonly address: NodeAddress; readonly channel: ResourceManagerChannel },
): Promise<NodeLogs> {
  const { clock, logger } = dependencies;
  const { engine, address, channel } = node;
  const left = new LeftLogs(store, folders, records.left);
  const rollSeconds = settings.logAggregationRollIntervalSeconds;
  const aggregator = new LogAggregator({
    enabled: common.logAggregationEnabled,
    store: await openLogStore({
      remoteDirectory: common.remoteLogDirectory,
      suffix: common.remoteLogDirectorySuffix,
      copies: join(settings.recoveryDirectory, 'aggregated-logs'),
      property: (key) => configuration.get(key),
      clock,
      logger,
    }),
    policy: settings.logAggregationPolicy,
    policyParameters: settings.logAggregationPolicyParameters,
    rollIntervalMs: rollSeconds <= 0 ? 0 : Math.max(rollSeconds, settings.logAggregationRollMinimumSeconds) * 1000,
    maximumRolledFiles: settings.logAggregationFilesPerApplication,
    deleteDelayMs: deleteDelayMsOf(settings),
    processes: async () =>
      new Map([...(await engine.usage())].map(([containerId, { processes }]) => [containerId, processes.map(({ pid }) => pid)])),
    save: (application) => store.saveApplication(application.record()),
    clock,
    nodeId: () => address.nodeId,
    folders,
    logger,
    report: (...parameters) => channel.logAggregation(...parameters),
    maximumBytes: configuration.values(heddleSettings).logAggregationMaximumBytes,
    retryForMs: settings.logAggregationRetryForMs,
    settled: (application, gathered) => {
      if (!gathered) left.keep(application);
      store.removeApplication(application.id);
    },
  });
  closer.add('log aggregation', () => aggregator.stop());
  return { aggregator, left };
}

/** What the node still knows of an application whose logs lie here though it is gone. */
export const leftApplication = ({ aggregator, left }: NodeLogs, applicationId: string): LeftApplication | undefined =>
  aggregator.waiting(applicationId) ?? left.find(applicationId);

/** Where the logs lie that an application rolls away while it runs; undefined for others. @throws Failure UNAVAILABLE */
export const rolledLogs = async (
  { aggregator }: NodeLogs,
  application: Application | undefined,
  applicationId: string,
): Promise<string | undefined> => {
  const known = application ?? aggregator.waiting(applicationId);
  return known && aggregator.rolledFolder(known);
};
