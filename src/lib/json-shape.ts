// What a JSON value has to look like, with its TypeScript type. Small on purpose: every server that reads our own interfaces loads
// it, and a schema library costs hundreds of modules.

/** A description of values of type `T`. */
export interface JsonShape<T> {
  /** The first fault, as a sentence without its subject and the path it is found at; undefined when there is none. */
  fault(value: unknown, path: string): JsonFault | undefined;
  /** Only for types: never present at run time. */
  readonly type?: T;
  readonly isOptional?: boolean;
}

/** What is wrong and where: `{ path: '/asks/0/count', problem: 'is not a whole number' }`. */
export interface JsonFault {
  readonly path: string;
  readonly problem: string;
}

/** The TypeScript type of a shape. */
export type JsonOf<Shape> = Shape extends JsonShape<infer T> ? T : never;

type Optional<T> = JsonShape<T> & { readonly isOptional: true };
type Fields = Readonly<Record<string, JsonShape<unknown>>>;
type RequiredNames<F extends Fields> = { [K in keyof F]: F[K] extends { readonly isOptional: true } ? never : K }[keyof F];
type FieldsOf<F extends Fields> = { readonly [K in RequiredNames<F>]: JsonOf<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredNames<F>>]?: JsonOf<F[K]>;
};

const shape = <T>(fault: JsonShape<T>['fault']): JsonShape<T> => ({ fault });
const unless = (isRight: boolean, path: string, problem: string): JsonFault | undefined => (isRight ? undefined : { path, problem });

/** Whatever it is; its reader judges it. */
export const anything = (): JsonShape<unknown> => shape(() => undefined);

/** A text of bounded length. */
export function text(bounds: { readonly minLength?: number; readonly maxLength?: number } = {}): JsonShape<string> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = bounds;
  return shape((value, path) => {
    if (typeof value !== 'string') return { path, problem: 'is not a text' };
    return (
      unless(value.length >= minLength, path, 'is empty') ??
      unless(value.length <= maxLength, path, `is longer than ${maxLength} characters`)
    );
  });
}

/** One of some words. */
export function word<const Words extends readonly string[]>(...words: Words): JsonShape<Words[number]> {
  return shape((value, path) => unless(typeof value === 'string' && words.includes(value), path, `is not one of ${words.join(', ')}`));
}

/** A number within bounds, inclusive. */
export function number(bounds: { readonly minimum?: number; readonly maximum?: number } = {}): JsonShape<number> {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = bounds;
  return shape((value, path) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return { path, problem: 'is not a number' };
    return unless(value >= minimum, path, `is less than ${minimum}`) ?? unless(value <= maximum, path, `is more than ${maximum}`);
  });
}

/** A whole number within bounds, inclusive. */
export function whole(bounds: { readonly minimum?: number; readonly maximum?: number } = {}): JsonShape<number> {
  const bounded = number(bounds);
  return shape((value, path) => unless(Number.isInteger(value), path, 'is not a whole number') ?? bounded.fault(value, path));
}

/** true or false. */
export function truth(): JsonShape<boolean> {
  return shape((value, path) => unless(typeof value === 'boolean', path, 'is not true or false'));
}

/** A list. */
export function many<T>(item: JsonShape<T>, bounds: { readonly maxItems?: number } = {}): JsonShape<readonly T[]> {
  const { maxItems = Number.POSITIVE_INFINITY } = bounds;
  return shape((value, path) => {
    if (!Array.isArray(value)) return { path, problem: 'is not a list' };
    if (value.length > maxItems) return { path, problem: `has more than ${maxItems} items` };
    for (const [index, one] of value.entries()) {
      const fault = item.fault(one, `${path}/${index}`);
      if (fault) return fault;
    }
    return undefined;
  });
}

/** An object of JSON, not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object whose members all have one shape. */
export function mapOf<T>(item: JsonShape<T>): JsonShape<Readonly<Record<string, T>>> {
  return shape((value, path) => {
    if (!isObject(value)) return { path, problem: 'is not an object' };
    for (const [name, one] of Object.entries(value)) {
      const fault = item.fault(one, `${path}/${name}`);
      if (fault) return fault;
    }
    return undefined;
  });
}

/** A member that may be left out. */
export function optional<T>(inner: JsonShape<T>): Optional<T> {
  return { ...inner, isOptional: true };
}

/** An object with named members; further ones are ignored. */
export function fields<const F extends Fields>(members: F): JsonShape<FieldsOf<F>> {
  return shape((value, path) => {
    if (!isObject(value)) return { path, problem: 'is not an object' };
    for (const [name, member] of Object.entries(members)) {
      const one = Object.hasOwn(value, name) ? value[name] : undefined;
      if (one === undefined) {
        if (!member.isOptional) return { path: `${path}/${name}`, problem: 'is missing' };
        continue;
      }
      const fault = member.fault(one, `${path}/${name}`);
      if (fault) return fault;
    }
    return undefined;
  });
}

/** The first fault of a value as a sentence, `/asks/0/count is not a whole number`; undefined when it has the shape. */
export function faultOf(described: JsonShape<unknown>, value: unknown): string | undefined {
  const fault = described.fault(value, '');
  return fault && `${fault.path || 'the body'} ${fault.problem}`;
}
