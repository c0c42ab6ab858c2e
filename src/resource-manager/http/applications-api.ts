// `/api/v1/applications`: the same applications as plain JSON with cursor paging, sorting, choice of fields, ETag and long poll.
import { createHash } from 'node:crypto';
import { type Answer, empty, json } from '../../http/answers.ts';
import type { Call, Route } from '../../http/service.ts';
import { isFinalApplicationState } from '../../model/application-states.ts';
import { failure } from '../../model/errors.ts';
import type { PlainApplication } from '../../wire/cluster/own-answers.ts';
import { type Application, currentAttempt, finalStatus, publicState } from '../applications/application.ts';
import type { ClusterObserver } from '../cluster/observer.ts';
import type { Commands } from '../commands/commands.ts';
import { findApplication } from '../commands/find-application.ts';
import type { Parts } from '../views/parts.ts';
import { findPage, readPageRequest } from './application-pages.ts';
import type { KnownCaller } from './callers.ts';

const longestWaitMs = 60_000;

/** What these routes work with. */
export interface ApplicationApiNeeds extends Parts {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'readMasterAccess'>;
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
        }
      : {}),
  };
}

/** One page: `?limit=&cursor=&sort=-startedTime&fields=id,state&` and every filter of `/ws/v1/cluster/apps`. */
async function page(parts: Parts, call: Call): Promise<Answer> {
  const { user } = call;
  const request = readPageRequest(call.query, parts.policy);
  const { applications, next } = await findPage(request, {
    live: parts.cluster.view.applicationsBy,
    isLive: (id) => parts.cluster.view.application(id) !== undefined,
    policy: parts.policy,
    store: parts.store,
    isShown: parts.listsOnlyVisible ? (application) => parts.access.mayView(application, user) : undefined,
  });
  const list = applications.map((application) => picked(plain(parts, application, user), request.fields));
  return withTag(call, { applications: list, ...(next === undefined ? {} : { next }) });
}

function picked(value: PlainApplication, fields: ReadonlySet<string> | undefined): Partial<PlainApplication> {
  return fields ? Object.fromEntries(Object.entries(value).filter(([name]) => fields.has(name))) : value;
}

const tagOf = (body: string): string => `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

/** The answer with its ETag; 304 where the caller has it already. */
function withTag(call: Call, value: unknown): Answer {
  const etag = tagOf(JSON.stringify(value));
  const has = String(call.headers['if-none-match'] ?? '')
    .split(',')
    .map((tag) => tag.trim());
  return has.includes(etag) || has.includes('*') ? empty(304, { etag }) : json(value, 200, { etag });
}

/** What a master that runs outside the cluster needs to register. */
function masterAccess(parts: ApplicationApiNeeds, call: Call): Answer {
  const access = parts.commands.readMasterAccess(parts.caller(call.caller), call.params['appid'] ?? '');
  return json({ ...access, resourceManager: parts.webUrl() }, 200, { 'cache-control': 'no-store' });
}

/** Wakes long polls when an application changes. */
class Changes implements ClusterObserver {
  readonly #waiting = new Map<string, Set<() => void>>();

  applicationStateChanged = (application: Application) => this.#wake(application.id);
  applicationUpdated = (application: Application) => this.#wake(application.id);
  applicationFinished = (application: Application) => this.#wake(application.id);

  #wake(id: string): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    for (const wake of waiting ?? []) wake();
  }

  /** Resolves at the next change of the application, after `waitMs`, or when the caller leaves. */
  next(id: string, waitMs: number, clock: Parts['clock'], signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiting);
      const done = () => {
        timer.cancel();
        waiting.delete(done);
        if (waiting.size === 0 && this.#waiting.get(id) === waiting) this.#waiting.delete(id);
        resolve();
      };
      const timer = clock.setTimer(waitMs, done);
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** What a wait is for. @throws Failure BAD_REQUEST */
function untilOf(text = 'change'): 'change' | 'end' {
  if (text !== 'change' && text !== 'end') throw failure('BAD_REQUEST', { reason: 'until must be change or end' });
  return text;
}

/** One application; with `?wait=MS` the answer comes once it differs from that of `If-None-Match`, with `until=end` once it is over, or after that time. */
async function one(parts: Parts, call: Call, changes: Changes): Promise<Answer> {
  const waitText = call.query.first('wait');
  const waitMs = waitText === undefined ? 0 : Number(waitText);
  if (!(waitMs >= 0 && waitMs <= longestWaitMs))
    throw failure('BAD_REQUEST', { reason: `wait must be a number of milliseconds up to ${longestWaitMs}` });
  const until = untilOf(call.query.first('until'));
  const untilMs = parts.clock.now() + waitMs;
  for (;;) {
    const application = findApplication(parts.cluster, call.params['appid'] ?? '');
    const answer = withTag(call, plain(parts, application, call.user));
    const leftMs = untilMs - parts.clock.now();
    const isAwaited = until === 'end' ? isFinalApplicationState(publicState(application)) : answer.kind !== 'empty';
    if (isAwaited || leftMs <= 0 || call.signal.aborted) return answer;
    await changes.next(application.id, leftMs, parts.clock, call.signal);
  }
}

/** The routes of this file. */
export function applicationApiRoutes(parts: ApplicationApiNeeds): Route<never>[] {
  const changes = new Changes();
  parts.cluster.observe(changes);
  return [
    {
      method: 'GET',
      path: '/api/v1/applications',
      produces: ['json'],
      about: 'Applications, a page at a time.',
      access: 'overview',
      handle: (call) => page(parts, call),
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
      path: '/api/v1/applications/:appid/master',
      produces: ['json'],
      about: 'What an unmanaged master needs to register: its attempt and its token; for who submitted it.',
      access: 'modify',
      handle: (call) => masterAccess(parts, call),
    },
  ];
}
