// Explanations against random clusters and workloads: every request that waits has a reason, the reason is true of the numbers that the
// policy itself shows, and who removes what is named, step by step, gets the request served.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkClaim, served } from '../conformance/explanation-claims.ts';
import { pick, World } from '../conformance/explanation-world.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121);

for (const kind of ['capacity', 'fair', 'fifo'] as const) {
  describe(`explanations of the ${kind} policy`, () => {
    it(`are there for all that waits, and true (seed ${seed})`, () => {
      const property = fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (number) => {
        const world = new World(kind, number);
        for (let i = 0; i < 6; i++) {
          world.step();
          for (const { application, request, whole } of world.waiting()) {
            assert.ok(request.waitingReasons.length > 0);
            if (whole) assert.equal(request.waitingReasons[0].rule, whole.rule);
            for (const waitingReason of request.waitingReasons) checkClaim(world, application, request, waitingReason);
          }
        }
      });
      fc.assert(property, { seed, numRuns: 250 });
    });

    it(`name what has to go for the request to be served (seed ${seed})`, () => {
      const property = fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (number) => {
        const world = new World(kind, number);
        for (let i = 0; i < 3; i++) world.step();
        const waiting = world.waiting();
        if (waiting.length === 0) return;
        const { application, request } = pick(world.random, waiting);
        served(world, application, request.requestId);
      });
      fc.assert(property, { seed, numRuns: 300 });
    });
  });
}
