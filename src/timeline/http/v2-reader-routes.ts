// /ws/v2/timeline on the reader: flows, runs, applications, entities (TimelineReaderWebServices). Every path but those by UID also
// stands below /clusters/{cluster}.
import type { RouteAccess } from '../../auth/route-access.ts';
import { type Answer, ok } from '../../http/answers.ts';
import { profiles } from '../../http/profiles.ts';
import type { Call, Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { timelineAbout } from '../../wire/timeline/v1-records.ts';
import type { Gradually } from '../store/gradually.ts';
import { parsePrefixes } from '../v2/filters.ts';
import {
  dateRangeIn,
  isWhole,
  limitIn,
  numberGroups,
  numberIn,
  retrievalIn,
  runRetrievalIn,
  runSelectionIn,
  selectionIn,
} from '../v2/query.ts';
import { applicationIdOf, type Located, type Reader, type Shown } from '../v2/reader.ts';
import { attemptType, containerType } from '../v2/scopes.ts';
import { brokenEscape, splitParts } from '../v2/uid.ts';
import { aboutOf } from './about.ts';
import { eitherFormat } from './labelled.ts';
import type { LongAnswerParts } from './long-answer.ts';
import type { ReaderFigures, ReadKind } from './read-figures.ts';
import { entitiesAnswer, entityAnswer, healthAnswer, runAnswer, typesAnswer } from './v2-answers.ts';

const base = '/ws/v2/timeline';

export interface ReaderRoutesOptions {
  readonly reader: Reader;
  /** `yarn.resourcemanager.cluster-id`, for requests that name no cluster. */
  readonly cluster: string;
  /** Whether a caller may read what belongs to `owner` (undefined: data of several users). */
  readonly mayRead: (user: string | undefined, owner: string | undefined) => boolean;
  readonly long: LongAnswerParts;
  readonly figures: ReaderFigures;
}

const refuse = (reason: string) => failure('TIMELINE_V2_BAD_REQUEST', { reason });
const notFound = (what: string) => failure('TIMELINE_V2_NOT_FOUND', { what });
const param = (call: Call, name: string): string => (call.params[name] ?? '').trim();
const query = (call: Call, name: string): string | undefined => call.query.first(name)?.trim() || undefined;

/** A flow run id. @throws TIMELINE_V2_BAD_REQUEST naming the group */
function runIn(text: string, group: string): number {
  const run = numberIn(text, group);
  if (run === undefined) throw refuse(`${group} is not a numeric value.`);
  return run;
}

const entityMissing = (id: string, type: string) => notFound(`Timeline entity {id: ${id}, type: ${type} } is not found`);

const incorrect = (uid: string) => refuse(`Incorrect UID ${uid}`);

/** The UID of the path as it came, and its parts. @throws TIMELINE_V2_BAD_REQUEST */
function uidOf(call: Call): { uid: string; parts: readonly string[] } {
  const uid = call.params['uid'] ?? '';
  const parts = splitParts(uid.trim());
  if (!parts) throw refuse(brokenEscape(uid.trim()));
  return { uid, parts };
}

/** @throws BAD_NUMBER for a text that is no number of 64 bits */
function checkLong(text: string | undefined): void {
  if (text !== undefined && !isWhole(text.trim())) throw failure('BAD_NUMBER', { value: text.trim() });
}

/** A prefix of ids with all its digits. @throws TIMELINE_V2_BAD_REQUEST naming the group */
function prefixIn(text: string | undefined, group: string): string | undefined {
  numberIn(text, group);
  return text?.trim();
}

/** @throws TIMELINE_V2_BAD_REQUEST for blank names of a flow */
function checkNames({ user, flow }: { user: string; flow: string }): void {
  if (user === '') throw refuse("userId shouldn't be null");
  if (flow === '') throw refuse("flowName shouldn't be null");
}

/** What the calls of several routes have in common: what they name, and whether the caller may read it. */
class ReaderCalls {
  readonly reader: Reader;
  readonly #ownCluster: string;
  readonly #mayRead: ReaderRoutesOptions['mayRead'];
  readonly #long: LongAnswerParts;

  constructor({ reader, cluster, mayRead, long }: ReaderRoutesOptions) {
    this.reader = reader;
    this.#ownCluster = cluster;
    this.#mayRead = mayRead;
    this.#long = long;
  }

  /** The cluster of the path, or this one. */
  clusterOf(call: Call): string {
    return param(call, 'clusterid') || this.#ownCluster;
  }

  /** The application of the path: by the context of the query, or looked up. */
  located(call: Call, group: string, ownData: boolean): Located {
    const written = param(call, 'appid');
    const application = applicationIdOf(written);
    const [user, flow] = [query(call, 'userid'), query(call, 'flowname')];
    const run = numberIn(call.query.first('flowrunid'), group);
    if (user !== undefined && flow !== undefined && run !== undefined) {
      // With a full context Hadoop reads the entities of its own cluster, whatever cluster the path names.
      return this.allowed(call, {
        context: { cluster: ownData ? this.#ownCluster : this.clusterOf(call), user, flow, run, application },
        full: true,
        written,
      });
    }
    return this.allowed(call, { context: this.reader.locate(this.clusterOf(call), application), full: false, written });
  }

  /** The same, where the caller may read it. @throws Failure TIMELINE_V2_READ_REFUSED */
  allowed(call: Call, found: Located): Located {
    this.checkRead(call, found.context.user);
    return found;
  }

  /** Whether the caller may read data of `owner` (undefined: of several users). */
  mayRead(call: Call, owner: string | undefined): boolean {
    return this.#mayRead(call.user, owner);
  }

  /** @throws Failure TIMELINE_V2_READ_REFUSED when the caller may not read data of `owner` (undefined: of several users) */
  checkRead(call: Call, owner: string | undefined): void {
    if (!this.mayRead(call, owner)) throw failure('TIMELINE_V2_READ_REFUSED', { user: call.user ?? 'null' });
  }

  /** The application of a UID of 5 or 2 parts, or undefined when it is none. */
  locatedByParts(call: Call, parts: readonly string[]): Located | undefined {
    const [named = '', user = '', flow = '', run = '', application = ''] = parts;
    const cluster = named || this.#ownCluster;
    if (parts.length === 5) {
      const context = { cluster, user, flow, run: runIn(run, 'flowrunid'), application: applicationIdOf(application) };
      return this.allowed(call, { context, full: true, written: application });
    }
    if (parts.length !== 2) return undefined;
    return this.allowed(call, { context: this.reader.locate(cluster, applicationIdOf(user)), full: false, written: user });
  }

  /** A list as it is answered. `isBare`: its type names no character set. */
  list(call: Call, found: Iterable<Shown | undefined>, isBare = false): Promise<Answer> {
    return entitiesAnswer(call, found, this.#long, isBare);
  }

  /** One entity as it is answered. */
  one(call: Call, found: Gradually<Shown>): Promise<Answer> {
    return entityAnswer(call, found, this.#long);
  }

  /** Runs of a flow. */
  runs(call: Call, flow: { cluster: string; user: string; flow: string }): Promise<Answer> {
    checkNames(flow);
    this.checkRead(call, flow.user);
    const selection = runSelectionIn(call.query, numberGroups.runs);
    return this.list(call, this.reader.runs(flow, selection, runRetrievalIn(call.query)));
  }

  /** The run that the UID of the path names. @throws Failure TIMELINE_V2_BAD_REQUEST */
  runOfUid(call: Call) {
    const { uid, parts } = uidOf(call);
    if (parts.length !== 4) throw incorrect(uid);
    const [cluster = '', user = '', flow = '', run = ''] = parts;
    this.checkRead(call, user);
    return { cluster, user, flow, run: runIn(run, numberGroups.run) };
  }

  /** Applications of a flow or of one of its runs; `group`: the numbers that a refusal names. */
  applications(call: Call, flow: { cluster: string; user: string; flow: string; run?: number }, group: string): Promise<Answer> {
    this.checkRead(call, flow.user);
    const selection = selectionIn(call.query, group);
    return this.list(call, this.reader.applications(flow, selection, retrievalIn(call.query, group, selection)));
  }

  /** The application that the UID of the path names. @throws Failure TIMELINE_V2_BAD_REQUEST */
  applicationOfUid(call: Call): Located {
    const { uid, parts } = uidOf(call);
    const found = this.locatedByParts(call, parts);
    if (!found) throw incorrect(uid);
    return found;
  }

  /** Entities of a type of an application, which is looked up once it is known that the query can be read. */
  entities(call: Call, locate: () => Located, type: string, group: string, isBare = false): Promise<Answer> {
    if (type === '') throw refuse("entityType shouldn't be null");
    const selection = selectionIn(call.query, group);
    const retrieval = retrievalIn(call.query, group, selection);
    return this.list(call, this.reader.entities(locate(), type, selection, retrieval), isBare);
  }

  /** One entity of an application. @throws Failure TIMELINE_V2_NOT_FOUND */
  entity(call: Call, type: string, id: string): Promise<Answer> {
    // Of containers Hadoop names the group of numbers.
    if (type !== containerType) for (const name of ['flowrunid', 'entityidprefix']) checkLong(call.query.first(name));
    const retrieval = retrievalIn(call.query, numberGroups.one);
    const prefix = prefixIn(call.query.first('entityidprefix'), numberGroups.one);
    const where = this.located(call, numberGroups.one, true);
    const found = this.reader.entity(where, type, id, prefix, retrieval);
    if (!found) throw entityMissing(id, type);
    return this.one(call, found);
  }

  /** Entities that are kept for the user of the path. */
  userEntities(call: Call, group: string, narrow: { id?: string; prefix?: string }): Promise<Answer> {
    const user = param(call, 'userid');
    this.checkRead(call, user);
    const selection = selectionIn(call.query, group);
    const retrieval = retrievalIn(call.query, group, selection);
    return this.list(call, this.reader.userEntities(this.clusterOf(call), user, param(call, 'entitytype'), selection, retrieval, narrow));
  }
}

/** Which metrics of a single run are wanted. @throws TIMELINE_V2_BAD_REQUEST */
const wantedMetrics = (call: Call) => parsePrefixes(call.query.first('metricstoretrieve'));

/** Adds a route; `bare`: its answers name no character set; `clusters: false`: it does not stand below /clusters too. */
type AddRoute = (
  path: string,
  about: string,
  handle: (call: Call) => Answer | Promise<Answer>,
  more?: { bare?: boolean; jsonAlone?: boolean; clusters?: boolean; access?: RouteAccess; counted?: ReadKind },
) => void;

/** Adds the routes of the reader. */
export function addReaderRoutes(service: Service, options: ReaderRoutesOptions): void {
  const calls = new ReaderCalls(options);
  const add: AddRoute = (path, about, handle, more = {}) => {
    const { access = 'view', counted = 'GetEntities' } = more;
    const serve = access === 'facts' ? handle : (call: Call) => options.figures.counted(counted, () => handle(call));
    const run = eitherFormat(profiles.reader, serve, { isBare: more.bare === true, jsonAlone: more.jsonAlone === true });
    for (const prefix of more.clusters === false ? [''] : ['', '/clusters/:clusterid']) {
      service.route({
        method: 'GET',
        path: `${base}${prefix}${path}`,
        produces: 'any',
        prefersJson: true,
        about,
        access,
        handle: run as (call: Call<never>) => Promise<Answer>,
      });
    }
  };
  addFlowRoutes(add, calls);
  addApplicationRoutes(add, calls);
  addContainerRoutes(add, calls);
  addUserRoutes(add, calls);
}

function addFlowRoutes(add: AddRoute, calls: ReaderCalls): void {
  const about = () => ok(timelineAbout, aboutOf('Timeline Reader API'));
  add('', 'About the reader', about, { clusters: false, jsonAlone: true, access: 'facts' });
  add('/health', 'Whether the storage answers', healthAnswer, {
    clusters: false,
    access: 'facts',
  });

  add(
    '/flows',
    'Flows by day',
    (call) => {
      calls.checkRead(call, undefined);
      const limit = limitIn(call.query, numberGroups.flows);
      const range = { ...dateRangeIn(call.query), limit };
      const isShown = (owner: string) => calls.mayRead(call, owner);
      return calls.list(call, calls.reader.flows(calls.clusterOf(call), range, query(call, 'fromid'), isShown));
    },
    { access: 'overview' },
  );

  add('/users/:userid/flows/:flowname/runs', 'Runs of a flow', (call) =>
    calls.runs(call, { cluster: calls.clusterOf(call), user: param(call, 'userid'), flow: param(call, 'flowname') }),
  );
  add(
    '/flow-uid/:uid/runs',
    'Runs of a flow by its UID',
    (call) => {
      const { uid, parts } = uidOf(call);
      if (parts.length !== 3) throw incorrect(uid);
      const [cluster = '', user = '', flow = ''] = parts;
      return calls.runs(call, { cluster, user, flow });
    },
    { clusters: false },
  );

  add('/users/:userid/flows/:flowname/runs/:flowrunid', 'One run', (call) => {
    const flow = { cluster: calls.clusterOf(call), user: param(call, 'userid'), flow: param(call, 'flowname') };
    calls.checkRead(call, flow.user);
    const run = runIn(param(call, 'flowrunid'), numberGroups.run);
    const found = calls.reader.run(flow, run, wantedMetrics(call));
    if (!found) throw notFound(`Flow run {flow name: ${flow.flow}, run id: ${run} } is not found`);
    return runAnswer(call, found);
  });
  add(
    '/run-uid/:uid',
    'One run by its UID',
    (call) => {
      const { run, ...flow } = calls.runOfUid(call);
      const found = calls.reader.run(flow, run, wantedMetrics(call));
      if (!found) throw notFound(`Flowrun with uid: ${param(call, 'uid')}is not found`);
      return runAnswer(call, found);
    },
    { clusters: false },
  );

  add('/users/:userid/flows/:flowname/runs/:flowrunid/apps', 'Applications of a run', (call) => {
    const run = runIn(param(call, 'flowrunid'), numberGroups.entities);
    return calls.applications(
      call,
      { cluster: calls.clusterOf(call), user: param(call, 'userid'), flow: param(call, 'flowname'), run },
      numberGroups.entities,
    );
  });
  add(
    '/run-uid/:uid/apps',
    'Applications of a run by its UID',
    (call) => calls.applications(call, calls.runOfUid(call), numberGroups.applicationsByUid),
    {
      clusters: false,
    },
  );
  add('/users/:userid/flows/:flowname/apps', 'Applications of a flow', (call) =>
    calls.applications(
      call,
      { cluster: calls.clusterOf(call), user: param(call, 'userid'), flow: param(call, 'flowname') },
      numberGroups.entities,
    ),
  );
}

function addApplicationRoutes(add: AddRoute, calls: ReaderCalls): void {
  add('/apps/:appid', 'One application', (call) => {
    const retrieval = retrievalIn(call.query, numberGroups.one);
    const found = calls.reader.application(calls.located(call, numberGroups.one, false), retrieval);
    if (!found) throw notFound(`App ${param(call, 'appid')} not found`);
    return calls.one(call, found);
  });
  add(
    '/app-uid/:uid',
    'One application by its UID',
    (call) => {
      const found = calls.reader.application(calls.applicationOfUid(call), retrievalIn(call.query, numberGroups.oneByUid));
      if (!found) throw notFound(`App with uid ${param(call, 'uid')} not found`);
      return calls.one(call, found);
    },
    { clusters: false },
  );

  add('/apps/:appid/entities/:entitytype', 'Entities of an application', (call) =>
    calls.entities(call, () => calls.located(call, numberGroups.entities, true), param(call, 'entitytype'), numberGroups.entities),
  );
  add(
    '/app-uid/:uid/entities/:entitytype',
    'Entities of an application by its UID',
    (call) => {
      const found = calls.applicationOfUid(call);
      return calls.entities(call, () => found, param(call, 'entitytype'), numberGroups.entitiesByUid);
    },
    { clusters: false },
  );

  add('/apps/:appid/entities/:entitytype/:entityid', 'One entity', (call) =>
    calls.entity(call, param(call, 'entitytype'), param(call, 'entityid')),
  );
  add(
    '/entity-uid/:uid',
    'One entity by its UID',
    (call) => {
      const { uid, parts } = uidOf(call);
      const [type = '', prefix = '', id = ''] = parts.slice(-3);
      const where = parts.length === 8 || parts.length === 5 ? calls.locatedByParts(call, parts.slice(0, -3)) : undefined;
      if (!where) throw incorrect(uid);
      const retrieval = retrievalIn(call.query, numberGroups.oneByUid);
      if (!isWhole(prefix)) throw refuse(`${numberGroups.oneByUid} is not a numeric value.`);
      const found = calls.reader.entity(where, type, id, prefix, retrieval);
      if (!found) throw notFound(`Timeline entity with uid: ${uid}is not found`);
      return calls.one(call, found);
    },
    { clusters: false },
  );
}

function addContainerRoutes(add: AddRoute, calls: ReaderCalls): void {
  const bare = { bare: true };
  add(
    '/apps/:appid/entity-types',
    'Types of the entities of an application',
    (call) => typesAnswer(call, calls.reader.types(calls.located(call, numberGroups.run, true).context)),
    { ...bare, counted: 'GetEntityTypes' },
  );
  add(
    '/apps/:appid/appattempts',
    'Attempts',
    (call) => calls.entities(call, () => calls.located(call, numberGroups.entities, true), attemptType, numberGroups.entities, true),
    bare,
  );
  add('/apps/:appid/appattempts/:attemptid', 'One attempt', (call) => calls.entity(call, attemptType, param(call, 'attemptid')), bare);
  add(
    '/apps/:appid/appattempts/:attemptid/containers',
    'Containers of an attempt',
    (call) => {
      const group = numberGroups.entities;
      const selection = selectionIn(call.query, group);
      const retrieval = retrievalIn(call.query, group, selection);
      const where = calls.located(call, group, true);
      const only = calls.reader.isContainerOf(param(call, 'attemptid'));
      return calls.list(call, calls.reader.entities(where, containerType, selection, retrieval, only), true);
    },
    bare,
  );
  add(
    '/apps/:appid/containers/:containerid',
    'One container',
    (call) => calls.entity(call, containerType, param(call, 'containerid')),
    bare,
  );
}

function addUserRoutes(add: AddRoute, calls: ReaderCalls): void {
  add('/users/:userid/entities/:entitytype', 'Entities kept for a user', (call) =>
    calls.userEntities(call, numberGroups.entitiesByUid, {}),
  );
  add('/users/:userid/entities/:entitytype/:entityid', 'Entities of one id kept for a user', (call) => {
    const prefix = prefixIn(call.query.first('entityidprefix'), numberGroups.oneByUid);
    return calls.userEntities(call, numberGroups.oneByUid, { id: param(call, 'entityid'), ...(prefix === undefined ? {} : { prefix }) });
  });
}
