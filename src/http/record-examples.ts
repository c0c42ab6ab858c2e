// Example values of records, made by their descriptions as writers take them: for XML in `/openapi.json`, which the writer of answers writes
// of them. The values are those that the examples in JSON have (`open-api-examples.ts`).
import type { RecordDescription, WireMember } from '../wire/codec/describe.ts';
import { exampleValue } from './example-values.ts';
import { deepest, exampleKey, exampleScalar } from './open-api-examples.ts';

/** `object`: what the record is called, as in `example-values.ts`. */
export function recordExample(record: RecordDescription<never>, object: string): unknown {
  return exampleOf(record.wire, '', object, []);
}

const scalarTypes = { text: 'string', int: 'integer', long: 'integer', float: 'number', double: 'number', boolean: 'boolean' } as const;

/** A value that the member's writer takes; undefined where there is none but one without end. `within`: the objects around it. */
function exampleOf(member: WireMember, name: string, object: string, within: readonly WireMember[]): unknown {
  const own = name || object;
  switch (member.kind) {
    case 'any':
      return exampleValue(name, object) ?? 'text';
    case 'list':
      return listOf(exampleOf(member.element!.wire, name, own, within));
    case 'map':
      return [[exampleKey(name), exampleOf(member.element!.wire, exampleKey(name), own, within)]];
    case 'holder': {
      const [{ name: held, member: list } = { name: '', member }] = member.fields ?? [];
      return exampleOf(list, held, own, within);
    }
    case 'object':
      return objectOf(member, own, within);
    default:
      return exampleScalar(
        { type: scalarTypes[member.kind], ...(member.kind === 'int' ? { format: 'int32' } : {}) },
        exampleValue(name, object),
      );
  }
}

const listOf = (element: unknown): unknown[] => (element === undefined ? [] : [element]);

function objectOf(member: WireMember, own: string, within: readonly WireMember[]): unknown {
  if (within.filter((one) => one === member).length >= deepest) return undefined;
  const around = [...within, member];
  if (member.choose) {
    const { choose } = member;
    for (const variant of member.variants?.() ?? [choose(undefined as never)]) {
      const value = exampleOf(variant, own, own, around);
      // The first that is taken for what it is.
      if (value !== undefined && choose(value as never) === variant) return value;
    }
    return undefined;
  }
  const members = (member.fields ?? []).map(({ name, member: inner }): [string, unknown] => [name, exampleOf(inner, name, own, around)]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
