// `/api/v1/applications`: the same applications as plain JSON with cursor paging, sorting, choice of fields, ETag and long poll.
import { createHash } from 'node:crypto';
import { type Answer, empty, json } from '../../http/answers.ts';
import type { Call, Route } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { type Application, currentAttempt, finalStatus, publicState } from '../applications/application.ts';
import type { ClusterObserver } from '../cluster/observer.ts';
import type { Commands } from '../commands/commands.ts';
import { findApplication } from '../commands/find-application.ts';
import type { FinishedBrief } from '../store/resource-manager-store.ts';
import { parseApplicationFilter, passes } from './application-filter.ts';
import type { KnownCaller } from './callers.ts';
import type { Parts } from './parts.ts';

const mostPerPage = 1000;
const usualPerPage = 100;
const longestWaitMs = 60_000;
const rowsPerSlice = 100;

/** What these routes work with. */
export interface ApplicationApiNeeds extends Parts {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'readMasterAccess'>;
}

/** The plain form of an application. Members a caller may not see are absent. */
function plain(parts: Parts, application: Application, user: string | undefined): Record<string, unknown> {
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

const sortable = ['id', 'user', 'name', 'queue', 'priority', 'state', 'startedTime', 'finishedTime'] as const;
type SortKey = (typeof sortable)[number];
const bad = (reason: string) => failure('BAD_REQUEST', { reason });

/** What pages filter and sort by, from memory or from a row of the store; the rest is read for those that are shown. */
interface Facts {
  readonly id: string;
  readonly user: string;
  readonly name: string;
  readonly queue: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly state: string;
  readonly finalStatus: string;
  readonly startedTime: number;
  readonly finishedTime: number;
  readonly priority: number;
  readonly application: () => Application;
}

const factsOf = (application: Application): Facts => ({
  id: application.id,
  user: application.user,
  name: application.submission.name,
  queue: application.queue,
  type: application.submission.type.toLowerCase(),
  tags: application.submission.tags,
  state: publicState(application),
  finalStatus: finalStatus(application),
  startedTime: application.startedMs,
  finishedTime: application.finishedMs,
  priority: application.priority,
  application: () => application,
});

function factsOfRow({ store }: Parts, row: FinishedBrief): Facts {
  let read: Application | undefined;
  const application = () => (read ??= store.applicationOfBrief(row));
  return {
    id: row.id,
    user: row.user,
    name: row.name,
    queue: row.queue,
    type: row.type.toLowerCase(),
    tags: row.tags.split(','),
    state: row.state,
    finalStatus: row.final_status,
    startedTime: row.started_ms,
    finishedTime: row.finished_ms,
    get priority() {
      return application().priority;
    },
    application,
  };
}

type Position = readonly [string | number, string];

function readCursor(text: string | undefined): Position | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (
      Array.isArray(value) &&
      value.length === 2 &&
      typeof value[1] === 'string' &&
      (typeof value[0] === 'string' || typeof value[0] === 'number')
    )
      return value as unknown as Position;
  } catch {
    // Falls through to the refusal.
  }
  throw bad('cursor is not one that this interface gave');
}

const compare = (a: Position, b: Position): number => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0);

function readSort(text: string | undefined): { key: SortKey; sign: 1 | -1 } {
  const given = text || '-startedTime';
  const key = given.replace(/^[-+]/, '') as SortKey;
  if (!sortable.includes(key)) throw bad(`sort must be one of ${sortable.join(', ')}, with - in front for descending`);
  return { key, sign: given.startsWith('-') ? -1 : 1 };
}

function readCount(text: string | undefined): number {
  if (text === undefined || text === '') return usualPerPage;
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1 || Number(text) > mostPerPage)
    throw bad(`limit must be a number from 1 to ${mostPerPage}`);
  return Number(text);
}

/** What an application in a page has. */
const fieldNames: readonly string[] = [
  ...[
    'id',
    'user',
    'name',
    'type',
    'tags',
    'queue',
    'priority',
    'state',
    'finalStatus',
    'progress',
    'diagnostics',
    'trackingUrl',
    'attempts',
  ],
  ...['startedTime', 'launchedTime', 'finishedTime', 'masterNodeId', 'masterContainerId'],
  ...['allocatedMemoryMiB', 'allocatedVcores', 'runningContainers'],
];

function readFields(text: string | undefined): ReadonlySet<string> | undefined {
  if (!text) return undefined;
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => !fieldNames.includes(name))) throw bad(`fields must be some of ${fieldNames.join(', ')}`);
  return new Set(names);
}

function picked(value: Record<string, unknown>, fields: ReadonlySet<string> | undefined): Record<string, unknown> {
  return fields ? Object.fromEntries(Object.entries(value).filter(([name]) => fields.has(name))) : value;
}

/** One page: `?limit=&cursor=&sort=-startedTime&fields=id,state&` and every filter of `/ws/v1/cluster/apps`. */
async function page(parts: Parts, call: Call): Promise<Answer> {
  const { query, user } = call;
  const limit = readCount(query.first('limit'));
  const { key, sign } = readSort(query.first('sort'));
  const after = readCursor(query.first('cursor'));
  const fields = readFields(query.first('fields'));
  const filter = parseApplicationFilter(query, parts.policy);
  const inQueue = filter.queue === undefined ? undefined : new Set(parts.policy.applicationsOf(filter.queue));
  const hidden = (application: Application) => parts.listsOnlyVisible && !parts.access.mayView(application, user);
  const order = (a: Position, b: Position) => sign * compare(a, b);
  let kept: { position: Position; facts: Facts }[] = [];
  const offer = (facts: Facts) => {
    const { state, user: owner, type, tags, name } = facts;
    if (!passes(filter, { state, user: owner, type, tags, name, startedMs: facts.startedTime, finishedMs: facts.finishedTime })) return;
    if (inQueue && !inQueue.has(facts.id) && facts.queue !== filter.queue) return;
    if (filter.finalStatus !== undefined && facts.finalStatus !== filter.finalStatus) return;
    const position: Position = [facts[key], facts.id];
    if (after && order(position, after) <= 0) return;
    if (hidden(facts.application())) return;
    kept.push({ position, facts });
    if (kept.length > 4 * limit + 64) kept = kept.sort((a, b) => order(a.position, b.position)).slice(0, limit + 1);
  };
  for (const application of parts.cluster.view.applications()) offer(factsOf(application));
  for (let last = 0; ; ) {
    const slice = parts.store.finishedSlice({}, last, rowsPerSlice, 'none');
    for (const row of slice) {
      last = row.number;
      if (!parts.cluster.view.application(row.id)) offer(factsOfRow(parts, row));
    }
    if (slice.length < rowsPerSlice) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  kept.sort((a, b) => order(a.position, b.position));
  const shown = kept.slice(0, limit);
  const end = shown.at(-1);
  const next = kept.length > limit && end ? Buffer.from(JSON.stringify(end.position)).toString('base64url') : undefined;
  const list = shown.map(({ facts }) => picked(plain(parts, facts.application(), user), fields));
  return withTag(call, { applications: list, ...(next === undefined ? {} : { next }) });
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

/** One application; with `?wait=MS` and `If-None-Match` the answer comes once it differs, or after that time. */
async function one(parts: Parts, call: Call, changes: Changes): Promise<Answer> {
  const waitText = call.query.first('wait');
  const waitMs = waitText === undefined ? 0 : Number(waitText);
  if (!(waitMs >= 0 && waitMs <= longestWaitMs)) throw bad(`wait must be a number of milliseconds up to ${longestWaitMs}`);
  const untilMs = parts.clock.now() + waitMs;
  for (;;) {
    const application = findApplication(parts.cluster, call.params['appid'] ?? '');
    const answer = withTag(call, plain(parts, application, call.user));
    const leftMs = untilMs - parts.clock.now();
    if (answer.kind !== 'empty' || leftMs <= 0 || call.signal.aborted) return answer;
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
      handle: (call) => page(parts, call),
    },
    {
      method: 'GET',
      path: '/api/v1/applications/:appid',
      produces: ['json'],
      about: 'One application; waits for a change where asked.',
      handle: (call) => one(parts, call, changes),
    },
    {
      method: 'GET',
      path: '/api/v1/applications/:appid/master',
      produces: ['json'],
      about: 'What an unmanaged master needs to register: its attempt and its token; for who submitted it.',
      handle: (call) => masterAccess(parts, call),
    },
  ];
}
