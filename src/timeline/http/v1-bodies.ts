// The bodies of timeline v1: entities and domains as Jackson reads them.

import { failure } from '../../model/errors.ts';
import type { TimelineDomain } from '../../wire/timeline/entity.ts';
import type { PostedEntity } from '../v1/portions.ts';
import { domainBean } from './domain-body.ts';
import {
  type JavaType,
  javaAny,
  javaList,
  javaLong,
  javaMap,
  javaMapWithNulls,
  javaSet,
  javaText,
  readBean,
  withoutNulls,
} from './jackson.ts';

const records = 'org.apache.hadoop.yarn.api.records.timeline';

const event: JavaType = {
  kind: 'bean',
  name: `${records}.TimelineEvent`,
  members: { timestamp: javaLong, eventtype: javaText, eventinfo: javaMap(javaAny) },
};
const entity: JavaType = {
  kind: 'bean',
  name: `${records}.TimelineEntity`,
  members: {
    entitytype: javaText,
    entity: javaText,
    starttime: javaLong,
    events: javaList(event),
    domain: javaText,
    relatedentities: javaMap(javaSet(javaText)),
    primaryfilters: javaMap(javaSet(javaAny)),
    otherinfo: javaMapWithNulls(javaAny),
  },
};
const entities: JavaType = { kind: 'bean', name: `${records}.TimelineEntities`, members: { entities: javaList(entity) } };
const domain = domainBean(records);

type Nullable<T> = { [K in keyof T]?: T[K] | null };

/** The entities of a put; an empty body is none. Null members count as absent, but `events` stays null. */
export function readEntities(body: Uint8Array | string | undefined): PostedEntity[] {
  const read = readBean<{ entities?: (Nullable<PostedEntity> | null)[] | null }>(body, entities);
  if (read?.entities === null) throw failure('TIMELINE_ENTITY_INCOMPLETE');
  return (read?.entities ?? []).map((raw) => {
    if (raw === null || hasHoles(raw.primaryfilters) || hasHoles(raw.relatedentities) || namesNothing(raw.relatedentities))
      throw failure('TIMELINE_ENTITY_INCOMPLETE');
    const { events, ...rest } = raw;
    const one = withoutNulls(rest) as PostedEntity;
    if (events !== undefined) one.events = events === null ? null : events.map((given) => checkedEvent(given));
    return one;
  });
}

/** A name without values. */
function hasHoles(values: PostedEntity['primaryfilters'] | PostedEntity['relatedentities'] | null): boolean {
  return Object.values(values ?? {}).some((list: readonly unknown[] | null) => list === null);
}

const namesNothing = (related: PostedEntity['relatedentities'] | null): boolean =>
  Object.values(related ?? {}).some((ids: readonly (string | null)[]) => ids.includes(null));

function checkedEvent(given: Nullable<NonNullable<PostedEntity['events']>[number]> | null) {
  if (given === null || given.eventtype === undefined || given.eventtype === null) throw failure('TIMELINE_EVENT_INCOMPLETE');
  return { timestamp: given.timestamp ?? 0, eventtype: given.eventtype, ...(given.eventinfo ? { eventinfo: given.eventinfo } : {}) };
}

/** The domain of a put. @throws TIMELINE_DOMAIN_ID_MISSING for an empty body. */
export function readDomain(body: Uint8Array | string | undefined): TimelineDomain {
  const read = readBean<Nullable<TimelineDomain>>(body, domain);
  if (!read) throw failure('TIMELINE_DOMAIN_ID_MISSING');
  return withoutNulls(read) as TimelineDomain;
}
