// What Hadoop's scheduler takes of scheduling requests (SingleConstraintAppPlacementAllocator, AppSchedulingInfo): it refuses what it could not
// keep to, where the scheduler places them itself.
import type { RpcException } from '../../rpc/exceptions.ts';
import { yarn, yarnException } from './failures.ts';
import type { Ask } from './master-asks.ts';
import { type SchedulingRequest, schedulingAskId } from './master-requests.ts';

/** A request as the scheduler is to take it, with its name there. */
interface NewRequest {
  readonly ask: Pick<Ask, 'askId'>;
  readonly message: SchedulingRequest;
}

/** By name: requests that are not met yet. */
type OpenRequests = ReadonlyMap<string, { readonly message: SchedulingRequest }>;

/** Only their count changes while they are open, and no other request has their priority and number. @throws RpcException */
export function checkScheduling(applicationId: string, asks: readonly Ask[], requests: readonly NewRequest[], open: OpenRequests): void {
  for (const { ask, message } of requests) {
    const where = `AppId=${applicationId} Key=${keyText(message.priority?.priority, message.allocationRequestId)}. Exception message:`;
    if (!message.resourceSizing?.resources)
      throw refusedByScheduler(`${where}No ResourceSizing found in the scheduling request, please double check`);
    if (message.executionType?.execution_type === 'OPPORTUNISTIC')
      throw refusedByScheduler(`${where}Only GUARANTEED execution type is supported.`);
    const former = open.get(ask.askId);
    if (former && meaning(former.message) !== meaning(message))
      throw refusedByScheduler(
        'Invalid updated SchedulingRequest added to scheduler,  we only allows changing numAllocations for the updated SchedulingRequest, if any fields need to be updated, please cancel the old request (by setting numAllocations to 0) and send a SchedulingRequest with different combination of priority/allocationId',
      );
  }
  for (const { priority, allocationRequestId } of asks)
    if (open.has(schedulingAskId(priority, allocationRequestId)))
      throw refusedByScheduler(
        `there exists a SchedulingRequest with the same scheduler key=${keyText(priority, allocationRequestId)}, please send ResourceRequest with a different allocationId and priority`,
      );
}

const keyText = (priority: number | undefined, allocationRequestId: number): string =>
  `SchedulerRequestKey{priority=${priority ?? 0}, allocationRequestId=${allocationRequestId}, containerToUpdate=null}`;

/** Client libraries know the scheduler's exception by its name in the text alone. */
const refusedByScheduler = (message: string): RpcException =>
  yarnException(`${yarn('SchedulerInvalidResoureRequestException')}: ${message}`);

/** A request without its count; the order of its sets means nothing. */
const meaning = (message: SchedulingRequest): string =>
  text({ ...message, resourceSizing: { ...message.resourceSizing, numAllocations: 0 } });

function text(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(text).sort().join()}]`;
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? `${value}` : (JSON.stringify(value) ?? '');
  return `{${Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${name}:${text(member)}`)
    .sort()
    .join()}}`;
}
