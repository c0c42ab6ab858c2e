// Which host has which attributes.
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { AttributeManager } from '../labels/attribute-manager.ts';
import { isInactiveNode } from '../nodes/node-states.ts';

/** Who knows attributes. */
export interface AttributeSources {
  readonly cluster: { readonly view: Pick<ClusterView, 'nodes'> };
  /** What administrators gave to hosts. */
  readonly attributes: Pick<AttributeManager, 'hosts' | 'of'>;
}

interface HostAttribute {
  readonly prefix: string;
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** Every host with its attributes: given ones of any host, told ones of nodes that are there. */
export function attributesByHost({ cluster, attributes }: AttributeSources): Map<string, HostAttribute[]> {
  const hosts = new Map<string, HostAttribute[]>();
  for (const host of attributes.hosts()) hosts.set(host, [...attributes.of(host)]);
  for (const node of cluster.view.nodes()) {
    if (isInactiveNode[node.state] || node.attributes.length === 0) continue;
    const known = hosts.get(node.host) ?? [];
    const fresh = node.attributes.filter((one) => !known.some((other) => other.prefix === one.prefix && other.name === one.name));
    hosts.set(node.host, [...known, ...fresh]);
  }
  return hosts;
}
