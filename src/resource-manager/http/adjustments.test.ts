import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceTypes } from '../../model/resource.ts';
import { commandMaster, encodeJob } from '../../wire/cluster/command-job.ts';
import type { Submission } from '../applications/submission.ts';
import { type AdjustmentPorts, adjustmentsOf } from './adjustments.ts';

const types = new ResourceTypes([{ name: 'gpu', units: '', minimumAllocation: 0, maximumAllocation: 8 }]);
const ports = (normalize: (asked: readonly number[]) => number[]): AdjustmentPorts => ({
  types,
  policy: { normalize, minimumAllocation: () => [1024, 1], priorities: { highest: () => 3 } as AdjustmentPorts['policy']['priorities'] },
});
const job = {
  command: ['x'],
  instances: 2,
  memoryMiB: 1024,
  vcores: 4,
  resources: { gpu: 1 },
  environment: {},
  files: {},
  retries: 0,
  attached: false,
};
const asked = (more: Partial<Submission>) =>
  ({ priority: 2, type: commandMaster.type, launch: { environment: {} }, resource: [0, 0], maximumAttempts: 0, ...more }) as Submission;
const given = { queue: 'root.a', priority: 2, lifetimeSeconds: undefined, attempts: 2 };

describe('what an application is given otherwise', () => {
  it('is nothing where nothing was asked for, or what was asked for is given', () => {
    assert.deepEqual(
      adjustmentsOf(
        ports(() => [1024, 1, 0]),
        asked({}),
        given,
      ),
      [],
    );
    assert.deepEqual(
      adjustmentsOf(
        ports((size) => [...size]),
        asked({ resource: [2048, 2], lifetimeSeconds: 60 }),
        { ...given, lifetimeSeconds: 90 },
      ),
      [],
    );
    // A priority that was changed later is no cut.
    assert.deepEqual(
      adjustmentsOf(
        ports((size) => [...size]),
        asked({ priority: 9 }),
        { ...given, priority: 1 },
      ),
      [],
    );
  });

  it('is named with both numbers and what made it so', () => {
    const launch = { environment: { [commandMaster.variable]: encodeJob(job) } } as unknown as Submission['launch'];
    const memoryAlone = ports(([memory = 0]) => [Math.ceil(memory / 1024) * 1024, 1, 0]);
    const wish = asked({ launch, priority: 9, lifetimeSeconds: 90, resource: [1025, 1], maximumAttempts: 2 });
    assert.deepEqual(
      adjustmentsOf(memoryAlone, wish, { ...given, priority: 3, lifetimeSeconds: 60 }).map(
        ({ of, what, asked: was, given: is, sentence }) => [...[of, what, was, is], sentence.replace(/^.*: |\.$/g, '')],
      ),
      [
        [
          'application',
          'priority',
          9,
          3,
          'more the cluster does not give (yarn.cluster.max-application-priority; fair and FIFO schedulers know none)',
        ],
        ['application', 'lifetimeSeconds', 90, 60, 'longer nothing lives in queue root.a (maximum-application-lifetime)'],
        [
          'master',
          'memoryMiB',
          1025,
          2048,
          'it is given in whole steps (yarn.scheduler.minimum-allocation-mb; of the fair scheduler yarn.scheduler.increment-allocation-mb)',
        ],
        ['instance', 'vcores', 4, 1, 'the scheduler counts memory alone (yarn.scheduler.capacity.resource-calculator)'],
        ['instance', 'gpu', 1, 0, 'the scheduler counts memory alone (yarn.scheduler.capacity.resource-calculator)'],
      ],
    );
  });
});
