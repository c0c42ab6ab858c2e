// /ws/v1/timeline: entities, events, domains (TimelineWebServices).
import type { Audit } from '../../auth/audit-log.ts';
import type { RouteAccess } from '../../auth/route-access.ts';
import { type Answer, ok } from '../../http/answers.ts';
import { profiles } from '../../http/profiles.ts';
import type { Call, Service } from '../../http/service.ts';
import { type Failure, failure } from '../../model/errors.ts';
import { bodyFormat } from '../../wire/codec/read.ts';
import { putErrorCodes } from '../../wire/timeline/entity.ts';
import { timelineAbout, timelineDomain, timelineDomains, timelinePutResponse } from '../../wire/timeline/v1-records.ts';
import { fieldsParameter, listParameter, longParameter, pairParameter, pairsParameter } from '../v1/query.ts';
import type { Timeline } from '../v1/timeline.ts';
import { aboutOf } from './about.ts';
import { eitherFormat, typeOf } from './labelled.ts';
import { type LongAnswerParts, listPieces, longAnswer } from './long-answer.ts';
import type { DataFigures } from './read-figures.ts';
import type { SystemRule } from './security.ts';
import { readDomain, readEntities } from './v1-bodies.ts';
import { entitiesText, entityText, eventsText } from './v1-lists.ts';

const base = '/ws/v1/timeline';
const defaultLimit = 100;
/** Largest body of a put. */
const bodyLimitBytes = 32 * 1024 * 1024;

const trimmed = (call: Call, name: string): string => (call.params[name] ?? '').trim();
const badNumber = (value: string): Failure => failure('TIMELINE_BAD_NUMBER', { value });

/** A body must be JSON where it says what it is. */
function jsonBody(call: Call): Buffer {
  const contentType = call.headers['content-type'];
  if (contentType !== undefined && bodyFormat(contentType) !== 'json') {
    throw failure('UNSUPPORTED_CONTENT_TYPE', { contentType, accepted: 'application/json' });
  }
  return call.body as Buffer;
}

/** What the routes work with. */
export interface TimelineRouteParts {
  readonly timeline: Timeline;
  readonly audit: Audit;
  readonly isSystem: SystemRule;
  readonly long: LongAnswerParts;
  readonly figures: DataFigures;
}

/** Adds a route that answers JSON or XML. */
type AddRoute = (route: {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: 'raw';
  bodyLimitBytes?: number;
  about: string;
  access: RouteAccess;
  jsonAlone?: boolean;
  handle: (call: Call) => Answer | Promise<Answer>;
}) => void;

/** Adds the routes of timeline v1. */
export function addTimelineRoutes(service: Service, parts: TimelineRouteParts): void {
  const { timeline, figures } = parts;
  const add: AddRoute = ({ jsonAlone = false, ...route }) =>
    service.route<unknown>({
      ...route,
      produces: 'any',
      prefersJson: true,
      handle: eitherFormat(profiles.timeline, route.handle, { jsonAlone }),
    });

  add({
    method: 'GET',
    path: base,
    about: 'About the timeline',
    access: 'facts',
    jsonAlone: true,
    handle: () => ok(timelineAbout, aboutOf('Timeline API')),
  });

  add({
    method: 'POST',
    path: base,
    body: 'raw',
    bodyLimitBytes,
    about: 'Put entities',
    access: 'submit',
    handle: (call) => figures.counted('PostEntities', () => putEntities(call, parts)),
  });

  add({
    method: 'GET',
    path: `${base}/:entityType`,
    about: 'List entities',
    access: 'overview',
    handle: (call) => figures.counted('GetEntities', () => listEntities(call, parts)),
  });

  add({
    method: 'GET',
    path: `${base}/:entityType/:entityId`,
    about: 'One entity',
    access: 'view',
    handle: (call) =>
      figures.counted('GetEntity', () => {
        const fields = fieldsParameter(call.query.first('fields'), (field) => failure('TIMELINE_BAD_FIELD', { field }));
        const entity = timeline.entity(trimmed(call, 'entityType'), trimmed(call, 'entityId'), fields, call.user);
        return longAnswer(entityText(call.format, entity), typeOf(call.format), parts.long);
      }),
  });

  add({
    method: 'GET',
    path: `${base}/:entityType/events`,
    about: 'Events of entities',
    access: 'overview',
    handle: (call) => figures.counted('GetEvents', () => listEvents(call, parts)),
  });
  addTypes(service, parts);
  addDomains(add, parts);
}

/** What no interface of Hadoop tells: which types there are. */
function addTypes(service: Service, { timeline, long }: TimelineRouteParts): void {
  service.route({
    method: 'GET',
    path: '/api/v1/timeline/types',
    produces: ['json'],
    about: 'The types of entities that the caller may see',
    access: 'overview',
    handle: (call: Call) =>
      longAnswer(
        listPieces(timeline.types(call.user), { open: '{"types":[', separator: ',', close: ']}', write: (type) => JSON.stringify(type) }),
        typeOf('json'),
        long,
      ),
  });
}

function addDomains(add: AddRoute, { timeline, audit, figures }: TimelineRouteParts): void {
  add({
    method: 'GET',
    path: `${base}/domain`,
    about: 'List domains of an owner',
    access: 'overview',
    handle: (call) =>
      figures.counted('GetDomains', () => {
        const domains = timeline.domainsOf(call.query.first('owner')?.trim(), call.user);
        figures.add('GetDomains', domains.length);
        return ok(timelineDomains, { domains });
      }),
  });

  add({
    method: 'PUT',
    path: `${base}/domain`,
    body: 'raw',
    about: 'Create or replace a domain',
    access: 'modify',
    handle: (call) =>
      figures.counted('PutDomain', async () => {
        const body = jsonBody(call);
        if (call.user === undefined) throw failure('TIMELINE_OWNER_MISSING', { what: 'domain' });
        const domain = readDomain(body);
        await timeline.putDomain(domain, call.user);
        audit.changed(call.caller, { operation: 'put timeline domain', target: domain.id });
        return ok(timelinePutResponse, { errors: [] });
      }),
  });

  add({
    method: 'GET',
    path: `${base}/domain/:domainId`,
    about: 'One domain',
    access: 'view',
    handle: (call) =>
      figures.counted('GetDomain', () => {
        const id = trimmed(call, 'domainId');
        if (id === '') throw failure('TIMELINE_DOMAIN_ID_MISSING');
        const operation = { operation: 'read timeline domain', target: id };
        return ok(
          timelineDomain,
          timeline.domain(id, call.user, (notFound) => audit.refused(call.caller, operation, notFound)),
        );
      }),
  });
}

async function putEntities(call: Call<unknown>, { timeline, audit, isSystem, figures }: TimelineRouteParts): Promise<Answer> {
  const posted = readEntities(jsonBody(call));
  figures.add('PostEntities', posted.length);
  const own = isSystem(call.caller);
  const errors = await timeline.putEntities(posted, call.user, own);
  // What the resource manager tells is audited there.
  if (own) return ok(timelinePutResponse, { errors });
  const operation = { operation: 'put timeline entities', target: 'timeline' };
  const denied = errors.filter(({ errorcode }) => errorcode === putErrorCodes.ACCESS_DENIED).length;
  if (denied > 0) audit.leftOut(call.caller, { ...operation, entities: denied });
  if (posted.length > denied) audit.changed(call.caller, { ...operation, entities: posted.length - denied });
  return ok(timelinePutResponse, { errors });
}

function listEntities(call: Call<unknown>, { timeline, long, figures }: TimelineRouteParts): Promise<Answer> {
  const { query } = call;
  const primaryFilter = pairParameter(query.first('primaryFilter'));
  const secondaryFilters = pairsParameter(query.first('secondaryFilter'));
  const windowStartMs = longParameter(query.first('windowStart'), badNumber);
  const windowEndMs = longParameter(query.first('windowEnd'), badNumber);
  const fromInsertedMs = longParameter(query.first('fromTs'), badNumber);
  const limit = longParameter(query.first('limit'), badNumber) ?? defaultLimit;
  const fields = fieldsParameter(query.first('fields'), (field) => failure('TIMELINE_BAD_LIST_FIELD', { field }));
  const fromId = query.first('fromId')?.trim();
  const found = timeline.search(
    {
      type: trimmed(call, 'entityType'),
      ...(primaryFilter ? { primaryFilter } : {}),
      ...(secondaryFilters ? { secondaryFilters } : {}),
      ...(windowStartMs === undefined ? {} : { windowStartMs }),
      ...(windowEndMs === undefined ? {} : { windowEndMs }),
      ...(fromInsertedMs === undefined ? {} : { fromInsertedMs }),
      ...(fromId === undefined ? {} : { fromId }),
      limit,
      fields,
    },
    call.user,
  );
  return longAnswer(entitiesText(call.format, figures.counting('GetEntities', found)), typeOf(call.format), long);
}

function listEvents(call: Call<unknown>, { timeline, long, figures }: TimelineRouteParts): Promise<Answer> {
  const { query } = call;
  const refuse = (value: string) => failure('BAD_NUMBER', { value });
  const windowStartMs = longParameter(query.first('windowStart'), refuse);
  const windowEndMs = longParameter(query.first('windowEnd'), refuse);
  const limit = longParameter(query.first('limit'), refuse) ?? defaultLimit;
  const eventTypes = listParameter(query.first('eventType'));
  const events = timeline.events(
    {
      type: trimmed(call, 'entityType'),
      ids: listParameter(query.first('entityId')) ?? [],
      ...(eventTypes ? { eventTypes: new Set(eventTypes) } : {}),
      ...(windowStartMs === undefined ? {} : { windowStartMs }),
      ...(windowEndMs === undefined ? {} : { windowEndMs }),
      limit,
    },
    call.user,
  );
  return longAnswer(
    eventsText(
      call.format,
      figures.counting('GetEvents', events, ({ entity }) => entity),
    ),
    typeOf(call.format),
    long,
  );
}
