// Parking changes no placement: the same random world, with parking and without, is served the same at once, whatever happens in it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ChangingWorld } from '../../conformance/changing-world.ts';
import { CapacityPolicy } from '../policy.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122);
const runs = Number(process.env['HEDDLE_TEST_RUNS'] ?? 250);

/** What was done and decided, entry by entry. */
function journalOf(number: number, parking: 'on' | 'off', everyChange: boolean, crowd: boolean): string[] {
  const world = new ChangingWorld('capacity', number, { parking, everyChange, crowd });
  const { policy } = world.simulator;
  assert.ok(policy instanceof CapacityPolicy);
  for (let i = 0; i < 8; i++) {
    world.step();
    policy.checkParked();
  }
  for (let i = 0; i < 5; i++) world.pass(1000);
  return world.journal;
}

function compare(number: number, everyChange: boolean, crowd: boolean): void {
  const off = journalOf(number, 'off', everyChange, crowd);
  const on = journalOf(number, 'on', everyChange, crowd);
  const at = off.findIndex((line, i) => on[i] !== line);
  if (at >= 0) assert.equal(on[at], off[at], `world ${number}${everyChange ? ', every change' : ''}, entry ${at}`);
  assert.equal(on.length, off.length);
}

describe('parking', () => {
  for (const [name, crowd, part] of [
    ['among few applications', false, 1],
    ['in crowds', true, 0.2],
  ] as const)
    for (const everyChange of [true, false])
      it(`changes no placement ${name}, ${everyChange ? 'after every change' : 'after several changes'} (seed ${seed})`, () => {
        const property = fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (number) => compare(number, everyChange, crowd));
        fc.assert(property, { seed, numRuns: Math.ceil(runs * part) });
      });
});
