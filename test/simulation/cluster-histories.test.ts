// Seeded random histories of a whole cluster: a resource manager, nodes, masters, users and administrators, with deaths at single effects. A
// failure names its seed; `HEDDLE_SEED=… HEDDLE_POLICY=…` plays it again, README.md says how to look into it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { play } from './history.ts';
import { add, kinds, replayedBy, usualSteps } from './replaying.ts';

const only = process.env['HEDDLE_SEED'];
const usualHistories = { capacity: 60, fair: 60, fifo: 240 };
const seen = new Map<string, number>();
const firstSeed = only === undefined ? 1 : Number(only);

for (const kind of kinds) {
  const skip = process.env['HEDDLE_POLICY'] !== undefined && process.env['HEDDLE_POLICY'] !== kind;
  test(`random histories of a cluster with the ${kind} scheduler keep what was promised and come to rest`, { skip }, async () => {
    const histories = only === undefined ? usualHistories[kind] : 1;
    for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
      const steps = Number(process.env['HEDDLE_STEPS'] ?? usualSteps);
      const trace = process.env['HEDDLE_TRACE'] === undefined ? undefined : (line: string) => console.log(line);
      try {
        const own = await play(kind, seed, { steps, trace });
        add(seen, own.seen);
      } catch (error) {
        throw new Error(`it failed; play it again with ${replayedBy({ kind, seed, steps })}`, { cause: error });
      }
    }
  });
}

test('in these histories everything happens that they are about', { skip: only !== undefined }, () => {
  for (const what of everything) assert.ok((seen.get(what) ?? 0) > 0, what);
});

/** What must happen to containers of masters and to processes. */
const everything = [
  'given',
  'opportunistic',
  'ended',
  'released',
  'grown',
  'shrunk',
  'promoted',
  'demoted',
  'manager died',
  'node died',
  'master died',
];
