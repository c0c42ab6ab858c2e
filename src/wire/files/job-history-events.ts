// The events of a job history file (reference: Events.avpr of Hadoop 3.4, package org.apache.hadoop.mapreduce.jobhistory).
// One table names every record's fields in schema order; the Avro schema, the TypeScript types and the defaults come from it.
import type { Long } from '../../lib/java-long.ts';
import { type AvroField, type AvroSchema, type AvroType, readSchema } from './avro.ts';
import { misfitOf } from './avro-fit.ts';

const namespace = 'org.apache.hadoop.mapreduce.jobhistory';

// Field kinds: `string?` is null or string with default null, `string|null` the same without default, `int=-1` an int with
// default -1, `ints` an array of int, `texts` a map of string.
interface Kinds {
  string: string;
  int: number;
  long: number;
  boolean: boolean;
  'string?': string | null;
  'string|null': string | null;
  'int=-1': number;
  ints: readonly number[];
  texts: Readonly<Record<string, string>>;
  JhCounters: JhCounters;
  'JhCounters?': JhCounters | null;
}

/** A counter: its enum constant, its name for people and its value. */
export interface JhCounter {
  readonly name: string;
  readonly displayName: string;
  readonly value: Long;
}
/** A group of counters. */
export interface JhCounterGroup {
  readonly name: string;
  readonly displayName: string;
  readonly counts: readonly JhCounter[];
}
/** A set of counters: `TOTAL_COUNTERS`, `MAP_COUNTERS`, `REDUCE_COUNTERS` or `COUNTERS`. */
export interface JhCounters {
  readonly name: string;
  readonly groups: readonly JhCounterGroup[];
}

const progressSplits = { clockSplits: 'ints', cpuUsages: 'ints', vMemKbytes: 'ints', physMemKbytes: 'ints' } as const;

const records = {
  JobFinished: {
    jobid: 'string',
    finishTime: 'long',
    finishedMaps: 'int',
    finishedReduces: 'int',
    failedMaps: 'int',
    failedReduces: 'int',
    totalCounters: 'JhCounters',
    mapCounters: 'JhCounters',
    reduceCounters: 'JhCounters',
    killedMaps: 'int=-1',
    killedReduces: 'int=-1',
  },
  JobInfoChange: { jobid: 'string', submitTime: 'long', launchTime: 'long' },
  JobInited: { jobid: 'string', launchTime: 'long', totalMaps: 'int', totalReduces: 'int', jobStatus: 'string', uberized: 'boolean' },
  AMStarted: {
    applicationAttemptId: 'string',
    startTime: 'long',
    containerId: 'string',
    nodeManagerHost: 'string',
    nodeManagerPort: 'int',
    nodeManagerHttpPort: 'int',
  },
  JobPriorityChange: { jobid: 'string', priority: 'string' },
  JobQueueChange: { jobid: 'string', jobQueueName: 'string' },
  JobStatusChanged: { jobid: 'string', jobStatus: 'string' },
  JobSubmitted: {
    jobid: 'string',
    jobName: 'string',
    userName: 'string',
    submitTime: 'long',
    jobConfPath: 'string',
    acls: 'texts',
    jobQueueName: 'string',
    workflowId: 'string?',
    workflowName: 'string?',
    workflowNodeName: 'string?',
    workflowAdjacencies: 'string?',
    workflowTags: 'string?',
  },
  JobUnsuccessfulCompletion: {
    jobid: 'string',
    finishTime: 'long',
    finishedMaps: 'int',
    finishedReduces: 'int',
    jobStatus: 'string',
    diagnostics: 'string?',
    failedMaps: 'int=-1',
    failedReduces: 'int=-1',
    killedMaps: 'int=-1',
    killedReduces: 'int=-1',
  },
  MapAttemptFinished: {
    taskid: 'string',
    attemptId: 'string',
    taskType: 'string',
    taskStatus: 'string',
    mapFinishTime: 'long',
    finishTime: 'long',
    hostname: 'string',
    port: 'int',
    rackname: 'string',
    state: 'string',
    counters: 'JhCounters',
    ...progressSplits,
  },
  ReduceAttemptFinished: {
    taskid: 'string',
    attemptId: 'string',
    taskType: 'string',
    taskStatus: 'string',
    shuffleFinishTime: 'long',
    sortFinishTime: 'long',
    finishTime: 'long',
    hostname: 'string',
    port: 'int',
    rackname: 'string',
    state: 'string',
    counters: 'JhCounters',
    ...progressSplits,
  },
  TaskAttemptFinished: {
    taskid: 'string',
    attemptId: 'string',
    taskType: 'string',
    taskStatus: 'string',
    finishTime: 'long',
    rackname: 'string',
    hostname: 'string',
    state: 'string',
    counters: 'JhCounters',
  },
  TaskAttemptStarted: {
    taskid: 'string',
    taskType: 'string',
    attemptId: 'string',
    startTime: 'long',
    trackerName: 'string',
    httpPort: 'int',
    shufflePort: 'int',
    containerId: 'string',
    locality: 'string?',
    avataar: 'string?',
  },
  TaskAttemptUnsuccessfulCompletion: {
    taskid: 'string',
    taskType: 'string',
    attemptId: 'string',
    finishTime: 'long',
    hostname: 'string',
    port: 'int',
    rackname: 'string',
    status: 'string',
    error: 'string',
    counters: 'JhCounters?',
    ...progressSplits,
  },
  TaskFailed: {
    taskid: 'string',
    taskType: 'string',
    finishTime: 'long',
    error: 'string',
    failedDueToAttempt: 'string|null',
    status: 'string',
    counters: 'JhCounters?',
  },
  TaskFinished: {
    taskid: 'string',
    taskType: 'string',
    finishTime: 'long',
    status: 'string',
    counters: 'JhCounters',
    successfulAttemptId: 'string?',
  },
  TaskStarted: { taskid: 'string', taskType: 'string', startTime: 'long', splitLocations: 'string' },
  TaskUpdated: { taskid: 'string', finishTime: 'long' },
} as const satisfies Record<string, Record<string, keyof Kinds>>;

type RecordName = keyof typeof records;
type Optional<Fields> = { [F in keyof Fields]: Fields[F] extends 'string?' | 'JhCounters?' | 'int=-1' ? F : never }[keyof Fields];

/** The members of a history record; those with a default may be left out when writing. */
export type HistoryRecord<Name extends RecordName> = {
  readonly [F in Exclude<keyof (typeof records)[Name], Optional<(typeof records)[Name]>>]: (typeof records)[Name][F] extends keyof Kinds
    ? Kinds[(typeof records)[Name][F]]
    : never;
} & {
  readonly [F in Optional<(typeof records)[Name]>]?: (typeof records)[Name][F] extends keyof Kinds
    ? Kinds[(typeof records)[Name][F]]
    : never;
};

// In the order of the enum's symbols. NORMALIZED_RESOURCE is never in a file.
const recordOfEvent = {
  JOB_SUBMITTED: 'JobSubmitted',
  JOB_INITED: 'JobInited',
  JOB_FINISHED: 'JobFinished',
  JOB_PRIORITY_CHANGED: 'JobPriorityChange',
  JOB_STATUS_CHANGED: 'JobStatusChanged',
  JOB_QUEUE_CHANGED: 'JobQueueChange',
  JOB_FAILED: 'JobUnsuccessfulCompletion',
  JOB_KILLED: 'JobUnsuccessfulCompletion',
  JOB_ERROR: 'JobUnsuccessfulCompletion',
  JOB_INFO_CHANGED: 'JobInfoChange',
  TASK_STARTED: 'TaskStarted',
  TASK_FINISHED: 'TaskFinished',
  TASK_FAILED: 'TaskFailed',
  TASK_UPDATED: 'TaskUpdated',
  NORMALIZED_RESOURCE: 'TaskUpdated',
  MAP_ATTEMPT_STARTED: 'TaskAttemptStarted',
  MAP_ATTEMPT_FINISHED: 'MapAttemptFinished',
  MAP_ATTEMPT_FAILED: 'TaskAttemptUnsuccessfulCompletion',
  MAP_ATTEMPT_KILLED: 'TaskAttemptUnsuccessfulCompletion',
  REDUCE_ATTEMPT_STARTED: 'TaskAttemptStarted',
  REDUCE_ATTEMPT_FINISHED: 'ReduceAttemptFinished',
  REDUCE_ATTEMPT_FAILED: 'TaskAttemptUnsuccessfulCompletion',
  REDUCE_ATTEMPT_KILLED: 'TaskAttemptUnsuccessfulCompletion',
  SETUP_ATTEMPT_STARTED: 'TaskAttemptStarted',
  SETUP_ATTEMPT_FINISHED: 'TaskAttemptFinished',
  SETUP_ATTEMPT_FAILED: 'TaskAttemptUnsuccessfulCompletion',
  SETUP_ATTEMPT_KILLED: 'TaskAttemptUnsuccessfulCompletion',
  CLEANUP_ATTEMPT_STARTED: 'TaskAttemptStarted',
  CLEANUP_ATTEMPT_FINISHED: 'TaskAttemptFinished',
  CLEANUP_ATTEMPT_FAILED: 'TaskAttemptUnsuccessfulCompletion',
  CLEANUP_ATTEMPT_KILLED: 'TaskAttemptUnsuccessfulCompletion',
  AM_STARTED: 'AMStarted',
} as const satisfies Record<string, RecordName>;

/** The name of an event. */
export type HistoryEventType = Exclude<keyof typeof recordOfEvent, 'NORMALIZED_RESOURCE'>;

/** Some fields of records, by the name of their record. */
export type HistoryFields = { readonly [Name in RecordName]?: readonly (keyof HistoryRecord<Name>)[] };
type RecordWithout<Name extends RecordName, Unread extends HistoryFields> = Unread[Name] extends readonly (infer Field)[]
  ? Omit<HistoryRecord<Name>, Field & PropertyKey>
  : HistoryRecord<Name>;

/** One event of a job's history: its type and that type's record, which may be without the fields that were not read. */
export type HistoryEvent<Unread extends HistoryFields = Record<never, never>> = {
  [T in HistoryEventType]: { readonly type: T; readonly event: RecordWithout<(typeof recordOfEvent)[T], Unread> };
}[HistoryEventType];

const counterSchema: AvroSchema = {
  type: 'record',
  name: 'JhCounters',
  fields: [
    { name: 'name', type: 'string' },
    {
      name: 'groups',
      type: {
        type: 'array',
        items: {
          type: 'record',
          name: 'JhCounterGroup',
          fields: [
            { name: 'name', type: 'string' },
            { name: 'displayName', type: 'string' },
            {
              name: 'counts',
              type: {
                type: 'array',
                items: {
                  type: 'record',
                  name: 'JhCounter',
                  fields: [
                    { name: 'name', type: 'string' },
                    { name: 'displayName', type: 'string' },
                    { name: 'value', type: 'long' },
                  ],
                },
              },
            },
          ],
        },
      },
    },
  ],
};

function buildSchema(): AvroSchema {
  let countersWritten = false;
  const field = (name: string, kind: keyof Kinds): AvroField => {
    switch (kind) {
      case 'string?':
        return { name, type: ['null', 'string'], default: null };
      case 'string|null':
        return { name, type: ['null', 'string'] };
      case 'JhCounters?':
        return { name, type: ['null', 'JhCounters'], default: null };
      case 'int=-1':
        return { name, type: 'int', default: -1 };
      case 'ints':
        return { name, type: { type: 'array', items: 'int' } };
      case 'texts':
        return { name, type: { type: 'map', values: 'string' } };
      case 'JhCounters': {
        // Written out where it is first used, by name afterwards.
        if (countersWritten) return { name, type: 'JhCounters' };
        countersWritten = true;
        return { name, type: counterSchema };
      }
      default:
        return { name, type: kind };
    }
  };
  const union = Object.entries(records).map(
    ([name, fields]): AvroSchema => ({
      type: 'record',
      name,
      fields: Object.entries(fields).map(([fieldName, kind]) => field(fieldName, kind)),
    }),
  );
  return {
    type: 'record',
    name: 'Event',
    namespace,
    fields: [
      { name: 'type', type: { type: 'enum', name: 'EventType', symbols: Object.keys(recordOfEvent) } },
      { name: 'event', type: union },
    ],
  };
}

const schema = buildSchema();

/** The schema line that today's files carry. */
export const historySchemaLine = JSON.stringify(schema);

/** The schema that today's files are written with. */
export const historySchema = readSchema(schema);

/** Why a file’s schema is not that of a job's history; undefined where it is, of today or of earlier. Members that an event misses are told with that event. */
export const historyMisfit = (fileSchema: AvroType): string | undefined =>
  misfitOf(fileSchema, historySchema, (record) => Object.hasOwn(records, record));

const emptyValue: Partial<Record<keyof Kinds, unknown>> = { 'string?': null, 'JhCounters?': null, 'int=-1': -1 };

/** An event in the form that the schema wants: its union branch named, members with defaults filled in. */
export function toAvroEvent(event: HistoryEvent): { type: string; event: { branch: string; value: Record<string, unknown> } } {
  const name = recordOfEvent[event.type];
  return { type: event.type, event: { branch: `${namespace}.${name}`, value: completed(name, event.event as Record<string, unknown>) } };
}

/** The records of a file's own schema that have the members of today's, in their order: nothing of their values is missing in binary files. */
export function recordsOfToday(schema: AvroType): ReadonlySet<string> {
  const event = schema.kind === 'record' ? schema.fields.find(({ name }) => name === 'event')?.type : undefined;
  const written = event?.kind === 'union' ? event.branches : [];
  const isOfToday = (name: string, fields: readonly { name: string }[]): boolean =>
    Object.hasOwn(fieldsOf, name) &&
    fieldsOf[name as RecordName].map(([field]) => field).join() === fields.map((field) => field.name).join();
  return new Set(written.flatMap((type) => (type.kind === 'record' && isOfToday(type.name, type.fields) ? [type.name] : [])));
}

/**
 * An event as a file's own schema gave it, completed with the defaults of today's schema but for those of `whole` records.
 * @throws Error when a member without default is missing or the record does not belong to the type.
 */
export function fromAvroEvent(read: unknown, whole: ReadonlySet<string>): HistoryEvent {
  const { type, event } = read as { type: string; event: { branch: string; value: Record<string, unknown> } };
  const name = (recordOfEvent as Record<string, RecordName>)[type];
  if (!name || type === 'NORMALIZED_RESOURCE' || !isBranchOf(event.branch, name))
    throw new Error(`unexpected event type: ${type} with ${event.branch.slice(event.branch.lastIndexOf('.') + 1)}`);
  return { type, event: whole.has(name) ? event.value : completed(name, event.value) } as unknown as HistoryEvent;
}

/** Whether a union's branch is the record of that name, in whatever namespace. */
const isBranchOf = (branch: string, name: string): boolean =>
  branch.endsWith(name) && (branch.length === name.length || branch[branch.length - name.length - 1] === '.');

const fieldsOf = Object.fromEntries(Object.entries(records).map(([name, fields]) => [name, Object.entries(fields)])) as unknown as Record<
  RecordName,
  readonly (readonly [string, keyof Kinds])[]
>;

function completed(name: RecordName, value: Record<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [field, kind] of fieldsOf[name]) {
    const given = value[field];
    if (given !== undefined) result[field] = given;
    else if (kind in emptyValue) result[field] = emptyValue[kind];
    else if (kind === 'string|null') result[field] = null;
    else throw new Error(`Found ${name}, missing required field ${field}`);
  }
  return result;
}
