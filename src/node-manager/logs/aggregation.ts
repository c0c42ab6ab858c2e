// After an application's end its containers' logs go into one file of the remote log folder (AppLogAggregatorImpl), then the local
// ones are deleted; where aggregation is off they are kept for a while.
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { boundedPattern } from '../../lib/bounded-pattern.ts';
import type { Logger } from '../../lib/log.ts';
import type { LogAggregationStatus } from '../../wire/cluster/node-channel.ts';
import { type AggregatedLogContents, writeAggregatedLog } from '../../wire/files/aggregated-log.ts';
import { type AggregatedLogTree, applicationLogFolder, nodeFileName } from '../../wire/files/aggregated-log-folder.ts';
import type { Application } from '../applications/application.ts';
import { folderOfUser, type NodeFolders } from '../folders.ts';
import { listLogs } from './container-logs.ts';

/** What aggregation needs. */
export interface AggregationOptions {
  readonly enabled: boolean;
  readonly tree: AggregatedLogTree;
  /** Default for applications that name none: the class of yarn.nodemanager.log-aggregation.policy.class. */
  readonly policy: string;
  readonly nodeId: () => string;
  readonly folders: NodeFolders;
  readonly logger: Logger;
  readonly report: (applicationId: string, status: LogAggregationStatus, diagnostics: string) => void;
}

/** Which containers' logs are kept, by the simple name of the policy class. */
const policies: Readonly<Record<string, (container: { isMaster: boolean; exitCode: number }) => boolean>> = {
  AllContainerLogAggregationPolicy: () => true,
  NoneContainerLogAggregationPolicy: () => false,
  AMOnlyLogAggregationPolicy: ({ isMaster }) => isMaster,
  FailedContainerLogAggregationPolicy: ({ exitCode }) => exitCode !== 0 && exitCode !== 143 && exitCode !== 137,
  FailedOrKilledContainerLogAggregationPolicy: ({ exitCode }) => exitCode !== 0,
  AMOrFailedContainerLogAggregationPolicy: ({ isMaster, exitCode }) => isMaster || (exitCode !== 0 && exitCode !== 143 && exitCode !== 137),
};

/** Deals with the logs of an ended application; never rejects. */
export async function dealWithLogs(application: Application, options: AggregationOptions): Promise<void> {
  const { folders, logger } = options;
  const remove = async () => {
    for (const log of folders.logs) await rm(folders.applicationLogs(log, application.id), { recursive: true, force: true });
  };
  // Where logs are not aggregated, retention.ts deletes them after their time.
  if (!options.enabled) return;
  try {
    const contents = await gather(application, options);
    if (contents.containers.length > 0) {
      const { tree } = options;
      const user = folderOfUser(application.user);
      const folder = applicationLogFolder(tree, user, application.id);
      await mkdir(tree.root, { recursive: true, mode: 0o1777 });
      await mkdir(join(tree.root, user), { recursive: true, mode: 0o770 });
      await mkdir(folder, { recursive: true, mode: 0o770 });
      const path = join(folder, nodeFileName(options.nodeId()));
      await writeAggregatedLog(path, contents);
      await chmod(path, 0o640);
    }
    options.report(application.id, 'SUCCEEDED', '');
    await remove();
  } catch (error) {
    logger.error({ err: error, application: application.id }, 'the logs of an application could not be aggregated');
    options.report(application.id, 'FAILED', error instanceof Error ? error.message : String(error));
  }
}

async function gather(application: Application, options: AggregationOptions): Promise<AggregatedLogContents> {
  const context = application.logAggregation;
  const policyName = (context?.policyClassName ?? options.policy).split(/[.$]/).at(-1) ?? '';
  const wanted = policies[policyName] ?? policies['AllContainerLogAggregationPolicy']!;
  const include = pattern(context?.includePattern);
  const exclude = pattern(context?.excludePattern);
  const containers: AggregatedLogContents['containers'][number][] = [];
  for (const [containerId, container] of application.startedContainers) {
    if (!wanted(container)) continue;
    const files = (await listLogs(options.folders, application.id, containerId))
      .filter(({ name, folder }) => !folder && (include?.(name) ?? true) && !(exclude?.(name) ?? false))
      .map(({ name, path, bytes, modifiedMs }) => ({ name, path, size: bytes, modified: modifiedMs }));
    if (files.length > 0) containers.push({ containerId, files });
  }
  const acls = Object.fromEntries(Object.entries(application.acls).filter((entry): entry is [string, string] => entry[1] !== undefined));
  return { applicationOwner: application.user, acls, containers };
}

/** A Java pattern looked for anywhere in a file name; empty or broken patterns count as absent. */
function pattern(text: string | undefined): ((name: string) => boolean) | undefined {
  if (!text) return undefined;
  try {
    const bounded = boundedPattern(`.*(?:${text}).*`);
    return (name) => bounded.matches(name);
  } catch {
    return undefined;
  }
}
