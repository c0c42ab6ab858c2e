// Which applications fill which nodes, as a map of nodes shows it. Pure.
import type { Placement } from '../../wire/cluster/own-answers.ts';

type NodePlacement = Placement['nodes'][number];
type Placed = NodePlacement['hidden'];

/** A part of a node that one application has. */
export interface Segment {
  /** Undefined: of applications that the reader may not view. */
  readonly applicationId: string | undefined;
  /** 0…1 of the node. */
  readonly share: number;
}

/** Whether placement tells of a type of resources. */
export const isPlaced = (type: string): boolean => type === 'memory-mb' || type === 'vcores';

const amountIn = ({ memoryMiB, vcores }: Placed, type: string): number => (type === 'vcores' ? vcores : memoryMiB);

/** What fills a node of which there is `total`, in order, the hidden last; none where the type is not told of. */
export function segmentsOf({ shares, hidden }: Pick<NodePlacement, 'shares' | 'hidden'>, type: string, total: number): Segment[] {
  if (!isPlaced(type) || total <= 0) return [];
  const parts = shares.map((share) => ({ applicationId: share.applicationId, share: amountIn(share, type) / total }));
  return [...parts, { applicationId: undefined, share: amountIn(hidden, type) / total }].filter(({ share }) => share > 0);
}

/** An application over all nodes that are told of. */
export interface PlacedApplication extends Placed {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly queue: string;
  /** On how many nodes it has containers. */
  readonly nodes: number;
}

/** The applications of the nodes whose ids are shown, that with the most of a type first. */
export function placedApplications(placement: Placement, shown: ReadonlySet<string>, type: string): PlacedApplication[] {
  const facts = new Map(placement.applications.map((application) => [application.id, application]));
  const sums = new Map<string, { containers: number; memoryMiB: number; vcores: number; nodes: number }>();
  for (const { id, shares } of placement.nodes) {
    if (!shown.has(id)) continue;
    for (const { applicationId, containers, memoryMiB, vcores } of shares) {
      const sum = sums.get(applicationId) ?? { containers: 0, memoryMiB: 0, vcores: 0, nodes: 0 };
      sum.containers += containers;
      sum.memoryMiB += memoryMiB;
      sum.vcores += vcores;
      sum.nodes += 1;
      sums.set(applicationId, sum);
    }
  }
  return [...sums]
    .map(([id, sum]) => ({ ...(facts.get(id) ?? { id, name: '', user: '', queue: '' }), ...sum }))
    .toSorted((a, b) => amountIn(b, type) - amountIn(a, type) || a.id.localeCompare(b.id, 'en', { numeric: true }));
}
