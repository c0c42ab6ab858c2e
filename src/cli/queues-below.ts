// The tree of queues that a scheduler tells, as a list.
import { many, type QueueInfo } from '../client/cluster-client.ts';

/** q2 before q10. */
const byNumbers = new Intl.Collator('en', { numeric: true });

/** The children of a queue by their names: the capacity scheduler tells them in the order in which it serves them now, which is another from look to look. */
const childrenOf = (queue: QueueInfo): QueueInfo[] =>
  (many(queue.queues?.queue ?? queue.childQueues?.queue) as QueueInfo[]).toSorted((a, b) =>
    byNumbers.compare(a.queueName ?? '', b.queueName ?? ''),
  );

/** Whether a queue takes applications: it has no queues below it, and none is refused there. */
export const takesWork = (queue: QueueInfo): boolean => (queue.state ?? 'RUNNING') === 'RUNNING' && childrenOf(queue).length === 0;

/** The queues of a scheduler with what their scheduler tells, parents before their children, siblings by name. */
export function queuesBelow(queues: readonly QueueInfo[], parent = ''): { readonly path: string; readonly queue: QueueInfo }[] {
  return queues.flatMap((queue) => {
    const name = queue.queueName ?? 'root';
    const path = queue.queuePath ?? (parent === '' || name.includes('.') ? name : `${parent}.${name}`);
    return [{ path, queue }, ...queuesBelow(childrenOf(queue), path)];
  });
}
