// Partitions of labels that are gone: their places are given to labels that come, so that names which change without end do not add up.

import { isNothing } from '../../state/calculator.ts';
import type { Ledger } from '../../state/ledger.ts';
import type { Partition } from '../../state/nodes.ts';
import type { CapacityApplication } from '../application.ts';
import type { CapacityQueue, QueueShare } from './queue.ts';

/** Labels that are gone and in which something once was, which queues list as Hadoop's do: so many are kept, those that came last. */
export const mostLeftBehind = 100;

/**
 * Vacates what neither the known labels nor queues, nodes and applications have, and in which nothing ever was, or nothing is any more and more than a hundred
 * came later. `vacated` hears of each before its place is free.
 */
export function vacateUnused(
  root: CapacityQueue,
  ledger: Ledger<CapacityApplication>,
  isKnown: (label: string) => boolean,
  vacated: (partition: number) => void,
): void {
  const { nodes, applications } = ledger;
  const gone = nodes.inOrderOfArrival().filter(({ index, name, nodes: count }) => index > 0 && count === 0 && !isKnown(name));
  if (gone.length === 0) return;
  const queues = [...root.walk()];
  const named = new Set(queues.flatMap(({ settings }) => [...settings.labels.keys()]));
  const held = [...applications.values()];
  const isWanted = ({ index, name }: Partition) =>
    named.has(name) || held.some(({ counts, masterPartition }) => masterPartition === index || counts.has(index));
  const idle = gone.filter((partition) => !isWanted(partition));
  const wasUsed = ({ index }: Partition) => queues.some(({ shares }) => shares[index]?.touched);
  const leftBehind = idle.filter((partition) => wasUsed(partition));
  const forgotten = new Set(
    leftBehind
      .slice(0, Math.max(0, leftBehind.length - mostLeftBehind))
      .filter(({ index }) => queues.every(({ shares }) => isEmpty(shares[index]))),
  );
  const kept = new Set(leftBehind.filter((partition) => !forgotten.has(partition)));
  for (const partition of idle) {
    if (kept.has(partition)) continue;
    vacated(partition.index);
    for (const queue of queues) queue.forgetPartition(partition.index);
    nodes.vacate(partition);
  }
}

const isEmpty = (share: QueueShare | undefined): boolean =>
  !share || [share.used, share.pending, share.reserved, share.amUsed].every((amount) => isNothing(amount));
