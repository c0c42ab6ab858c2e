import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import type { ShownQueue } from '../../explain/description.ts';

const flexible = {
  'root.queues': 'teams,other',
  'root.teams.capacity': '3w',
  'root.other.capacity': '1w',
  'root.teams.auto-queue-creation-v2.enabled': 'true',
};
const legacy = {
  'root.queues': 'users',
  'root.users.capacity': '100',
  'root.users.auto-create-child-queue.enabled': 'true',
  'root.users.leaf-queue-template.capacity': '40',
  'queue-mappings': 'u:%user:root.users.%user',
};

function queueOf(simulator: Simulator, path: string): ShownQueue | undefined {
  const description = simulator.policy.describe();
  assert.ok(description.kind === 'capacity');
  const find = (queue: ShownQueue): ShownQueue | undefined =>
    queue.path === path ? queue : queue.children.map(find).find((found) => found !== undefined);
  return find(description.root);
}
const rejection = (simulator: Simulator, queue: string, mapped = false): string => {
  const { admission } = simulator.submit({ queue, mapped });
  return admission.accepted ? '' : admission.rejected;
};
const build = (queues: Record<string, string>): Simulator => {
  const simulator = new Simulator({ queues });
  simulator.addNodes(1, 10_240, 10);
  return simulator;
};

describe('queues that are made by submitting to them', () => {
  it('come with their missing parents, as weights among their siblings', () => {
    const simulator = build(flexible);
    assert.equal(rejection(simulator, 'root.teams.red.ada'), '');
    const made = queueOf(simulator, 'root.teams.red.ada')!;
    assert.deepEqual([made.isLeaf, made.creation, made.capacities[0]!.weight], [true, 'dynamicFlexible', 1]);
    const parent = queueOf(simulator, 'root.teams.red')!;
    assert.deepEqual([parent.isLeaf, parent.autoCreation], [false, 'flexible']);
    assert.equal(rejection(simulator, 'root.teams.red.ben'), '');
    assert.equal(queueOf(simulator, 'root.teams.red.ada')!.capacities[0]!.normalizedWeight, 0.5);
  });

  it('are found by their short names as long as only one has it', () => {
    const simulator = build(flexible);
    rejection(simulator, 'root.teams.red.ada');
    assert.deepEqual(simulator.policy.resolveQueue('ada'), { queue: 'root.teams.red.ada' });
    rejection(simulator, 'root.teams.blue.ada');
    assert.equal(simulator.policy.resolveQueue('ada'), 'ambiguous');
  });

  it('are refused beyond the depth, the number, and below leaves or parents that make none', () => {
    const deep = build({ ...flexible, 'root.teams.auto-queue-creation-v2.maximum-queue-depth': '1' });
    assert.match(
      rejection(deep, 'root.teams.red.ada', true),
      /The distance of the LeafQueue from the first static ParentQueue is 2, which is above the limit\.$/,
    );
    const full = build({ ...flexible, 'root.teams.auto-queue-creation-v2.max-queues': '1' });
    assert.equal(rejection(full, 'root.teams.red'), '');
    assert.match(
      rejection(full, 'root.teams.blue', true),
      /Max Child Queue limit exceeded which is configured as: 1 and number of child queues is: 1$/,
    );
    assert.match(rejection(full, 'root.teams.red.ada', true), /Queue root\.teams\.red is not a ParentQueue\.$/);
    assert.match(rejection(full, 'root.other.ada', true), /Queue root\.other is not a ParentQueue\.$/);
    assert.equal(
      rejection(full, 'root.other.ada'),
      'Application application_1_0005 submitted by user ada to unknown queue: root.other.ada',
    );
  });

  it('are not made among percentages in legacy queue mode', () => {
    const percentages = { 'root.queues': 'teams', 'root.teams.capacity': '100', 'root.teams.auto-queue-creation-v2.enabled': 'true' };
    const fixed = { ...percentages, 'root.teams.queues': 'red', 'root.teams.red.capacity': '100' };
    assert.match(
      rejection(build(fixed), 'root.teams.blue', true),
      /not all the queues under parent=root\.teams are using weight-based capacity/,
    );
    const mixed = { ...fixed, 'legacy-queue-mode.enabled': 'false', 'root.teams.red.capacity': '50' };
    assert.equal(rejection(build(mixed), 'root.teams.blue', true), '');
  });
});

describe('leaves that are made by mapping rules', () => {
  it('are made for rules alone, as long as their parent has a part left', () => {
    const simulator = build(legacy);
    assert.match(
      rejection(simulator, 'root.users.ada'),
      /is prohibited\. Verify automatic queue mapping for user exists in yarn\.scheduler\.capacity\.queue-mappings$/,
    );
    for (const name of ['ben', 'eve', 'kim']) assert.equal(rejection(simulator, `root.users.${name}`, true), '');
    const parts = ['ben', 'eve', 'kim'].map((name) => queueOf(simulator, `root.users.${name}`)!.capacities[0]!.capacity);
    // The first was made although the application was refused.
    assert.deepEqual(parts, [40, 0, 0]);
  });

  it('are refused where nothing is left and the parent says so, and beyond its number', () => {
    const strict = build({ ...legacy, 'root.users.auto-create-child-queue.fail-on-exceeding-parent-capacity': 'true' });
    for (const name of ['ada', 'ben']) assert.equal(rejection(strict, `root.users.${name}`, true), '');
    assert.match(rejection(strict, 'root.users.eve', true), /have reached parent queue : root\.users's guaranteed capacity$/);
    const few = build({ ...legacy, 'root.users.auto-create-child-queue.max-queues': '1' });
    assert.equal(rejection(few, 'root.users.ada', true), '');
    assert.match(
      rejection(few, 'root.users.ben', true),
      /Max Child Queue limit exceeded which is configured as : 1 and number of child queues is : 1$/,
    );
  });
});

describe('replacing queues', () => {
  const reload = (simulator: Simulator, keys: Record<string, string>) =>
    simulator.policy.queueEditing!.replace(new Map(Object.entries(keys).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])));

  it('keeps automatic queues with what is in them, below parents that stay', () => {
    const simulator = build(flexible);
    const { applicationId } = simulator.submit({ queue: 'root.teams.red.ada' });
    reload(simulator, { ...flexible, 'root.teams.capacity': '1w' });
    assert.deepEqual(simulator.policy.applicationsOf('root.teams.red.ada'), [applicationId]);
    assert.equal(queueOf(simulator, 'root.teams')!.capacities[0]!.normalizedWeight, 0.5);
  });

  it('stops the queues below a stopped parent and leaves them stopped when it runs again', () => {
    const nested = { 'root.queues': 'a', 'root.a.capacity': '100', 'root.a.queues': 'x', 'root.a.x.capacity': '100' };
    const simulator = build(nested);
    const states = () => ['root.a', 'root.a.x'].map((path) => queueOf(simulator, path)!.state);
    const { applicationId } = simulator.submit({ queue: 'root.a.x' });
    reload(simulator, { ...nested, 'root.a.state': 'STOPPED' });
    assert.deepEqual(states(), ['DRAINING', 'DRAINING']);
    assert.match(
      rejection(simulator, 'root.a.x'),
      /^org\.apache\.hadoop\.security\.AccessControlException: Queue root\.a\.x is STOPPED\. /,
    );
    simulator.finish(applicationId);
    assert.deepEqual(states(), ['STOPPED', 'STOPPED']);
    reload(simulator, { ...nested, 'root.a.state': 'RUNNING' });
    assert.deepEqual(states(), ['RUNNING', 'STOPPED']);
    reload(simulator, { ...nested, 'root.a.x.state': 'RUNNING' });
    assert.deepEqual(states(), ['RUNNING', 'RUNNING']);
  });

  it('turns a stopped leaf into a parent', () => {
    const plain = { 'root.queues': 'a,b', 'root.a.capacity': '50', 'root.b.capacity': '50' };
    const simulator = build(plain);
    const parent = { ...plain, 'root.a.queues': 'x', 'root.a.x.capacity': '100' };
    assert.throws(
      () => reload(simulator, parent),
      /Can not convert the leaf queue: root\.a to parent queue since it is not yet in stopped state/,
    );
    reload(simulator, { ...plain, 'root.a.state': 'STOPPED' });
    reload(simulator, parent);
    assert.equal(queueOf(simulator, 'root.a')!.isLeaf, false);
  });
});
