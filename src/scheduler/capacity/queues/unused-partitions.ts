// Partitions of labels that are gone and in which nothing ever was: their places are given to labels that come, so that names which change
// without end do not add up.
import type { Ledger } from '../../state/ledger.ts';
import type { CapacityApplication } from '../application.ts';
import type { CapacityQueue } from './queue.ts';

/** Vacates what neither the known labels nor queues, nodes and applications have or ever had. */
export function vacateUnused(root: CapacityQueue, ledger: Ledger<CapacityApplication>, isKnown: (label: string) => boolean): void {
  const { nodes, applications } = ledger;
  const gone = nodes.partitions.filter(
    (partition) => partition.index > 0 && partition.nodes === 0 && nodes.isKept(partition) && !isKnown(partition.name),
  );
  if (gone.length === 0) return;
  const queues = [...root.walk()];
  const named = new Set(queues.flatMap(({ settings }) => [...settings.labels.keys()]));
  const held = [...applications.values()];
  for (const partition of gone) {
    const { index, name } = partition;
    if (named.has(name) || queues.some(({ shares }) => shares[index]?.touched)) continue;
    if (held.some(({ counts, masterPartition }) => masterPartition === index || counts.has(index))) continue;
    for (const queue of queues) queue.forgetPartition(index);
    nodes.vacate(partition);
  }
}
