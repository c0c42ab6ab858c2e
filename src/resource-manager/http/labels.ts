// Node labels: reading and changing them.

import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { type Answer, ok, rendered } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId } from '../../model/ids.ts';
import { addInto, zeros } from '../../model/resource.ts';
import { inConcurrentOrder, inHashOrder, inNodeOrder } from '../../scheduler/state/java-order.ts';
import { labelsToNodes, type NodeLabelInfo, nodeLabels, nodeToLabels, type nodeToLabelsEntries } from '../../wire/cluster/node-labels.ts';
import { resourceInfoOf } from '../../wire/cluster/resource.ts';
import type { Shape } from '../../wire/codec/describe.ts';
import { labelNodeId, type NodeLabel } from '../labels/label-manager.ts';
import type { Parts } from './parts.ts';

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
  const entries = [...labels.placements(cluster.view.nodes().map(({ id }) => id))].map(
    ([node, name]): [string, { nodeLabelInfo: NodeLabelInfo[] }] => {
      const label = labels.label(name);
      return [node, { nodeLabelInfo: label ? [shown(label)] : [] }];
    },
  );
  return ok(nodeToLabels, { nodeToLabels: entries });
}

/** `GET /label-mappings`; `labels` may be repeated, is not split on commas. */
export function answerLabelMappings(parts: Parts, call: Call): Answer {
  const wanted = call.query.all('labels');
  const { labels, cluster } = parts;
  const nodesByLabel = new Map<string, string[]>();
  for (const [node, name] of labels.placements(cluster.view.nodes().map(({ id }) => id)))
    nodesByLabel.set(name, [...(nodesByLabel.get(name) ?? []), node]);
  const entries = inHashOrder(labels.labels(), ({ name }) => name)
    .filter(({ name }) => nodesByLabel.has(name) && (wanted.length === 0 || wanted.includes(name)))
    .map((label) => ({
      key: shown(label),
      value: { nodes: inNodeOrder(nodesByLabel.get(label.name)!), partitionInfo: partition(parts, label.name).partitionInfo },
    }));
  return ok(labelsToNodes, { labelsToNodes: entries });
}

function nodeIdOf(text: string): string {
  try {
    return labelNodeId(text);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('ILLEGAL_ARGUMENT', { reason: error.message });
    throw error;
  }
}

/** `GET /nodes/{nodeId}/get-labels`; unknown nodes have none. */
export function answerLabelsOfNode({ labels, cluster }: Parts, call: Call): Answer {
  const name = labels.placements(cluster.view.nodes().map(({ id }) => id)).get(nodeIdOf(call.params['nodeId'] ?? ''));
  const label = name === undefined ? undefined : labels.label(name);
  return ok(nodeLabels, { nodeLabelInfo: label ? [shown(label)] : [] });
}

/** `POST /add-node-labels`. */
export async function addLabels({ labels, access, audit, caller }: Parts, call: Call<Shape<typeof nodeLabels>>): Promise<Answer> {
  access.labelWriter(caller(call.caller), '/add-node-labels ');
  const wanted = (call.body.nodeLabelInfo ?? []).map(({ name, exclusivity }) => ({ name, exclusive: exclusivity ?? false }));
  if (wanted.length > 0) await labels.add(wanted);
  audit.changed(call.caller, { operation: 'add node labels', target: wanted.map(({ name }) => name).join(',') });
  return nothing;
}

/** `POST /remove-node-labels`. */
export async function removeLabels({ labels, access, audit, caller }: Parts, call: Call): Promise<Answer> {
  access.labelWriter(caller(call.caller), '/remove-node-labels ');
  const names = call.query.all('labels');
  await labels.remove(names);
  audit.changed(call.caller, { operation: 'remove node labels', target: names.join(',') });
  return nothing;
}

function mustBeCentralized({ configuration }: Parts): void {
  const type = configuration.values(resourceManagerSettings).nodeLabelsConfigurationType;
  if (type !== 'centralized') throw failure('LABELS_NOT_CENTRALIZED', { method: 'replaceLabelsOnNode' });
}

/** `POST /replace-node-to-labels`. */
export async function replaceLabels(parts: Parts, call: Call<Shape<typeof nodeToLabelsEntries>>): Promise<Answer> {
  mustBeCentralized(parts);
  parts.access.labelWriter(parts.caller(call.caller), '/replace-node-to-labels');
  if (call.body.nodeToLabels?.some(({ nodeId }) => nodeId === undefined))
    throw failure('ILLEGAL_ARGUMENT', { reason: 'nodeToLabels needs a nodeId' });
  const wanted = new Map(
    (call.body.nodeToLabels ?? []).map(({ nodeId, labels }): [string, readonly string[]] => [nodeIdOf(nodeId ?? ''), labels ?? []]),
  );
  await parts.labels.replace(wanted);
  parts.audit.changed(call.caller, { operation: 'replace labels of nodes', target: [...wanted.keys()].join(',') });
  return nothing;
}

/** `POST /nodes/{nodeId}/replace-labels`. */
export async function replaceLabelsOfNode(parts: Parts, call: Call): Promise<Answer> {
  mustBeCentralized(parts);
  parts.access.labelWriter(parts.caller(call.caller), '/nodes/nodeid/replace-labels');
  const node = nodeIdOf(call.params['nodeId'] ?? '');
  await parts.labels.replace(new Map([[node, call.query.all('labels')]]));
  parts.audit.changed(call.caller, { operation: 'replace labels of nodes', target: node });
  return nothing;
}
