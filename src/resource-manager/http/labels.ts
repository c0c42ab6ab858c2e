// Node labels: reading and changing them.

import { type Answer, ok, rendered } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { addInto, zeros } from '../../model/resource.ts';
import { inConcurrentOrder, inHashOrder, inNodeOrder } from '../../scheduler/state/java-order.ts';
import { labelsToNodes, type NodeLabelInfo, nodeLabels, nodeToLabels, type nodeToLabelsEntries } from '../../wire/cluster/node-labels.ts';
import { resourceInfoOf } from '../../wire/cluster/resource.ts';
import type { Shape } from '../../wire/codec/describe.ts';
import type { Commands } from '../commands/commands.ts';
import { labeledNodeOf } from '../commands/labels.ts';
import type { NodeLabel } from '../labels/label-manager.ts';
import type { Parts } from '../views/parts.ts';
import type { KnownCaller } from './callers.ts';

const nothing = rendered('');

/** What the active nodes of a partition have, and how many they are. */
function partition({ cluster, labels, types }: Parts, label: string) {
  const resource = zeros(types.count);
  let nodes = 0;
  for (const node of cluster.view.nodes()) {
    if (node.state !== 'RUNNING' && node.state !== 'DECOMMISSIONING') continue;
    if (labels.labelOf(node.id) !== label) continue;
    addInto(resource, node.resource);
    nodes += 1;
  }
  return { partitionInfo: { resourceAvailable: resourceInfoOf(resource, types) }, nodes };
}

const shown = ({ name, exclusive }: NodeLabel): NodeLabelInfo => ({ name, exclusivity: exclusive });
const withPartition = (parts: Parts, label: NodeLabel): NodeLabelInfo => ({
  ...shown(label),
  partitionInfo: partition(parts, label.name).partitionInfo,
});
// Hadoop keeps the default partition among them.
const ordered = ({ labels }: Parts): NodeLabel[] => inConcurrentOrder(labels.labels(), ({ name }) => name, labels.most + 1);

/** `GET /get-node-labels`. */
export const answerLabels = (parts: Parts): Answer =>
  ok(nodeLabels, { nodeLabelInfo: ordered(parts).map((label) => withPartition(parts, label)) });

/** `GET /get-rm-node-labels`: by name, the default partition included. */
export const answerManagerLabels = (parts: Parts): Answer => ok(nodeLabels, { nodeLabelInfo: partitions(parts) });

/** All partitions by name, with what they have. */
export function partitions(parts: Parts): NodeLabelInfo[] {
  const all = [{ name: '', exclusive: true }, ...parts.labels.labels()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return all.map((label) => {
    const { partitionInfo, nodes } = partition(parts, label.name);
    return { name: label.name === '' ? '<DEFAULT_PARTITION>' : label.name, exclusivity: label.exclusive, partitionInfo, activeNMs: nodes };
  });
}

/** `GET /get-node-to-labels`. */
export function answerNodesWithLabels({ labels, cluster }: Parts): Answer {
  const placements = labels.placements(cluster.view.nodes().map(({ id }) => id));
  const entries = inNodeOrder([...placements.keys()]).map((node): [string, { nodeLabelInfo: NodeLabelInfo[] }] => {
    const label = labels.label(placements.get(node) ?? '');
    return [node, { nodeLabelInfo: label ? [shown(label)] : [] }];
  });
  return ok(nodeToLabels, { nodeToLabels: entries });
}

/** `GET /label-mappings`; `labels` may be repeated, is not split on commas. */
export function answerLabelMappings(parts: Parts, call: Call): Answer {
  const wanted = call.query.all('labels');
  const { labels, cluster } = parts;
  const nodesByLabel = Map.groupBy(labels.placements(cluster.view.nodes().map(({ id }) => id)), ([, name]) => name);
  const entries = inHashOrder(labels.labels(), ({ name }) => name)
    .filter(({ name }) => nodesByLabel.has(name) && (wanted.length === 0 || wanted.includes(name)))
    .map((label) => ({
      key: shown(label),
      value: {
        nodes: inNodeOrder(nodesByLabel.get(label.name)!.map(([node]) => node)),
        partitionInfo: partition(parts, label.name).partitionInfo,
      },
    }));
  return ok(labelsToNodes, { labelsToNodes: entries });
}

/** `GET /nodes/{nodeId}/get-labels`; unknown nodes have none. */
export function answerLabelsOfNode({ labels, cluster }: Parts, call: Call): Answer {
  const name = labels.placements(cluster.view.nodes().map(({ id }) => id)).get(labeledNodeOf(call.params['nodeId'] ?? ''));
  const label = name === undefined ? undefined : labels.label(name);
  return ok(nodeLabels, { nodeLabelInfo: label ? [shown(label)] : [] });
}

/** What changes of labels work with. */
export interface LabelChangesNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'addLabels' | 'removeLabels' | 'replaceLabels' | 'replaceLabelsOfNode'>;
}

/** `POST /add-node-labels`. */
export async function addLabels({ caller, commands }: LabelChangesNeeds, call: Call<Shape<typeof nodeLabels>>): Promise<Answer> {
  const wanted = (call.body.nodeLabelInfo ?? []).map(({ name, exclusivity }) => ({ name, exclusive: exclusivity ?? false }));
  await commands.addLabels(caller(call.caller), wanted);
  return nothing;
}

/** `POST /remove-node-labels`. */
export async function removeLabels({ caller, commands }: LabelChangesNeeds, call: Call): Promise<Answer> {
  await commands.removeLabels(caller(call.caller), call.query.all('labels'));
  return nothing;
}

/** `POST /replace-node-to-labels`. */
export async function replaceLabels(
  { caller, commands }: LabelChangesNeeds,
  call: Call<Shape<typeof nodeToLabelsEntries>>,
): Promise<Answer> {
  const wanted = (call.body.nodeToLabels ?? []).map(({ nodeId, labels }) => [nodeId, labels ?? []] as const);
  await commands.replaceLabels(caller(call.caller), wanted);
  return nothing;
}

/** `POST /nodes/{nodeId}/replace-labels`. */
export async function replaceLabelsOfNode({ caller, commands }: LabelChangesNeeds, call: Call): Promise<Answer> {
  await commands.replaceLabelsOfNode(caller(call.caller), call.params['nodeId'] ?? '', call.query.all('labels'));
  return nothing;
}
