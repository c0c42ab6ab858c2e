// The text of a queue's `capacity` and `maximum-capacity`: a percentage, a weight, or a vector that may mix them per resource.

import { decimalForm, parseInteger as parseInt32, parseLong as parseInt64 } from '../../../lib/java-number.ts';
import type { Resource, ResourceTypes } from '../../../model/resource.ts';
import { ConfigurationRefused } from '../../policy.ts';
import { float } from '../../state/calculator.ts';
import { inHashOrder } from '../../state/java-order.ts';

export type Unit = 'percentage' | 'weight' | 'absolute';

/** One resource of a vector, in the order of the registered types. */
export interface VectorEntry {
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
}

/** A parsed value. Hadoop reads each text twice: as a vector, and for the amounts that it names. */
export interface CapacityValue {
  /** `unknown`: a vector without memory, which promises nothing. */
  readonly kind: 'percentage' | 'weight' | 'absolute' | 'vector' | 'unknown';
  /** What legacy queue mode takes it for. */
  readonly legacyKind: Unit;
  /** The percentage or weight of a plain value; 0 for vectors. */
  readonly value: number;
  /** As shown: in the order of Hadoop's map, unregistered resources included. */
  readonly entries: readonly VectorEntry[];
  /** One for each registered type, in their order; none of a vector without memory. */
  readonly byType: readonly VectorEntry[];
  /** The amounts alone, one for each registered type; undefined without any of memory. */
  readonly amounts: Resource | undefined;
}

const vectorPattern = /^\[([\w.,\-_%=\s/]+)\]$/;
/** Of what is read for its amounts: percentages are none (CapacitySchedulerConfiguration.RESOURCE_PATTERN). */
const amountsPattern = /^\[([\w.,\-_= /]+)\]$/;
const namesOfResources: Record<string, string> = { memory: 'memory-mb', 'memory-mb': 'memory-mb', vcores: 'vcores' };

/** Java's Float.parseFloat, without infinity; its complaint becomes the refusal. */
export function parseFloat32(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '') throw new ConfigurationRefused('empty String');
  if (!decimalForm.test(trimmed)) throw new ConfigurationRefused(`For input string: "${trimmed}"`);
  const value = float(Number(trimmed.replace(/[fFdD]$/, '')));
  if (!Number.isFinite(value)) throw new ConfigurationRefused(`${trimmed} is too large a number`);
  return value;
}

/** A whole number of a Hadoop configuration, which may be hexadecimal (`0x1F`; Configuration.getInt). */
export const parseConfiguredInteger = (text: string): number => parseInteger(withoutHexadecimal(text));

/** The same of a Java long (Configuration.getLong). */
export const parseConfiguredLong = (text: string): number => parseLongInteger(withoutHexadecimal(text));

function withoutHexadecimal(text: string): string {
  const [, sign = '', digits] = /^(-?)0x([0-9a-f]{1,16})$/i.exec(text.trim()) ?? [];
  return digits === undefined ? text : `${sign}${BigInt(`0x${digits}`)}`;
}

/** Java's Integer.parseInt; its complaint becomes the refusal. */
export const parseInteger = (text: string): number => numberOr(text, parseInt32);

/** Java's Long.parseLong; its complaint becomes the refusal. */
export const parseLongInteger = (text: string): number => numberOr(text, parseInt64);

function numberOr(text: string, parse: (text: string) => number | undefined): number {
  const trimmed = text.trim();
  const value = parse(trimmed);
  if (value === undefined) throw new ConfigurationRefused(`For input string: "${trimmed}"`);
  return value;
}

/** Reads a value; what is neither vector nor weight must be a number. Unknown resources of a vector are left out, as in Hadoop. */
export function parseCapacity(text: string, types: ResourceTypes): CapacityValue {
  const trimmed = text.replace(/\s/g, '');
  const inside = vectorPattern.exec(trimmed)?.[1];
  if (inside !== undefined) return parseVector(text, inside, types);
  const kind = trimmed.endsWith('w') ? 'weight' : 'percentage';
  const value = parseFloat32(kind === 'weight' ? trimmed.slice(0, -1) : trimmed);
  // A weight of -1 is none.
  if (kind === 'weight' && value === -1) return { ...plain('percentage', 0, types), entries: [] };
  // What has a sign or an exponent is a number, but shown as no vector (QueueCapacityConfigParser).
  return /^[\d.]+w?$/.test(trimmed) ? plain(kind, value, types) : { ...plain(kind, value, types), entries: [] };
}

/** The same percentage or weight for every resource. */
export function plain(kind: 'percentage' | 'weight', value: number, types: ResourceTypes): CapacityValue {
  const byType = types.types.map(({ name }) => ({ name, value, unit: kind }));
  return { kind, legacyKind: kind, value, entries: inOrder(byType), byType, amounts: undefined };
}

const inOrder = (entries: readonly VectorEntry[]): VectorEntry[] => inHashOrder(entries, ({ name }) => name);

function parseVector(text: string, inside: string, types: ResourceTypes): CapacityValue {
  const given = new Map<string, VectorEntry>();
  for (const part of inside.split(',')) {
    const [rawName = '', rawValue = ''] = part.split('=');
    const name = namesOfResources[rawName] ?? rawName;
    const suffix = rawValue.replace(/[\d.]/g, '');
    if (rawValue === '' || !rawValue.endsWith(suffix)) continue;
    const number = parseFloat32(rawValue.slice(0, rawValue.length - suffix.length));
    const unit: Unit = suffix === '%' ? 'percentage' : suffix === 'w' ? 'weight' : 'absolute';
    given.set(name, { name, value: unit === 'absolute' ? float(inMebi(number, suffix)) : number, unit });
  }
  const named = amountsOf(text, types);
  const memory = given.get(types.types[0]!.name);
  if (!memory || Math.trunc(memory.value) === 0)
    return { kind: 'unknown', legacyKind: named ? 'absolute' : 'percentage', value: 0, entries: [], byType: [], amounts: named?.amounts };
  const byType = types.types.map(({ name }) => given.get(name) ?? { name, value: 0, unit: 'absolute' as Unit });
  const others = [...given.values()].filter(({ name }) => types.indexOf(name) === undefined);
  const units = new Set(byType.map((entry) => entry.unit));
  const kind = units.size > 1 ? 'vector' : [...units][0]!;
  const legacyKind = kind === 'weight' ? kind : named ? 'absolute' : 'percentage';
  return { kind, legacyKind, value: 0, entries: inOrder([...byType, ...others]), byType, amounts: named?.amounts };
}

/**
 * The amounts that a text in brackets names (CapacitySchedulerConfiguration.internalGetLabeledResourceRequirementForQueue); undefined where
 * it names nothing, or is written otherwise. What has a unit that nobody knows is left out. @throws ConfigurationRefused where one is no whole number, or negative
 */
function amountsOf(text: string, types: ResourceTypes): { readonly amounts: Resource | undefined } | undefined {
  const inside = amountsPattern.exec(text)?.[1];
  const pairs = inside?.split(',').map((part) => part.split('=')) ?? [];
  if (!pairs.some(([, value]) => value !== undefined && value !== '')) return undefined;
  const amounts = types.types.map(() => 0);
  for (const [rawName = '', value] of pairs) {
    const index = types.indexOf(namesOfResources[rawName.trim()] ?? '');
    if (value === undefined || value === '' || index === undefined) continue;
    const unit = lettersAtEnd(value);
    if (unit !== '' && factors[unit] === undefined) continue;
    const digits = value.slice(0, value.length - unit.length);
    const amount = parseInt64(digits);
    if (amount === undefined || digits !== digits.trim()) throw new ConfigurationRefused(`For input string: "${digits}"`);
    if (amount < 0) throw new ConfigurationRefused(`Illegal amount of ${rawName.trim()}: ${value} is below 0`);
    amounts[index] = inMebi(amount, unit);
  }
  return { amounts: amounts[0] === 0 ? undefined : amounts };
}

function lettersAtEnd(text: string): string {
  let start = text.length;
  while (start > 0 && /\p{L}/u.test(text[start - 1]!)) start--;
  return text.slice(start);
}

const factors: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** A number with a unit counts in mebi, whatever it is of: `4Gi` is 4096 (UnitsConversionUtil); without one, or with another, it stays. */
function inMebi(value: number, unit: string): number {
  const factor = factors[unit];
  return factor === undefined ? value : Math.trunc((Math.trunc(value) * factor) / 2 ** 20);
}

/** A double as Java prints it: 40.0, 0.25, 1.0E23: from ten million on, and below a thousandth, with an exponent. */
export function doubleText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-3)) {
    const [mantissa = '', exponent = ''] = value.toExponential().split('e');
    return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
  }
  const plain = String(value);
  return plain.includes('.') ? plain : `${plain}.0`;
}

/** A float32 as Java prints it: the shortest text that reads back as the same float. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 1; digits <= 9; digits++) {
    const text = value.toPrecision(digits);
    if (float(Number(text)) === float(value)) return doubleText(Number(text));
  }
  return String(value);
}
