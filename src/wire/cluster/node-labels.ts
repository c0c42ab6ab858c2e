// Node labels (partitions) on the resource manager's REST interface.
import { boolean, holder, int, list, type Member, map, object, polymorphic, record, rooted, type Shape, text } from '../codec/describe.ts';
import { partitionInfo } from './resource.ts';

/** NodeLabelInfo. `exclusivity` counts as false where a body leaves it out; `activeNMs` only in `/get-rm-node-labels`. */
export const nodeLabel = object({ name: text(), exclusivity: boolean(), partitionInfo, activeNMs: int() });
export type NodeLabelInfo = Shape<typeof nodeLabel>;

const labels = object({ nodeLabelInfo: list(nodeLabel) });

/** Lists of labels, and the body of `POST /add-node-labels`. */
export const nodeLabels = rooted('nodeLabelsInfo', labels, { json: 'mapped', wrapped: false });

/** `GET /get-node-to-labels`. */
export const nodeToLabels = record('nodeToLabelsInfo', { nodeToLabels: map(labels) }, { json: 'mapped' });

/** One label and its nodes; the key of this map is an object, which no other map has. */
const labelAndNodes = object({ key: nodeLabel, value: object({ nodes: list(text()), partitionInfo }) });
const entries = holder('entry', labelAndNodes);
const noEntries = map(text());

/** `GET /label-mappings`. An empty map is written as null, as every empty map of a mapped record. */
export const labelsToNodes = record(
  'labelsToNodesInfo',
  {
    labelsToNodes: polymorphic<readonly Shape<typeof labelAndNodes>[]>(
      () => [noEntries, entries],
      (value) => (value.length === 0 ? (noEntries as Member) : entries),
    ),
  },
  { json: 'mapped' },
);

/** Body of `POST /replace-node-to-labels`. */
export const nodeToLabelsEntries = record(
  'nodeToLabelsName',
  { nodeToLabels: list(object({ nodeId: text(), labels: list(text()) })) },
  { json: 'mapped' },
);
