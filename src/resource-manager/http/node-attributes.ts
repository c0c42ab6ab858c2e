// Attributes of nodes: which there are, which node has which, and an administrator's changes (`yarn nodeattributes` in Hadoop, which
// speaks RPC).
import { type Answer, json } from '../../http/answers.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { Call, Service } from '../../http/service.ts';
import { fields, many, optional, text, word } from '../../lib/json-shape.ts';
import type { ClusterView } from '../cluster/view.ts';
import type { Commands } from '../commands/commands.ts';
import type { AttributeManager } from '../labels/attribute-manager.ts';
import { isInactiveNode } from '../nodes/node-states.ts';
import type { KnownCaller } from './callers.ts';

const name = text({ minLength: 1, maxLength: 1024 });
const request = fields({
  operation: word('replace', 'add', 'remove'),
  nodes: many(
    fields({
      host: name,
      attributes: many(fields({ name, type: optional(name), value: optional(text({ maxLength: 1024 })) }), { maxItems: 1000 }),
    }),
    { maxItems: 100_000 },
  ),
});
/** What these routes work with. */
export interface NodeAttributeNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'mapAttributes'>;
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
export function attributesByHost({
  cluster,
  attributes,
}: Pick<NodeAttributeNeeds, 'cluster' | 'attributes'>): Map<string, HostAttribute[]> {
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

/** `GET /api/v1/node-attributes`: each attribute with the hosts that have it; `attribute` (`prefix/name`) may be repeated. */
function answerAttributes(needs: NodeAttributeNeeds, call: Call): Answer {
  const wanted = call.query.all('attribute').filter((one) => one !== '');
  const found = new Map<string, { prefix: string; name: string; type: string; nodes: { host: string; value: string }[] }>();
  for (const [host, attributes] of attributesByHost(needs)) {
    for (const { prefix, name, type, value } of attributes) {
      const key = `${prefix}/${name}`;
      if (wanted.length > 0 && !wanted.includes(key)) continue;
      const entry = found.get(key) ?? { prefix, name, type, nodes: [] };
      entry.nodes.push({ host, value });
      found.set(key, entry);
    }
  }
  return json({ attributes: [...found.values()] });
}

/** `GET /api/v1/node-attributes/nodes`: each host with its attributes; `host` may be repeated. */
function answerNodesWithAttributes(needs: NodeAttributeNeeds, call: Call): Answer {
  const wanted = call.query.all('host').filter((one) => one !== '');
  const nodes = [...attributesByHost(needs)]
    .filter(([host]) => wanted.length === 0 || wanted.includes(host))
    .map(([host, attributes]) => ({ host, attributes }));
  return json({ nodes });
}

/** `POST /api/v1/node-attributes`: administrators give, replace and remove attributes. */
async function mapAttributes({ caller, commands }: NodeAttributeNeeds, call: Call<Buffer>): Promise<Answer> {
  const { operation, nodes } = jsonBody(request, call.body);
  return json({ changed: await commands.mapAttributes(caller(call.caller), operation, nodes) });
}

/** Adds the routes. */
export function mountNodeAttributes(service: Service, needs: NodeAttributeNeeds): void {
  service.route({
    method: 'GET',
    path: '/api/v1/node-attributes',
    about: 'Attributes of nodes, each with the hosts that have it.',
    access: 'facts',
    produces: ['json'],
    handle: (call) => answerAttributes(needs, call),
  });
  service.route({
    method: 'GET',
    path: '/api/v1/node-attributes/nodes',
    about: 'Hosts with their attributes.',
    access: 'facts',
    produces: ['json'],
    handle: (call) => answerNodesWithAttributes(needs, call),
  });
  service.route<Buffer>({
    method: 'POST',
    path: '/api/v1/node-attributes',
    about: 'Gives attributes to hosts, replaces or removes them.',
    access: 'admin',
    body: 'raw',
    consumes: ['json'],
    bodyLimitBytes: 16 * 1024 * 1024,
    produces: ['json'],
    handle: (call) => mapAttributes(needs, call),
  });
}
