// Writes what the client for Python has of the resource manager's description of itself: the types of bodies and answers, and a method for
// each operation. "npm run docs" writes the same.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { leftOut, operations, type PythonOperation, renamed } from './python/operations.ts';
import { isName, literal, PythonTypes, type Schema } from './python/types.ts';
import { servers } from './reference/servers.ts';

/** The package, below the root of the repository. */
export const pythonFolder = 'clients/python/heddle';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
  readonly description?: string;
}
type Contents = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Operation {
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Contents };
  readonly responses: Readonly<Record<string, { readonly content?: Contents }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What the resource manager says of itself. */
async function description(): Promise<Document> {
  for (const { title, service } of await servers()) {
    const route = service.routes.find(({ path }) => path === '/openapi.json');
    if (title !== 'Resource manager' || !route) continue;
    const answer = await route.handle({ headers: {} } as never);
    if (answer.kind === 'rendered') return JSON.parse(answer.body) as Document;
  }
  throw new Error('the resource manager does not describe itself');
}

/** The generated modules by their file names. @throws Error that names an operation that is new, or gone */
export async function pythonModules(): Promise<Record<string, string>> {
  const { paths, components } = await description();
  const described = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );
  for (const key of described.keys())
    if (key.includes(' /api/v1/') && !operations[key] && !leftOut[key])
      throw new Error(`${key} is not in scripts/python/operations.ts: give it a name, or say why the client leaves it out`);
  for (const key of [...Object.keys(operations), ...Object.keys(leftOut)])
    if (!described.has(key)) throw new Error(`${key} in scripts/python/operations.ts is no operation any more`);
  const types = new PythonTypes(components.schemas, renamed);
  const methods = Object.entries(operations).map(([key, named]) => method(key, described.get(key)!, named, types));
  const head = `"""A method for each operation. Written by scripts/write-python-client.ts; do not edit."""

from __future__ import annotations

from typing import Literal, Optional, Sequence, cast

from . import types
from ._transport import Transport, part


class Operations:
    """What the interface offers, an operation a method."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

`;
  return { '_operations.py': `${head}${methods.join('\n')}`, 'types.py': types.module() };
}

/** `nodeId` and `If-None-Match` as Python writes names. */
function pythonName(name: string): string {
  const snake = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  return isName(snake) ? snake : `${snake}_`;
}

/** What Python's readers of types know outside of the module of types. */
const outside = (type: string): string =>
  type.replace(/"[^"]*"|\w+/g, (word) =>
    word.startsWith('"') || /^(List|Literal|str|int|float|bool|Any|None)$/.test(word) ? word : `types.${word}`,
  );

function method(key: string, operation: Operation, named: PythonOperation, types: PythonTypes): string {
  const [verb = '', path = ''] = key.split(' ');
  const without = new Set([...(named.without ?? []), 'doAs']);
  const parameters = operation.parameters.filter(({ name }) => !without.has(name));
  const inPath = parameters.filter((one) => one.in === 'path');
  const others = parameters.filter((one) => one.in !== 'path');
  const body = bodyOf(operation, named, types);
  const answer = answerOf(operation, named, types);
  const signature = [
    'self',
    ...inPath.map(({ name }) => `${pythonName(name)}: str`),
    ...(body ? [`body: ${body.isRequired ? body.type : `Optional[${body.type}] = None`}`] : []),
    ...(others.length > 0 ? ['*'] : []),
    ...others.map(
      ({ name, schema }) => `${pythonName(name)}: Optional[${outside(types.of(schema, name)).replace(/^List\[/, 'Sequence[')}] = None`,
    ),
  ];
  const address = path.replace(/\{(\w+)\}/g, (_all, name: string) => `{part(${pythonName(name)})}`);
  const pairs = (place: Parameter['in']) =>
    others.filter((one) => one.in === place).map(({ name }) => `${literal(name)}: ${pythonName(name)}`);
  const [query, headers] = [pairs('query'), pairs('header')];
  if (answer === 'bytes') headers.unshift('"Accept": "*/*"');
  const isKeyed = others.some(({ name }) => name === 'Idempotency-Key');
  const repeatable = isKeyed ? 'idempotency_key is not None' : verb !== 'POST' || named.isRepeatable ? 'True' : 'False';
  const said = others.flatMap(({ name, description }) => (description === undefined ? [] : [`${pythonName(name)}: ${description}`]));
  const lines = [
    `    def ${named.name}(`,
    ...signature.map((one) => `        ${one},`),
    `    ) -> ${answer}:`,
    `        """${operation.summary}`,
    '',
    `        ${key}`,
    ...(said.length > 0 ? ['', ...said.map((one) => `        ${one}`)] : []),
    '        """',
    '        answer = self._transport.send(',
    `            ${literal(verb)},`,
    `            ${address === path ? '' : 'f'}${literal(address)},`,
    ...(query.length > 0 ? [`            query={${query.join(', ')}},`] : []),
    ...(headers.length > 0 ? [`            headers={${headers.join(', ')}},`] : []),
    ...(body ? ['            body=body,'] : []),
    `            repeatable=${repeatable},`,
    '        )',
    answer === 'bytes' ? '        return answer.body' : `        return cast(${literal(answer)}, answer.json())`,
    '',
  ];
  return lines.join('\n');
}

function bodyOf(
  { requestBody }: Operation,
  { body = 'Body' }: PythonOperation,
  types: PythonTypes,
): { readonly type: string; readonly isRequired: boolean } | undefined {
  if (!requestBody) return undefined;
  const schema = requestBody.content['application/json']?.schema;
  if (!schema) return { type: 'bytes', isRequired: true };
  const isRequired = requestBody.required === true || (schema.required ?? []).length > 0;
  return { type: outside(types.of(schema, body)), isRequired };
}

function answerOf({ responses }: Operation, { name, answer, others = {} }: PythonOperation, types: PythonTypes): string {
  for (const [status, called] of Object.entries(others)) types.of(responses[status]!.content!['application/json']!.schema!, called);
  const [, said] = Object.entries(responses).find(([status]) => status >= '200' && status < '300' && !(status in others)) ?? [];
  const schema = said?.content?.['application/json']?.schema;
  if (!schema) return 'bytes';
  if (answer === undefined && schema.$ref === undefined)
    throw new Error(`the answer of ${name} has no name in scripts/python/operations.ts`);
  return outside(types.of(schema, answer ?? name));
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(await pythonModules())) {
    writeFileSync(join(import.meta.dirname, '..', pythonFolder, name), text);
    console.log(`${pythonFolder}/${name}`);
  }
  process.exit(0); // Servers that were looked at may still have timers.
}
