// What is shown of queues takes no longer where more applications are in them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import type { CapacityDescription } from '../../explain/description.ts';

/** How many elements of sets and maps are looked at while something runs. */
function looked(run: () => void): number {
  let count = 0;
  const watched = [Set.prototype, Map.prototype].flatMap((prototype) =>
    [Symbol.iterator, 'values'].map((name) => ({ prototype, name, original: Object.getOwnPropertyDescriptor(prototype, name)! })),
  );
  for (const { prototype, name, original } of watched)
    Object.defineProperty(prototype, name, {
      ...original,
      *value(this: object) {
        const iterator: Iterator<unknown> = original.value.call(this);
        for (let step = iterator.next(); !step.done; step = iterator.next()) {
          count += 1;
          yield step.value;
        }
      },
    });
  try {
    run();
  } finally {
    for (const { prototype, name, original } of watched) Object.defineProperty(prototype, name, original);
  }
  return count;
}

const described = (applications: number, runs: boolean) => {
  const simulator = new Simulator({
    queues: { 'root.queues': 'default', 'root.default.capacity': '100', 'maximum-am-resource-percent': '1' },
  });
  simulator.addNodes(runs ? 4 : 0, 100_000, 1000);
  for (let n = 0; n < applications; n++) simulator.submit({ queue: 'default', masterMiB: 1024 });
  simulator.run();
  const describe = () => simulator.policy.describe() as CapacityDescription;
  const leaf = describe().root.children[0]!.leaf!;
  assert.equal(runs ? leaf.activeApplications : leaf.pendingApplications, applications);
  assert.equal(leaf.attempts().running + leaf.attempts().waiting, applications);
  return looked(describe);
};

for (const [what, runs] of [
  ['wait', false],
  ['run', true],
] as const)
  it(`queues are shown by as many looks where many applications ${what} as where few do`, () => {
    const few = described(3, runs);
    assert.ok(few > 0);
    assert.equal(described(300, runs), few);
  });
