// What outlives a node manager: its folders, the users they belong to, its database and what an earlier process wrote there.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterSecret } from '../../auth/cluster-secret.ts';
import { nodePurpose } from '../../auth/connection-key.ts';
import { openRoleKey } from '../../auth/kerberos/role-key.ts';
import { readIdentity } from '../../auth/tls-files.ts';
import { ProvenAgent, type ProvenAgentOptions } from '../../client/proven-agent.ts';
import { engineSettings } from '../../config/settings/engines.ts';
import { heddleSettings } from '../../config/settings/heddle.ts';
import { tlsSettings } from '../../config/settings/tls.ts';
import { serverAddress } from '../../config/web-addresses.ts';
import { findUsers } from '../engine-choice.ts';
import { NodeFolders } from '../folders.ts';
import { type NodeRecords, type NodeStore, openNodeStore } from '../store/node-store.ts';
import type { NodeUsers } from '../users.ts';
import type { StartOptions } from './start-options.ts';

/** Why the other side of a connection was not believed, or did not believe this one. */
const unknownSecret = 'the cluster secret of this node is not its own (heddle.cluster.secret-file must be the same file on every machine)';

/** The opened state of a node. */
export interface NodeState {
  /** The users that containers run as; undefined where all run as the node manager's. */
  readonly users: NodeUsers | undefined;
  readonly folders: NodeFolders;
  readonly store: NodeStore;
  /** What an earlier process left, as it was read at the start. */
  readonly records: NodeRecords;
  /** Connects to the resource manager, which has to prove that it knows the cluster's secret. */
  readonly resourceManagerAgent: ProvenAgent;
  /** Makes an agent that connects in the same way to another server of the cluster, by its base URL. */
  readonly provenAgent: (url: () => string, pool?: Pick<ProvenAgentOptions, 'keepAlive' | 'maxSockets'>) => ProvenAgent;
}

/** Opens it. @throws ConfigurationError when users are to be switched and cannot be, and what `openRoleKey` throws */
export async function openState({ configuration, settings, dependencies, closer }: StartOptions): Promise<NodeState> {
  const { clock, logger, random } = dependencies;
  const roleKey = await openRoleKey({ role: 'node-manager', configuration, clock, logger });
  if (roleKey) closer.add('Kerberos key', () => roleKey.close());
  const recovery = settings.recoveryDirectory;
  const users = await findUsers(configuration, dependencies);
  // Root confines its containers, or runs some in images; another user may conceal secrets from them.
  const isGuarded = process.geteuid?.() === 0 || configuration.values(engineSettings).concealSecrets !== 'off';
  const folders = new NodeFolders(settings.localDirectories, settings.logDirectories, recovery, {
    separateUsers: users !== undefined,
    isGuarded,
  });
  if (!settings.recoveryEnabled) forgetEarlierProcess(recovery);
  const store = openNodeStore(join(recovery, 'node.sqlite'), { clock, logger });
  closer.add('store', () => store.close());
  const clusterSecret = new ClusterSecret(configuration.values(heddleSettings).clusterSecretFile, { clock, random });
  const { nodeCertificates } = configuration.values(tlsSettings);
  const provenAgent: NodeState['provenAgent'] = (url, pool) =>
    new ProvenAgent({
      url,
      certificate: () => (nodeCertificates ? readIdentity(configuration)?.options : undefined),
      purpose: nodePurpose,
      keys: () => clusterSecret.nodeKeys,
      unknown: unknownSecret,
      ticketFor: roleKey && ((host) => roleKey.ticketFor(host)),
      ...pool,
    });
  const resourceManagerAgent = provenAgent(() => serverAddress(configuration, 'resource-manager').url);
  return { users, folders, store, records: store.load(), resourceManagerAgent, provenAgent };
}

/** Without recovery nothing of an earlier process counts; the files of its processes stay, so that what still runs is ended. */
function forgetEarlierProcess(recovery: string): void {
  try {
    for (const name of readdirSync(recovery))
      if (name.startsWith('node.sqlite') || name === 'auxiliary') rmSync(join(recovery, name), { recursive: true, force: true });
  } catch {
    // The first start in this folder.
  }
}
