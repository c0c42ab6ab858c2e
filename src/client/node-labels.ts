// Labels (partitions) of nodes: which there are, which node has which.
import { many } from './cluster-client.ts';
import type { HttpClient } from './http.ts';

const base = '/ws/v1/cluster';

/** A label, and what the nodes that have it offer. */
export interface LabelInfo {
  /** Empty for the default partition. */
  readonly name: string;
  /** Whether only those who ask for it get its nodes; else others may use what it leaves free. */
  readonly exclusive: boolean;
  readonly memoryMiB: number;
  readonly vcores: number;
  readonly activeNodes: number;
}

interface WireLabel {
  readonly name?: string;
  readonly exclusivity?: boolean | string;
  readonly activeNMs?: number | string;
  readonly partitionInfo?: { readonly resourceAvailable?: { readonly memory?: number | string; readonly vCores?: number | string } };
}

/** Calls of the resource manager. All methods throw Unreachable and RemoteFailure. */
export class NodeLabels {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** All labels by name, the default partition first. */
  async list(): Promise<LabelInfo[]> {
    const { nodeLabelInfo } = await this.#http.json<{ nodeLabelInfo?: WireLabel | WireLabel[] }>('GET', `${base}/get-rm-node-labels`);
    return many(nodeLabelInfo).map(({ name = '', exclusivity, activeNMs, partitionInfo }) => ({
      name: name === '<DEFAULT_PARTITION>' ? '' : name,
      exclusive: String(exclusivity) === 'true',
      memoryMiB: Number(partitionInfo?.resourceAvailable?.memory ?? 0),
      vcores: Number(partitionInfo?.resourceAvailable?.vCores ?? 0),
      activeNodes: Number(activeNMs ?? 0),
    }));
  }

  async add(names: readonly string[], exclusive: boolean): Promise<void> {
    const body = { nodeLabelInfo: names.map((name) => ({ name, exclusivity: exclusive })) };
    await this.#http.json('POST', `${base}/add-node-labels`, { body });
  }

  async remove(names: readonly string[]): Promise<void> {
    await this.#http.json('POST', `${base}/remove-node-labels`, { query: { labels: names } });
  }

  /** Gives a node (host:port) or all nodes of a host its label, undefined for none. */
  async place(node: string, label: string | undefined): Promise<void> {
    const id = node.includes(':') ? node : `${node}:0`;
    const query = label === undefined ? {} : { labels: label };
    await this.#http.json('POST', `${base}/nodes/${encodeURIComponent(id)}/replace-labels`, { query });
  }

  /** Nodes and hosts that were given a label, with it. */
  async placements(): Promise<ReadonlyMap<string, string>> {
    type Entry = { key: string; value?: { nodeLabelInfo?: WireLabel | WireLabel[] } };
    const answer = await this.#http.json<{ nodeToLabels?: { entry?: Entry | Entry[] } | null }>('GET', `${base}/get-node-to-labels`);
    const found = many(answer.nodeToLabels?.entry).map(({ key, value }): [string, string] => [
      key,
      many(value?.nodeLabelInfo)[0]?.name ?? '',
    ]);
    return new Map(found.filter(([, label]) => label !== ''));
  }
}
