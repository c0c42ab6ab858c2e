import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conforms } from '../conformance/policy.conformance.ts';
import { presetSettings } from '../conformance/presets.ts';
import { Simulator } from '../conformance/simulator.ts';
import type { FairDescription, FairQueueDescription } from '../explain/description.ts';
import { ConfigurationRefused } from '../policy.ts';

const allocations = `<allocations>
  <queue name="default"/>
  <queue name="heavy"><weight>3.0</weight></queue>
  <queue name="small"><maxResources>2048 mb, 4 vcores</maxResources><maxRunningApps>1</maxRunningApps></queue>
  <queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>
</allocations>`;

conforms('fair', { simulator: { kind: 'fair', allocations }, queues: ['root.default', 'root.heavy', 'root.small'] });

function queueOf(simulator: Simulator, path: string): FairQueueDescription {
  const description = simulator.policy.describe();
  assert.equal(description.kind, 'fair');
  const find = (queue: FairQueueDescription): FairQueueDescription | undefined =>
    queue.name === path ? queue : queue.children.map(find).find(Boolean);
  return find((description as { root: FairQueueDescription }).root)!;
}

test('shares go by weight among queues that have applications', () => {
  const simulator = new Simulator({ kind: 'fair', allocations });
  simulator.addNodes(1, 8192, 8);
  simulator.submit({ queue: 'root.default', masterMiB: 1024 });
  simulator.submit({ queue: 'root.heavy', masterMiB: 1024 });
  simulator.run();
  assert.deepEqual([queueOf(simulator, 'root.default').fair[0], queueOf(simulator, 'root.heavy').fair[0]], [2048, 6144]);
  assert.equal(queueOf(simulator, 'root.small').fair[0], 0);
});

test('what a queue would always get stays when one that nobody declared goes, until nodes change', () => {
  const simulator = new Simulator({ kind: 'fair', allocations: allocations.replace('name="heavy"', 'name="heavy" type="parent"') });
  simulator.addNodes(1, 8192, 8);
  const steady = (path: string) => queueOf(simulator, path)?.steadyFair[0];
  const [, gone] = ['root.heavy.a', 'root.heavy.b'].map((queue) => simulator.submit({ queue }));
  simulator.run();
  const half = steady('root.heavy.a')!;
  simulator.policy.removeApplication(gone!.applicationId);
  simulator.nowMs += 60_000;
  assert.deepEqual([queueOf(simulator, 'root.heavy.b'), steady('root.heavy.a')], [undefined, half]);
  simulator.submit({ queue: 'root.heavy.a' });
  assert.equal(steady('root.heavy.a'), half);
  simulator.addNodes(1, 8192, 8);
  assert.equal(steady('root.heavy.a'), half * 2);
});

test('containers are given in proportion to the weights', () => {
  const simulator = new Simulator({ kind: 'fair', allocations });
  simulator.addNodes(1, 8192, 8);
  const [one, two] = ['root.default', 'root.heavy'].map((queue) => simulator.submit({ queue }));
  for (const { attemptId } of [one!, two!])
    simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 0, resource: [1024, 1], count: 20 }], []);
  simulator.run();
  assert.deepEqual(
    [one!, two!].map(({ applicationId }) => simulator.containersOf(applicationId).length),
    [2, 6],
  );
});

test('without a node nobody is told why it waits, and what asks for nothing is not served', () => {
  const simulator = new Simulator({
    kind: 'fair',
    allocations: '<allocations><queue name="default"><maxAMShare>0.1</maxAMShare></queue></allocations>',
  });
  const waits = simulator.submit({ queue: 'root.default', masterMiB: 8192 });
  simulator.run();
  assert.equal(simulator.policy.explain(waits.applicationId), '');
  simulator.addNodes(1, 0, 0);
  const nothing = simulator.submit({ queue: 'root.default' });
  simulator.policy.updateRequests(nothing.attemptId, [{ requestId: 'a', priority: 0, resource: [0, 0], count: 1 }], []);
  simulator.run();
  assert.match(simulator.policy.explain(waits.applicationId), /exceeds maximum AM resource allowed/);
  assert.equal(simulator.containersOf(nothing.applicationId).length, 0);
  assert.deepEqual(queueOf(simulator, 'root').maximumAllocation, [0, 0]);
});

test('a queue stays below its maximum and its number of applications', () => {
  const simulator = new Simulator({ kind: 'fair', allocations });
  simulator.addNodes(1, 8192, 8);
  const first = simulator.submit({ queue: 'root.small', masterMiB: 1024 });
  const second = simulator.submit({ queue: 'root.small', masterMiB: 1024 });
  simulator.policy.updateRequests(first.attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count: 5 }], []);
  simulator.run();
  assert.equal(simulator.containersOf(first.applicationId).length, 2);
  assert.match(
    simulator.policy.explain(second.applicationId),
    /^Application is added .* The queue "root\.small" has reached the maximum limit of runnable applications\.$/,
  );
});

test('a starving application takes containers from one above its share', () => {
  const fair = {
    ...presetSettings.fair,
    preemption: true,
    preemptionUtilizationThreshold: 0.5,
    waitTimeBeforeKillMs: 500,
    updateIntervalMs: 200,
  };
  const text = allocations.replace(
    '<queue name="heavy">',
    '<queue name="heavy"><fairSharePreemptionTimeout>1</fairSharePreemptionTimeout><fairSharePreemptionThreshold>0.9</fairSharePreemptionThreshold>',
  );
  const simulator = new Simulator({ kind: 'fair', allocations: text, settings: { fair } });
  simulator.addNodes(1, 8192, 8);
  const greedy = simulator.submit({ queue: 'root.default' });
  simulator.policy.updateRequests(greedy.attemptId, [{ requestId: 'a', priority: 0, resource: [1024, 1], count: 8 }], []);
  simulator.run();
  const starving = simulator.submit({ queue: 'root.heavy' });
  simulator.policy.updateRequests(starving.attemptId, [{ requestId: 'a', priority: 0, resource: [1024, 1], count: 8 }], []);
  for (let i = 0; i < 100; i++) {
    simulator.nowMs += 200;
    simulator.run();
  }
  assert.deepEqual(
    [greedy, starving].map(({ applicationId }) => simulator.containersOf(applicationId).length),
    [2, 6],
  );
});

test('a broken file is refused', () => {
  assert.throws(() => new Simulator({ kind: 'fair', allocations: '<queues/>' }), ConfigurationRefused);
  assert.throws(
    () => new Simulator({ kind: 'fair', allocations: '<!DOCTYPE a [<!ENTITY x "y">]><allocations>&x;</allocations>' }),
    ConfigurationRefused,
  );
});

test('another file is taken over under running applications', () => {
  const simulator = new Simulator({ kind: 'fair', allocations });
  simulator.addNodes(1, 8192, 8);
  const [one, two] = ['root.default', 'root.heavy'].map((queue) => simulator.submit({ queue, masterMiB: 1024 }));
  const first = simulator.submit({ queue: 'root.small', masterMiB: 1024 });
  const second = simulator.submit({ queue: 'root.small', masterMiB: 1024 });
  simulator.run();
  assert.equal(simulator.containersOf(second.applicationId).length, 0);
  const reload = (text: string) => simulator.policy.reload!({ properties: new Map(), allocations: text });
  reload(allocations.replace('3.0', '1.0').replace('<maxRunningApps>1<', '<maxRunningApps>2<'));
  simulator.run();
  assert.equal(simulator.containersOf(second.applicationId).length, 1);
  assert.equal(queueOf(simulator, 'root.heavy').fair[0], queueOf(simulator, 'root.default').fair[0]);
  const refused = (text: string, pattern: RegExp) => {
    const before = JSON.stringify(simulator.policy.describe());
    assert.throws(
      () => reload(text),
      (error) => error instanceof ConfigurationRefused && pattern.test(error.message),
    );
    assert.equal(JSON.stringify(simulator.policy.describe()), before);
  };
  refused(allocations.replace(/<queue name="heavy">.*?<\/queue>/, ''), /^Queue root\.heavy is no longer there, but has 1 applications$/);
  refused(
    allocations.replace('<queue name="default"/>', '<queue name="default"><queue name="x"/></queue>'),
    /^Queue root\.default changes between leaf and parent/,
  );
  for (const { applicationId } of [one!, two!, first, second]) simulator.finish(applicationId);
  reload(
    allocations
      .replace(/<queue name="heavy">.*?<\/queue>/, '')
      .replace('<queue name="default"/>', '<queue name="default"><queue name="x"/></queue>'),
  );
  assert.equal(simulator.policy.resolveQueue('root.heavy'), 'unknown');
  const deep = simulator.submit({ queue: 'root.default.x', masterMiB: 1024 });
  simulator.run();
  assert.equal(simulator.containersOf(deep.applicationId).length, 1);
});

test('shares for masters are single precision, and what serves a plan is not shown', () => {
  const simulator = new Simulator({
    kind: 'fair',
    allocations: `<allocations>
      <queue name="plain"><maxAMShare>0.6</maxAMShare><weight>1</weight></queue>
      <queue name="planned"><reservation/></queue>
      <queuePlacementPolicy><rule name="specified"/><rule name="reject"/></queuePlacementPolicy>
    </allocations>`,
  });
  simulator.addNodes(1, 1260, 8);
  simulator.submit({ queue: 'root.plain', masterMiB: 128 });
  simulator.submit({ queue: 'root.planned', masterMiB: 128 });
  simulator.run();
  const planned = queueOf(simulator, 'root.planned');
  assert.deepEqual([planned.children, planned.fair[0]], [[], 630]);
  // 0.6 of 630 MiB is 378 in double precision.
  assert.equal(queueOf(simulator, 'root.plain').amMaximum[0], 379);
});

test('refuses names that are none, and users without groups where rules look at these', () => {
  const place = (queue: string, rules: string) => {
    const { policy } = new Simulator({
      kind: 'fair',
      allocations: `<allocations><queue name="a"/><queuePlacementPolicy>${rules}</queuePlacementPolicy></allocations>`,
    });
    return policy.place({ applicationId: 'application_1_0001', user: 'ada', queue, name: 'n', tags: [] });
  };
  const specified = '<rule name="specified" create="false"/>';
  const end = `${specified}<rule name="reject"/>`;
  assert.deepEqual(place('a', end), { queue: 'root.a', mapped: true });
  assert.deepEqual(place('a ', end), { rejected: "Application submitted by user adawith illegal queue name 'a '." });
  assert.deepEqual(place('', end), {
    rejected: 'Failed to place application application_1_0001 in a queue and submit context queue is null or empty',
  });
  assert.deepEqual(place('b', `${specified}<rule name="primaryGroup" create="false"/><rule name="default" queue="a"/>`), {
    rejected: 'Group resolution failed',
  });
});

test('an application that moves away makes room for one that its queue held back', () => {
  const simulator = new Simulator({ kind: 'fair', allocations });
  simulator.addNodes(1, 8192, 8);
  const [first, second] = [1, 2].map(() => simulator.submit({ queue: 'root.small', masterMiB: 1024 }));
  simulator.run();
  assert.equal(simulator.policy.explanation(second!.applicationId)!.application!.rule, 'QUEUE_PARALLEL_LIMIT');
  assert.deepEqual(simulator.policy.moveApplication!(first!.applicationId, 'root.heavy'), { moved: 'root.heavy' });
  simulator.run();
  assert.equal(simulator.containersOf(second!.applicationId).length, 1);
});

test('refuses broken and contradictory files, with the queue and the element', () => {
  const refused = (inside: string, key: RegExp) =>
    assert.throws(
      () => new Simulator({ kind: 'fair', allocations: `<allocations>${inside}</allocations>` }),
      (error: unknown) => error instanceof ConfigurationRefused && key.test(error.key ?? '') && Boolean(error.remedy),
    );
  const queue = (inside: string) => `<queue name="a">${inside}</queue>`;
  refused(
    queue('<minResources>4096 mb,4 vcores</minResources><maxResources>1024 mb,8 vcores</maxResources>'),
    /^queue root\.a, minResources$/,
  );
  refused(queue('<maxResources>-1 mb,4 vcores</maxResources>'), /maxResources/);
  refused(queue('<maxResources>memory-mb=50%,gpu=10%</maxResources>'), /maxResources/);
  refused(queue('<maxResources>50% memory</maxResources>'), /maxResources/);
  refused(queue('<weight>1e300</weight>'), /weight/);
  refused(queue('<maxRunningApps>-1</maxRunningApps>'), /maxRunningApps/);
  refused(queue('<reservation/><queue name="b"/>'), /reservation/);
  const rules = (text: string) => `<queue name="a"/><queuePlacementPolicy>${text}</queuePlacementPolicy>`;
  refused(rules('<rule name="default"/><rule name="user"/>'), /queuePlacementPolicy/);
  refused(rules('<rule name="specified"/>'), /queuePlacementPolicy/);
  refused(rules('<rule name="nestedUserQueue"/>'), /queuePlacementPolicy/);
});

test('a maximum in names does not limit what it does not name', () => {
  const { policy } = new Simulator({
    kind: 'fair',
    allocations: '<allocations><queue name="a"><maxResources>memory-mb=50%</maxResources></queue></allocations>',
  });
  policy.addNode({ nodeId: 'h:1', host: 'h', rack: '/r', resource: [8192, 8], label: '' });
  const { root } = policy.describe() as FairDescription;
  assert.deepEqual(root.children.find(({ name }) => name === 'root.a')!.maximum.amount, [4096, 8]);
});

test('access lists of queues name users, and all groups after the first blank', () => {
  const simulator = new Simulator({
    kind: 'fair',
    allocations: `<allocations>
      <queue name="root">
        <aclSubmitApps> </aclSubmitApps>
        <aclAdministerApps> </aclAdministerApps>
        <queue name="a"><aclSubmitApps>alice staff, admins</aclSubmitApps></queue>
        <queue name="b"><aclSubmitApps> crew</aclSubmitApps></queue>
      </queue>
    </allocations>`,
  });
  const may = (queue: string, user: string, groups: string[]) => simulator.policy.checkAccess(queue, user, groups, 'SUBMIT_APPLICATIONS');
  assert.deepEqual(
    [may('root.a', 'alice', []), may('root.a', 'eve', ['staff']), may('root.a', 'eve', ['admins']), may('root.a', 'staff', [])],
    [true, true, true, false],
  );
  assert.deepEqual([may('root.b', 'eve', ['crew']), may('root.b', 'crew', []), may('root', 'eve', ['crew'])], [true, false, false]);
});
