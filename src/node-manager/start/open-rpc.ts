// The node's port of Hadoop RPC, for masters. It listens at once; what it serves is loaded with the first connection.

import { lookup } from 'node:dns/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { TokensOfNodes } from '../../auth/application-tokens/open-tokens.ts';
import { AuditLog } from '../../auth/audit-log.ts';
import { groupMapping } from '../../auth/groups.ts';
import { serviceAccessOf } from '../../auth/service-access.ts';
import { nodeManagerSettings } from '../../config/settings/node-manager.ts';
import type { TokenLogin } from '../../rpc/authentication.ts';
import { openPort } from '../../rpc/open-port.ts';
import { authorizeBy } from '../../rpc/service-authorization.ts';
import type { NodeAddress } from '../address.ts';
import type { AuxiliaryServices } from '../auxiliary/services.ts';
import type { ContainerCommands } from '../commands/container-commands.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import type { ResourceManagerChannel } from '../resource-manager-channel.ts';
import type { ContainerPlace } from '../rpc/container-reports.ts';
import type { StartOptions } from './start-options.ts';

/** What the port works with. */
export interface NodeRpcNeeds {
  readonly manager: ContainerManager;
  readonly commands: ContainerCommands;
  readonly address: NodeAddress;
  readonly channel: ResourceManagerChannel;
  readonly auxiliary: AuxiliaryServices;
}

/** Opens the port and tells the node's address, which it names; gives `host:port`, undefined where Hadoop RPC is off. */
export async function openRpc(
  { configuration, common, settings, dependencies, closer, metrics }: StartOptions,
  needs: NodeRpcNeeds,
): Promise<string | undefined> {
  const { clock, random, logger } = dependencies;
  const { manager, commands, address, channel, auxiliary } = needs;
  const nodeId = () => address.nodeId;
  const audit = new AuditLog(logger);
  /** Loaded with the first connection, as all that reads messages. */
  let login: TokenLogin | undefined;
  const load = async () => {
    const [place, { containerProtocol }, { nodeLogin }, { tokensOfNodes }] = await Promise.all([
      ownPlace(),
      import('../rpc/container-protocol.ts'),
      import('../rpc/node-login.ts'),
      import('../../auth/application-tokens/open-tokens.ts'),
    ]);
    const tokens = ofLatest(
      () => channel.containerTokenKey,
      (root) => tokensOfNodes(configuration, clock, root),
    );
    login = nodeLogin({ tokens, nodeId, hasApplication: (id) => manager.applications.has(id) });
    return [
      containerProtocol({
        manager,
        commands,
        tokens,
        nodeId,
        managerStartedMs: () => channel.managerStartedMs,
        serviceData: () => auxiliary.metadata(),
        place,
        unitsOf: (type) => common.resourceTypeSettings.get(`${type}.units`) ?? '',
        audit,
      }),
    ];
  };
  const access = serviceAccessOf(configuration, groupMapping(common.staticGroups));
  const former = new FormerPort(settings.recoveryDirectory);
  const server = await openPort(
    configuration,
    { entry: nodeManagerSettings.address, bindHost: settings.bindHost, threads: settings.containerThreads, formerPort: former.read() },
    {
      name: 'ContainerManagementProtocol',
      figures: metrics.rpc.add('ContainerManagementProtocol'),
      protocols: load,
      authentication: { tokens: { passwordOf: (id) => login!.passwordOf(id), userOf: (id) => login!.userOf(id) } },
      authorize: authorizeBy(() => access),
      audit,
      random,
      logger,
    },
  );
  if (!server) return undefined;
  closer.add('rpc', () => server.close());
  address.servesAt(server.port);
  former.write(server.port);
  return `${server.host}:${server.port}`;
}

/** This machine's name and address; undefined where the name has none. */
const ownPlace = (): Promise<ContainerPlace | undefined> =>
  lookup(hostname(), { family: 4 }).then(
    ({ address }) => ({ address, host: hostname() }),
    () => undefined,
  );

/** The tokens under the latest key; made anew when it is another one, since they know since when. */
function ofLatest(keyOf: () => Buffer | undefined, make: (key: Buffer) => TokensOfNodes): () => TokensOfNodes | undefined {
  let made: { readonly key: Buffer; readonly tokens: TokensOfNodes } | undefined;
  return () => {
    const key = keyOf();
    if (!key) return undefined;
    if (!made?.key.equals(key)) made = { key, tokens: make(key) };
    return made.tokens;
  };
}

/** The port that this node had before: its id contains it, and a node that comes back under another id would be another one. */
class FormerPort {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = join(folder, 'rpc-port');
  }

  read(): number | undefined {
    try {
      const port = Number(readFileSync(this.#path, 'utf8'));
      return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
    } catch {
      return undefined;
    }
  }

  write(port: number): void {
    try {
      writeFileSync(this.#path, String(port));
    } catch {
      // A folder that cannot be written is told by the checks of the disks.
    }
  }
}
