// Attributes of nodes: which there are, which node has which, and an administrator's changes (`yarn nodeattributes` in Hadoop, which
// speaks RPC).
import { type Answer, json } from '../../http/answers.ts';
import { jsonBody } from '../../http/json-body.ts';
import type { Call, Service } from '../../http/service.ts';
import { closedFields, many, optional, text, word } from '../../lib/json-shape.ts';
import type { Commands } from '../commands/commands.ts';
import { type AttributeSources, attributesByHost } from '../views/host-attributes.ts';
import type { KnownCaller } from './callers.ts';

const name = text({ minLength: 1, maxLength: 1024 });
export const attributesRequest = closedFields({
  operation: word('replace', 'add', 'remove'),
  nodes: many(
    closedFields({
      host: name,
      attributes: many(closedFields({ name, type: optional(name), value: optional(text({ maxLength: 1024 })) }), { maxItems: 1000 }),
    }),
    { maxItems: 100_000 },
  ),
});
/** What these routes work with. */
export interface NodeAttributeNeeds extends AttributeSources {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'mapAttributes'>;
}

/** `GET /api/v1/node-attributes`: each attribute with the hosts that have it; `attribute` (`prefix/name`) may be repeated. */
function answerAttributes(needs: NodeAttributeNeeds, call: Call): Answer {
  const wanted = new Set(call.query.all('attribute').filter((one) => one !== ''));
  const found = new Map<string, { prefix: string; name: string; type: string; nodes: { host: string; value: string }[] }>();
  for (const [host, attributes] of attributesByHost(needs)) {
    for (const { prefix, name, type, value } of attributes) {
      const key = `${prefix}/${name}`;
      if (wanted.size > 0 && !wanted.has(key)) continue;
      const entry = found.get(key) ?? { prefix, name, type, nodes: [] };
      entry.nodes.push({ host, value });
      found.set(key, entry);
    }
  }
  return json({ attributes: [...found.values()] });
}

/** `GET /api/v1/node-attributes/nodes`: each host with its attributes; `host` may be repeated. */
function answerNodesWithAttributes(needs: NodeAttributeNeeds, call: Call): Answer {
  const wanted = new Set(call.query.all('host').filter((one) => one !== ''));
  const nodes = [...attributesByHost(needs)]
    .filter(([host]) => wanted.size === 0 || wanted.has(host))
    .map(([host, attributes]) => ({ host, attributes }));
  return json({ nodes });
}

/** `POST /api/v1/node-attributes`: administrators give, replace and remove attributes. */
async function mapAttributes({ caller, commands }: NodeAttributeNeeds, call: Call<Buffer>): Promise<Answer> {
  const { operation, nodes } = jsonBody(attributesRequest, call.body);
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
