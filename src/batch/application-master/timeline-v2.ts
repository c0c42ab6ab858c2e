// A job in timeline v2: entities of the job, of each task and each attempt, with their events, counters as metrics and the job's configuration
// (JobHistoryEventHandler.processEventForNewTimelineService, toTimelineEvent and getTimelineMetrics of each event).
import type { TimelineClient } from '../../client/timeline-client.ts';
import { setOwn } from '../../lib/own-member.ts';
import type { HistoryEvent, JhCounters } from '../../wire/files/job-history.ts';
import type { JsonValue } from '../../wire/timeline/entity.ts';
import { rawNumber } from '../../wire/timeline/exact-json.ts';
import type { EntityV2, MetricV2 } from '../../wire/timeline/v2-entity.ts';
import { jobEntityType, taskEntityType, timelineInfoOf } from './timeline.ts';

const attemptEntityType = 'MAPREDUCE_TASK_ATTEMPT';
const applicationEntityType = 'YARN_APPLICATION';
/** Characters of names and values of one put of configuration (JobHistoryEventUtils.ATS_CONFIG_PUBLISH_SIZE_BYTES). */
const configurationAtOnce = 10 * 1024;
const longestLong = 2n ** 63n - 1n;

/** What events of version 1 say and those of version 2 do not. */
const onlyInVersion1: { readonly [Type in HistoryEvent['type']]?: readonly string[] } = {
  AM_STARTED: ['SUBMIT_TIME'],
  JOB_FINISHED: ['FINISHED_MAPS', 'FINISHED_REDUCES'],
};

/** The job that is told of. */
export interface PublishedJob {
  readonly id: string;
  readonly applicationId: string;
  readonly submitTimeMs: number;
  /** The configuration as it is shown: without secrets. */
  readonly configuration: readonly { readonly name: string; readonly value: string }[];
}

/** What an event says, by its version 1 form: counters are metrics, and some names differ. */
function infoOf(history: HistoryEvent, submitTimeMs: number): Record<string, JsonValue> {
  const { type, event } = history;
  const left = new Set(onlyInVersion1[type] ?? []);
  const info = Object.entries(timelineInfoOf(type, event, submitTimeMs)).flatMap(([name, value]) => {
    if (left.has(name) || name.endsWith('COUNTERS_GROUPS') || value === undefined || value === null) return [];
    // The name is misspelt in Hadoop's event.
    return [[name === 'WORKFLOW_ID' ? 'WORKLFOW_ID' : name, plain(value)] as const];
  });
  const isUnsuccessful = /_ATTEMPT_(FAILED|KILLED)$/.test(type);
  const finishTime = isUnsuccessful && 'finishTime' in event ? plain(event.finishTime) : undefined;
  const phases: Record<string, JsonValue> =
    finishTime === undefined ? {} : { SHUFFLE_FINISH_TIME: finishTime, SORT_FINISH_TIME: finishTime, MAP_FINISH_TIME: finishTime };
  return { ...Object.fromEntries(info), ...phases };
}

const plain = (value: unknown): JsonValue => (typeof value === 'bigint' ? rawNumber(String(value)) : (value as JsonValue));

/** Counters as metrics of one point each, `PREFIXGROUP:NAME`. */
function metricsOf(counters: JhCounters | null | undefined, atMs: unknown, prefix = ''): MetricV2[] {
  return (counters?.groups ?? []).flatMap(({ name: group, counts }) =>
    counts.map(({ name, value }) => ({
      id: `${prefix}${group}:${name}`,
      type: 'SINGLE_VALUE' as const,
      aggregationOp: 'NOP',
      values: { [String(atMs)]: rawNumber(String(value)) },
    })),
  );
}

function metricsOfEvent({ type, event }: HistoryEvent): MetricV2[] {
  if (type === 'JOB_FINISHED')
    return [
      ...metricsOf(event.totalCounters, event.finishTime),
      ...metricsOf(event.mapCounters, event.finishTime, 'MAP:'),
      ...metricsOf(event.reduceCounters, event.finishTime, 'REDUCE:'),
    ];
  return 'counters' in event && 'finishTime' in event ? metricsOf(event.counters, event.finishTime) : [];
}

/** The id of the attempt that an event is about. Ends of tasks name one too, but are about the task. */
function attemptOf({ type, event }: HistoryEvent): string | undefined {
  return /_ATTEMPT_(STARTED|FINISHED|FAILED|KILLED)$/.test(type) && 'attemptId' in event ? event.attemptId : undefined;
}

/** The configuration in parts, each of them for the job and for the application. */
function configurationOf({ id, applicationId, configuration }: PublishedJob): EntityV2[] {
  const parts: Record<string, string>[] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const { name, value } of configuration) {
    const own = name.length + value.length;
    if (size + own > configurationAtOnce) {
      parts.push({});
      size = 0;
    }
    size += own;
    setOwn(parts.at(-1)!, name, value);
  }
  return parts.flatMap((configs) => [
    { type: jobEntityType, id, configs },
    { type: applicationEntityType, id: applicationId, configs },
  ]);
}

/** Tells of a job's events in their order: later ones of a task or attempt need to know when it started. */
export class JobTeller {
  readonly #job: PublishedJob;
  /** Tasks and attempts → when they started. */
  readonly #starts = new Map<string, bigint>();

  constructor(job: PublishedJob) {
    this.#job = job;
  }

  /** The entities of one event, as they are put. */
  entitiesOf(history: HistoryEvent, nowMs: number): EntityV2[] {
    const { type, event } = history;
    const { id, applicationId, submitTimeMs } = this.#job;
    const metrics = metricsOfEvent(history);
    const base = {
      ...(type === 'JOB_SUBMITTED' || (type.endsWith('_STARTED') && type !== 'AM_STARTED') ? { createdtime: nowMs } : {}),
      events: [{ id: type, timestamp: nowMs, info: infoOf(history, submitTimeMs) }],
      ...(metrics.length > 0 ? { metrics } : {}),
    };
    const taskId = 'taskid' in event ? event.taskid : undefined;
    if (taskId === undefined) {
      const job: EntityV2 = { type: jobEntityType, id, ...base };
      if (type === 'JOB_SUBMITTED') return [job, ...configurationOf(this.#job)];
      return type === 'JOB_FINISHED' && metrics.length > 0 ? [job, { type: applicationEntityType, id: applicationId, metrics }] : [job];
    }
    const attemptId = attemptOf(history);
    if (attemptId !== undefined)
      return [
        {
          type: attemptEntityType,
          id: attemptId,
          idprefix: this.#prefixOf(attemptId, event),
          ...base,
          isrelatedto: { [taskEntityType]: [taskId] },
        },
      ];
    return [
      {
        type: taskEntityType,
        id: taskId,
        idprefix: this.#prefixOf(taskId, event),
        ...base,
        ...(type === 'TASK_STARTED' ? { info: { TASK_TYPE: event.taskType } } : {}),
        isrelatedto: { [jobEntityType]: [id] },
      },
    ];
  }

  /** The start inverted, so that those that started last come first; one that never started counts as started at 0. */
  #prefixOf(id: string, event: HistoryEvent['event']): JsonValue {
    if ('startTime' in event) this.#starts.set(id, BigInt(event.startTime));
    return rawNumber(String(longestLong - (this.#starts.get(id) ?? 0n)));
  }
}

/** Publishes events as they are written to the history. */
export function timelinePublisherV2(client: TimelineClient<EntityV2>, job: PublishedJob, now: () => number): (event: HistoryEvent) => void {
  const teller = new JobTeller(job);
  return (event) => client.putEntities(teller.entitiesOf(event, now()));
}
