// Labels (partitions) and attributes of nodes: adding, removing, giving (AdminService.addToClusterNodeLabels, replaceLabelsOnNode,
// mapAttributesToNodes). Which labels and attributes are valid is for their managers.

import type { Audit } from '../../auth/audit-log.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId } from '../../model/ids.ts';
import type { AttributeChange, AttributeOperation } from '../labels/attribute-manager.ts';
import { labelNodeId } from '../labels/label-manager.ts';
import type { Caller } from './caller.ts';
import type { AdministratorsGate } from './update-node.ts';

/** The nodes that labels and attributes are given to. */
export interface LabelledNodes {
  /** Those of the names that are no node's: an id, or with port 0, or without one, a host. */
  unknown(names: readonly string[]): readonly string[];
}

/** What holds for a change of several nodes. */
export interface NodesOptions {
  /** A name of no node that is there refuses the whole change (`failOnUnknownNodes`); without it what is said holds for nodes that come. */
  readonly mustBeThere?: boolean;
}

/** A label as it is wanted. */
export interface WantedLabel {
  readonly name: string | undefined;
  readonly exclusive: boolean;
}

/** Where labels are kept; each change resolves when it is durable. */
export interface Labels {
  add(labels: readonly WantedLabel[]): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
  replace(labelsByNode: ReadonlyMap<string, readonly string[]>): Promise<void>;
}

export interface LabelPorts {
  readonly labels: Labels;
  readonly nodes: LabelledNodes;
  /** Passes administrators; `operation` is how Hadoop's refusal names the change. @throws Failure LABEL_WRITE_REFUSED */
  readonly access: { labelWriter(caller: Caller, operation: string): void };
  readonly audit: Audit;
  /** `yarn.node-labels.configuration-type` is `centralized`: administrators say which node has which label. */
  readonly isCentralized: boolean;
}

/** Adds labels. @throws Failure LABEL_WRITE_REFUSED, LABELS_REFUSED */
export async function addLabels({ labels, access, audit }: LabelPorts, caller: Caller, wanted: readonly WantedLabel[]): Promise<void> {
  access.labelWriter(caller, '/add-node-labels ');
  if (wanted.length > 0) await labels.add(wanted);
  audit.changed(caller, { operation: 'add node labels', target: wanted.map(({ name }) => name).join(',') });
}

/** Removes labels and takes them off their nodes. @throws Failure LABEL_WRITE_REFUSED, LABELS_REFUSED */
export async function removeLabels({ labels, access, audit }: LabelPorts, caller: Caller, names: readonly string[]): Promise<void> {
  access.labelWriter(caller, '/remove-node-labels ');
  await labels.remove(names);
  audit.changed(caller, { operation: 'remove node labels', target: names.join(',') });
}

/** A node id, or a host for all of its nodes, and the labels it gets instead of its own. */
export type LabelsOfNode = readonly [node: string | undefined, labels: readonly string[]];

/** Gives nodes labels instead of theirs. @throws Failure LABELS_NOT_CENTRALIZED, LABEL_WRITE_REFUSED, ILLEGAL_ARGUMENT, LABELS_REFUSED */
export function replaceLabels(
  ports: LabelPorts,
  caller: Caller,
  wanted: readonly LabelsOfNode[],
  options: NodesOptions = {},
): Promise<void> {
  return replace(ports, caller, wanted, '/replace-node-to-labels', options);
}

/** Gives one node labels instead of its own. @throws Failure as `replaceLabels` */
export function replaceLabelsOfNode(ports: LabelPorts, caller: Caller, node: string, labels: readonly string[]): Promise<void> {
  return replace(ports, caller, [[node, labels]], '/nodes/nodeid/replace-labels');
}

async function replace(
  { labels, nodes, access, audit, isCentralized }: LabelPorts,
  caller: Caller,
  wanted: readonly LabelsOfNode[],
  named: string,
  { mustBeThere = false }: NodesOptions = {},
): Promise<void> {
  if (!isCentralized) throw failure('LABELS_NOT_CENTRALIZED', { method: 'replaceLabelsOnNode' });
  // Ids are read before anybody is asked whether the caller may change labels.
  for (const [node = ''] of wanted) if (node !== '') labeledNodeOf(node);
  access.labelWriter(caller, named);
  if (wanted.some(([node]) => node === undefined)) throw failure('ILLEGAL_ARGUMENT', { reason: 'nodeToLabels needs a nodeId' });
  const byNode = new Map(wanted.map(([node, names]) => [labeledNodeOf(node ?? ''), names]));
  const unknown = mustBeThere ? nodes.unknown([...byNode.keys()]) : [];
  if (unknown.length > 0)
    throw failure('LABELS_REFUSED', { reason: `Failed to replace labels as there are unknown nodes:[${unknown.join(', ')}]` });
  await labels.replace(byNode);
  audit.changed(caller, { operation: 'replace labels of nodes', target: [...byNode.keys()].join(',') });
}

/** A node or host as the labels name it. @throws Failure ILLEGAL_ARGUMENT */
export function labeledNodeOf(text: string): string {
  try {
    return labelNodeId(text);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('ILLEGAL_ARGUMENT', { reason: error.message });
    throw error;
  }
}

/** A host and what is to happen to its attributes. */
export interface HostAttributes {
  readonly host: string;
  readonly attributes: readonly AttributeChange[];
}

export interface AttributePorts {
  readonly attributes: { map(operation: AttributeOperation, wanted: ReadonlyMap<string, readonly AttributeChange[]>): Promise<void> };
  readonly nodes: LabelledNodes;
  readonly access: AdministratorsGate;
  readonly audit: Audit;
}

/** Gives, replaces or removes attributes of hosts, all or nothing; returns how many hosts were named. @throws Failure ONLY_ADMINISTRATORS, NODE_ATTRIBUTES_REFUSED */
export async function mapAttributes(
  { attributes, nodes, access, audit }: AttributePorts,
  caller: Caller,
  operation: AttributeOperation,
  hosts: readonly HostAttributes[],
  { mustBeThere = false }: NodesOptions = {},
): Promise<number> {
  access.administrator(caller, 'change attributes of nodes');
  const wanted = new Map(
    [...Map.groupBy(hosts, ({ host }) => host)].map(([host, entries]) => [host, entries.flatMap(({ attributes }) => attributes)]),
  );
  const unknown = mustBeThere ? nodes.unknown([...wanted.keys()]) : [];
  if (unknown.length > 0) throw failure('NODE_ATTRIBUTES_REFUSED', { reason: `Following nodes does not exist : [${unknown.join(', ')}]` });
  await attributes.map(operation, wanted);
  audit.changed(caller, { operation: `${operation} attributes of nodes`, target: [...wanted.keys()].join(',') });
  return wanted.size;
}
