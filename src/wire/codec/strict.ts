// Bodies of Heddle's own interface: read strictly, and maps may be plain objects. What YARN's interface forgives is a mistake here.
import { isObject } from '../../lib/json-shape.ts';
import { failure } from '../../model/errors.ts';
import type { RecordDescription, WireMember } from './describe.ts';

/**
 * A value as the readers of records take it, its plain maps as entries.
 * @throws Failure BAD_REQUEST naming the first member that is unknown or of another type
 */
export function strictly(record: RecordDescription, value: unknown): unknown {
  if (!isObject(value)) throw bad('', 'an object');
  return strict(record.wire, value, '');
}

const bad = (path: string, expected: string) =>
  failure('BAD_REQUEST', { reason: path === '' ? `the body must be ${expected}` : `${path} must be ${expected}` });
const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function strict(member: WireMember, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return value;
  switch (member.kind) {
    case 'text':
      if (typeof value === 'object') throw bad(path, 'a text');
      return value;
    case 'int':
      if (!/^[+-]?\d{1,19}$/.test(String(value)) || Number(value) > 2_147_483_647 || Number(value) < -2_147_483_648)
        throw bad(path, 'a whole number of 32 bits');
      return value;
    case 'long':
      if (!/^[+-]?\d{1,19}$/.test(String(value))) throw bad(path, 'a whole number');
      return value;
    case 'float':
    case 'double':
      if (typeof value === 'object' || String(value).trim() === '' || Number.isNaN(Number(value))) throw bad(path, 'a number');
      return value;
    case 'boolean':
      if (value !== true && value !== false && value !== 'true' && value !== 'false') throw bad(path, 'true or false');
      return value;
    case 'list':
      return (Array.isArray(value) ? value : [value]).map((item, index) => strict(member.element!.wire, item, `${path}[${index}]`));
    case 'map':
      return strictMap(member, value, path);
    case 'holder': {
      const inner = member.fields![0]!;
      if (Array.isArray(value) || typeof value !== 'object') return { [inner.name]: strict(inner.member, value, path) };
      return strictObject(member, value, path);
    }
    case 'object':
      return strictObject(member, value, path);
    case 'any':
      return value;
  }
}

/** `{"entry":[{"key":…,"value":…}]}` as in YARN's interface, or `{"key":value}`. */
function strictMap(member: WireMember, value: unknown, path: string): unknown {
  if (!isObject(value)) throw bad(path, 'an object');
  const element = member.element!.wire;
  const held = value['entry'];
  const entries = [held].flat();
  const isEntries =
    Object.keys(value).length === 1 && typeof held === 'object' && entries.every((entry) => isObject(entry) && 'key' in entry);
  const pairs = isEntries
    ? entries.map((entry) => entry as Record<string, unknown>)
    : Object.entries(value).map(([key, item]) => ({ key, value: item }) as Record<string, unknown>);
  return {
    entry: pairs.map(({ key, value: item }) => ({ key: String(key), value: strict(element, item, below(path, String(key))) })),
  };
}

function strictObject(member: WireMember, value: unknown, path: string): Record<string, unknown> {
  if (!isObject(value)) throw bad(path, 'an object');
  const result: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const field = member.fields?.find((known) => known.name === name);
    if (!field) throw failure('BAD_REQUEST', { reason: `${below(path, name)} is not known here` });
    result[name] = strict(field.member, item, below(path, name));
  }
  return result;
}
