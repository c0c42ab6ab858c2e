// Fair shares: a common ratio of share to weight is sought so that the shares, between minimum and maximum, use up what there is
// (Hadoop's ComputeFairShares, the same steps so that the same roundings come out).

/** Something that takes part: a queue or an application. */
export interface Sharer {
  readonly weight: number;
  minimumOf(type: number): number;
  maximumOf(type: number): number;
  /** Queues without applications get nothing of the momentary shares. */
  readonly takesPart: boolean;
  setShare(type: number, value: number): void;
}

const steps = 25;

/** Divides `total` of one resource type. `steady`: as if all were active. */
export function computeShares(sharers: readonly Sharer[], total: number, type: number, steady: boolean): void {
  const open: Sharer[] = [];
  let taken = 0;
  for (const sharer of sharers) {
    const fixed = fixedShare(sharer, type, steady);
    if (fixed < 0) open.push(sharer);
    else {
      sharer.setShare(type, fixed);
      taken += fixed;
    }
  }
  if (open.length === 0) return;
  let most = 0;
  for (const sharer of open) most += sharer.maximumOf(type);
  const available = Math.min(most, Math.max(total - taken, 0));
  let upper = 1;
  while (usedAt(upper, open, type) < available) upper *= 2;
  let left = 0;
  let right = upper;
  for (let i = 0; i < steps; i++) {
    const middle = (left + right) / 2;
    const used = usedAt(middle, open, type);
    if (used === available) {
      right = middle;
      break;
    }
    if (used < available) left = middle;
    else right = middle;
  }
  for (const sharer of open) sharer.setShare(type, shareAt(right, sharer, type));
}

function fixedShare(sharer: Sharer, type: number, steady: boolean): number {
  if (sharer.maximumOf(type) <= 0) return 0;
  if (!steady && !sharer.takesPart) return 0;
  if (sharer.weight <= 0) return Math.max(sharer.minimumOf(type), 0);
  return -1;
}

function usedAt(ratio: number, sharers: readonly Sharer[], type: number): number {
  let used = 0;
  for (const sharer of sharers) used += shareAt(ratio, sharer, type);
  return used;
}

function shareAt(ratio: number, sharer: Sharer, type: number): number {
  return Math.trunc(Math.min(Math.max(sharer.weight * ratio, sharer.minimumOf(type)), sharer.maximumOf(type)));
}
