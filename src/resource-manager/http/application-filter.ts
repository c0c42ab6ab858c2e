// The filters of `GET /apps` as parameters: what they say, and their errors in Hadoop's order (RMWebServices.getApps).

import type { Query } from '../../http/query.ts';
import { hashSetOrder } from '../../lib/java-hash-set.ts';
import { parseLong } from '../../lib/java-number.ts';
import { type PublicApplicationState, publicApplicationStates } from '../../model/application-states.ts';
import { failure } from '../../model/errors.ts';
import type { Found } from '../../scheduler/policy.ts';
import type { ChosenFacets } from '../views/application-facets.ts';
import type { ApplicationFilter } from '../views/application-filter.ts';

/** What a request asks of a list. */
export interface ApplicationQuery extends ApplicationFilter {
  readonly limit: number;
  /** As given; checked only when an application reaches it. */
  readonly finalStatus: string | undefined;
  readonly deselects: readonly string[];
}

const finalStatuses = new Set(['UNDEFINED', 'SUCCEEDED', 'FAILED', 'KILLED', 'ENDED']);
const bad = (reason: string) => failure('BAD_REQUEST', { reason });
const absent = (text: string | undefined): text is undefined | '' => text === undefined || text === '';

/** Comma-separated pieces of every occurrence. */
export const pieces = (query: Query, name: string): string[] => query.all(name).flatMap((text) => text.split(','));
const words = (query: Query, name: string): string[] => wordsOf(pieces(query, name));
const wordsOf = (parts: readonly string[]): string[] => parts.map((part) => part.trim()).filter((part) => part !== '');

/** The words of all occurrences of `states`, and of `more`, in the order in which Hadoop goes through them: the first that is none is told. */
export const statesOf = (query: Query, more = ''): string[] =>
  wordsOf(hashSetOrder([...query.all('states'), ...(more === '' ? [] : [more])]).flatMap((text) => text.split(',')));

/** Public states in any case. @throws Failure APPLICATION_STATE_UNKNOWN */
export function parseStates(texts: readonly string[]): Set<string> {
  const states = new Set<string>();
  for (const text of texts) {
    const state = text.toUpperCase();
    if (!publicApplicationStates.includes(state as PublicApplicationState)) throw failure('APPLICATION_STATE_UNKNOWN', { state: text });
    states.add(state);
  }
  return states;
}

function wholeNumber(query: Query, name: string, sentence: string): number | undefined {
  const text = query.first(name);
  if (absent(text)) return undefined;
  const value = parseLong(text);
  if (value === undefined) throw bad(sentence);
  return value;
}

function checkRange(fromMs: number | undefined, toMs: number | undefined, names: { from: string; to: string; than: string }): void {
  if (fromMs !== undefined && fromMs < 0) throw bad(`${names.from} must be greater than 0`);
  if (toMs !== undefined && toMs < 0) throw bad(`${names.to} must be greater than 0`);
  if ((fromMs ?? 0) > (toMs ?? Number.POSITIVE_INFINITY)) throw bad(`${names.to} must be greater than ${names.than}`);
}

/**
 * Reads the filters. `resolveQueue` is the policy's; only the capacity policy refuses unknown names.
 * @throws Failure BAD_REQUEST, QUEUE_UNKNOWN, QUEUE_AMBIGUOUS, APPLICATION_STATE_UNKNOWN
 */
export function parseApplicationFilter(query: Query, policy: { queueOfFilter(name: string): Found }): ApplicationQuery {
  const number = (name: string) => wholeNumber(query, name, `${name} value must be a number!`);
  const startedFromMs = number('startedTimeBegin');
  const startedToMs = number('startedTimeEnd');
  const finishedFromMs = number('finishedTimeBegin');
  const finishedToMs = number('finishedTimeEnd');
  const queue = parseQueue(query.first('queue'), policy);
  const limit = wholeNumber(query, 'limit', 'limit value must be a number!');
  if (limit !== undefined && limit <= 0) throw bad('limit value must be greater then 0');
  checkRange(startedFromMs, startedToMs, { from: 'startedTimeBegin', to: 'startedTimeEnd', than: 'startTimeBegin' });
  checkRange(finishedFromMs, finishedToMs, { from: 'finishTimeBegin', to: 'finishTimeEnd', than: 'finishTimeBegin' });
  // The older parameter counts once, the newer one as often as it is given.
  const states = parseStates(statesOf(query, query.first('state')));
  const types = words(query, 'applicationTypes').map((type) => type.toLowerCase());
  const tags = words(query, 'applicationTags').map((tag) => tag.toLowerCase());
  const finalStatus = query.first('finalStatus');
  const user = query.first('user');
  return {
    states: states.size > 0 ? states : undefined,
    users: absent(user) ? undefined : new Set([user]),
    types: types.length > 0 ? new Set(types) : undefined,
    tags: tags.length > 0 ? new Set(tags) : undefined,
    name: query.first('name'),
    queues: queue === undefined ? undefined : new Set([queue]),
    limit: limit ?? Number.POSITIVE_INFINITY,
    startedFromMs,
    startedToMs,
    finishedFromMs,
    finishedToMs,
    finalStatus: absent(finalStatus) ? undefined : finalStatus,
    deselects: pieces(query, 'deSelects').filter((piece) => piece !== ''),
  };
}

/**
 * Reads what lists are narrowed to by choices: `states`, `finalStatus`, `user`, `queue`, `applicationTypes`.
 * @throws Failure QUEUE_UNKNOWN, QUEUE_AMBIGUOUS, APPLICATION_STATE_UNKNOWN, ENUM_UNKNOWN
 */
export function chosenOf(query: Query, policy: { queueOfFilter(name: string): Found }): ChosenFacets {
  const queue = parseQueue(query.first('queue'), policy);
  const states = parseStates(statesOf(query));
  const types = words(query, 'applicationTypes').map((type) => type.toLowerCase());
  const user = query.first('user');
  const finalStatus = query.first('finalStatus') || undefined;
  checkFinalStatus({ finalStatus });
  return {
    states: states.size > 0 ? states : undefined,
    finalStatus,
    users: absent(user) ? undefined : new Set([user]),
    queues: queue === undefined ? undefined : new Set([queue]),
    types: types.length > 0 ? new Set(types) : undefined,
  };
}

/** The full name of a queue that a filter names; undefined where it names none. @throws Failure QUEUE_UNKNOWN, QUEUE_AMBIGUOUS */
export function parseQueue(name: string | undefined, policy: { queueOfFilter(name: string): Found }): string | undefined {
  if (absent(name)) return undefined;
  const found = policy.queueOfFilter(name);
  if (typeof found === 'object') return found.queue;
  throw failure(found === 'ambiguous' ? 'QUEUE_AMBIGUOUS' : 'QUEUE_UNKNOWN', { queue: name });
}

/** Checks `finalStatus` once an application reached it. @throws Failure ENUM_UNKNOWN */
export function checkFinalStatus(filter: Pick<ApplicationQuery, 'finalStatus'>): void {
  if (filter.finalStatus !== undefined && !finalStatuses.has(filter.finalStatus)) {
    throw failure('ENUM_UNKNOWN', { constant: `FinalApplicationStatus.${filter.finalStatus}` });
  }
}
