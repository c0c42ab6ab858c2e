// Seeded random histories of a whole resource manager with simulated nodes and masters. A failure names its seed;
// `HEDDLE_SEED=… HEDDLE_POLICY=…` plays it again, `HEDDLE_HISTORIES=…` plays more of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyKind } from '../../src/scheduler/policy.ts';
import { play } from './history.ts';
import { type Served, servedNothing } from './simulated-master.ts';

const only = process.env['HEDDLE_SEED'];
const usualHistories = 40;
const histories = only === undefined ? Number(process.env['HEDDLE_HISTORIES'] ?? usualHistories) : 1;
const firstSeed = only === undefined ? Number(process.env['HEDDLE_FIRST_SEED'] ?? 1) : Number(only);
const kinds = ['capacity', 'fair', 'fifo'] as const satisfies readonly PolicyKind[];

for (const kind of kinds) {
  const skip = process.env['HEDDLE_POLICY'] !== undefined && process.env['HEDDLE_POLICY'] !== kind;
  test(`random histories of a cluster with the ${kind} scheduler keep what was promised and come to rest`, { skip }, async () => {
    const served = servedNothing();
    for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
      try {
        const own = await play(kind, seed, 250);
        for (const what of Object.keys(served) as (keyof Served)[]) served[what] += own[what];
      } catch (error) {
        throw new Error(`it failed; play it again with HEDDLE_SEED=${seed} HEDDLE_POLICY=${kind}`, { cause: error });
      }
    }
    // Histories in which nothing happens to containers would prove nothing.
    if (histories < usualHistories) return;
    for (const [what, count] of Object.entries(served))
      assert.ok(count >= (what === 'given' ? histories : 1), `containers of masters were ${what} ${count} times in ${histories} histories`);
  });
}
