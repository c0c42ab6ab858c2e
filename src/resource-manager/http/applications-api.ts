// `/api/v1/applications`: the same applications as plain JSON with cursor paging, sorting, choice of fields, ETag and long poll.
import { type Answer, json } from '../../http/answers.ts';
import { awaitedAnswer, awaitedList } from '../../http/awaited-answer.ts';
import { readCount } from '../../http/query-number.ts';
import type { Call, Route } from '../../http/service.ts';
import { Changes } from '../../lib/changes.ts';
import { Watches } from '../../lib/watches.ts';
import { isFinalApplicationState } from '../../model/application-states.ts';
import type { ApplicationCounts, PlainApplication } from '../../wire/cluster/own-answers.ts';
import { type Application, currentAttempt, finalStatus, publicState } from '../applications/application.ts';
import type { ClusterObserver } from '../cluster/observer.ts';
import type { Commands } from '../commands/commands.ts';
import { findApplication } from '../commands/find-application.ts';
import { type FacetCount, facetsOf } from '../views/application-facets.ts';
import type { Parts } from '../views/parts.ts';
import { chosenOf } from './application-filter.ts';
import { findPage, mayEnter, readPageRequest } from './application-pages.ts';
import type { KnownCaller } from './callers.ts';

/** What these routes work with. */
export interface ApplicationApiNeeds extends Parts {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'readMasterAccess' | 'readRun'>;
}

/** The plain form of an application. Members a caller may not see are absent. */
function plain(parts: Parts, application: Application, user: string | undefined): PlainApplication {
  const { submission } = application;
  const attempt = currentAttempt(application);
  const visible = parts.access.mayView(application, user);
  const usage = visible ? parts.views.usageOf(application) : undefined;
  return {
    id: application.id,
    user: application.user,
    name: submission.name,
    type: submission.type,
    tags: submission.tags,
    queue: application.queue,
    priority: application.priority,
    state: publicState(application),
    finalStatus: finalStatus(application),
    progress: attempt?.progress ?? 0,
    diagnostics: parts.views.diagnosticsOf(application),
    trackingUrl: parts.views.trackingUrl(application, attempt),
    attempts: application.attempts.length,
    ...(visible
      ? {
          startedTime: application.startedMs,
          launchedTime: Math.max(0, application.launchedMs),
          finishedTime: application.finishedMs,
          masterNodeId: attempt?.masterNodeId,
          masterContainerId: attempt?.masterContainerId,
          allocatedMemoryMiB: usage?.allocated[0] ?? 0,
          allocatedVcores: usage?.allocated[1] ?? 0,
          runningContainers: usage?.runningContainers ?? 0,
          pendingContainers: usage?.pendingContainers ?? 0,
          ...(application.endedContainers && { endedContainers: { ...application.endedContainers } }),
        }
      : {}),
  };
}

/**
 * One page: `?limit=&cursor=&sort=-startedTime&fields=id,state&` and every filter of `/ws/v1/cluster/apps`; at once, or when something in it has
 * changed, has come or is gone.
 */
function page(parts: Parts, call: Call, watches: Watches<Application>): Promise<Answer> {
  const { user } = call;
  const { policy } = parts;
  const request = readPageRequest(call.query, policy);
  const source = {
    live: parts.cluster.view.applicationsBy,
    isLive: (id: string) => parts.cluster.view.application(id) !== undefined,
    policy,
    store: parts.store,
    isShown: parts.listsOnlyVisible ? (application: Application) => parts.access.mayView(application, user) : undefined,
  };
  return awaitedList(call, {
    watches,
    clock: parts.clock,
    async read() {
      const { applications, next } = await findPage(request, source);
      const list = applications.map((application) => picked(plain(parts, application, user), request.fields));
      return {
        value: { applications: list, ...(next === undefined ? {} : { next }) },
        names: new Set(applications.map(({ id }) => id)),
        mayShow: mayEnter(request, next === undefined ? undefined : applications.at(-1), policy),
      };
    },
  });
}

function picked(value: PlainApplication, fields: ReadonlySet<string> | undefined): Partial<PlainApplication> {
  return fields ? Object.fromEntries(Object.entries(value).filter(([name]) => fields.has(name))) : value;
}

/** Values of a kind that are told, and at most. */
const usualValues = 20;
const mostValues = 200;

/** `GET /api/v1/application-counts`: where lists leave out what callers may not view, their own are counted. */
function counts({ access, listsOnlyVisible, liveFacets, policy, store }: Parts, { query, user }: Call): ApplicationCounts {
  const most = readCount(query, 'limit', { usual: usualValues, most: mostValues });
  const ended = store
    .finishedFacets()
    .map(({ final_status: finalStatus, ...facts }): FacetCount => ({ ...facts, finalStatus, isLive: false }));
  const ownOnly = listsOnlyVisible && access.aclEnabled && !(user !== undefined && access.isAdministrator(user));
  return facetsOf([...liveFacets.counts(), ...ended], chosenOf(query, policy), {
    most,
    ...(ownOnly && { isShown: (each) => each.user === user }),
  });
}

/** What a master that runs outside the cluster needs to register. */
function masterAccess(parts: ApplicationApiNeeds, call: Call): Answer {
  const access = parts.commands.readMasterAccess(parts.caller(call.caller), call.params['appid'] ?? '');
  return json({ ...access, resourceManager: parts.webUrl() }, 200, { 'cache-control': 'no-store' });
}

/** Tells of each change of an application: who waits for it, and who waits for lists. */
function telling(changes: Changes, watches: Watches<Application>): ClusterObserver {
  const tell = (application: Application): void => {
    changes.tell(application.id);
    watches.tell(application.id, application);
  };
  return { applicationCreated: tell, applicationStateChanged: tell, applicationUpdated: tell, applicationFinished: tell };
}

/** One application, at once or when it has changed or is over. */
function one(parts: Parts, call: Call, changes: Changes): Promise<Answer> {
  const name = findApplication(parts.cluster, call.params['appid'] ?? '').id;
  return awaitedAnswer(call, {
    name,
    changes,
    clock: parts.clock,
    read() {
      const application = findApplication(parts.cluster, name);
      return { isOver: isFinalApplicationState(publicState(application)), value: () => plain(parts, application, call.user) };
    },
  });
}

/** The routes of this file. */
export function applicationApiRoutes(parts: ApplicationApiNeeds): Route<never>[] {
  const changes = new Changes();
  const watches = new Watches<Application>();
  parts.cluster.observe(telling(changes, watches));
  return [
    {
      method: 'GET',
      path: '/api/v1/applications',
      produces: ['json'],
      about: 'Applications, a page at a time; waits for a change in the page where asked.',
      access: 'overview',
      handle: (call) => page(parts, call, watches),
    },
    {
      method: 'GET',
      path: '/api/v1/application-counts',
      produces: ['json'],
      about:
        'What there is to choose from in lists of applications, with how many each choice has: of each kind with the filters of the others. Where lists leave out what callers may not view, their own are counted.',
      access: 'overview',
      handle: (call) => json(counts(parts, call)),
    },
    {
      method: 'GET',
      path: '/api/v1/applications/:appid',
      produces: ['json'],
      about: 'One application; waits for a change where asked.',
      access: 'overview',
      handle: (call) => one(parts, call, changes),
    },
    {
      method: 'GET',
      path: '/api/v1/applications/:appid/run',
      produces: ['json'],
      about: 'What a command that runs was asked to do; for who may change its application.',
      access: 'modify',
      handle: (call) =>
        json(parts.commands.readRun(parts.caller(call.caller), call.params['appid'] ?? ''), 200, { 'cache-control': 'no-store' }),
    },
    {
      method: 'GET',
      path: '/api/v1/applications/:appid/master',
      produces: ['json'],
      about: 'What an unmanaged master needs to register: its attempt and its token; for who submitted it.',
      access: 'modify',
      handle: (call) => masterAccess(parts, call),
    },
  ];
}
