// Nodes: the list, one, and a change of what one offers.
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { type Answer, ok } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { javaSplit } from '../../lib/java-split.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId, parseNodeId } from '../../model/ids.ts';
import { node as nodeRecord, nodes as nodesRecord } from '../../wire/cluster/node.ts';
import { type ResourceOption, resourceInfoOf, resourceInfoRecord } from '../../wire/cluster/resource.ts';
import type { Node } from '../nodes/node.ts';
import { isInactiveNode, type NodeState, nodeStates } from '../nodes/node-states.ts';
import { nodeInfo } from './node-view.ts';
import type { Parts } from './parts.ts';

const viewOptions = ({ cluster, policy, types, labels }: Parts) => ({
  policy,
  types,
  labelOf: (id: string) => labels.labelOf(id),
  attributesOf: (node: Node) => cluster.attributesOf(node),
});

/** `GET /nodes`; `states` is taken as it is: upper-cased, not trimmed. */
export function answerNodes(parts: Parts, call: Call): Answer {
  const text = call.query.first('states');
  const states = text === undefined ? undefined : new Set(javaSplit(text).map(stateOf));
  const { cluster } = parts;
  const shown = [...cluster.view.nodes()].filter((node) => node.state !== 'NEW' && (states === undefined || states.has(node.state)));
  // Active nodes come first, as Hadoop keeps the inactive ones in a table of their own.
  const ordered = [...shown.filter(({ state }) => !isInactiveNode[state]), ...shown.filter(({ state }) => isInactiveNode[state])];
  return ok(nodesRecord, { node: ordered.map((node) => nodeInfo(node, viewOptions(parts))) });
}

function stateOf(text: string): NodeState {
  const state = text.toUpperCase() as NodeState;
  if (!nodeStates.includes(state)) throw failure('ENUM_UNKNOWN', { constant: `NodeState.${state}` });
  return state;
}

function findNode({ cluster }: Parts, text: string): Node {
  let id: string;
  try {
    const { host, port } = parseNodeId(text);
    id = `${host}:${port}`;
  } catch (error) {
    if (error instanceof InvalidId) throw failure('ILLEGAL_ARGUMENT', { reason: error.message });
    throw error;
  }
  const node = cluster.view.node(id);
  if (!node) throw failure('NODE_NOT_FOUND', { id: text });
  return node;
}

/** `GET /nodes/{nodeId}`. */
export function answerNode(parts: Parts, call: Call): Answer {
  return ok(nodeRecord, nodeInfo(findNode(parts, call.params['nodeId'] ?? ''), viewOptions(parts)));
}

/** `POST /nodes/{nodeId}/resource`: the answer shows the size before the change. Only administrators may. */
export function changeNodeResource(parts: Parts, call: Call<ResourceOption>): Answer {
  const { access, audit, caller, cluster, types, configuration } = parts;
  if (configuration.values(resourceManagerSettings).nodeResourceUnchecked) caller(call.caller);
  else access.administrator(caller(call.caller), 'change the resource of a node');
  const node = findNode(parts, call.params['nodeId'] ?? '');
  if (isInactiveNode[node.state]) throw failure('NODE_NOT_ACTIVE', { id: node.id });
  const { resource = {}, overCommitTimeout } = call.body;
  const before = node.resource;
  const wanted = [...before];
  wanted[0] = Number(resource.memory ?? 0);
  wanted[1] = Number(resource.vCores ?? 0);
  for (const { name, value } of resource.resourceInformations ?? []) {
    const index = name === undefined ? undefined : types.indexOf(name);
    if (index !== undefined && index > 1) wanted[index] = Number(value ?? 0);
  }
  cluster.resizeNode(node, wanted, overCommitTimeout ?? 0);
  audit.changed(call.caller, { operation: 'change the resource of a node', target: node.id, memoryMiB: wanted[0], vcores: wanted[1] });
  return ok(resourceInfoRecord, resourceInfoOf(before, types));
}
