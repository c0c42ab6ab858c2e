// What outlives a node manager: its folders, the users they belong to, its database and what an earlier process wrote there.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readOrCreateSecret } from '../../auth/secret-file.ts';
import { heddleSettings } from '../../config/settings/heddle.ts';
import { findUsers } from '../engine-choice.ts';
import { NodeFolders } from '../folders.ts';
import { type NodeRecords, type NodeStore, openNodeStore } from '../store/node-store.ts';
import type { NodeUsers } from '../users.ts';
import type { StartOptions } from './start-options.ts';

/** The opened state of a node. */
export interface NodeState {
  /** The users that containers run as; undefined where all run as the node manager's. */
  readonly users: NodeUsers | undefined;
  readonly folders: NodeFolders;
  readonly store: NodeStore;
  /** What an earlier process left, as it was read at the start. */
  readonly records: NodeRecords;
  /** What nodes and resource manager prove themselves with to each other. */
  readonly clusterSecret: Buffer;
}

/** Opens it. @throws ConfigurationError when users are to be switched and cannot be */
export async function openState({ configuration, settings, dependencies, closer }: StartOptions): Promise<NodeState> {
  const { clock, logger, random } = dependencies;
  const recovery = settings.recoveryDirectory;
  const users = await findUsers(configuration, dependencies);
  const folders = new NodeFolders(settings.localDirectories, settings.logDirectories, recovery, users !== undefined);
  if (!settings.recoveryEnabled) forgetEarlierProcess(recovery);
  const store = openNodeStore(join(recovery, 'node.sqlite'), { clock, logger });
  closer.add('store', () => store.close());
  const clusterSecret = readOrCreateSecret(configuration.values(heddleSettings).clusterSecretFile, random);
  return { users, folders, store, records: store.load(), clusterSecret };
}

/** Without recovery nothing of an earlier process counts; the files of its processes stay, so that what still runs is ended. */
function forgetEarlierProcess(recovery: string): void {
  try {
    for (const name of readdirSync(recovery)) if (name.startsWith('node.sqlite')) rmSync(join(recovery, name), { force: true });
  } catch {
    // The first start in this folder.
  }
}
