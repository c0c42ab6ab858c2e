// Timeline v1 on the wire: what Jackson writes of org.apache.hadoop.yarn.api.records.timeline.*: no root, empty lists and maps kept.
import { any, int, list, long, map, object, record, rooted, text } from '../codec/describe.ts';

const plain = { json: 'plain', wrapped: false } as const;
const event = object({ timestamp: long(), eventtype: text(), eventinfo: map(any()) });
const domain = object({
  id: text(),
  description: text(),
  owner: text(),
  readers: text(),
  writers: text(),
  createdtime: long(),
  modifiedtime: long(),
});
const entity = object({
  entitytype: text(),
  entity: text(),
  starttime: long(),
  events: list(event, { keepEmpty: true }),
  domain: text(),
  relatedentities: map(list(text(), { keepEmpty: true })),
  primaryfilters: map(list(any(), { keepEmpty: true })),
  otherinfo: map(any()),
});

/** What the timeline servers say of themselves. */
export const timelineAbout = record(
  'about',
  {
    About: text(),
    'timeline-service-version': text(),
    'timeline-service-build-version': text(),
    'timeline-service-version-built-on': text(),
    'hadoop-version': text(),
    'hadoop-build-version': text(),
    'hadoop-version-built-on': text(),
  },
  plain,
);
/** One entity. */
export const timelineEntity = rooted('entity', entity, plain);
/** A list of entities, whole; long ones are written one at a time. */
export const timelineEntities = record('entities', { entities: list(entity, { keepEmpty: true }) }, plain);
/** Events of one entity, in a list of several. */
export const timelineEventsOfEntity = record(
  'events',
  { entity: text(), entitytype: text(), events: list(event, { keepEmpty: true }) },
  plain,
);
/** Events of several entities, whole. */
export const timelineEvents = record(
  'events',
  { events: list(object({ entity: text(), entitytype: text(), events: list(event, { keepEmpty: true }) }), { keepEmpty: true }) },
  plain,
);
/** The answer to a put. */
export const timelinePutResponse = record(
  'response',
  { errors: list(object({ entity: text(), entitytype: text(), errorcode: int() }), { keepEmpty: true }) },
  plain,
);
/** One domain. */
export const timelineDomain = rooted('domain', domain, plain);
/** A list of domains. */
export const timelineDomains = record('domains', { domains: list(domain, { keepEmpty: true }) }, plain);
