import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeJson } from '../codec/json.ts';
import { writeXml } from '../codec/xml.ts';
import { type SchedulerType, schedulerOverview, schedulerType } from './scheduler.ts';
import type { CapacityQueueInfo } from './scheduler-capacity.ts';

const json = (schedulerInfo: SchedulerType['schedulerInfo']) => writeJson(schedulerType, { schedulerInfo });
const xml = (schedulerInfo: SchedulerType['schedulerInfo']) => writeXml(schedulerType, { schedulerInfo }).replace(/^<\?xml[^>]*\?>/, '');
const instance = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

describe('the capacity scheduler', () => {
  const leaf: CapacityQueueInfo = { queuePath: 'root.a.b', users: [] };
  const parent: CapacityQueueInfo = { queuePath: 'root.a', queues: [leaf] };

  it('tells leaves by their users, and only leaves have a type', () => {
    assert.equal(
      json({ queueName: 'root', queues: [parent, { ...leaf, queuePath: 'root.c' }] }),
      '{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","queueName":"root","queues":{"queue":[' +
        '{"queuePath":"root.a","queues":{"queue":[{"type":"capacitySchedulerLeafQueueInfo","queuePath":"root.a.b","users":{}}]}},' +
        '{"type":"capacitySchedulerLeafQueueInfo","queuePath":"root.c","users":{}}]}}}}',
    );
    assert.equal(
      xml({ queueName: 'root', queues: [parent] }),
      `<scheduler><schedulerInfo ${instance} xsi:type="capacityScheduler"><queueName>root</queueName><queues><queue><queuePath>root.a</queuePath>` +
        '<queues><queue xsi:type="capacitySchedulerLeafQueueInfo"><queuePath>root.a.b</queuePath><users/></queue></queues></queue></queues></schedulerInfo></scheduler>',
    );
  });

  it('writes shares as floats, and users in a holder', () => {
    const user = { username: 'ann', userWeight: 1, isActive: true, numPendingApplications: 0 };
    assert.match(
      json({ queues: [{ ...leaf, capacity: 33.333_333, absoluteCapacity: 100, users: [user] }] }),
      /"capacity":33\.333332,"absoluteCapacity":100\.0,.*"users":\{"user":\[\{"username":"ann","numPendingApplications":0,"userWeight":1\.0,"isActive":true\}\]\}/,
    );
  });
});

describe('the fair scheduler', () => {
  it('tells leaves by their applications, and nests its queues', () => {
    const leaf = { queueName: 'root.a', numPendingApps: 0, numActiveApps: 1 };
    assert.equal(
      json({ rootQueue: { queueName: 'root', maxApps: 5, childQueues: [leaf] } }),
      '{"scheduler":{"schedulerInfo":{"type":"fairScheduler","rootQueue":{"maxApps":5,"queueName":"root","childQueues":{"queue":[' +
        '{"type":"fairSchedulerLeafQueueInfo","queueName":"root.a","numPendingApps":0,"numActiveApps":1}]}}}}}',
    );
  });

  it('may have nothing but a leaf as its root', () => {
    assert.match(
      json({ rootQueue: { queueName: 'root', numActiveApps: 0 } }),
      /"rootQueue":\{"type":"fairSchedulerLeafQueueInfo","queueName":"root"/,
    );
  });
});

describe('the FIFO scheduler', () => {
  it('is told by the state of its queue', () => {
    const value = { capacity: 1, usedCapacity: Number.NaN, qstate: 'RUNNING', numNodes: 0 };
    assert.equal(
      json(value),
      '{"scheduler":{"schedulerInfo":{"type":"fifoScheduler","capacity":1.0,"usedCapacity":NaN,"qstate":"RUNNING","numNodes":0}}}',
    );
    assert.match(xml(value), /xsi:type="fifoScheduler"><capacity>1\.0<\/capacity><usedCapacity>NaN<\/usedCapacity>/);
  });
});

describe('the overview', () => {
  it('has texts for numbers, and no root in JSON', () => {
    assert.equal(
      writeJson(schedulerOverview, { schedulerType: 'Capacity Scheduler', applicationPriority: 10, schedulerBusy: -1 }),
      '{"schedulerType":"Capacity Scheduler","applicationPriority":"10","schedulerBusy":"-1"}',
    );
  });
});
