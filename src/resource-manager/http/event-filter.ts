// Which events a reader wants, as a query of `GET /api/v1/events` says it and a webhook.
import { failure } from '../../model/errors.ts';
import { eventKinds } from '../../model/event-kinds.ts';
import { InvalidId, parseApplicationId } from '../../model/ids.ts';
import type { Found } from '../../scheduler/policy.ts';
import type { EventNames } from '../views/cluster-events.ts';
import { parseQueue } from './application-filter.ts';

const mostValues = 1000;
const bad = (reason: string) => failure('BAD_REQUEST', { reason });

/** Names without blanks around them; undefined where there are none. */
function named(what: string, names: readonly string[] | undefined): readonly string[] | undefined {
  const found = (names ?? []).map((name) => name.trim()).filter((name) => name !== '');
  if (found.length > mostValues) throw bad(`${what} takes ${mostValues} values at most`);
  return found.length > 0 ? found : undefined;
}

function mustBeApplicationId(text: string): void {
  try {
    parseApplicationId(text);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('ID_MALFORMED', { reason: error.message });
    throw error;
  }
}

const knownKinds = new Set<string>(eventKinds.flatMap((kind) => [kind, kind.slice(0, kind.indexOf('.'))]));

/** What was given, checked; queues by their full names. @throws Failure BAD_REQUEST, ID_MALFORMED, QUEUE_UNKNOWN, QUEUE_AMBIGUOUS */
export function eventNames(given: EventNames, policy: { queueOfFilter(name: string): Found }): EventNames {
  const applications = named('application', given.applications);
  for (const id of applications ?? []) mustBeApplicationId(id);
  const kinds = named('kind', given.kinds);
  for (const kind of kinds ?? []) if (!knownKinds.has(kind)) throw bad(`kind must be of ${[...knownKinds].join(', ')}, not ${kind}`);
  const users = named('user', given.users);
  const queues = named('queue', given.queues)?.flatMap((name) => parseQueue(name, policy) ?? []);
  return { applications, users, queues, nodes: named('node', given.nodes), kinds };
}
