// What a history is named by, so that it can be played again.
import { seededRandom } from '../../src/lib/random.ts';
import type { PolicyKind } from '../../src/scheduler/policy.ts';

export const kinds = ['capacity', 'fair', 'fifo'] as const satisfies readonly PolicyKind[];

/** Actions of a history before its calm end: many short histories find more than few long ones. */
export const usualSteps = 12;

/** One history. */
export interface Named {
  readonly kind: PolicyKind;
  readonly seed: number;
  readonly steps: number;
}

const kindsOfSeeds: readonly PolicyKind[] = ['fifo', 'fifo', 'fifo', 'capacity', 'capacity', 'fair'];
const stepsOfSeeds = [5, usualSteps, usualSteps, usualSteps, 30];

/** The history of a seed, where nothing else says what it is like. */
export function ofSeed(seed: number): Named {
  const random = seededRandom(seed);
  return { kind: kindsOfSeeds[random.int(kindsOfSeeds.length)]!, seed, steps: stepsOfSeeds[random.int(stepsOfSeeds.length)]! };
}

/** The command that plays a history again. */
export const replayedBy = ({ kind, seed, steps }: Named): string =>
  `HEDDLE_SEED=${seed} HEDDLE_POLICY=${kind} HEDDLE_STEPS=${steps} node --test test/simulation/cluster-histories.test.ts`;

/** Adds figures to others. */
export function add(total: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [what, count] of more) total.set(what, (total.get(what) ?? 0) + count);
}
