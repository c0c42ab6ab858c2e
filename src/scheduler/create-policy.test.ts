import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ResourceTypes } from '../model/resource.ts';
import { queueWarnings } from './create-policy.ts';

const types = new ResourceTypes();

it('keys of capacity-scheduler.xml that nothing reads are named, others are not', () => {
  const told = (queues: Record<string, string>) =>
    queueWarnings(
      'capacity',
      { properties: new Map(Object.entries(queues).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])) },
      types,
    );
  const good = {
    'root.queues': 'a,b',
    'root.a.capacity': '60',
    'root.a.user-settings.ada.weight': '1',
    'root.a.accessible-node-labels.gpu.maximum-capacity': '50',
    'root.b.capacity': '40',
    'root.b.auto-queue-creation-v2.enabled': 'true',
    'root.b.made.capacity': '3w',
    'root.b.*.auto-queue-creation-v2.template.capacity': '2w',
    'node-locality-delay': '40',
  };
  assert.deepEqual(told(good), []);
  assert.deepEqual(told({ ...good, 'root.a.maximum-capcity': '80', 'root.c.capacity': '10' }), [
    'yarn.scheduler.capacity.root.a.maximum-capcity has no effect: queues have no setting maximum-capcity.',
    'yarn.scheduler.capacity.root.c.capacity has no effect: there is no queue root.c.',
  ]);
  assert.deepEqual(told({ ...good, 'node-locality-dely': '40', 'root.a.reservation-planner': 'org.example.Mine' }), [
    'yarn.scheduler.capacity.node-locality-dely has no effect: the scheduler has no setting node-locality-dely.',
    'yarn.scheduler.capacity.root.a.reservation-planner changes nothing here: reservations stay and share what is left.',
  ]);
});

it('options that Heddle does not need are named only where they ask for something else than their default', () => {
  const told = (properties: Record<string, string>) =>
    queueWarnings(
      'capacity',
      { properties: new Map(Object.entries({ 'yarn.scheduler.capacity.root.queues': 'a', ...properties })) },
      types,
    );
  const key = 'yarn.scheduler.capacity.per-node-heartbeat.maximum-offswitch-assignments';
  assert.deepEqual(told({ [key]: '1' }), []);
  assert.deepEqual(told({ [key]: '3' }), [
    `${key} changes nothing here: containers are given when something changes, not with heartbeats.`,
  ]);
});

it('fair queues that are left out for their policy are named', () => {
  const told = (allocations: string) =>
    queueWarnings('fair', { properties: new Map(), allocations: `<allocations>${allocations}</allocations>` }, types);
  const below = '<queue name="a"><queue name="x"><schedulingPolicy>drf</schedulingPolicy></queue></queue>';
  const [warning, ...others] = told(below);
  assert.match(warning!, /^Queue root\.a\.x is left out: it shares by drf, which is not possible below root\.a, which shares by fair\. /);
  assert.deepEqual(others, []);
  assert.deepEqual(told('<queue name="a"><wieght>2</wieght></queue><queueMaxApps>1</queueMaxApps>'), [
    '<queueMaxApps> of the file has no effect: there is no such setting.',
    '<wieght> of queue root.a has no effect: there is no such setting.',
  ]);
  assert.deepEqual(told(`<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>${below}`), []);
});
