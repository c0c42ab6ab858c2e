// Examples of what a schema describes, made from it: a telling value for each name (`example-values.ts`), the first of several choices, one
// element of each list. They have every member that there can be, so real answers are often shorter.
import type { JsonSchema } from '../wire/codec/describe.ts';
import { type ExampleScalar, exampleTimeMs, exampleValue } from './example-values.ts';

const referencePrefix = '#/components/schemas/';
/** How often a schema stands within itself: a queue with a queue below it. */
export const deepest = 2;

/** Makes examples by the schemas of one document. */
export class Examples {
  readonly #named: Readonly<Record<string, JsonSchema>>;

  constructor(named: Readonly<Record<string, JsonSchema>>) {
    this.#named = named;
  }

  /** A value that the schema allows; `undefined`: there is none but one without end. `name`: what it is the value of. */
  of(schema: JsonSchema, name = ''): unknown {
    return this.#of(schema, name, '', []);
  }

  #of(schema: JsonSchema, name: string, object: string, within: readonly string[]): unknown {
    const { $ref: reference, const: only, enum: words, anyOf, oneOf, type } = schema;
    if (typeof reference === 'string') return this.#referred(reference.slice(referencePrefix.length), name, within);
    if (only !== undefined) return only;
    if (Array.isArray(words)) return words[0];
    const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
    if (choices !== undefined) return this.#first(choices, name, object, within);
    if (type === 'array') return this.#list(schema, name, object, within);
    if (type === 'object') return this.#object(schema, name, object, within);
    return exampleScalar(schema, exampleValue(name, object));
  }

  #referred(name: string, as: string, within: readonly string[]): unknown {
    const schema = this.#named[name];
    if (schema === undefined || within.filter((one) => one === name).length >= deepest) return undefined;
    return this.#of(schema, as, name, [...within, name]);
  }

  #first(choices: readonly JsonSchema[], name: string, object: string, within: readonly string[]): unknown {
    for (const choice of choices) {
      const value = this.#of(choice, name, object, within);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #list({ items, prefixItems, maxItems }: JsonSchema, name: string, object: string, within: readonly string[]): unknown[] {
    if (prefixItems !== undefined) return (prefixItems as readonly JsonSchema[]).map((item) => this.#of(item, name, object, within));
    const element = items === undefined || maxItems === 0 ? undefined : this.#of(items as JsonSchema, name, name || object, within);
    return element === undefined ? [] : [element];
  }

  #object(
    { properties = {}, required = [], additionalProperties: others }: JsonSchema,
    name: string,
    object: string,
    within: readonly string[],
  ): unknown {
    const known = new Set(required as readonly string[]);
    const own = name || object;
    const members: [string, unknown][] = [];
    for (const [member, schema] of Object.entries(properties as Readonly<Record<string, JsonSchema>>)) {
      const value = this.#of(schema, member, own, within);
      if (value !== undefined) members.push([member, value]);
      else if (known.has(member)) return undefined;
    }
    if (members.length === 0 && typeof others === 'object' && others !== null) {
      const value = this.#of(others as JsonSchema, exampleKey(name), own, within);
      if (value !== undefined) members.push([exampleKey(name), value]);
    }
    return Object.fromEntries(members);
  }
}

/** Keys of maps, by their names; amounts of resources are maps, too. */
const keys: Readonly<Record<string, string>> = {
  'application-timeouts': 'LIFETIME',
  environment: 'GREETING',
  files: 'greeting.txt',
  resources: 'yarn.io/gpu',
  secrets: 'PASSWORD',
  values: String(exampleTimeMs),
  ...Object.fromEntries(['asked', 'used', 'limit', 'missing', 'available', 'total', 'resource', 'free'].map((name) => [name, 'memoryMiB'])),
};
/** A key of a map of that name. */
export const exampleKey = (name: string): string => keys[name] ?? 'name';

/** A value in the type and within the bounds of its schema. */
export function exampleScalar(
  { type, format, minimum, maximum, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema,
  told: ExampleScalar | undefined,
): ExampleScalar | null {
  switch (type) {
    case 'null':
      return null;
    case 'boolean':
      return typeof told === 'boolean' ? told : told === 'true' || told === undefined;
    case 'integer':
    case 'number': {
      const wanted = typeof told === 'boolean' || told === undefined || told === '' || Number.isNaN(Number(told)) ? 1 : Number(told);
      const most = Number(maximum ?? (format === 'int32' ? 2 ** 31 - 1 : Number.POSITIVE_INFINITY));
      return Math.min(Math.max(wanted, Number(minimum ?? Number.NEGATIVE_INFINITY)), most);
    }
    case undefined:
      return told ?? 'text';
    default:
      return String(told ?? 'text')
        .padEnd(Number(minLength), '0')
        .slice(0, Number(maxLength));
  }
}
