// The filter expressions of timeline v2: parsed into a tree, then asked of an entity (reference D.4; TimelineParserFor…, TimelineFilterUtils).
// Expressions are read from left to right without precedence; brackets group.

import { javaSplit } from '../../lib/java-split.ts';
import { type ErrorCode, failure } from '../../model/errors.ts';
import type { JsonValue } from '../../wire/timeline/entity.ts';
import { isRaw, parseExact, parseFilterValue, valueKey } from '../../wire/timeline/exact-json.ts';

/** A parsed expression over conditions of one kind. */
export type Expression<Condition> =
  | { readonly kind: 'condition'; readonly condition: Condition }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Expression<Condition>[] };

/** Whether the expression holds, given how a single condition is decided. */
export function holds<Condition>(expression: Expression<Condition>, decide: (condition: Condition) => boolean): boolean {
  if (expression.kind === 'condition') return decide(expression.condition);
  return expression.kind === 'and'
    ? expression.parts.every((part) => holds(part, decide))
    : expression.parts.some((part) => holds(part, decide));
}

const refuse = (reason: string) => failure('TIMELINE_V2_BAD_REQUEST' satisfies ErrorCode, { reason });
const bracketAt = (which: 'opening' | 'closing', name: string) => refuse(`Encountered unexpected ${which} bracket while parsing ${name}.`);

/** A group under construction: what was read so far, joined from left to right. */
interface Group<Condition> {
  soFar: Expression<Condition> | undefined;
  joiner: 'and' | 'or';
}

const combine = <Condition>(group: Group<Condition>, next: Expression<Condition>): Expression<Condition> =>
  group.soFar === undefined ? next : { kind: group.joiner, parts: [group.soFar, next] };

/** The word `and ` or `or ` at a place; how far it reaches. */
function joinerAt(text: string, at: number): { joiner: 'and' | 'or'; length: number } | undefined {
  const lower = text.slice(at, at + 4).toLowerCase();
  if (lower.startsWith('or ')) return { joiner: 'or', length: 3 };
  return lower === 'and ' ? { joiner: 'and', length: 4 } : undefined;
}

/** How two values compare; `ene` needs the key, `ne` holds without it. */
export type CompareOperator = 'eq' | 'ne' | 'ene' | 'lt' | 'le' | 'gt' | 'ge';

/** `key operator value`. */
export interface Comparison<Value> {
  readonly key: string;
  readonly operator: CompareOperator;
  readonly value: Value;
}

/** Reads `key op value and|or …` with brackets. `name` stands in messages; `make` checks operator and value. @throws TIMELINE_V2_BAD_REQUEST */
function parseComparisons<Value>(
  text: string,
  name: string,
  make: (key: string, operator: CompareOperator, value: string) => Comparison<Value>,
  checkOperator: (operator: CompareOperator) => void,
): Expression<Comparison<Value>> | undefined {
  const source = text.trim();
  if (source === '') return undefined;
  const outer: Group<Comparison<Value>>[] = [];
  let group: Group<Comparison<Value>> = { soFar: undefined, joiner: 'and' };
  let state: 'key' | 'operator' | 'value' | 'joiner' = 'key';
  let word = '';
  let key = '';
  let operator: CompareOperator = 'eq';
  const endValue = (): void => {
    group.soFar = combine(group, { kind: 'condition', condition: make(key, operator, word) });
    word = '';
  };
  for (let at = 0; at < source.length; ) {
    const character = source[at] as string;
    if (character === ' ') {
      if (state === 'key' && word !== '') {
        key = word;
        word = '';
        state = 'operator';
      } else if (state === 'value' && word !== '') {
        endValue();
        state = 'joiner';
      }
      at++;
    } else if (character === '(') {
      if (state !== 'key' || word !== '') throw bracketAt('opening', name);
      outer.push(group);
      group = { soFar: undefined, joiner: 'and' };
      at++;
    } else if (character === ')') {
      const enclosing = state === 'value' || state === 'joiner' ? outer.pop() : undefined;
      if (!enclosing) throw bracketAt('closing', name);
      if (state === 'value') endValue();
      state = 'joiner';
      if (group.soFar) enclosing.soFar = combine(enclosing, group.soFar);
      group = enclosing;
      at++;
    } else if (state === 'operator') {
      const found = /^(eq|ne|ene|lt|le|gt|ge) /i.exec(source.slice(at, at + 4))?.[1];
      if (!found || at + 2 >= source.length) throw refuse(`Compare op cannot be parsed for ${name}.`);
      operator = found.toLowerCase() as CompareOperator;
      checkOperator(operator);
      at += found.length + 1;
      state = 'value';
    } else if (state === 'joiner') {
      const found = joinerAt(source, at);
      if (!found) throw refuse(`Operator cannot be parsed for ${name}.`);
      group.joiner = found.joiner;
      at += found.length;
      state = 'key';
    } else {
      word += character;
      at++;
    }
  }
  if (outer.length > 0) throw refuse(`Encountered improper brackets while parsing ${name}.`);
  if (state === 'operator') throw refuse(`Compare op cannot be parsed for ${name}.`);
  if (state === 'value') endValue();
  if (!group.soFar) throw refuse(`Invalid expression provided for ${name}`);
  return group.soFar;
}

const keyValueName = 'Config/Info Filter';
function checkEquality(operator: CompareOperator): void {
  if (operator !== 'eq' && operator !== 'ne' && operator !== 'ene')
    throw refuse('TimelineCompareOp for kv-filter should be EQUAL or NOT_EQUAL');
}

export type InfoFilter = Expression<Comparison<JsonValue>>;
export type ConfigFilter = Expression<Comparison<string>>;
export type MetricFilter = Expression<Comparison<bigint>>;

/** `infofilters`: values are JSON where they can be. */
export const parseInfoFilter = (text: string): InfoFilter | undefined =>
  parseComparisons(text, keyValueName, (key, operator, value) => ({ key, operator, value: parseFilterValue(value) }), checkEquality);

/** `conffilters`: values are text. */
export const parseConfigFilter = (text: string): ConfigFilter | undefined =>
  parseComparisons(text, keyValueName, (key, operator, value) => ({ key, operator, value }), checkEquality);

/** `metricfilters`: values are whole numbers. */
export const parseMetricFilter = (text: string): MetricFilter | undefined =>
  parseComparisons(
    text,
    'Metric Filter',
    (key, operator, value) => ({ key, operator, value: wholeNumber(value) }),
    () => {},
  );

/** A long as JSON. @throws TIMELINE_V2_BAD_REQUEST */
function wholeNumber(text: string): bigint {
  let parsed: JsonValue;
  try {
    parsed = parseExact(text);
  } catch {
    throw refuse('Value cannot be parsed.');
  }
  const digits = isRaw(parsed) ? parsed.rawJSON : typeof parsed === 'number' ? String(parsed) : '';
  const number = /^-?\d+$/.test(digits) ? BigInt(digits) : undefined;
  if (number === undefined || BigInt.asIntN(64, number) !== number) throw refuse('Value is not a number.');
  return number;
}

/** Whether a comparison holds for what an entity has under its key (undefined: nothing). */
export function compareKeyValue(comparison: Comparison<JsonValue>, actual: JsonValue | undefined): boolean {
  if (actual === undefined) return comparison.operator === 'ne';
  return (valueKey(actual) === valueKey(comparison.value)) === (comparison.operator === 'eq');
}

/** Whether a metric's newest value satisfies a comparison. */
export function compareMetric({ operator, value }: Comparison<bigint>, actual: number | bigint | undefined): boolean {
  if (actual === undefined) return operator === 'ne';
  const isSame = actual <= value && actual >= value;
  switch (operator) {
    case 'eq':
      return isSame;
    case 'ne':
    case 'ene':
      return !isSame;
    case 'lt':
      return actual < value;
    case 'le':
      return actual <= value;
    case 'gt':
      return actual > value;
    case 'ge':
      return actual >= value;
  }
}

/** An item that must be present, or absent inside `!( … )`. */
export interface Presence<Item> {
  readonly item: Item;
  readonly present: boolean;
}

/** Reads `a,b and|or !(c,d)`. @throws TIMELINE_V2_BAD_REQUEST */
function parsePresence<Item>(text: string, name: string, read: (item: string) => Item): Expression<Presence<Item>> | undefined {
  const source = text.trim();
  if (source === '') return undefined;
  const outer: Group<Presence<Item>>[] = [];
  let group: Group<Presence<Item>> = { soFar: undefined, joiner: 'and' };
  let state: 'start' | 'value' | 'joiner' = 'start';
  let word = '';
  let present = true;
  /** A condition that was begun; without an item until its name has ended. */
  let begun: { present: boolean; item?: Item } | undefined;
  const endValue = (): void => {
    begun ??= { present };
    begun.item = read(word);
    word = '';
  };
  const add = (): void => {
    if (!begun) return;
    // Nothing between brackets is an item without a name.
    const { present: isPresent, item = read('') } = begun;
    group.soFar = combine(group, { kind: 'condition', condition: { item, present: isPresent } });
    begun = undefined;
  };
  const open = (isPresent: boolean): void => {
    outer.push(group);
    group = { soFar: undefined, joiner: 'and' };
    word = '';
    present = isPresent;
    begun = { ...begun, present };
    state = 'value';
  };
  for (let at = 0; at < source.length; at++) {
    const character = source[at] as string;
    if (character === '!') {
      if (state === 'joiner') throw refuse(`Encountered unexpected not(!) char while parsing ${name}.`);
      do at++;
      while (source[at] === ' ');
      if (source[at] !== '(') throw refuse(`Invalid ${name}expression`);
      open(false);
    } else if (character === ' ') {
      if (state === 'value' && word !== '') {
        endValue();
        state = 'joiner';
      }
    } else if (character === '(') {
      if (state === 'joiner') throw bracketAt('opening', name);
      open(true);
    } else if (character === ')') {
      const enclosing = state === 'start' ? undefined : outer.pop();
      if (!enclosing) throw bracketAt('closing', name);
      // Behind brackets without a last name a name is still read.
      if (state === 'value' && word !== '') {
        endValue();
        state = 'joiner';
      }
      add();
      if (group.soFar) enclosing.soFar = combine(enclosing, group.soFar);
      group = enclosing;
    } else if (character === ',') {
      if (state === 'start') throw refuse(`Invalid ${name}expression.`);
      if (state === 'value') {
        begun = undefined;
        endValue();
      }
      add();
      state = 'value';
    } else if (state === 'joiner') {
      const found = joinerAt(source, at);
      if (!found) throw refuse(`Operator cannot be parsed for ${name}.`);
      add();
      group.joiner = found.joiner;
      at += found.length - 1;
      state = 'start';
    } else {
      if (state === 'start') {
        present = true;
        begun = { ...begun, present };
        state = 'value';
      }
      word += character;
    }
  }
  if (outer.length > 0) throw refuse(`Encountered improper brackets while parsing ${name}.`);
  if (word !== '') endValue();
  add();
  if (!group.soFar) throw refuse(`Invalid ${name}expression`);
  return group.soFar;
}

/** Ids of one type that an entity must be related to. */
export interface Relation {
  readonly type: string;
  readonly ids: readonly string[];
}
export type EventFilter = Expression<Presence<string>>;
export type RelationFilter = Expression<Presence<Relation>>;

/** `eventfilters`: ids of events. */
export const parseEventFilter = (text: string): EventFilter | undefined => parsePresence(text, 'Event Filter', (id) => id);

/** `relatesto`, `isrelatedto`: `type:id:id`. */
export const parseRelationFilter = (text: string): RelationFilter | undefined =>
  parsePresence(text, 'Relation Filter', (item) => {
    const [type = '', ...ids] = javaSplit(item, ':');
    if (ids.length === 0) throw refuse('Invalid relation filter expression');
    return { type: type.trim(), ids: ids.map((id) => id.trim()) };
  });

/** Whether an entity with these ids under the relation's type satisfies it; without the type it never does. */
export function relationHolds({ item, present }: Presence<Relation>, ids: readonly string[] | undefined): boolean {
  if (!ids) return false;
  const those = new Set(ids);
  return present ? item.ids.every((id) => those.has(id)) : !item.ids.some((id) => those.has(id));
}

/**
 * `confstoretrieve`, `metricstoretrieve`: which names are wanted; undefined where nothing is said (TimelineParserForDataToRetrieve). A first bracket
 * that nothing closes belongs to the name.
 * @throws TIMELINE_V2_BAD_REQUEST
 */
export function parsePrefixes(text: string | undefined): ((name: string) => boolean) | undefined {
  const source = text?.trim() ?? '';
  if (source === '') return undefined;
  const negated = source.startsWith('!');
  const opening = source.indexOf('(');
  const isClosed = opening >= 0 && source.endsWith(')');
  if (negated && !(isClosed && source.slice(1, opening).trim() === '')) throw refuse('Invalid config/metric to retrieve expression');
  const inner = isClosed ? source.slice(opening + 1, -1).trim() : source;
  if (inner === '') return undefined;
  if (opening > 0 && !negated) throw refuse('CompareOp for prefix filter should be EQUAL or NOT_EQUAL');
  const prefixes = javaSplit(inner).map((prefix) => prefix.trim());
  return (name) => prefixes.some((prefix) => name.startsWith(prefix)) !== negated;
}
