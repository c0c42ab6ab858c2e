// What must hold of parked work, walked from the root: for tests.

import type { CapacityQueue } from '../queues/queue.ts';
import { requestsIn } from './parked-bounds.ts';
import { nodeBits } from './parked-reasons.ts';

/** Throws unless everything in the queue is where the table of `Parked` says. */
export function checkQueue(queue: CapacityQueue, partition: number): void {
  const share = queue.share(partition);
  const { line, parkedChildren, askingChildren, blocked } = share;
  const must = (holds: boolean, what: string): void => {
    if (!holds) throw new Error(`${queue.path} in partition ${partition}: ${what}`);
  };
  if (queue.leaf) {
    let count = 0;
    for (const application of queue.leaf.active) {
      const isInLine = line?.has(application) === true;
      const isParked = line?.parked.has(application) === true;
      const wants = requestsIn(application, partition);
      must(!(isInLine && isParked), `${application.applicationId} is in two places`);
      must(!wants || isInLine || isParked, `${application.applicationId} is in none`);
      must(wants || !isInLine, `${application.applicationId} is to be visited and requests nothing`);
      must(isParked === (application.parkedAs[partition] ?? 0) > 0, `${application.applicationId} is parked without a reason`);
      if (isParked && (application.parkedAs[partition]! & nodeBits) !== 0) count++;
    }
    must(count === share.parkedCount, `counts ${share.parkedCount} parked applications of ${count}`);
    const isListed = queue.parent!.share(partition).askingChildren?.has(queue) === true || share.parkedAs !== 0;
    must((line?.size ?? 0) === 0 || isListed, 'has applications to visit and is not visited');
    return;
  }
  const kept = blocked.map(() => 0);
  for (const child of parkedChildren ?? []) {
    const below = child.share(partition);
    must(askingChildren?.has(child) !== true, `${child.path} is in two places`);
    must(below.parkedAs !== 0, `${child.path} is parked without a reason`);
    for (let i = 0; i < kept.length; i++) kept[i]! += below.kept?.[i] ?? 0;
  }
  must(
    kept.every((value, i) => value === blocked[i]),
    `keeps ${blocked} for children that keep ${kept}`,
  );
  if (!queue.parent) return;
  const isListed = queue.parent.share(partition).askingChildren?.has(queue) === true || share.parkedAs !== 0;
  must((askingChildren?.size ?? 0) === 0 || isListed, 'has queues to visit and is not visited');
}
