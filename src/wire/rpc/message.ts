// How protobuf messages of Hadoop RPC are described: a table of fields, from which both the codec and the types of the values come.

/** Scalar types of proto2 that Hadoop's messages use. */
export type Scalar = 'bool' | 'bytes' | 'exact64' | 'float' | 'int32' | 'int64' | 'sint32' | 'string' | 'uint32' | 'uint64';

/**
 * The values of scalars. 64-bit integers are numbers: what lies beyond 2^53 is rounded, except that the largest and the smallest value of
 * the type come back as what they were. `exact64` is an int64 of which each bit counts.
 */
interface ScalarValues {
  readonly bool: boolean;
  readonly bytes: Uint8Array;
  readonly exact64: bigint;
  readonly float: number;
  readonly int32: number;
  readonly int64: number;
  readonly sint32: number;
  readonly string: string;
  readonly uint32: number;
  readonly uint64: number;
}

/** An enumeration: its names with their numbers. */
export interface Enumeration<Name extends string = string> {
  readonly numbers: Readonly<Record<Name, number>>;
  readonly names: ReadonlyMap<number, Name>;
}

/** A message: its name in the descriptor (`hadoop.yarn.ApplicationIdProto`) and its fields. */
export interface Message<F extends Fields = Fields> {
  readonly name: string;
  readonly fields: F;
}

/** A message that contains itself; the type of its values is given by hand, since none can be inferred. */
export interface Recursive<Value> {
  readonly message: () => Message;
  /** Never there: carries the type. */
  readonly value?: Value;
}

export type Kind = Scalar | Enumeration | Message | Recursive<unknown>;
export type Presence = 'optional' | 'defaulted' | 'required' | 'repeated';

/** One field. */
export interface Field<K = Kind, P extends Presence = Presence> {
  readonly number: number;
  readonly kind: K;
  readonly presence: P;
  /** What stands for an absent field (proto2 `default`); of `defaulted` fields only. */
  readonly fallback?: unknown;
}

export type Fields = Readonly<Record<string, Field<never>>> | Readonly<Record<string, Field>>;

/** Which of the two shapes of a message's values: as decoded, or as taken for encoding. */
type Way = 'decoded' | 'encodable';

type ValueOf<K, W extends Way> = K extends Scalar
  ? ScalarValues[K]
  : K extends Enumeration<infer Name>
    ? Name
    : K extends Recursive<infer Value>
      ? Value
      : K extends Message<infer F>
        ? { readonly decoded: DecodedFields<F>; readonly encodable: EncodableFields<F> }[W]
        : never;

type KeysWith<F, P extends Presence> = {
  [Key in keyof F]: F[Key] extends Field<infer _K, infer Q> ? (Q extends P ? Key : never) : never;
}[keyof F];
type KindOf<T> = T extends Field<infer K, Presence> ? K : never;
type Flat<T> = { [Key in keyof T]: T[Key] };

type DecodedFields<F> = Flat<
  { readonly [Key in KeysWith<F, 'required' | 'defaulted'>]: ValueOf<KindOf<F[Key]>, 'decoded'> } & {
    readonly [Key in KeysWith<F, 'optional'>]?: ValueOf<KindOf<F[Key]>, 'decoded'>;
  } & { readonly [Key in KeysWith<F, 'repeated'>]: readonly ValueOf<KindOf<F[Key]>, 'decoded'>[] }
>;

type EncodableFields<F> = Flat<
  { readonly [Key in KeysWith<F, 'required'>]: ValueOf<KindOf<F[Key]>, 'encodable'> } & {
    readonly [Key in KeysWith<F, 'optional' | 'defaulted'>]?: ValueOf<KindOf<F[Key]>, 'encodable'> | undefined;
  } & { readonly [Key in KeysWith<F, 'repeated'>]?: readonly ValueOf<KindOf<F[Key]>, 'encodable'>[] | undefined }
>;

/** What decoding a message gives: repeated fields are always there, absent fields with a default hold it. */
export type Decoded<M> = M extends Message<infer F> ? DecodedFields<F> : never;

/** What can be encoded as a message: undefined is not written. */
export type Encodable<M> = M extends Message<infer F> ? EncodableFields<F> : never;

/** A field that may be absent. */
export const optional = <const K extends Kind>(number: number, kind: K): Field<K, 'optional'> => ({ number, kind, presence: 'optional' });

/** A field that stands for `fallback` where it is absent. */
export const defaulted = <const K extends Kind>(number: number, kind: K, fallback: ValueOf<K, 'decoded'>): Field<K, 'defaulted'> => ({
  number,
  kind,
  presence: 'defaulted',
  fallback,
});

/** A field without which the message is refused. */
export const required = <const K extends Kind>(number: number, kind: K): Field<K, 'required'> => ({ number, kind, presence: 'required' });

/** A list. */
export const repeated = <const K extends Kind>(number: number, kind: K): Field<K, 'repeated'> => ({ number, kind, presence: 'repeated' });

/** Describes a message. */
export const message = <const F extends Readonly<Record<string, Field<Kind>>>>(name: string, fields: F): Message<F> => ({ name, fields });

/** Describes an enumeration by its names and numbers. */
export function enumeration<const Name extends string>(numbers: Readonly<Record<Name, number>>): Enumeration<Name> {
  return { numbers, names: new Map(Object.entries<number>(numbers).map(([name, number]) => [number, name as Name])) };
}

/** A name of the enumeration; undefined for what is none, such as a state that somebody else wrote. */
export const nameIn = <Name extends string>({ numbers }: Enumeration<Name>, text: string): Name | undefined =>
  Object.hasOwn(numbers, text) ? (text as Name) : undefined;

/** A message that contains itself, somewhere below; `Value` is the type of its values. */
export const recursive = <Value>(of: () => Message): Recursive<Value> => ({ message: of });
