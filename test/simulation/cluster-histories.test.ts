// Seeded random histories of a whole resource manager with simulated nodes and masters. A failure names its seed;
// `HEDDLE_SEED=… HEDDLE_POLICY=…` plays it again, `HEDDLE_HISTORIES=…` plays more of them.
import { test } from 'node:test';
import type { PolicyKind } from '../../src/scheduler/policy.ts';
import { play } from './history.ts';

const only = process.env['HEDDLE_SEED'];
const histories = Number(process.env['HEDDLE_HISTORIES'] ?? 40);
const firstSeed = only === undefined ? Number(process.env['HEDDLE_FIRST_SEED'] ?? 1) : Number(only);
const kinds = ['capacity', 'fair', 'fifo'] as const satisfies readonly PolicyKind[];

for (const kind of kinds) {
  const skip = process.env['HEDDLE_POLICY'] !== undefined && process.env['HEDDLE_POLICY'] !== kind;
  test(`random histories of a cluster with the ${kind} scheduler keep what was promised and come to rest`, { skip }, async () => {
    for (let seed = firstSeed; seed < firstSeed + (only === undefined ? histories : 1); seed++) {
      try {
        await play(kind, seed, 250);
      } catch (error) {
        throw new Error(`it failed; play it again with HEDDLE_SEED=${seed} HEDDLE_POLICY=${kind}`, { cause: error });
      }
    }
  });
}
