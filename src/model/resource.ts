// Amounts of resources as vectors over the registered types: index 0 memory in MiB, index 1 vcores, then `resource-types`.

/** A vector of amounts; shorter vectors count as 0 beyond their end. */
export type Resource = readonly number[];

/** One registered resource type. `units` is Hadoop's (`Mi`, ``, `G`, …). */
export interface ResourceType {
  readonly name: string;
  readonly units: string;
  readonly minimumAllocation: number;
  readonly maximumAllocation: number;
}

/** Java's Long.MAX_VALUE, the maximum Hadoop shows where none is set. As a number it is 2^63; writers print it as 9223372036854775807. */
export const longMaximum = 2 ** 63;

/** The registered types, in index order. */
export class ResourceTypes {
  readonly types: readonly ResourceType[];
  readonly count: number;
  readonly #indexes: ReadonlyMap<string, number>;

  constructor(further: readonly ResourceType[] = []) {
    this.types = [
      { name: 'memory-mb', units: 'Mi', minimumAllocation: 0, maximumAllocation: longMaximum },
      { name: 'vcores', units: '', minimumAllocation: 0, maximumAllocation: longMaximum },
      ...further,
    ];
    this.count = this.types.length;
    this.#indexes = new Map(this.types.map((type, index) => [type.name, index]));
  }

  /** The index of a type by its name (`memory-mb`), or undefined. */
  indexOf(name: string): number | undefined {
    return this.#indexes.get(name);
  }
}

/** A vector of zeros that may be changed in place. */
export const zeros = (count = 2): number[] => new Array<number>(count).fill(0);

/** `into += amount`, in place. */
export function addInto(into: number[], amount: Resource): void {
  for (let i = 0; i < amount.length; i++) into[i] = (into[i] ?? 0) + amount[i]!;
}

/** `into -= amount`, in place. */
export function subtractFrom(into: number[], amount: Resource): void {
  for (let i = 0; i < amount.length; i++) into[i] = (into[i] ?? 0) - amount[i]!;
}

/** a + b as a new vector. */
export function sum(a: Resource, b: Resource): number[] {
  const result = [...a];
  addInto(result, b);
  return result;
}

/** a − b as a new vector. */
export function difference(a: Resource, b: Resource): number[] {
  const result = [...a];
  subtractFrom(result, b);
  return result;
}

/** Whether `amount` fits into `room` in every type. */
export function fits(amount: Resource, room: Resource): boolean {
  for (let i = 0; i < amount.length; i++) if (amount[i]! > (room[i] ?? 0)) return false;
  return true;
}

/** Hadoop's text form, `<memory:1024, vCores:1>`, further types that are not 0 appended as `, name: value`. */
export function resourceText(amount: Resource, types?: ResourceTypes): string {
  let text = `<memory:${amount[0] ?? 0}, vCores:${amount[1] ?? 0}`;
  for (let i = 2; i < amount.length; i++)
    if (amount[i] !== 0 && types?.types[i]) text += `, ${types.types[i]!.name}: ${amount[i]}${types.types[i]!.units}`;
  return `${text}>`;
}

/** `1 vcore`, `2 vcores`. */
export const coresText = (count: number | bigint): string => `${count} ${Number(count) === 1 ? 'vcore' : 'vcores'}`;
