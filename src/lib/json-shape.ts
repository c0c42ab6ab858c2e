// What a JSON value of another process has to look like, with its TypeScript type: each message of our own interfaces is described once
// by a shape, its type is `JsonOf` that shape, and its reader checks it (`checked`). Why no library: decision 15.

/** A description of values of type `T`. */
export interface JsonShape<T> {
  /** The first fault, its path counted from the value; undefined where there is none. */
  fault(value: unknown): JsonFault | undefined;
  /** The same as a JSON Schema, made when it is asked for: servers that nobody asks to describe themselves keep none. */
  schema(): JsonSchema;
  /** Only for types: never present at run time. */
  readonly type?: T;
  readonly isOptional?: boolean;
}

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What is wrong and where: `{ path: '/asks/0/count', problem: 'is not a whole number' }`; the path is empty for the value itself. */
export interface JsonFault {
  readonly path: string;
  readonly problem: string;
}

/** The TypeScript type of a shape. */
export type JsonOf<Shape> = Shape extends JsonShape<infer T> ? T : never;

type Optional<T> = JsonShape<T> & { readonly isOptional: true };
/** Members by name, as `fields` takes them; what several objects have in common is spread into each. */
export type JsonMembers = Readonly<Record<string, JsonShape<unknown>>>;
type IsOptional<Shape> = Shape extends { readonly isOptional: true } ? true : false;
/** One object type instead of an intersection, for readable messages of the compiler. */
type Joined<T> = { [K in keyof T]: T[K] };
type FieldsOf<F extends JsonMembers> = Joined<
  { readonly [K in keyof F as IsOptional<F[K]> extends true ? never : K]: JsonOf<F[K]> } & {
    readonly [K in keyof F as IsOptional<F[K]> extends true ? K : never]?: JsonOf<F[K]>;
  }
>;

const shape = <T>(fault: JsonShape<T>['fault'], schema: JsonShape<T>['schema']): JsonShape<T> => ({ fault, schema });
/** The members of a schema that have a value. */
const defined = (members: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && Math.abs(Number(value)) !== Infinity));
const objectSchema = (members: readonly (readonly [string, JsonShape<unknown>])[]): JsonSchema => {
  const required = members.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(members.map(([name, member]) => [name, member.schema()])),
  };
};
const problemOf = (problem: string): JsonFault => ({ path: '', problem });
/** Paths are put together on the way back from a fault: values without one, nearly all, cost no text. */
const below = (name: string | number, { path, problem }: JsonFault): JsonFault => ({ path: `/${name}${path}`, problem });

/** Whatever it is; its reader judges it. */
export const anything = (): JsonShape<unknown> =>
  shape(
    () => undefined,
    () => ({}),
  );

/** A text of bounded length. */
export function text(bounds: { readonly minLength?: number; readonly maxLength?: number } = {}): JsonShape<string> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = bounds;
  return shape(
    (value) => {
      if (typeof value !== 'string') return problemOf('is not a text');
      if (value.length < minLength) return problemOf('is empty');
      return value.length > maxLength ? problemOf(`is longer than ${maxLength} characters`) : undefined;
    },
    () => defined({ type: 'string', minLength: bounds.minLength, maxLength: bounds.maxLength }),
  );
}

/** One of some words. */
export function word<const Words extends readonly string[]>(...words: Words): JsonShape<Words[number]> {
  const known: ReadonlySet<unknown> = new Set(words);
  return shape(
    (value) => (known.has(value) ? undefined : problemOf(`is not one of ${words.join(', ')}`)),
    () => ({ type: 'string', enum: words }),
  );
}

/** A whole number of 64 bits: as decimal digits where a number would be rounded. */
export function longNumber(): JsonShape<number | string> {
  return shape(
    (value) =>
      (typeof value === 'number' && Number.isFinite(value)) || (typeof value === 'string' && /^-?\d{1,19}$/.test(value))
        ? undefined
        : problemOf('is not a number'),
    () => ({ type: ['number', 'string'] }),
  );
}

/** A number within bounds, inclusive. */
export function number(bounds: { readonly minimum?: number; readonly maximum?: number } = {}): JsonShape<number> {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = bounds;
  return shape(
    (value) => {
      if (typeof value !== 'number' || !Number.isFinite(value)) return problemOf('is not a number');
      if (value < minimum) return problemOf(`is less than ${minimum}`);
      return value > maximum ? problemOf(`is more than ${maximum}`) : undefined;
    },
    () => defined({ type: 'number', ...bounds }),
  );
}

/** A whole number within bounds, inclusive. */
export function whole(bounds: { readonly minimum?: number; readonly maximum?: number } = {}): JsonShape<number> {
  const bounded = number(bounds);
  return shape(
    (value) => (Number.isInteger(value) ? bounded.fault(value) : problemOf('is not a whole number')),
    () => ({ ...bounded.schema(), type: 'integer' }),
  );
}

/** true or false. */
export function truth(): JsonShape<boolean> {
  return shape(
    (value) => (typeof value === 'boolean' ? undefined : problemOf('is not true or false')),
    () => ({ type: 'boolean' }),
  );
}

/** A list. */
export function many<T>(item: JsonShape<T>, bounds: { readonly maxItems?: number } = {}): JsonShape<readonly T[]> {
  const { maxItems = Number.POSITIVE_INFINITY } = bounds;
  return shape(
    (value) => {
      if (!Array.isArray(value)) return problemOf('is not a list');
      if (value.length > maxItems) return problemOf(`has more than ${maxItems} items`);
      for (let index = 0; index < value.length; index++) {
        const fault = item.fault(value[index]);
        if (fault) return below(index, fault);
      }
      return undefined;
    },
    () => defined({ type: 'array', items: item.schema(), maxItems: bounds.maxItems }),
  );
}

/** A list of items in this order, each of its own shape. */
export function tuple<const Shapes extends readonly JsonShape<unknown>[]>(
  ...items: Shapes
): JsonShape<{ readonly [I in keyof Shapes]: JsonOf<Shapes[I]> }> {
  return shape(
    (value) => {
      if (!Array.isArray(value)) return problemOf('is not a list');
      if (value.length !== items.length) return problemOf(`has not ${items.length} items`);
      for (const [index, item] of items.entries()) {
        const fault = item.fault(value[index]);
        if (fault) return below(index, fault);
      }
      return undefined;
    },
    () => ({ type: 'array', prefixItems: items.map((item) => item.schema()), minItems: items.length, maxItems: items.length }),
  );
}

/** An object of JSON, not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object whose members all have one shape. */
export function mapOf<T>(item: JsonShape<T>): JsonShape<Readonly<Record<string, T>>> {
  return shape(
    (value) => {
      if (!isObject(value)) return problemOf('is not an object');
      for (const name of Object.keys(value)) {
        const fault = item.fault(value[name]);
        if (fault) return below(name, fault);
      }
      return undefined;
    },
    () => ({ type: 'object', additionalProperties: item.schema() }),
  );
}

/** A value or null. */
export function orNull<T>(inner: JsonShape<T>): JsonShape<T | null> {
  return shape(
    (value) => (value === null ? undefined : inner.fault(value)),
    () => ({ anyOf: [inner.schema(), { type: 'null' }] }),
  );
}

/** A member that may be left out. */
export function optional<T>(inner: JsonShape<T>): Optional<T> {
  return { ...inner, isOptional: true };
}

/** The first fault among named members of an object. */
function memberFault(members: readonly (readonly [string, JsonShape<unknown>])[], value: Record<string, unknown>): JsonFault | undefined {
  for (const [name, member] of members) {
    const one = Object.hasOwn(value, name) ? value[name] : undefined;
    if (one === undefined) {
      if (!member.isOptional) return { path: `/${name}`, problem: 'is missing' };
      continue;
    }
    const fault = member.fault(one);
    if (fault) return below(name, fault);
  }
  return undefined;
}

/** An object with named members; further ones are ignored. */
export function fields<const F extends JsonMembers>(members: F): JsonShape<FieldsOf<F>> {
  const known = Object.entries(members);
  return shape(
    (value) => (isObject(value) ? memberFault(known, value) : problemOf('is not an object')),
    () => objectSchema(known),
  );
}

/** An object with named members and no others: what a program asks for, where a misspelt member would be ignored in silence. */
export function closedFields<const F extends JsonMembers>(members: F): JsonShape<FieldsOf<F>> {
  const open = fields(members);
  const problem = `is unknown: known are ${Object.keys(members).join(', ')}`;
  return shape(
    (value) => {
      const further = isObject(value) ? Object.keys(value).find((name) => !Object.hasOwn(members, name)) : undefined;
      return further === undefined ? open.fault(value) : { path: `/${further}`, problem };
    },
    () => ({ ...open.schema(), additionalProperties: false }),
  );
}

/** An object with named members, whose further ones all have one shape that fits the named ones, too: amounts by type. */
export function fieldsAmong<const F extends JsonMembers, T>(
  members: F,
  others: JsonShape<T>,
): JsonShape<FieldsOf<F> & { readonly [name: string]: T }> {
  const [named, all] = [fields(members), mapOf(others)];
  return shape(
    (value) => named.fault(value) ?? all.fault(value),
    () => ({ ...named.schema(), additionalProperties: others.schema() }),
  );
}

type TaggedOf<Name extends string, V extends Readonly<Record<string, JsonMembers>>> = {
  [K in keyof V & string]: { readonly [N in Name]: K } & FieldsOf<V[K]>;
}[keyof V & string];

/** An object of one of some kinds, told apart by a member: `tagged('type', { health: {…}, shutdown: {} })`. */
export function tagged<const Name extends string, const V extends Readonly<Record<string, JsonMembers>>>(
  name: Name,
  kinds: V,
): JsonShape<TaggedOf<Name, V>> {
  const membersOf = new Map<unknown, readonly (readonly [string, JsonShape<unknown>])[]>(
    Object.entries(kinds).map(([kind, members]) => [kind, Object.entries(members)]),
  );
  return shape(
    (value) => {
      if (!isObject(value)) return problemOf('is not an object');
      if (!Object.hasOwn(value, name)) return { path: `/${name}`, problem: 'is missing' };
      const members = membersOf.get(value[name]);
      if (!members) return { path: `/${name}`, problem: `is not one of ${Object.keys(kinds).join(', ')}` };
      return memberFault(members, value);
    },
    () => ({
      oneOf: Object.entries(kinds).map(([kind, members]) => {
        const schema = objectSchema(Object.entries(members));
        const { required = [], properties } = schema as { required?: readonly string[]; properties: JsonSchema };
        return { ...schema, required: [name, ...required], properties: { [name]: { type: 'string', const: kind }, ...properties } };
      }),
    }),
  );
}

/** The first fault of a value as a sentence, `/asks/0/count is not a whole number`; undefined when it has the shape. */
export function faultOf(described: JsonShape<unknown>, value: unknown): string | undefined {
  const fault = described.fault(value);
  return fault && `${fault.path || 'the body'} ${fault.problem}`;
}

/** A value that was read: with its type, or with what is wrong. */
export type Checked<T> = { readonly value: T; readonly fault?: undefined } | { readonly value?: undefined; readonly fault: string };

/** The value with the type of its shape (the same object, unchanged), or its first fault as `faultOf` tells it. */
export function checked<T>(described: JsonShape<T>, value: unknown): Checked<T> {
  const fault = faultOf(described, value);
  return fault === undefined ? { value: value as T } : { fault };
}
