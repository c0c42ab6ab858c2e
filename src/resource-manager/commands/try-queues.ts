// What other queues would come to: they are judged as a change is, then the scheduler decides on copies. Nothing is changed.
import type { Clock } from '../../lib/clock.ts';
import type { PacedTurns } from '../../lib/paced-turns.ts';
import { failure } from '../../model/errors.ts';
import { ChangeRefused } from '../../scheduler/capacity/settings/mutation.ts';
import { ConfigurationRefused, type SchedulingPolicy } from '../../scheduler/policy.ts';
import { tryQueues as followQueues, type QueueWhatIf } from '../../scheduler/what-if.ts';
import type { QueueConfiguration, QueueProposal } from '../queue-configuration.ts';
import type { Caller } from './caller.ts';
import type { AdministratorsGate } from './update-node.ts';

export interface TryQueuesPorts {
  readonly queues: Pick<QueueConfiguration, 'propose'>;
  readonly policy: SchedulingPolicy;
  readonly access: AdministratorsGate;
  readonly clock: Pick<Clock, 'now' | 'steadyMs'>;
  /** Copies of the scheduler take time and room with the size of the cluster: one proposal at a time has them. */
  readonly turns: PacedTurns;
}

/** What a proposal would come to. */
export interface TriedQueues extends QueueWhatIf {
  /** Keys before and after. */
  readonly properties: { readonly before: ReadonlyMap<string, string>; readonly after: ReadonlyMap<string, string> };
}

/** So long the answer takes at most, from the beginning of its turn: what lies further ahead is left out. */
const longestMs = 20_000;

/**
 * Says what the queues would come to now, also where a file has them. @throws Failure ONLY_ADMINISTRATORS, QUEUES_NOT_CHANGEABLE, QUEUES_REFUSED,
 * BAD_REQUEST, OVERLOADED
 */
export async function tryQueues(ports: TryQueuesPorts, caller: Caller, proposal: QueueProposal): Promise<TriedQueues> {
  const { queues, policy, access, clock, turns } = ports;
  access.administrator(caller, 'try other queues');
  const propose = () => refusable(() => queues.propose(proposal));
  // Refusals need no turn.
  propose();
  const tried = turns.takeSliced(function* (): Generator<void, TriedQueues> {
    const { before, properties: after, replace } = propose();
    const beganMs = clock.steadyMs();
    const isEnough = () => clock.steadyMs() - beganMs > longestMs;
    const told = yield* followQueues(policy, (copy) => refusable(() => replace(copy)), clock.now(), { isEnough });
    return { ...told, properties: { before, after } };
  });
  if (!tried) throw failure('OVERLOADED', { what: 'Trying other queues', seconds: 10 });
  return tried;
}

/** What is wrong; of an element of a file its place, too, which its sentence does not say. */
const reasonOf = (error: ConfigurationRefused | ChangeRefused): string =>
  error instanceof ConfigurationRefused && error.key !== undefined && !error.message.includes(error.key)
    ? `${error.key}: ${error.message}`
    : error.message;

function refusable<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConfigurationRefused || error instanceof ChangeRefused)
      throw failure('QUEUES_REFUSED', { reason: reasonOf(error) });
    throw error;
  }
}
