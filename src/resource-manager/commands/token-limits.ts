// What a bearer token keeps its bearer from, beside what access lists say: other users' applications, and queues that it does not name.

import type { Audit, AuditedOperation } from '../../auth/audit-log.ts';
import { type Belonging, changeRefusal, reachesQueue } from '../../auth/bearer/restriction.ts';
import { failure } from '../../model/errors.ts';
import type { Caller } from './caller.ts';

/** Passes callers whose token reaches the queue, given by its full name. @throws Failure BEARER_QUEUE */
export function mustReachQueue(audit: Audit, caller: Caller, queue: string, operation: AuditedOperation): void {
  const { restriction, user } = caller;
  if (restriction === undefined || reachesQueue(restriction, queue)) return;
  throw audit.refused(caller, { ...operation, queue }, failure('BEARER_QUEUE', { user, queue }));
}

/** Passes callers whose token may change the application: with a narrower scope than `admin` their own alone. @throws Failure BEARER_OTHERS, BEARER_QUEUE */
export function mustBeWithinToken(audit: Audit, caller: Caller, belonging: Belonging, operation: string): void {
  const refusal = changeRefusal(caller, belonging);
  if (refusal === undefined) return;
  const { id: target, queue } = belonging;
  throw audit.refused(caller, { operation, target, ...(refusal.code === 'BEARER_QUEUE' && { queue }) }, refusal);
}

/**
 * What a narrower token keeps its bearer from, and a delegation token: a token would make itself a wider one, or one that lasts longer; a schedule
 * submits and a webhook tells all that its user may, and both outlive the token.
 */
type ByWideToken = 'BEARER_BY_NARROW_TOKEN' | 'SCHEDULE_BY_NARROW_TOKEN' | 'WEBHOOK_BY_NARROW_TOKEN';

/** Passes callers without a token, or with a bearer token that is no narrower than its user. @throws Failure of the given code */
export function mustNotBeNarrow(audit: Audit, caller: Caller, operation: AuditedOperation, code: ByWideToken): void {
  const { restriction, authentication } = caller;
  const isWide = restriction === undefined || (restriction.scope === 'admin' && restriction.queues === undefined);
  if (isWide && authentication !== 'token') return;
  throw audit.refused(caller, operation, failure(code));
}
