// `/api/v1/applications/{id}/explain`: the scheduler's record of an application in words and numbers.

import { ok } from '../../http/answers.ts';
import type { Call, Route } from '../../http/service.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { RequestExplanation, WaitingReason } from '../../scheduler/explain/explanation.ts';
import { amountText, refusalWords, wordsOf } from '../../scheduler/explain/explanation-words.ts';
import { type ApplicationExplanation, applicationExplanation, type WireWaitingReason } from '../../wire/cluster/explanation.ts';
import { type Application, currentAttempt, finalStatus, publicState } from '../applications/application.ts';
import { findViewable } from '../views/application-lookup.ts';
import type { Parts } from '../views/parts.ts';
import { adjustmentsOfApplication } from './adjustments.ts';
import { amounts } from './amounts-by-name.ts';
import { awayOf } from './explain-away.ts';
import { explainOpportunistic } from './explain-opportunistic.ts';
import { type NodesSeen, outOfService } from './nodes-out-of-service.ts';

function wireWaitingReason(waitingReason: WaitingReason, types: ResourceTypes): WireWaitingReason {
  const { asked, used, limit, unroundedLimit, missing, ...rest } = waitingReason;
  return {
    ...rest,
    ...wordsOf(waitingReason, types),
    ...(asked && { asked: amounts(asked, types) }),
    ...(used && { used: amounts(used, types) }),
    ...(limit && { limit: amounts(limit, types) }),
    ...(unroundedLimit && { unroundedLimit: amounts(unroundedLimit, types) }),
    ...(missing && { missing: amounts(missing, types) }),
  };
}

type WireRequest = NonNullable<ApplicationExplanation['requests']>[number];

function wireRequest(request: RequestExplanation, types: ResourceTypes, nowMs: number): WireRequest {
  const { closest } = request.nodes;
  return {
    askId: request.requestId,
    master: request.isMaster,
    priority: request.priority,
    allocationRequestId: request.allocationRequestId,
    resource: amounts(request.resource, types),
    count: request.count,
    partition: request.partition,
    sinceMs: request.sinceMs,
    waitingMs: Math.max(0, nowMs - request.sinceMs),
    reasons: request.waitingReasons.map((waitingReason) => wireWaitingReason(waitingReason, types)),
    nodes: {
      count: request.nodes.count,
      groups: request.nodes.groups.map((group) => ({ ...group, sentence: refusalWords[group.why] })),
      ...(closest && {
        closest: {
          nodeId: closest.nodeId,
          available: amounts(closest.available, types),
          total: amounts(closest.total, types),
          missing: amounts(closest.missing, types),
        },
      }),
    },
  };
}

interface Standing {
  readonly sentence: string;
  readonly remedy?: string;
  readonly waiting: boolean;
  readonly sinceMs?: number;
}

const longestReason = 400;

/** How it ended, and what ended it, in one line, where it did not succeed. */
function endOf(application: Application): string {
  const shown = publicState(application);
  const result = finalStatus(application);
  const reason = application.diagnostics
    .trim()
    .split('\n')[0]!
    .replace(/^(?:\w+\.)+\w+Exception: /, '')
    // A container's end as nodes write it, behind what a master says.
    .replace(/ \[\d{4}-\d\d-\d\d [\d:.]+\]Exception from container-launch\.$/, '')
    .slice(0, longestReason);
  const how = result === shown || result === 'UNDEFINED' ? shown : `${shown}, ${result}`;
  return `It is over: ${how}. ${result === 'SUCCEEDED' || reason === '' ? 'It waits for nothing.' : reason}`;
}

/** Where the application stands beyond the scheduler: before it, or once its master has a container. */
function standingOf(application: Application): Standing | undefined {
  const { state, startedMs } = application;
  const attempt = currentAttempt(application);
  if (application.finishedMs > 0 || state === 'FINISHING') return { sentence: endOf(application), waiting: false };
  if (state === 'KILLING' || state === 'FINAL_SAVING') return { sentence: 'It is being ended.', waiting: false };
  if (!application.admitted || !attempt)
    return {
      sentence: 'It waits because the resource manager is still taking it in.',
      remedy: 'It goes on by itself.',
      waiting: true,
      sinceMs: startedMs,
    };
  if (attempt.state === 'ALLOCATED_SAVING' || attempt.state === 'ALLOCATED')
    return {
      sentence: `Its master was given ${attempt.masterContainerId} on ${attempt.masterNodeId}, which is being started.`,
      waiting: true,
      sinceMs: attempt.startedMs,
    };
  if (attempt.state === 'LAUNCHED')
    return {
      sentence: application.submission.unmanaged
        ? 'It waits because its master, which runs outside the cluster, has not registered yet.'
        : `Its master runs on ${attempt.masterNodeId} and has not registered yet.`,
      remedy: application.submission.unmanaged
        ? 'It goes on when that program registers by the master protocol; what it writes stands where it runs.'
        : 'It goes on when that program has begun and says so (it registers, which takes a moment); "heddle app logs" shows what it writes.',
      waiting: true,
      sinceMs: attempt.startedMs,
    };
  return undefined;
}

/** The record of one application. */
export function explain({ policy, types, clock, cluster, labels, views }: Parts, application: Application): ApplicationExplanation {
  const nowMs = clock.now();
  const record = policy.explanation(application.id);
  const attempt = currentAttempt(application);
  const requests = [...(record?.requests ?? []), ...(attempt ? explainOpportunistic(cluster, attempt) : [])];
  const [first] = requests;
  const standing = standingOf(application);
  const lead = record?.application ?? first?.waitingReasons[0];
  const away = lead || application.finishedMs > 0 ? undefined : awayOf(cluster.view, application, cluster.settings.nodeExpiryMs);
  const own: Standing = away
    ? { ...away, waiting: true }
    : standing && !(first && standing.waiting === false && application.finishedMs === 0)
      ? standing
      : lead
        ? spoken(lead, {
            first,
            requests,
            further: record?.further ?? 0,
            types,
            nodes: { view: cluster.view, labelOf: (id) => labels.labelOf(id) },
          })
        : { sentence: 'It waits for nothing: everything it asked for was given to it.', waiting: false };
  const sinceMs = own.sinceMs ?? (own.waiting ? (first?.sinceMs ?? application.startedMs) : undefined);
  const diagnostics = views.diagnosticsOf(application);
  return {
    id: application.id,
    state: publicState(application),
    finalStatus: finalStatus(application),
    queue: record?.queue ?? application.queue,
    user: application.user,
    sentence: own.sentence,
    remedy: own.remedy,
    waiting: own.waiting,
    ...(sinceMs !== undefined && { sinceMs, waitingMs: Math.max(0, nowMs - sinceMs) }),
    queueState: record?.queueState,
    ...(record?.application && { application: wireWaitingReason(record.application, types) }),
    requests: requests.map((request) => wireRequest(request, types, nowMs)),
    furtherRequests: record?.further ?? 0,
    adjusted: application.finishedMs > 0 ? [] : adjustmentsOfApplication({ policy, types }, application),
    ...(diagnostics !== '' && { diagnostics }),
  };
}

/** What a sentence is made of besides the reason. */
interface Spoken {
  readonly first: RequestExplanation | undefined;
  /** Requests that wait, and how many there are that are not explained. */
  readonly requests: readonly RequestExplanation[];
  readonly further: number;
  readonly types: ResourceTypes;
  readonly nodes: NodesSeen;
}

/** What is waited for: what the reason is said of, and how much besides. */
function awaited({ first, requests, further, types }: Spoken): string {
  if (!first || first.isMaster) return 'It waits for its master';
  const containers = `${first.count} ${first.count === 1 ? 'container' : 'containers'} of ${amountText(first.resource, types)}`;
  const more = requests.reduce((sum, { count }) => sum + count, 0) - first.count;
  if (more === 0) return `It waits for ${containers}`;
  const isSame = further === 0 && requests.every(({ resource }) => amountText(resource, types) === amountText(first.resource, types));
  return `It waits for ${containers} (and ${further > 0 ? 'more than ' : ''}${more} more${isSame ? ' of that size' : ''})`;
}

function spoken(waitingReason: WaitingReason, about: Spoken): Standing {
  const { first, types, nodes } = about;
  const { sentence, remedy } = wordsOf(waitingReason, types);
  const away = outOfService({ ...(first && { asked: first.resource }), ...waitingReason }, nodes);
  return {
    sentence: [`${awaited(about)} because ${sentence}`, away?.sentence].filter(Boolean).join(' '),
    remedy: [remedy, away?.remedy].filter(Boolean).join(' '),
    waiting: true,
    ...(first && { sinceMs: first.sinceMs }),
  };
}

function answerExplain(parts: Parts, { params, user }: Call) {
  return ok(applicationExplanation, explain(parts, findViewable(parts, params['appid'] ?? '', user)));
}

/** The routes of this file. */
export function explainRoutes(parts: Parts): Route<never>[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/applications/:appid/explain',
      produces: ['json'],
      about: 'Why an application and its requests wait, and what would free them.',
      access: 'view',
      handle: (call) => answerExplain(parts, call),
    },
  ];
}
