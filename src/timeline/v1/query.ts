// The query parameters of timeline v1 (TimelineWebServices.parseStr, parsePairStr, parsePairsStr, parseFieldsStr).
import { parseLong } from '../../lib/java-number.ts';
import { javaSplit } from '../../lib/java-split.ts';
import { failure } from '../../model/errors.ts';
import { parseFilterValue } from '../../wire/timeline/exact-json.ts';
import { type EntityField, entityFields, type NameValue } from '../store/entity-query.ts';

/** A whole number as Long.parseLong reads it, or undefined for an absent parameter. */
export function longParameter(value: string | undefined, refuse: (value: string) => Error): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const number = parseLong(text);
  if (number === undefined) throw refuse(text);
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, number));
}

/** `name:value`; the value is one JSON value or, failing that, text. @throws TIMELINE_BAD_FILTER without a colon. */
export function pairParameter(value: string | undefined): NameValue | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const colon = text.indexOf(':');
  if (colon < 0) throw failure('TIMELINE_BAD_FILTER', { filter: text });
  return { name: text.slice(0, colon).trim(), value: parseFilterValue(text.slice(colon + 1).trim()) };
}

/** `name:value,name:value…`. */
export function pairsParameter(value: string | undefined): NameValue[] | undefined {
  return value === undefined ? undefined : (javaSplit(value.trim()).map(pairParameter) as NameValue[]);
}

/** Field names in any case, separated by commas; undefined when the parameter is absent. `refuse` makes the error for an unknown one. */
export function fieldsParameter(value: string | undefined, refuse: (field: string) => Error): ReadonlySet<EntityField> | undefined {
  if (value === undefined) return undefined;
  const fields = new Set<EntityField>();
  for (const part of javaSplit(value.trim())) {
    const name = part.trim().toUpperCase();
    if (!(entityFields as readonly string[]).includes(name)) throw refuse(name);
    fields.add(name as EntityField);
  }
  return fields.size > 0 ? fields : undefined;
}

/** A list separated by commas, its parts trimmed; undefined when the parameter is absent. */
export function listParameter(value: string | undefined): string[] | undefined {
  return value === undefined ? undefined : javaSplit(value).map((part) => part.trim());
}
