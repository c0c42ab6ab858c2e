// One description per REST object. From it come the TypeScript type, the JSON and XML writers, the body readers and the
// OpenAPI schema. The schema is plain JSON Schema: every server loads this file, and a schema library would cost each of them
// a hundred modules; what JSON and XML need besides is kept in the `wire` annotation.

/**
 * How JSON is written (Hadoop 3.4's Jersey 1 set-up):
 * `natural`: numbers and booleans as such, lists always arrays, maps as repeated `entry` members with text values;
 * `mapped`: every scalar is text, a list of one collapses to its element, maps `entry` object or array;
 * `plain`: Jackson, as the timeline servers write: numbers, arrays, maps as plain objects.
 */
export type JsonForm = 'natural' | 'mapped' | 'plain';

/** The kind of a member, which decides how its value is written and read. */
export type Kind = 'text' | 'int' | 'long' | 'float' | 'double' | 'boolean' | 'list' | 'map' | 'object' | 'holder' | 'any';

/** What the writers know of a member. */
export interface WireMember {
  readonly kind: Kind;
  /** Element of a list, value of a map. */
  readonly element?: Member;
  /** Fields of an object; for a holder the single inner list's name and member. */
  readonly fields?: readonly WireField[];
  /** `xsi:type` / `type` written first, for polymorphic objects. */
  readonly typeName?: string;
  /** Written even where the list is empty (an empty array). */
  readonly keepEmpty?: boolean;
  /** Whether a body with an entry of this map that has no key is refused; such an entry is passed over else. */
  readonly needsKeys?: boolean;
  /** A record's own root name, where a list or wrapper needs it. */
  readonly root?: string;
  /** Chooses the concrete record of a polymorphic object by its value. */
  readonly choose?: (value: never) => WireMember;
  /** All that `choose` may give, for schemas. */
  readonly variants?: () => readonly WireMember[];
}

/** A named member of an object. */
export interface WireField {
  readonly name: string;
  readonly member: WireMember;
  /** Written as an XML attribute instead of an element. */
  readonly attribute?: boolean;
}

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A described member: a JSON Schema with its wire annotation. `T` is the TypeScript type of its values. */
export interface Member<T = unknown> {
  readonly schema: JsonSchema;
  readonly wire: WireMember;
  /** Only for types: never present at run time. */
  readonly shape?: T;
}

/** The TypeScript type of a member or record. */
export type Shape<M> = M extends Member<infer T> ? T : never;

type Fields = Readonly<Record<string, Member>>;
type ShapeOf<F extends Fields> = { -readonly [K in keyof F]?: Shape<F[K]> | undefined };

/** A record: an object with a root name and its writer rules. */
export interface RecordDescription<T = unknown> extends Member<T> {
  readonly root: string;
  readonly json: JsonForm;
  /** Whether JSON has the root as its only member. */
  readonly wrapped: boolean;
  /** XML namespace etc. written at the root. */
  readonly xmlAttributes?: string;
}

const member = <T>(schema: JsonSchema, wire: WireMember): Member<T> => ({ schema, wire });

/** A string. */
export const text = (): Member<string> => member({ type: 'string' }, { kind: 'text' });
/** A 32-bit integer. */
export const int = (): Member<number> => member({ type: 'integer' }, { kind: 'int' });
/** A 64-bit integer; numbers from 2^63 on are written as 9223372036854775807, bigint is written exactly. */
export const long = (): Member<number | bigint> => member({ type: 'integer', format: 'int64' }, { kind: 'long' });
/** A 32-bit float in Java's text form (`100.0`, `12.5`). */
export const float = (): Member<number> => member({ type: 'number', format: 'float' }, { kind: 'float' });
/** A 64-bit float in Java's text form. */
export const double = (): Member<number> => member({ type: 'number', format: 'double' }, { kind: 'double' });
/** true or false. */
export const boolean = (): Member<boolean> => member({ type: 'boolean' }, { kind: 'boolean' });
/** A repeated member: JSON array (or collapsed, by the record's form), repeated XML element. Empty lists are left out unless `keepEmpty`. */
export const list = <T>(element: Member<T>, options: { keepEmpty?: boolean } = {}): Member<readonly T[]> =>
  member({ type: 'array', items: element.schema }, { kind: 'list', element, ...options });
/** A map from text; entries are written in the order given. `needsKeys`: Hadoop fails at an entry of it that has no key. */
export const map = <T>(
  value: Member<T>,
  options: { needsKeys?: boolean } = {},
): Member<Readonly<Record<string, T>> | ReadonlyMap<string, T> | readonly (readonly [string, T])[]> =>
  member({ type: 'object', additionalProperties: value.schema }, { kind: 'map', element: value, ...options });
/** Any JSON value, written as it is (plain form only). */
export const any = (): Member<unknown> => member({}, { kind: 'any' });

const fieldsOf = (fields: Fields): WireField[] => Object.entries(fields).map(([name, { wire }]) => ({ name, member: wire }));
const schemaOf = (fields: Fields): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
});

/** A nested object. `typeName` is written as its first member `type` (XML `xsi:type`). */
export const object = <const F extends Fields>(fields: F, options: { typeName?: string } = {}): Member<ShapeOf<F>> =>
  member(schemaOf(fields), { kind: 'object', fields: fieldsOf(fields), ...options });
/** An object that holds one list: `"queues":{"queue":[…]}`; empty: `{}`. Its TypeScript value is the list itself. */
export const holder = <T>(name: string, element: Member<T>): Member<readonly T[]> =>
  member(
    { type: 'object', properties: { [name]: { type: 'array', items: element.schema } } },
    {
      kind: 'holder',
      fields: [{ name, member: list(element).wire }],
    },
  );
/** An object whose concrete fields depend on its value: one of `variants`, of which `choose` gives the one that fits. */
export const polymorphic = <T>(variants: () => readonly Member[], choose: (value: T) => Member): Member<T> =>
  member({}, { kind: 'object', choose: (value: never) => choose(value as T).wire, variants: () => variants().map(({ wire }) => wire) });
/** A member that refers to a description defined later (recursive objects). */
export const later = <T>(describe: () => Member<T>): Member<T> => member({}, { kind: 'object', choose: () => describe().wire });

/** A record: `record('app', { id: text(), … }, { json: 'natural', wrapped: true })`. Members are written in the order given. */
export function record<const F extends Fields>(
  root: string,
  fields: F,
  options: { json: JsonForm; wrapped?: boolean; typeName?: string; xmlAttributes?: string },
): RecordDescription<ShapeOf<F>> {
  const { json, wrapped = json === 'natural', ...rest } = options;
  return {
    schema: schemaOf(fields),
    wire: { kind: 'object', fields: fieldsOf(fields), root, typeName: rest.typeName },
    root,
    json,
    wrapped,
    xmlAttributes: rest.xmlAttributes,
  };
}

/** A record whose content is an existing member's (an object written under a root of its own). */
export function rooted<T>(
  root: string,
  content: Member<T>,
  options: { json: JsonForm; wrapped?: boolean; xmlAttributes?: string },
): RecordDescription<T> {
  const { json, wrapped = json === 'natural', xmlAttributes } = options;
  return { schema: content.schema, wire: { ...content.wire, root }, root, json, wrapped, xmlAttributes };
}
