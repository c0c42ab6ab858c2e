// Whether what one schema describes can be taken for what another one does (schema resolution of the Avro specification, as far as files need it).
import type { AvroType } from './avro.ts';

/** Whether an own field is looked for in vain without harm: who reads the record says what stands for it. */
export type MayBeMissing = (record: string, field: string) => boolean;

const isNumber = ({ kind }: AvroType): boolean => kind === 'int' || kind === 'long';
const nonNull = (type: AvroType): readonly AvroType[] =>
  type.kind === 'union' ? type.branches.filter(({ kind }) => kind !== 'null') : type.kind === 'null' ? [] : [type];

/**
 * Why values written by `theirs` are not what `ours` promises to readers; undefined where they are. Records, also those of unions, go by
 * their names; what only `theirs` has does not matter, nor what only `ours` has in a union.
 */
export function misfitOf(theirs: AvroType, ours: AvroType, mayBeMissing: MayBeMissing, place = 'the schema'): string | undefined {
  if (isNumber(ours) && isNumber(theirs)) return undefined;
  if (ours.kind === 'union') {
    const [branches, own] = [nonNull(theirs), nonNull(ours)];
    if (branches.length > 1 !== ours.tagged) return `${place} holds ${branches.length} kinds of values`;
    for (const branch of branches) {
      const same = ours.tagged ? own.find((one) => 'name' in one && 'name' in branch && one.name === branch.name) : own[0];
      const misfit = same && misfitOf(branch, same, mayBeMissing, place);
      if (misfit !== undefined) return misfit;
    }
    return undefined;
  }
  if (theirs.kind !== ours.kind) return `${place} is of the kind ${theirs.kind}, not ${ours.kind}`;
  if (ours.kind === 'array' || ours.kind === 'map')
    return misfitOf((theirs as typeof ours).items, ours.items, mayBeMissing, `what ${place} holds`);
  if (ours.kind !== 'record') return undefined;
  const record = theirs as typeof ours;
  if (record.name !== ours.name) return `${place} is a ${record.name}, not a ${ours.name}`;
  for (const { name, type } of ours.fields) {
    const field = record.fields.find((one) => one.name === name);
    if (field === undefined && mayBeMissing(ours.name, name)) continue;
    const misfit = field === undefined ? `${ours.name} has no ${name}` : misfitOf(field.type, type, mayBeMissing, `${ours.name}.${name}`);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}
