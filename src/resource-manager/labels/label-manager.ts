// Node labels (partitions): which exist and which node or host has which. Rules and sentences: CommonNodeLabelsManager and
// RMNodeLabelsManager of Hadoop 3.4. Changes are durable before they are answered.

import { changeEntry, isDurable, type ReversibleChange, storedOrUndone } from '../../lib/reversible-change.ts';
import { Failure, failure } from '../../model/errors.ts';
import { hostOfNodeId, parseNodeId } from '../../model/ids.ts';

/** A label as it was added. */
export interface NodeLabel {
  readonly name: string;
  readonly exclusive: boolean;
}

/** Where labels survive a restart. */
export interface LabelStore {
  records(kind: string): ReadonlyMap<string, string>;
  putRecord(kind: string, key: string, value: string): Promise<void>;
  dropRecord(kind: string, key: string): Promise<void>;
}

/** What the manager is told and tells. */
export interface LabelManagerOptions {
  /** `yarn.node-labels.enabled`. */
  readonly enabled: boolean;
  /** `yarn.node-labels.configuration-type` is `distributed`: nodes say which labels they have. */
  readonly distributed?: boolean;
  readonly store: LabelStore;
  /** The first queue that names the label among those it may use, or undefined. */
  readonly queueUsing: (label: string) => string | undefined;
  /** The set of labels changed. */
  readonly partitionsChanged: (partitions: ReadonlyMap<string, { exclusive: boolean }>) => void;
  /** The label of these nodes may have changed; ask `labelOf`. `undefined`: any. */
  readonly nodesChanged: () => void;
}

/** Under which kinds the store has them: labels by their name, labels of nodes by their node. */
export const labelKind = 'label';
export const nodeLabelKind = 'node-label';

/** Is always there, under the empty name. */
const defaultPartition: NodeLabel = { name: '', exclusive: true };

/** What nodes and hosts have that were given the empty label by its name: that of the default partition. Those that were given none have ''. */
const namedDefault = '<DEFAULT_PARTITION>';
const labelFrom = (placed: string | undefined): string => (placed === undefined || placed === namedDefault ? '' : placed);

/** A node id with port 0 stands for every node of the host. */
const wildcardPort = 0;
const longestName = 255;
/** Every queue has its share of each, so that with hundreds of both a change of queues takes seconds. */
const mostLabels = 200;
const refuse = (reason: string) => failure('LABELS_REFUSED', { reason });

const notStored = (error: unknown) => (error instanceof Failure ? error : failure('UNAVAILABLE', { what: 'The store of node labels' }));

/** The labels of a cluster. A change counts at once and resolves when it is durable; one that cannot be stored is taken back. */
export class LabelManager {
  readonly #options: LabelManagerOptions;
  readonly #labels = new Map<string, NodeLabel>();
  /** By `host:port`; port 0: the host's own. `namedDefault` stands for the empty label. */
  readonly #placed = new Map<string, string>();
  #most = 0;

  constructor(options: LabelManagerOptions) {
    this.#options = options;
    for (const [name, value] of options.store.records(labelKind)) this.#labels.set(name, { name, exclusive: value === 'exclusive' });
    for (const [node, label] of options.store.records(nodeLabelKind)) this.#placed.set(node, label);
    this.#most = this.#labels.size;
  }

  get enabled(): boolean {
    return this.#options.enabled;
  }

  /** The most labels there ever were at once. */
  get most(): number {
    return this.#most;
  }

  /** Every label, in order of their addition. */
  labels(): NodeLabel[] {
    return [...this.#labels.values()];
  }

  label(name: string): NodeLabel | undefined {
    return this.#labels.get(name);
  }

  partitions(): Map<string, { exclusive: boolean }> {
    return new Map([...this.#labels.values()].map(({ name, exclusive }) => [name, { exclusive }]));
  }

  /** The label of a node: its own, else its host's, else `''` (the default partition). */
  labelOf(nodeId: string): string {
    return labelFrom(this.#entryOf(nodeId));
  }

  /** Whether the empty label is the node's by its name, where no label is what nodes have of themselves. */
  isNamedDefault(nodeId: string): boolean {
    return this.#entryOf(nodeId) === namedDefault;
  }

  #entryOf(nodeId: string): string | undefined {
    return this.#placed.get(nodeId) ?? this.#placed.get(hostEntry(hostOfNodeId(nodeId)));
  }

  /** Nodes and hosts (`host:0`) with a label, `known` being the cluster's nodes; hosts with the empty one, too. */
  placements(known: Iterable<string>): Map<string, string> {
    const result = new Map<string, string>();
    for (const node of new Set([...this.#placed.keys(), ...known])) {
      const label = this.labelOf(node);
      const isHost = parseNodeId(node).port === wildcardPort;
      if (label !== '' || (isHost && this.isNamedDefault(node))) result.set(node, label);
    }
    return result;
  }

  /** A node says which labels it has (ResourceTrackerService.updateNodeLabelsFromNMReport). Rejects where the labels are unknown. */
  async reported(nodeId: string, labels: readonly string[]): Promise<void> {
    if (!this.#options.enabled || !this.#options.distributed) return;
    if (labelFrom(this.#placed.get(nodeId)) === (labels[0] ?? '') && labels.length < 2) return;
    await this.replace(new Map([[nodeId, labels]]));
  }

  /** Adds labels; those that exist with the same exclusivity stay. @throws Failure LABELS_REFUSED */
  async add(labels: readonly { name: string | undefined; exclusive: boolean }[]): Promise<void> {
    this.#mustBeEnabled();
    // Of several with one name the first counts.
    const byName = new Map<string, NodeLabel>();
    for (const { name: given = '', exclusive } of labels) {
      const name = given.trim();
      if (!byName.has(name)) byName.set(name, { name, exclusive });
    }
    const trimmed = [...byName.values()];
    const changed = trimmed.filter(({ name, exclusive }) => {
      const known = name === '' ? defaultPartition : this.#labels.get(name);
      return known !== undefined && known.exclusive !== exclusive;
    });
    if (changed.length > 0) {
      const texts = changed.map(({ name, exclusive }) => `<${name}:exclusivity=${exclusive}>`);
      throw refuse(`Exclusivity cannot be modified for an existing label with : ${texts.join(',')}`);
    }
    for (const { name } of trimmed) checkName(name);
    const more = trimmed.filter(({ name }) => !this.#labels.has(name)).length;
    if (more > 0 && this.#labels.size + more > mostLabels) throw refuse(`A cluster has at most ${mostLabels} node labels.`);
    // One that is there is written again, where it is not certain that a restart would know it.
    const fresh = trimmed.filter(({ name }) => !this.#labels.has(name) || !isDurable(this.#labels, name));
    if (fresh.length === 0) return;
    const { store, partitionsChanged } = this.#options;
    const tell = () => partitionsChanged(this.partitions());
    const changes: ReversibleChange[] = [{ undo: tell }, ...fresh.map((label) => changeEntry(this.#labels, label.name, label))];
    const durable = fresh.map(({ name, exclusive }) => store.putRecord(labelKind, name, exclusive ? 'exclusive' : 'shared'));
    this.#most = Math.max(this.#most, this.#labels.size);
    tell();
    await storedOrUndone(durable, changes, notStored);
  }

  /** Removes labels and takes them off their nodes. @throws Failure LABELS_REFUSED */
  async remove(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    this.#mustBeEnabled();
    const trimmed = [...new Set(names.map((name) => name.trim()))];
    for (const name of trimmed) {
      const queue = this.#options.queueUsing(name);
      if (queue !== undefined) {
        throw refuse(
          `Cannot remove label=${name}, because queue=${queue} is using this label. Please remove label on queue before remove the label`,
        );
      }
    }
    for (const name of trimmed) {
      if (name === '') throw refuse('Label to be removed is null or empty');
      if (!this.#labels.has(name)) throw refuse(`Node label=${name} to be removed doesn't existed in cluster node labels collection.`);
    }
    const { store, nodesChanged, partitionsChanged } = this.#options;
    const changes: ReversibleChange[] = [{ undo: nodesChanged }, { undo: () => partitionsChanged(this.partitions()) }];
    const durable: Promise<void>[] = [];
    for (const name of trimmed) {
      changes.push(changeEntry(this.#labels, name, undefined));
      durable.push(store.dropRecord(labelKind, name));
    }
    for (const [node, label] of [...this.#placed]) {
      if (!trimmed.includes(label)) continue;
      changes.push(changeEntry(this.#placed, node, undefined));
      durable.push(store.dropRecord(nodeLabelKind, node));
    }
    nodesChanged();
    partitionsChanged(this.partitions());
    await storedOrUndone(durable, changes, notStored);
  }

  /** Gives nodes (or hosts) the given labels instead of theirs; none clears. @throws Failure LABELS_REFUSED, ILLEGAL_ARGUMENT */
  async replace(labelsByNode: ReadonlyMap<string, readonly string[]>): Promise<void> {
    if (labelsByNode.size === 0) return;
    const wanted = new Map<string, string>();
    this.#mustBeEnabled();
    for (const [node, given] of labelsByNode) {
      const labels = [...new Set(given.map((label) => label.trim()))];
      const host = hostOfNodeId(node);
      if (labels.length > 1) {
        throw refuse(
          `${labels.length} labels specified on host=${host}, please note that we do not support specifying multiple labels on a single host for now.`,
        );
      }
      if (labels[0] && !this.#labels.has(labels[0])) {
        throw refuse(`Not all labels being replaced contained by known label collections, please check, new labels=[${labels.join(',')}]`);
      }
      // Who says what holds already changes nothing: nodes that differ from their host keep their label (getModifiedNodeLabelsMappings).
      const label = labels[0] === '' ? namedDefault : (labels[0] ?? '');
      const isHost = parseNodeId(node).port === wildcardPort;
      if (label !== (this.#placed.get(node) ?? (isHost ? '' : undefined)) || !isDurable(this.#placed, node)) wanted.set(node, label);
    }
    if (wanted.size === 0) return;
    const { store, nodesChanged } = this.#options;
    const changes: ReversibleChange[] = [{ undo: nodesChanged }];
    const durable: Promise<void>[] = [];
    const ofHost = Map.groupBy(new Set([...this.#placed.keys(), ...wanted.keys()]), hostOfNodeId);
    for (const [node, label] of wanted) {
      if (parseNodeId(node).port === wildcardPort) {
        for (const other of ofHost.get(hostOfNodeId(node)) ?? []) {
          if (other === node || !this.#placed.has(other)) continue;
          changes.push(changeEntry(this.#placed, other, undefined));
          durable.push(store.dropRecord(nodeLabelKind, other));
        }
      }
      changes.push(changeEntry(this.#placed, node, label));
      durable.push(store.putRecord(nodeLabelKind, node, label));
    }
    nodesChanged();
    await storedOrUndone(durable, changes, notStored);
  }

  #mustBeEnabled(): void {
    if (!this.#options.enabled) throw refuse('Node-label-based scheduling is disabled. Please check yarn.node-labels.enabled');
  }
}

const hostEntry = (host: string): string => `${host}:${wildcardPort}`;

/** A node id or bare host as the manager keeps it: the host alone means port 0. @throws InvalidId */
export function labelNodeId(text: string): string {
  if (!text.includes(':')) return hostEntry(text.trim());
  const { host, port } = parseNodeId(text);
  return `${host}:${port}`;
}

function checkName(name: string): void {
  if (name === '' || name.length > longestName) throw refuse(`label added is empty or exceeds ${longestName} character(s)`);
  if (!/^[0-9a-zA-Z][0-9a-zA-Z\-_]*$/.test(name)) {
    throw refuse(`label name should only contains {0-9, a-z, A-Z, -, _} and should not started with {-,_}, now it is= ${name}`);
  }
}
