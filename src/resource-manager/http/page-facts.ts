// What the web pages show and nothing else tells: use over time, what waits and why, the life of one application, risks of the start.
import { risksOf } from '../../config/risks.ts';
import { json } from '../../http/answers.ts';
import { readCount } from '../../http/query-number.ts';
import type { Call, Route } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { exitFacts } from '../../model/exit-status.ts';
import type { ApplicationLife, ClusterUsage, StartRisks, WaitingApplications } from '../../wire/cluster/own-answers.ts';
import { type Application, publicState } from '../applications/application.ts';
import { type Attempt, publicAttemptState } from '../applications/attempt.ts';
import { findViewable } from '../views/application-lookup.ts';
import { containerLife, endedContainers, longestDiagnostics } from '../views/container-life.ts';
import type { Parts } from '../views/parts.ts';
import { type UsageSpan, usageSpans } from '../views/usage-history.ts';
import { parseQueue } from './application-filter.ts';
import type { KnownCaller } from './callers.ts';
import { explain } from './explain.ts';
import { answerSubmitted } from './submitted.ts';

const mostWaiting = 50;
const usualWaiting = 10;
/** Applications that are looked at for those that wait: with many that the caller may not view, the answer says that there are more. */
const mostLooks = 10_000;
const mostContainers = 5000;

const bad = (reason: string) => failure('BAD_REQUEST', { reason });

/** `GET /api/v1/usage`. */
function answerUsage({ usage }: Parts, { query }: Call): ClusterUsage {
  const span = query.first('span') ?? 'hour';
  if (span === 'now') return { span, stepMs: usageSpans.hour.stepMs, samples: [usage.now()] };
  if (!Object.hasOwn(usageSpans, span)) throw bad('span must be "now", "hour" or "day"');
  return { span: span as UsageSpan, stepMs: usageSpans[span as UsageSpan].stepMs, samples: [...usage.of(span as UsageSpan), usage.now()] };
}

const waitingStates: ReadonlySet<string> = new Set(['NEW', 'NEW_SAVING', 'SUBMITTED', 'ACCEPTED']);

/** Running applications are looked at while so many were not: each of them is asked whether it waits. */
const mostLooksAtRunning = 2000;

/** Those that may wait, with how many of them are looked at: first for their master, then, where something is asked for, for further containers. */
function* mayWait({ cluster, policy }: Parts, limit: number): Generator<Application | 'too many', void> {
  let looks = 0;
  for (const application of cluster.view.applicationsBy.select({ states: waitingStates }, limit)) {
    if (++looks > mostLooks) yield 'too many';
    if (waitingStates.has(publicState(application))) yield application;
  }
  if (policy.pendingContainers === 0) return;
  looks = 0;
  for (const application of cluster.view.applicationsBy.select({ states: new Set(['RUNNING']) }, limit)) {
    if (++looks > mostLooksAtRunning) yield 'too many';
    if (publicState(application) === 'RUNNING' && (policy.usage(application.id)?.pendingContainers ?? 0) > 0) yield application;
  }
}

/** `GET /api/v1/waiting`: those that the caller may view. */
function answerWaiting(parts: Parts, { query, user: viewer }: Call): WaitingApplications {
  const { access, policy } = parts;
  const limit = readCount(query, 'limit', { usual: usualWaiting, most: mostWaiting });
  const name = query.first('queue');
  const wantedQueue = name === undefined ? undefined : parseQueue(name, policy);
  const applications: WaitingApplications['applications'][number][] = [];
  for (const application of mayWait(parts, limit)) {
    if (application === 'too many') return { applications, more: true };
    if (!access.mayView(application, viewer)) continue;
    if (wantedQueue !== undefined && !policy.isOf(application.id, wantedQueue)) continue;
    const { sentence = '', remedy, waiting, sinceMs } = explain(parts, application);
    if (waiting !== true) continue;
    if (applications.length === limit) return { applications, more: true };
    const { id, user, queue, submission, startedMs } = application;
    const since = { state: publicState(application), sinceMs: Number(sinceMs ?? startedMs) };
    applications.push({ id, name: submission.name, user, queue, ...since, sentence, ...(remedy !== undefined && { remedy }) });
  }
  return { applications, more: false };
}

const attemptLife = (attempt: Attempt): ApplicationLife['attempts'][number] => ({
  id: attempt.id,
  number: attempt.number,
  state: publicAttemptState(attempt),
  finalStatus: attempt.finalStatus,
  startedTime: attempt.startedMs,
  finishedTime: attempt.finishedMs,
  ...(attempt.masterContainerId !== undefined && { masterContainerId: attempt.masterContainerId }),
  ...(attempt.masterNodeId !== undefined && { masterNodeId: attempt.masterNodeId }),
  ...(attempt.finishedMs > 0 && exitFacts(attempt.exitCode)),
  diagnostics: attempt.diagnostics.slice(0, longestDiagnostics),
});

/** `GET /api/v1/applications/{id}/life`. */
function answerLife(parts: Parts, { params, user }: Call): ApplicationLife {
  const application = findViewable(parts, params['appid'] ?? '', user);
  const live = application.attempts.flatMap(({ containers }) =>
    [...containers.values()].map((container) => containerLife(application, container)),
  );
  const ended = endedContainers(parts.events, application.id);
  const endedIds = new Set(ended.map(({ id }) => id));
  const all = [...live.filter(({ id }) => !endedIds.has(id)), ...ended];
  return {
    id: application.id,
    nowMs: parts.clock.now(),
    attempts: application.attempts.map(attemptLife),
    containers: all.slice(0, mostContainers),
    containersSinceMs: parts.events.read(parts.events.oldest, 1).events[0]?.timeMs ?? 0,
    more: all.length > mostContainers,
  };
}

/** `GET /api/v1/risks`: for administrators, also where access lists are off. */
function answerRisks({ access, configuration }: Parts, caller: KnownCaller, call: Call): StartRisks {
  access.administrator(caller(call.caller), 'look at the risks of this start');
  return { risks: risksOf(['resource-manager'], configuration).map(({ what, remedy }) => ({ what, remedy })) };
}

/** The routes of this file. */
export function pageFactRoutes(parts: Parts & { readonly caller: KnownCaller }): Route<never>[] {
  const read = { method: 'GET', produces: ['json'] } as const;
  return [
    {
      ...read,
      path: '/api/v1/usage',
      about:
        'How much of the cluster was given, asked for and there: over an hour or a day, in even steps, and now; and what the machines of its nodes really used.',
      access: 'facts',
      handle: (call) => json(answerUsage(parts, call)),
    },
    {
      ...read,
      path: '/api/v1/waiting',
      about:
        'Applications that wait for their master, then those that run and wait for further containers, the oldest first, each with why and what would free it.',
      access: 'overview',
      handle: (call) => json(answerWaiting(parts, call)),
    },
    {
      ...read,
      path: '/api/v1/applications/:appid/life',
      about: 'Attempts and containers of an application with their times; containers that ended are known for an hour.',
      access: 'view',
      handle: (call) => json(answerLife(parts, call)),
    },
    {
      ...read,
      path: '/api/v1/applications/:appid/submission',
      about:
        'What an application was submitted with, without secrets; who may not change it sees neither commands nor the values of variables.',
      access: 'view',
      handle: async (call) => json(await answerSubmitted(parts, call), 200, { 'cache-control': 'no-store' }),
    },
    {
      ...read,
      path: '/api/v1/risks',
      about: 'What is less safe about this start than it could be, and how each is ended.',
      access: 'admin',
      handle: (call) => json(answerRisks(parts, parts.caller, call)),
    },
  ];
}
