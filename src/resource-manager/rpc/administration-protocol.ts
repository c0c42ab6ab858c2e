// ResourceManagerAdministrationProtocol: decode, call a command, encode (AdminService). The rules are the commands'.
import type { GroupsOf } from '../../auth/access-lists.ts';
import type { AuditLog } from '../../auth/audit-log.ts';
import type { RpcCaller } from '../../rpc/authentication.ts';
import { javaClasses } from '../../rpc/exceptions.ts';
import { type Handlers, type RpcCall, type RpcProtocol, serveProtocol } from '../../rpc/protocol.ts';
import { nodeIdMessage } from '../../wire/rpc/ids.ts';
import type { Decoded } from '../../wire/rpc/message.ts';
import { administrationProtocol } from '../../wire/rpc/protocols/administration.ts';
import type { NodeIdProto } from '../../wire/rpc/tables/identifiers.ts';
import type { Caller } from '../commands/caller.ts';
import type { Commands } from '../commands/commands.ts';
import { centralPrefix } from '../labels/attribute-manager.ts';
import type { Parts } from '../views/parts.ts';
import { administrationTranslator, yarnException } from './failures.ts';
import { namedAmount } from './values.ts';

/** What the handlers work with. */
export interface AdministrationNeeds {
  readonly parts: Pick<Parts, 'cluster' | 'access'>;
  readonly commands: Pick<
    Commands,
    | 'refreshQueues'
    | 'refreshNodes'
    | 'refreshAccess'
    | 'refreshNodeSizes'
    | 'refreshMaximumPriority'
    | 'resizeNodes'
    | 'addLabels'
    | 'removeLabels'
    | 'replaceLabels'
    | 'mapAttributes'
  >;
  readonly groupsOf: GroupsOf;
  /** Whether there are lists of who may speak which protocol. */
  readonly authorizesServices: () => boolean;
  readonly audit: Pick<AuditLog, 'refusedRequest'>;
  /** The caller of a command. @throws Failure where it is nobody */
  readonly known: (caller: RpcCaller) => Caller;
}

type All = Handlers<typeof administrationProtocol>;

/** The protocol of administrators. */
export const administration = (needs: AdministrationNeeds): RpcProtocol =>
  serveProtocol(administrationProtocol, { ...refreshes(needs), ...changes(needs) }, administrationTranslator(needs.audit));

type Refreshes =
  | 'refreshQueues'
  | 'refreshNodes'
  | 'refreshSuperUserGroupsConfiguration'
  | 'refreshUserToGroupsMappings'
  | 'refreshAdminAcls'
  | 'refreshServiceAcls'
  | 'refreshNodesResources'
  | 'refreshClusterMaxPriority'
  | 'getGroupsForUser'
  | 'checkForDecommissioningNodes';

/** What is read again, and what is asked. */
function refreshes({ parts, commands, groupsOf, authorizesServices, known }: AdministrationNeeds): Pick<All, Refreshes> {
  // Hadoop reads administrators, groups, proxy users and lists of services apart; here they are rules that are read together.
  const refreshAccess = ({ caller }: RpcCall<unknown>) => {
    commands.refreshAccess(known(caller));
    return {};
  };
  return {
    refreshQueues: ({ caller }) => {
      commands.refreshQueues(known(caller));
      return {};
    },
    refreshNodes: async ({ request: { decommissionType, decommissionTimeout }, caller }) => {
      const graceful = decommissionType === 'GRACEFUL';
      await commands.refreshNodes(known(caller), { graceful, seconds: graceful ? decommissionTimeout : undefined });
      return {};
    },
    refreshSuperUserGroupsConfiguration: refreshAccess,
    refreshUserToGroupsMappings: refreshAccess,
    refreshAdminAcls: refreshAccess,
    refreshServiceAcls: (call) => {
      if (authorizesServices()) return refreshAccess(call);
      throw yarnException(`${javaClasses.IOException}: Service Authorization (hadoop.security.authorization) not enabled.`);
    },
    refreshNodesResources: async ({ caller }) => {
      await commands.refreshNodeSizes(known(caller));
      return {};
    },
    refreshClusterMaxPriority: ({ caller }) => {
      commands.refreshMaximumPriority(known(caller));
      return {};
    },
    getGroupsForUser: ({ request: { user }, caller }) => {
      parts.access.administrator(known(caller), 'ask for the groups of a user');
      return { groups: [...groupsOf(user)] };
    },
    checkForDecommissioningNodes: ({ caller }) => {
      parts.access.administrator(known(caller), 'ask which nodes are being decommissioned');
      const leaving = [...parts.cluster.view.nodes()].filter(({ state }) => state === 'DECOMMISSIONING');
      return { decommissioningNodes: leaving.map(({ id }) => nodeIdMessage(id)) };
    },
  };
}

type NodeId = Decoded<typeof NodeIdProto> | undefined;

/** A node's id in text; port 0 stands for all nodes of its host. */
const nodeText = (id: NodeId): string => `${id?.host ?? ''}:${id?.port ?? 0}`;

/** What is changed of nodes. */
function changes({ commands, known }: AdministrationNeeds): Omit<All, Refreshes> {
  return {
    updateNodeResource: async ({ request: { node_resource_map: wanted }, caller }) => {
      const who = known(caller);
      const sizes = wanted.map(({ node_id, resource_option: option }) => {
        const [nodeId, amount] = [nodeText(node_id), namedAmount(option?.resource)];
        if (!amount) throw yarnException(`${javaClasses.IOException}: The new size of ${nodeId} is missing`);
        return { nodeId, amount, overcommitTimeoutMs: option?.over_commit_timeout ?? -1 };
      });
      await commands.resizeNodes(who, sizes);
      return {};
    },
    addToClusterNodeLabels: async ({ request: { nodeLabels, deprecatedNodeLabels }, caller }) => {
      const named = deprecatedNodeLabels.map((name) => ({ name, exclusive: true }));
      const wanted = nodeLabels.length > 0 ? nodeLabels.map(({ name, isExclusive }) => ({ name, exclusive: isExclusive })) : named;
      await commands.addLabels(known(caller), wanted);
      return {};
    },
    removeFromClusterNodeLabels: async ({ request: { nodeLabels }, caller }) => {
      await commands.removeLabels(known(caller), nodeLabels);
      return {};
    },
    replaceLabelsOnNodes: async ({ request: { nodeToLabels, failOnUnknownNodes }, caller }) => {
      const who = known(caller);
      const wanted = nodeToLabels.map(({ nodeId, nodeLabels }) => [nodeText(nodeId), nodeLabels] as const);
      await commands.replaceLabels(who, wanted, { mustBeThere: failOnUnknownNodes ?? false });
      return {};
    },
    mapAttributesToNodes: async ({ request: { operation, nodeToAttributes, failOnUnknownNodes }, caller }) => {
      const who = known(caller);
      const wanted = nodeToAttributes.map(({ node = '', nodeAttributes }) => ({
        host: node,
        attributes: nodeAttributes.map(({ attributeKey: { attributePrefix, attributeName }, attributeType, attributeValue }) => ({
          name: `${attributePrefix || centralPrefix}/${attributeName}`,
          type: attributeType ?? 'STRING',
          value: attributeValue ?? '',
        })),
      }));
      await commands.mapAttributes(who, attributeOperations[operation], wanted, { mustBeThere: failOnUnknownNodes ?? false });
      return {};
    },
  };
}

const attributeOperations = { REPLACE: 'replace', ADD: 'add', REMOVE: 'remove' } as const;
