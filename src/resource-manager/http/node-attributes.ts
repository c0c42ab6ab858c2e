// Attributes of nodes: which there are, which node has which, and an administrator's changes (`yarn nodeattributes` in Hadoop, which
// speaks RPC).
import { type Answer, json } from '../../http/answers.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { Call, Route } from '../../http/service.ts';
import { fields, many, optional, text, word } from '../../lib/json-shape.ts';
import type { AttributeChange } from '../labels/attribute-manager.ts';
import { isInactiveNode } from '../nodes/node-states.ts';
import type { Parts } from './parts.ts';

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

interface HostAttribute {
  readonly prefix: string;
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** Every host with its attributes: given ones of any host, told ones of nodes that are there. */
function attributesByHost({ cluster, attributes }: Parts): Map<string, HostAttribute[]> {
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
function answerAttributes(parts: Parts, call: Call): Answer {
  const wanted = call.query.all('attribute').filter((one) => one !== '');
  const found = new Map<string, { prefix: string; name: string; type: string; nodes: { host: string; value: string }[] }>();
  for (const [host, attributes] of attributesByHost(parts)) {
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
function answerNodesWithAttributes(parts: Parts, call: Call): Answer {
  const wanted = call.query.all('host').filter((one) => one !== '');
  const nodes = [...attributesByHost(parts)]
    .filter(([host]) => wanted.length === 0 || wanted.includes(host))
    .map(([host, attributes]) => ({ host, attributes }));
  return json({ nodes });
}

/** `POST /api/v1/node-attributes`: administrators give, replace and remove attributes. */
async function mapAttributes(parts: Parts, call: Call<Buffer>): Promise<Answer> {
  parts.access.administrator(parts.caller(call.caller), 'change attributes of nodes');
  const { operation, nodes } = jsonBody(request, call.body);
  const wanted = new Map<string, AttributeChange[]>();
  for (const { host, attributes } of nodes) wanted.set(host, [...(wanted.get(host) ?? []), ...attributes]);
  await parts.attributes.map(operation, wanted);
  parts.audit.changed(call.caller, { operation: `${operation} attributes of nodes`, target: [...wanted.keys()].join(',') });
  return json({ changed: wanted.size });
}

/** The routes. */
export const nodeAttributeRoutes = (parts: Parts): (Route<never> | Route<Buffer>)[] => [
  {
    method: 'GET',
    path: '/api/v1/node-attributes',
    about: 'Attributes of nodes, each with the hosts that have it.',
    produces: ['json'],
    handle: (call: Call) => answerAttributes(parts, call),
  } as Route<never>,
  {
    method: 'GET',
    path: '/api/v1/node-attributes/nodes',
    about: 'Hosts with their attributes.',
    produces: ['json'],
    handle: (call: Call) => answerNodesWithAttributes(parts, call),
  } as Route<never>,
  {
    method: 'POST',
    path: '/api/v1/node-attributes',
    about: 'Gives attributes to hosts, replaces or removes them.',
    body: 'raw',
    bodyLimitBytes: 16 * 1024 * 1024,
    produces: ['json'],
    handle: (call: Call<Buffer>) => mapAttributes(parts, call),
  } as Route<Buffer>,
];
