// The tree of queues that a scheduler tells, as a list.
import { many, type QueueInfo } from '../client/cluster-client.ts';

/** The queues of a scheduler with what their scheduler tells, parents before their children. */
export function queuesBelow(queues: readonly QueueInfo[], parent = ''): { readonly path: string; readonly queue: QueueInfo }[] {
  return queues.flatMap((queue) => {
    const name = queue.queueName ?? 'root';
    const path = queue.queuePath ?? (parent === '' || name.includes('.') ? name : `${parent}.${name}`);
    return [{ path, queue }, ...queuesBelow(many(queue.queues?.queue ?? queue.childQueues?.queue) as QueueInfo[], path)];
  });
}
