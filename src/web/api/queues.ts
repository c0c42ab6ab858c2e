// What pages ask the resource manager about queues, and how they change them.
import { queryOptions } from '@tanstack/react-query';
import type { PlainApplication, QueueChanges } from '../../wire/cluster/own-answers.ts';
import type { QueueWhatIf } from '../../wire/cluster/queue-what-if.ts';
import type { Properties, QueueChangeBody, QueueFileBody } from '../format/queue-change.ts';
import { type QueueTree, queueTree, type ReadScheduler } from '../format/queue-tree.ts';
import { change, getJson, queryText } from './http.ts';

export const queuesQuery = queryOptions({
  queryKey: ['queues', 'tree'],
  queryFn: async ({ signal }): Promise<QueueTree> => {
    const { scheduler } = await getJson<{ scheduler: { schedulerInfo: ReadScheduler } }>('ws/v1/cluster/scheduler', signal);
    return queueTree(scheduler.schedulerInfo);
  },
});

/** What holds the work of a queue back, the most frequent first. */
export interface QueueWait {
  readonly rule: string;
  readonly sentence: string;
  readonly remedy: string;
  readonly applications: readonly { readonly id: string; readonly name: string }[];
}

interface ReadReason {
  readonly rule: string;
  readonly sentence: string;
  readonly remedy: string;
}
interface ReadExplanation {
  readonly waiting: boolean;
  readonly sentence: string;
  readonly remedy?: string;
  readonly application?: ReadReason;
  readonly requests: readonly { readonly reasons: readonly ReadReason[] }[];
}

/** So many applications of a queue are asked why they wait. */
const mostExplained = 12;

/** Why applications of a queue wait, grouped by the rule that holds them back. What the caller may not view is left out. */
export const queueWaitsQuery = (queue: string) =>
  queryOptions({
    queryKey: ['waiting', 'queue', queue],
    queryFn: async ({ signal }): Promise<readonly QueueWait[]> => {
      const { applications } = await getJson<{ applications: readonly PlainApplication[] }>(
        `api/v1/applications${queryText({ queue, states: 'ACCEPTED,RUNNING', sort: 'startedTime', limit: mostExplained })}`,
        signal,
      );
      const told = await Promise.all(
        applications.map(async ({ id, name }) => {
          const explanation = await getJson<ReadExplanation>(`api/v1/applications/${id}/explain`, signal).catch(() => undefined);
          return { id, name, explanation };
        }),
      );
      return grouped(told);
    },
  });

/** One entry a rule; of its applications the first says the sentence. */
export function grouped(
  told: readonly { readonly id: string; readonly name: string; readonly explanation: ReadExplanation | undefined }[],
): readonly QueueWait[] {
  const waits = new Map<string, QueueWait>();
  for (const { id, name, explanation } of told) {
    const reason = explanation?.application ?? explanation?.requests[0]?.reasons[0];
    if (!explanation?.waiting || !reason) continue;
    const before = waits.get(reason.rule);
    const applications = [...(before?.applications ?? []), { id, name }];
    waits.set(
      reason.rule,
      before ? { ...before, applications } : { rule: reason.rule, sentence: reason.sentence, remedy: reason.remedy, applications },
    );
  }
  return [...waits.values()].toSorted((a, b) => b.applications.length - a.applications.length);
}

/** The mapped form writes a list of one as the one. */
type Mapped = Properties | Properties[number];
const listed = (property: Mapped | undefined): Properties => [property ?? []].flat();

/** How the queues are set, key by key; refused to whoever does not administer the cluster, and where a file has them. */
export const queueSettingsQuery = queryOptions({
  queryKey: ['queues', 'settings'],
  queryFn: async ({ signal }): Promise<Properties> =>
    listed((await getJson<{ property?: Mapped }>('ws/v1/cluster/scheduler-conf', signal)).property),
  staleTime: 5000,
  refetchInterval: false,
});

/** What a change would come to. @throws ApiFailure with what the scheduler says against it */
export const validateQueues = async (body: QueueChangeBody): Promise<Properties> =>
  listed((await change<{ property?: Mapped }>('POST', 'ws/v1/cluster/scheduler-conf/validate', body))?.property);

/** What a change would do to what runs and waits now; asked once. */
export const queueWhatIfQuery = (body: QueueChangeBody | QueueFileBody) =>
  queryOptions({
    queryKey: ['queues', 'what-if', body],
    queryFn: async (): Promise<QueueWhatIf> => (await change<QueueWhatIf>('POST', 'api/v1/queues/what-if', body))!,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchInterval: false,
    retry: false,
  });

/** Changes the queues. @throws ApiFailure */
export const changeQueues = (body: QueueChangeBody): Promise<unknown> => change('PUT', 'ws/v1/cluster/scheduler-conf', body);

export const queueHistoryQuery = queryOptions({
  queryKey: ['queues', 'history'],
  queryFn: async ({ signal }) => (await getJson<{ changes: readonly QueueChanges[] }>('api/v1/queues/history', signal)).changes,
  retry: false,
});
