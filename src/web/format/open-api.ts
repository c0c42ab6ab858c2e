// What an OpenAPI document says, in the form in which people read it.

/** A JSON Schema, as far as it is shown. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
/** What a body or an answer may be, of one media type. */
export interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref?: string; readonly value?: unknown }>>;
}
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}
export interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
}
export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Readonly<Record<string, Content>> };
  readonly responses?: Readonly<Record<string, Answer>>;
}
export interface Document {
  readonly info: { readonly title: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Answer>>;
    readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
  };
}

/** An operation with where it is. */
export interface Endpoint {
  /** `GET`. */
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Every operation, in the order of the document. */
export const endpointsOf = ({ paths }: Document): Endpoint[] =>
  Object.entries(paths).flatMap(([path, described]) =>
    methods.flatMap((method) => (described[method] ? [{ method: method.toUpperCase(), path, operation: described[method] }] : [])),
  );

/** Whether each word stands in the path, the method, the summary, the part or a parameter of an operation. */
export function hasWords({ method, path, operation }: Endpoint, search: string): boolean {
  const { summary = '', tags = [], parameters = [] } = operation;
  const text = `${method} ${path} ${summary} ${tags.join(' ')} ${parameters.map(({ name }) => name).join(' ')}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Operations by their parts, parts in the order of the document. */
export function byPart(endpoints: readonly Endpoint[]): readonly (readonly [part: string, endpoints: readonly Endpoint[]])[] {
  const parts = Map.groupBy(endpoints, ({ operation }) => operation.tags?.[0] ?? 'other');
  return [...parts];
}

const lastOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** An answer, where the document has it once for many operations, too. */
export const answerOf = (document: Document, answer: Answer): Answer =>
  answer.$ref === undefined
    ? answer
    : { ...document.components?.responses?.[lastOf(answer.$ref)], ...(answer.description && { description: answer.description }) };

/** The example of a content; undefined where it has none. */
export function exampleOf(document: Document, { example, examples = {} }: Content): unknown {
  if (example !== undefined) return example;
  const [first] = Object.values(examples);
  return first?.$ref === undefined ? first?.value : document.components?.examples?.[lastOf(first.$ref)]?.value;
}

/** A member of an object, in a flat list: `depth` says what it is within. */
export interface SchemaLine {
  readonly depth: number;
  readonly name: string;
  readonly isRequired: boolean;
  /** `text`, `list of whole numbers`, `object`. */
  readonly type: string;
  /** Bounds and words. */
  readonly about: string;
}

/** As many lines as people read. */
const mostLines = 400;
const plainTypes: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
  array: 'list',
  null: 'null',
};

/** The members of a schema, those of objects within it below them; a schema within itself is told once. */
export function schemaLines(document: Document, schema: Schema): SchemaLine[] {
  const lines: SchemaLine[] = [];
  const walk = (one: Schema, depth: number, within: readonly string[]) => {
    const { schema: known, names, list } = resolved(document, one, within);
    if (list?.items) return walk(list.items, depth, names);
    for (const choice of known.anyOf ?? known.oneOf ?? []) walk(choice, depth, names);
    const members = Object.entries(known.properties ?? {});
    if (typeof known.additionalProperties === 'object') members.push(['any name', known.additionalProperties]);
    for (const [name, member] of members) {
      if (lines.length >= mostLines) return;
      lines.push({
        depth,
        name,
        isRequired: known.required?.includes(name) ?? false,
        type: typeOf(document, member),
        about: boundsOf(document, member),
      });
      walk(member, depth + 1, names);
    }
  };
  walk(schema, 0, []);
  return lines;
}

/** A schema without its references; nothing where it is within itself. */
function resolved(document: Document, schema: Schema, within: readonly string[]) {
  let names = within;
  let known = schema;
  while (known.$ref !== undefined) {
    const name = lastOf(known.$ref);
    if (names.includes(name)) return { schema: {}, names };
    names = [...names, name];
    known = document.components?.schemas?.[name] ?? {};
  }
  return { schema: known, names, ...(known.type === 'array' && { list: known }) };
}

function typeOf(document: Document, schema: Schema, within: readonly string[] = []): string {
  const { schema: known, names } = resolved(document, schema, within);
  const choices = known.anyOf ?? known.oneOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(document, choice, names)))].join(' or ');
  if (known.type === 'array' && known.items) return `list of ${typeOf(document, known.items, names)}`;
  if (known.const !== undefined) return `"${known.const}"`;
  return plainTypes[known.type ?? ''] ?? 'anything';
}

/** The bounds of a value in words; empty: it has none. */
export function boundsOf(document: Document, schema: Schema): string {
  const { schema: known } = resolved(document, schema, []);
  const { enum: words, minimum, maximum, maxLength, maxItems, items } = known;
  const told = [
    words && `one of ${words.join(', ')}`,
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems}`,
    items?.enum && `of ${items.enum.join(', ')}`,
  ];
  return told.filter(Boolean).join('; ');
}

/** The type of a parameter, in a word or two. */
export const parameterType = (document: Document, { schema = {} }: Parameter): string =>
  schema.type === 'array' ? `${typeOf(document, schema.items ?? {})}, several parted by commas` : typeOf(document, schema);

/** The path with its parts filled in; a part that takes all that follows keeps its slashes. Parts without a value stay as they are. */
export const filledPath = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name] ?? '';
    if (value === '') return whole;
    return name === 'rest' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
  });

const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A call with curl, as shells take it. `base`: `http://host:8088/`. */
export function curlOf(base: string, { method, path, operation }: Endpoint, body: unknown): string {
  const examples = (operation.parameters ?? []).flatMap(({ name, example }) => (example === undefined ? [] : [[name, String(example)]]));
  const url = base.replace(/\/$/, '') + filledPath(path, Object.fromEntries(examples));
  return [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    shellQuoted(url),
    ...(body === undefined ? [] : ['-H', shellQuoted('Content-Type: application/json'), '-d', shellQuoted(JSON.stringify(body))]),
  ].join(' ');
}
