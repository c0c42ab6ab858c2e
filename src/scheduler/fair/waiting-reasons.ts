// Why applications and requests of the fair policy wait: the checks of limits.ts, run again and told with their numbers.

import { explainRequests } from '../explain/explain-requests.ts';
import type { Explanation, WaitingReason } from '../explain/explanation.ts';
import type { Locality } from '../placement/locality.ts';
import type { Ledger } from '../state/ledger.ts';
import type { OpenRequest } from '../state/model.ts';
import type { Partition } from '../state/nodes.ts';
import { shownName } from '../state/requests.ts';
import type { Allocations } from './allocations.ts';
import { freeOf, hasUnlimitedMasters, masterLimit, refusesMaster, refusesSize, refusesToRun } from './limits.ts';
import type { FairApplication, FairQueue } from './queue.ts';

/** What explanations are worked out from; shares are those of the moment. */
export interface FairView {
  readonly ledger: Ledger<FairApplication>;
  readonly root: FairQueue;
  readonly allocations: Allocations;
  readonly locality: Locality;
}

/** The record of one application. */
export function explainFair(application: FairApplication, view: FairView): Explanation {
  const { queue, attempt } = application;
  const { applications, nodes } = view.ledger;
  const held: WaitingReason | undefined =
    attempt && !application.isRunnable
      ? (runWaitingReason(application, view, applications.values()) ?? { rule: 'NOT_YET_LOOKED_AT', queue: queue.path })
      : undefined;
  const rules = (request: OpenRequest): (WaitingReason | undefined)[] => [
    request.isMaster ? masterWaitingReason(queue, request, view) : undefined,
    maximumWaitingReason(queue, request),
  ];
  // A master that must wait ends the application's turn.
  const turn = (request: OpenRequest): WaitingReason | undefined => {
    const [first] = attempt?.requests.inOrder() ?? [];
    if (!first?.isMaster || first === request || !masterWaitingReason(queue, first, view)) return undefined;
    return { rule: 'BEHIND_REQUEST', queue: queue.path, partition: '', other: shownName(first) };
  };
  const onNodes = (request: OpenRequest, partition: Partition): OpenRequest => ({
    ...request,
    reach: view.locality.reachNow(request, nodes, partition),
  });
  return {
    queue: queue.path,
    ...(held && { application: held }),
    ...explainRequests(attempt, nodes, { held, rules, turn, onNodes }),
  };
}

function runWaitingReason(
  application: FairApplication,
  { allocations }: FairView,
  others: Iterable<FairApplication>,
): WaitingReason | undefined {
  const refused = refusesToRun(application, allocations, others);
  if (!refused) return undefined;
  const { queue, running, maximum } = refused;
  return queue
    ? { rule: 'QUEUE_PARALLEL_LIMIT', queue: queue.path, running, maximum }
    : { rule: 'USER_PARALLEL_LIMIT', user: application.user, running, maximum };
}

function masterWaitingReason(queue: FairQueue, request: OpenRequest, { ledger, root }: FairView): WaitingReason | undefined {
  if (hasUnlimitedMasters(queue)) return undefined;
  const limit = refusesMaster(queue, request, masterLimit(queue, freeOf(ledger.nodes.total, root)));
  return limit && { rule: 'QUEUE_MASTER_LIMIT', queue: queue.path, partition: '', asked: request.resource, used: [...queue.amUsed], limit };
}

function maximumWaitingReason(queue: FairQueue, request: OpenRequest): WaitingReason | undefined {
  const at = refusesSize(queue, request);
  return (
    at && {
      rule: at === queue ? 'QUEUE_MAXIMUM' : 'ANCESTOR_MAXIMUM',
      queue: at.path,
      partition: '',
      asked: request.resource,
      used: [...at.used],
      limit: at.maximum(),
    }
  );
}
