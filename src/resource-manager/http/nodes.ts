// Nodes: the list, one, and a change of what one offers.
import { type Answer, ok } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { javaSplit } from '../../lib/java-split.ts';
import { failure } from '../../model/errors.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import { inConcurrentNodeOrder } from '../../scheduler/state/java-order.ts';
import { node as nodeRecord, nodes as nodesRecord } from '../../wire/cluster/node.ts';
import { type ResourceOption, resourceInfoOf, resourceInfoRecord } from '../../wire/cluster/resource.ts';
import type { Commands } from '../commands/commands.ts';
import { findNode } from '../commands/update-node.ts';
import type { Node } from '../nodes/node.ts';
import { isInactiveNode, type NodeState, nodeStates } from '../nodes/node-states.ts';
import { nodeInfo } from '../views/node-view.ts';
import type { Parts } from '../views/parts.ts';
import { namedAmount } from './amounts.ts';
import type { KnownCaller } from './callers.ts';

const viewOptions = ({ cluster, policy, types, labels }: Parts) => ({
  policy,
  types,
  labelOf: (id: string) => labels.labelOf(id),
  isNamedDefault: (id: string) => labels.isNamedDefault(id),
  attributesOf: (node: Node) => cluster.attributesOf(node),
});

/** `GET /nodes`; `states` is taken as it is: upper-cased, not trimmed. */
export function answerNodes(parts: Parts, call: Call): Answer {
  const text = call.query.first('states');
  const states = text === undefined ? undefined : new Set(javaSplit(text).map(stateOf));
  const { cluster } = parts;
  const shown = [...cluster.view.nodes()].filter((node) => node.state !== 'NEW' && (states === undefined || states.has(node.state)));
  // Active nodes come first, as Hadoop keeps the inactive ones in a table of their own; both are hash tables.
  const ordered = [false, true].flatMap((inactive) =>
    inConcurrentNodeOrder(
      shown.filter(({ state }) => isInactiveNode[state] === inactive),
      ({ id }) => id,
    ),
  );
  return ok(nodesRecord, { node: ordered.map((node) => nodeInfo(node, viewOptions(parts))) });
}

function stateOf(text: string): NodeState {
  const state = text.toUpperCase() as NodeState;
  if (!nodeStates.includes(state)) throw failure('ENUM_UNKNOWN', { constant: `NodeState.${state}` });
  return state;
}

/** `GET /nodes/{nodeId}`. */
export function answerNode(parts: Parts, call: Call): Answer {
  return ok(nodeRecord, nodeInfo(findNode({ find: (id) => parts.cluster.view.node(id) }, call.params['nodeId'] ?? ''), viewOptions(parts)));
}

/** What a change of a node works with. */
export interface NodeChangeNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'resizeNode'>;
  readonly types: ResourceTypes;
}

/** `POST /nodes/{nodeId}/resource`: the answer shows the size after the change. */
export async function changeNodeResource({ caller, commands, types }: NodeChangeNeeds, call: Call<ResourceOption>): Promise<Answer> {
  const { resource = {}, overCommitTimeout = 0 } = call.body;
  const id = call.params['nodeId'] ?? '';
  const resized = await commands.resizeNode(caller(call.caller), id, namedAmount(resource), overCommitTimeout);
  return ok(resourceInfoRecord, resourceInfoOf(resized, types));
}
