// Which applications a list is about, whichever door asks (ApplicationFilter of RMWebServices, ClientRMService.getApplications).
import { isAscii } from '../../lib/text-batch.ts';
import { finalApplicationStates } from '../../model/application-states.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { type Application, publicState } from '../applications/application.ts';
import type { FinishedBrief, FinishedFilter } from '../store/finished-rows.ts';

/** What a filter looks at. */
export interface FilteredFacts {
  readonly state: string;
  readonly user: string;
  /** In lower case. */
  readonly type: string;
  readonly tags: readonly string[];
  readonly name: string;
  readonly startedMs: number;
  readonly finishedMs: number;
}

/** The filters of one request; absent parts let everything pass. */
export interface ApplicationFilter {
  readonly states: ReadonlySet<string> | undefined;
  readonly users: ReadonlySet<string> | undefined;
  /** In lower case. */
  readonly types: ReadonlySet<string> | undefined;
  /** In lower case. */
  readonly tags: ReadonlySet<string> | undefined;
  readonly name: string | undefined;
  /** Full names where the policy knows them, else as given. */
  readonly queues: ReadonlySet<string> | undefined;
  readonly startedFromMs: number | undefined;
  readonly startedToMs: number | undefined;
  readonly finishedFromMs: number | undefined;
  readonly finishedToMs: number | undefined;
}

/** Whether `passes` can leave out anything. */
export const isSelective = ({
  types,
  states,
  users,
  startedFromMs,
  startedToMs,
  finishedFromMs,
  finishedToMs,
  tags,
  name,
}: ApplicationFilter): boolean =>
  [types, states, users, startedFromMs, startedToMs, finishedFromMs, finishedToMs, tags, name].some((part) => part !== undefined);

/** Whether an application passes everything but queue and visibility. */
export function passes(filter: ApplicationFilter, facts: FilteredFacts): boolean {
  return (
    (filter.types === undefined || filter.types.has(facts.type)) &&
    (filter.states === undefined || filter.states.has(facts.state)) &&
    (filter.users === undefined || filter.users.has(facts.user)) &&
    (filter.startedFromMs === undefined || facts.startedMs >= filter.startedFromMs) &&
    (filter.startedToMs === undefined || facts.startedMs <= filter.startedToMs) &&
    (filter.finishedFromMs === undefined || facts.finishedMs >= filter.finishedFromMs) &&
    (filter.finishedToMs === undefined || facts.finishedMs <= filter.finishedToMs) &&
    (filter.tags === undefined || facts.tags.some((tag) => filter.tags!.has(tag.toLowerCase()))) &&
    (filter.name === undefined || filter.name === facts.name)
  );
}

/**
 * Whether a live application is of the queues of a filter: the scheduler has it there or below, or it was submitted to one of them and
 * the scheduler does not have it yet, or no more.
 */
export function isOfQueues(
  { queues }: ApplicationFilter,
  { id, queue }: Pick<Application, 'id' | 'queue'>,
  policy: Pick<SchedulingPolicy, 'isOf'>,
): boolean {
  if (queues === undefined || queues.has(queue)) return true;
  for (const wanted of queues) if (policy.isOf(id, wanted)) return true;
  return false;
}

/** What a filter looks at of an application in memory. */
export function factsOf(application: Application): FilteredFacts {
  const { submission } = application;
  return {
    state: publicState(application),
    user: application.user,
    type: submission.type.toLowerCase(),
    tags: submission.tags,
    name: submission.name,
    startedMs: application.startedMs,
    finishedMs: application.finishedMs,
  };
}

/** The same of an application in the store. */
export const factsOfRow = (row: FinishedBrief): FilteredFacts => ({
  state: row.state,
  user: row.user,
  type: row.type.toLowerCase(),
  tags: row.tags === '' ? [] : row.tags.split(','),
  name: row.name,
  startedMs: row.started_ms,
  finishedMs: row.finished_ms,
});

/** Whether an application that has ended can pass. */
export const mayHaveEnded = ({ states }: Pick<ApplicationFilter, 'states'>): boolean =>
  !states || finalApplicationStates.some((state) => states.has(state));

/** The part of the filters that the store applies: rows that it gives may still not pass. */
export function storeFilter(filter: ApplicationFilter): FinishedFilter {
  // The store knows lower case of ASCII alone.
  const types = filter.types && [...filter.types].every(isAscii) ? [...filter.types] : undefined;
  return {
    tags: filter.tags && [...filter.tags].every(isAscii) ? [...filter.tags] : undefined,
    states: filter.states && [...filter.states],
    users: filter.users && [...filter.users],
    types,
    queues: filter.queues && [...filter.queues],
    name: filter.name,
    startedFromMs: filter.startedFromMs,
    startedToMs: filter.startedToMs,
    finishedFromMs: filter.finishedFromMs,
    finishedToMs: filter.finishedToMs,
  };
}
