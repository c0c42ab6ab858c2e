// What pages ask about batch jobs: running ones of their masters through the web proxy, finished ones of the history server.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { FinishedJob, FinishedJobsPage, PlainTask, TasksPage } from '../../wire/batch/own-answers.ts';
import type { PlainApplication } from '../../wire/cluster/own-answers.ts';
import { applicationOfJob } from '../format/jobs.ts';
import type { Role } from './frame.ts';
import { ApiFailure, getJson, queryText } from './http.ts';

export type { FinishedJob, FinishedJobsPage, PlainTask };
export type PlainAttempt = PlainTask['attempts'][number];

/** Where a job is asked about. */
export interface JobSource {
  readonly id: string;
  readonly applicationId: string;
  readonly isRunning: boolean;
  /** `…/jobs/ID` of Hadoop's interface, and of what it has not. */
  readonly path: string;
  readonly ownPath: string;
}

/** The job as the server of these pages knows it. */
export function jobSource(role: Role, id: string): JobSource {
  const applicationId = applicationOfJob(id);
  if (role === 'history')
    return { id, applicationId, isRunning: false, path: `ws/v1/history/mapreduce/jobs/${id}`, ownPath: `api/v1/jobs/${id}` };
  const proxied = `proxy/${applicationId}`;
  return { id, applicationId, isRunning: true, path: `${proxied}/ws/v1/mapreduce/jobs/${id}`, ownPath: `${proxied}/api/v1/jobs/${id}` };
}

/** A job: members that one of its servers does not tell are absent. */
export interface Job {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly queue: string;
  readonly state: string;
  readonly submitTime?: number;
  readonly startTime: number;
  readonly finishTime: number;
  readonly mapsTotal: number;
  readonly mapsCompleted: number;
  readonly reducesTotal: number;
  readonly reducesCompleted: number;
  /** Percent. */
  readonly mapProgress?: number;
  readonly reduceProgress?: number;
  readonly mapsPending?: number;
  readonly mapsRunning?: number;
  readonly reducesPending?: number;
  readonly reducesRunning?: number;
  readonly uberized?: boolean;
  readonly diagnostics?: string;
  readonly failedMapAttempts?: number;
  readonly killedMapAttempts?: number;
  readonly failedReduceAttempts?: number;
  readonly killedReduceAttempts?: number;
  /** Mean times of attempts that succeeded, ms. */
  readonly avgMapTime?: number;
  readonly avgReduceTime?: number;
  readonly avgShuffleTime?: number;
  readonly avgMergeTime?: number;
}

/** How often a master is asked, ms; more tasks, longer pauses. */
export const masterPause = (tasks: number): number => (tasks > 2000 ? 15_000 : tasks > 300 ? 8000 : 3000);
const never = Number.POSITIVE_INFINITY;
/** A finished job does not change. */
const pace = ({ isRunning }: JobSource, tasks = 0) => ({
  staleTime: isRunning ? 1000 : never,
  refetchInterval: isRunning ? masterPause(tasks) : (false as const),
});
/** The proxy shows a page where the master does not answer yet. */
async function ofMaster<T>(path: string, signal: AbortSignal): Promise<T> {
  try {
    return await getJson<T>(path, signal);
  } catch (error) {
    if (error instanceof SyntaxError) throw new ApiFailure(503, 'MasterSilent', "The job's master does not answer now.");
    throw error;
  }
}
/** First words of the keys: events about the application make the answers of its master old. */
const keyOf = ({ applicationId, isRunning }: JobSource) => (isRunning ? ['application', applicationId, 'job'] : ['job', applicationId]);

/** The application of a job, on the resource manager. */
export const jobApplicationQuery = (applicationId: string) =>
  queryOptions({
    queryKey: ['application', applicationId, 'plain'],
    queryFn: ({ signal }) => getJson<PlainApplication>(`api/v1/applications/${applicationId}`, signal),
  });

export const jobQuery = (source: JobSource) =>
  queryOptions({
    queryKey: [...keyOf(source), 'facts'],
    queryFn: async ({ signal }) => (await ofMaster<{ job: Job }>(source.path, signal)).job,
    ...pace(source),
  });

interface HadoopTask {
  readonly id: string;
  readonly type: 'MAP' | 'REDUCE';
  readonly state: string;
  readonly progress: number;
  readonly startTime: number;
  readonly finishTime: number;
}

/** All tasks with their attempts; of masters that are not Heddle's the tasks alone. */
export const tasksQuery = (source: JobSource) =>
  queryOptions({
    queryKey: [...keyOf(source), 'tasks'],
    queryFn: async ({ signal }): Promise<readonly PlainTask[]> => {
      try {
        const tasks: PlainTask[] = [];
        for (let cursor: string | undefined = ''; cursor !== undefined; ) {
          const page: TasksPage = await ofMaster(`${source.ownPath}/tasks${queryText({ cursor })}`, signal);
          tasks.push(...page.tasks);
          cursor = page.next;
        }
        return tasks;
      } catch (error) {
        if (!(error instanceof ApiFailure && error.status === 404 && source.isRunning)) throw error;
        const { tasks } = await ofMaster<{ tasks: { task?: readonly HadoopTask[] } }>(`${source.path}/tasks`, signal);
        return (tasks.task ?? []).map(({ type, progress, ...task }) => ({ ...task, kind: type, progress: progress / 100, attempts: [] }));
      }
    },
    ...pace(source),
    refetchInterval: ({ state }) => (source.isRunning ? masterPause(state.data?.length ?? 0) : false),
  });

/** An attempt as Hadoop's interface tells it. */
export interface Attempt {
  readonly id: string;
  readonly state: string;
  /** Percent. */
  readonly progress: number;
  readonly status?: string;
  readonly startTime: number;
  readonly finishTime: number;
  readonly elapsedTime: number;
  readonly diagnostics?: string;
  readonly nodeHttpAddress?: string;
  readonly rack?: string;
  readonly assignedContainerId?: string;
  readonly elapsedShuffleTime?: number;
  readonly elapsedMergeTime?: number;
  readonly elapsedReduceTime?: number;
}

export const attemptsQuery = (source: JobSource, taskId: string) =>
  queryOptions({
    queryKey: [...keyOf(source), 'attempts', taskId],
    queryFn: async ({ signal }) =>
      (await ofMaster<{ taskAttempts: { taskAttempt?: readonly Attempt[] } }>(`${source.path}/tasks/${taskId}/attempts`, signal))
        .taskAttempts.taskAttempt ?? [],
    ...pace(source),
  });

/** A counter of a job; of tasks `map` and `reduce` are absent. */
export interface Counter {
  readonly name: string;
  readonly total: number;
  readonly map?: number;
  readonly reduce?: number;
}
export interface CounterGroup {
  readonly name: string;
  readonly counters: readonly Counter[];
}
interface HadoopCounters {
  readonly jobCounters: {
    readonly counterGroup?: readonly {
      readonly counterGroupName: string;
      readonly counter?: readonly {
        readonly name: string;
        readonly totalCounterValue: number;
        readonly mapCounterValue: number;
        readonly reduceCounterValue: number;
      }[];
    }[];
  };
}

export const countersQuery = (source: JobSource) =>
  queryOptions({
    queryKey: [...keyOf(source), 'counters'],
    queryFn: async ({ signal }): Promise<readonly CounterGroup[]> => {
      const { jobCounters } = await ofMaster<HadoopCounters>(`${source.path}/counters`, signal);
      return (jobCounters.counterGroup ?? []).map(({ counterGroupName, counter = [] }) => ({
        name: counterGroupName,
        counters: counter.map(({ name, totalCounterValue, mapCounterValue, reduceCounterValue }) => ({
          name,
          total: totalCounterValue,
          map: mapCounterValue,
          reduce: reduceCounterValue,
        })),
      }));
    },
    ...pace(source, 500),
  });

/** A setting of a job. */
export interface Property {
  readonly name: string;
  readonly value?: string;
  readonly source?: readonly string[];
}

export const configurationQuery = (source: JobSource) =>
  queryOptions({
    queryKey: [...keyOf(source), 'configuration'],
    queryFn: async ({ signal }) =>
      (await ofMaster<{ conf: { property?: readonly Property[] } }>(`${source.path}/conf`, signal)).conf.property ?? [],
    staleTime: never,
    refetchInterval: false,
  });

/** A generation of a job's master. */
export interface MasterGeneration {
  readonly id: number;
  readonly nodeHttpAddress: string;
  readonly startTime: number;
  readonly containerId: string;
  readonly logsLink: string;
}

export const mastersQuery = (source: JobSource) =>
  queryOptions({
    queryKey: [...keyOf(source), 'masters'],
    queryFn: async ({ signal }) =>
      (await ofMaster<{ jobAttempts: { jobAttempt?: readonly MasterGeneration[] } }>(`${source.path}/jobattempts`, signal)).jobAttempts
        .jobAttempt ?? [],
    ...pace(source, 5000),
  });

/** Filters of the history search and its order. */
export type HistoryFilter = Readonly<Record<string, string | undefined>>;
const jobsPerPage = 200;

/** Finished jobs, a page after the other. */
export const historyQuery = (filter: HistoryFilter) =>
  infiniteQueryOptions({
    queryKey: ['jobs', filter],
    queryFn: ({ pageParam, signal }) =>
      getJson<FinishedJobsPage>(
        `api/v1/jobs${queryText({ ...filter, limit: jobsPerPage, cursor: pageParam, facets: pageParam === '' ? 'true' : undefined })}`,
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) < 3 ? 10_000 : false),
  });
