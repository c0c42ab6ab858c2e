// `/scheduler/activities`, `/scheduler/bulk-activities`, `/scheduler/app-activities/{id}`: why the scheduler did what it did.

import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { ok } from '../../http/answers.ts';
import type { Query } from '../../http/query.ts';
import type { Call, Route } from '../../http/service.ts';
import { decimalForm, parseInteger, parseLong } from '../../lib/java-number.ts';
import { javaSplit } from '../../lib/java-split.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId, usualApplicationId } from '../../model/ids.ts';
import type { ActivityRecorder, ApplicationActivity } from '../../scheduler/explain/activities.ts';
import {
  type Activities,
  type ApplicationActivities,
  activities,
  applicationActivities,
  bulkActivities,
} from '../../wire/cluster/activities.ts';
import { applicationAllocation, cycleActivities, dateTimeOf } from '../views/activities-view.ts';
import type { Parts } from '../views/parts.ts';

const notCapacity = 'Not Capacity Scheduler';

/** Who was asked about, so that the second question shows something, as in Hadoop. */
interface Asked {
  readonly nodes: Set<string>;
  readonly applications: Map<string, ApplicationActivity[]>;
  /** Activities kept of an application, and for how long. */
  readonly kept: number;
  readonly keptMs: number;
}

/** What is wrong with the question, or the grouping. */
function groupingOf(query: Query): { grouped: boolean } | { diagnostic: string } {
  const groupBy = query.first('groupBy');
  if (groupBy === undefined) return { grouped: false };
  if (groupBy.toUpperCase() === 'DIAGNOSTIC') return { grouped: true };
  return { diagnostic: `Got invalid groupBy: ${groupBy}, valid groupBy types: [DIAGNOSTIC]` };
}

function nodeOf(recorder: ActivityRecorder, nodeId: string | undefined): { node: string } | { diagnostic: string } {
  if (recorder.anyNode() === undefined) return { diagnostic: 'No node manager running in the cluster' };
  if (nodeId === undefined) return { node: recorder.anyNode()! };
  const node = recorder.nodeOf(nodeId);
  return node === undefined ? { diagnostic: 'Cannot find node manager with given node id' } : { node };
}

function answerActivities(recorder: ActivityRecorder | undefined, asked: Asked, query: Query): Activities {
  const nodeId = query.first('nodeId');
  if (!recorder) return { nodeId, diagnostic: notCapacity };
  const grouping = groupingOf(query);
  if ('diagnostic' in grouping) return { nodeId, diagnostic: grouping.diagnostic };
  const found = nodeOf(recorder, nodeId);
  if ('diagnostic' in found) return { nodeId, diagnostic: found.diagnostic };
  const key = nodeId === undefined ? '' : found.node;
  if (!asked.nodes.has(key)) {
    asked.nodes.add(key);
    return { nodeId: nodeId && found.node, diagnostic: nodeId === undefined ? 'waiting for next allocation' : 'waiting for display' };
  }
  return cycleActivities(recorder.cycle(found.node), grouping.grouped);
}

function answerBulk(recorder: ActivityRecorder | undefined, { query }: Call): Activities[] {
  if (!recorder) throw failure('SCHEDULER_ACTIVITIES_REFUSED', { reason: notCapacity });
  // Jersey takes a blank for a number that is not given.
  const text = query.first('activitiesCount')?.trim() ? query.first('activitiesCount') : undefined;
  if (text !== undefined && parseInteger(text) === undefined) throw failure('QUERY_NUMBER_MALFORMED', { value: text });
  const grouping = groupingOf(query);
  if ('diagnostic' in grouping) throw failure('SCHEDULER_ACTIVITIES_REFUSED', { reason: grouping.diagnostic });
  const found = nodeOf(recorder, undefined);
  if ('diagnostic' in found) throw failure('SCHEDULER_ACTIVITIES_REFUSED', { reason: found.diagnostic });
  const wanted = Number(text ?? 10);
  const count = wanted <= 0 ? 10 : Math.min(wanted, 500);
  const cycle = cycleActivities(recorder.cycle(found.node), grouping.grouped);
  return Array.from({ length: count }, () => cycle);
}

/** Checks in Hadoop's order; every problem is a 200 with a sentence. */
function answerApplication(parts: Parts, asked: Asked, { params, query }: Call): ApplicationActivities {
  let applicationId = params['appid'] ?? '';
  const nowMs = parts.clock.now();
  const problem = (diagnostic: string): ApplicationActivities => ({
    applicationId,
    diagnostic,
    timestamp: nowMs,
    dateTime: dateTimeOf(nowMs),
  });
  const recorder = parts.policy.activities;
  if (!recorder) return problem(notCapacity);
  if (applicationId === '') return problem('Must provide an application Id');
  const grouping = groupingOf(query);
  if ('diagnostic' in grouping) return problem(grouping.diagnostic);
  const given = new Set(query.all('actions'));
  const received = `Successfully received action${given.size === 1 ? '' : 's'}: ${[...given].join(',')}`;
  const actions = new Set([...given].flatMap((text) => javaSplit(text)));
  for (const action of actions)
    if (!['REFRESH', 'GET'].includes(action.toUpperCase())) return problem(`Got invalid action: ${action}, valid actions: [REFRESH, GET]`);
  const priorities = numbersOf(query.all('requestPriorities'), parseInteger);
  if (!priorities) return problem('request priorities must be integers!');
  const requestIds = numbersOf(query.all('allocationRequestIds'), parseLong);
  if (!requestIds) return problem('allocation request Ids must be integers!');
  const limitText = query.first('limit');
  const limit = limitText === undefined ? -1 : parseInteger(limitText);
  if (limit === undefined) return problem('limit must be integer!');
  if (limitText !== undefined && limit <= 0) return problem('limit must be greater than 0!');
  const maxTime = query.first('maxTime') ?? '';
  const seconds = maxTime.includes('.') ? maxTime : `${maxTime}.0`;
  if (!decimalForm.test(seconds.trim())) throw failure('BAD_NUMBER', { value: seconds.trim() });
  try {
    applicationId = usualApplicationId(applicationId);
  } catch (error) {
    if (error instanceof InvalidId) return problem('Cannot find application with given appId');
    throw error;
  }
  const names = [...actions].map((action) => action.toUpperCase());
  const refresh = names.length === 0 || names.includes('REFRESH');
  const get = names.length === 0 || names.includes('GET');
  if (!parts.cluster.view.application(applicationId) || parts.policy.usage(applicationId) === undefined) {
    asked.applications.delete(applicationId);
    return problem(get ? 'fail to get application activities after finished' : received);
  }
  const known = asked.applications.get(applicationId);
  if (known && get) note(known, recorder.application(applicationId), nowMs, asked);
  if (refresh && !known) asked.applications.set(applicationId, []);
  if (!get) return problem(received);
  if (!known || known.length === 0) return problem('waiting for display');
  const summarize = query.first('summarize')?.toLowerCase() === 'true';
  const chosen = summarize ? known.slice(0, 1) : limit > 0 ? known.slice(0, limit) : known;
  const allocations = chosen.flatMap(
    (activity) => applicationAllocation(activity, priorities, requestIds, grouping.grouped, summarize) ?? [],
  );
  return { applicationId, ...(allocations.length > 0 && { allocations }) };
}

/** Newest first, none that are too many or too old. */
function note(known: ApplicationActivity[], activity: ApplicationActivity | undefined, nowMs: number, { kept, keptMs }: Asked): void {
  if (activity) known.unshift(activity);
  while (known.length > kept || (known.length > 0 && nowMs - known.at(-1)!.timeMs > keptMs)) known.pop();
}

/** The numbers of all pieces; undefined where one is none. */
function numbersOf(texts: readonly string[], parse: (text: string) => number | undefined): Set<number> | undefined {
  const numbers = texts.flatMap((text) => javaSplit(text)).map(parse);
  return numbers.every((number) => number !== undefined) ? new Set(numbers) : undefined;
}

/** The routes of this file, below `base`. */
export function activityRoutes(parts: Parts, base: string): Route<never>[] {
  const own = parts.configuration.values(resourceManagerSettings);
  const asked: Asked = {
    nodes: new Set(),
    applications: new Map(),
    kept: own.activitiesApplicationQueueLength,
    keptMs: own.activitiesApplicationTtlMs,
  };
  parts.cluster.observe({ applicationFinished: ({ id }) => void asked.applications.delete(id) });
  return [
    {
      method: 'GET',
      path: `${base}/scheduler/activities`,
      about: 'What a scheduling cycle on a node comes to, queue by queue.',
      access: 'facts',
      handle: ({ query }) => ok(activities, answerActivities(parts.policy.activities, asked, query)),
    },
    {
      method: 'GET',
      path: `${base}/scheduler/bulk-activities`,
      about: 'Several cycles at once.',
      access: 'facts',
      handle: (call) => ok(bulkActivities, { activities: answerBulk(parts.policy.activities, call) }),
    },
    {
      method: 'GET',
      path: `${base}/scheduler/app-activities/:appid`,
      about: 'Why an application is not served.',
      access: 'facts',
      handle: (call) => ok(applicationActivities, answerApplication(parts, asked, call)),
    },
  ];
}
