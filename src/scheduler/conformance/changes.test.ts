// Whatever changes while applications wait: no request is overlooked. A policy at rest has a reason for each that waits, a moment at which
// it goes on where it says that something ends by itself, and visiting all of them finds nothing more to give.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RequestExplanation } from '../explain/explanation.ts';
import { ChangingWorld } from './changing-world.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121);

function waiting({ simulator, applications }: ChangingWorld): { applicationId: string; request: RequestExplanation }[] {
  return [...applications.keys()].flatMap((applicationId) =>
    simulator.policy.explanation(applicationId)!.requests.map((request) => ({ applicationId, request: request })),
  );
}

/** A request that waits although nothing holds it back, or for a moment that the policy has not noted. */
function overlooked(world: ChangingWorld): string | undefined {
  for (const { applicationId, request } of waiting(world)) {
    const what = `${applicationId} ${JSON.stringify(request)}`;
    if (request.waitingReasons.some(({ rule }) => rule === 'NOT_YET_LOOKED_AT')) return `nothing holds back ${what}`;
  }
  return undefined;
}

function check(world: ChangingWorld): void {
  assert.equal(overlooked(world), undefined);
}

describe('while everything changes', () => {
  for (const kind of ['capacity', 'fair', 'fifo'] as const) {
    it(`nobody who could be served waits under the ${kind} policy (seed ${seed})`, () => {
      const property = fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (number) => {
        const world = new ChangingWorld(kind, number);
        for (let i = 0; i < 8; i++) {
          world.step();
          check(world);
        }
        // Delays end, preemption has done what it can.
        for (let i = 0; i < 10; i++) world.pass(1000);
        check(world);
        const locality = waiting(world).filter(({ request }) => request.waitingReasons[0].rule === 'LOCALITY_WAIT');
        if (locality.length > 0) assert.notEqual(world.simulator.policy.nextDeadlineMs(), undefined, JSON.stringify(locality));
        world.lookAtAll();
        assert.deepEqual(
          world.run().filter((decision) => decision.kind === 'allocate' || decision.kind === 'reserve'),
          [],
        );
      });
      fc.assert(property, { seed, numRuns: 100 });
    });
  }
});
