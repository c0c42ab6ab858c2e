// Puts in portions: so much is stored at once that others need not wait long for it.
import { failure } from '../../model/errors.ts';
import { grouped } from '../store/entity-parts.ts';
import { type EntityPut, mostFilterValues, partsOfPut, startTimeOf } from '../store/entity-store.ts';

/** An entity as a caller puts it. */
export type PostedEntity = Omit<EntityPut, 'domain'> & { domain?: string };

/** Entities that are stored at once. */
export interface Portion {
  readonly entities: readonly PostedEntity[];
  /** They bring more of an entity of a portion before: what is wrong with it as a whole was told there. */
  readonly isRest: boolean;
}

/** How many parts one entity may bring, those of all its views. */
const mostParts = 100_000;
/** So many parts of entities are stored at once; others are served before the next. */
const partsAtOnce = 4000;

/** Entities in their order, as many at a time as are stored without a pause; one with many parts in several portions. @throws Failure TIMELINE_ENTITY_TOO_LARGE */
export function portionsOf(posted: readonly PostedEntity[]): Portion[] {
  const portions: Portion[] = [];
  let together: PostedEntity[] = [];
  let parts = partsAtOnce;
  const begin = (isRest: boolean): void => {
    [together, parts] = [[], 0];
    portions.push({ entities: together, isRest });
  };
  for (const one of posted) {
    const own = partsOfPut(one);
    if (own > mostParts)
      throw failure('TIMELINE_ENTITY_TOO_LARGE', { id: one.entity, type: one.entitytype, filters: mostFilterValues, parts: mostParts });
    const slices = own > partsAtOnce ? slicesOf(one) : [one];
    for (const [at, slice] of slices.entries()) {
      if (at > 0 || parts >= partsAtOnce) begin(at > 0);
      together.push(slice);
      parts += slices.length > 1 ? partsAtOnce : own;
    }
  }
  return portions;
}

/** An entity as several puts that amount to the same: each has the primary filters, for what is put with them is kept by them. */
function slicesOf(one: PostedEntity): PostedEntity[] {
  const { events, otherinfo, relatedentities, ...rest } = one;
  const filters = Object.values(one.primaryfilters ?? {}).reduce((sum, { length }) => sum + length, 0);
  const each = Math.max(1, Math.floor(partsAtOnce / (2 * (1 + filters))));
  const info = Object.entries(otherinfo ?? {});
  const related = Object.entries(relatedentities ?? {}).flatMap(([type, ids]) => [...new Set(ids)].map((id) => ({ type, id })));
  const startMs = startTimeOf(one);
  const slices: PostedEntity[] = [];
  for (let at = 0; at === 0 || at < Math.max(events?.length ?? 0, info.length, related.length); at += each) {
    slices.push({
      ...rest,
      ...(startMs === undefined ? {} : { starttime: startMs }),
      ...(events === undefined ? {} : { events: events === null ? null : events.slice(at, at + each) }),
      otherinfo: Object.fromEntries(info.slice(at, at + each)),
      relatedentities: grouped(related.slice(at, at + each)),
    });
  }
  return slices;
}
