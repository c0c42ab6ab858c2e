import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertEveryFaultIsFound } from '../../../test/support/message-faults.ts';
import { type CommandJob, type CommandView, commandView, decodeJob, encodeJob } from './command-job.ts';

const job: CommandJob = {
  command: ['echo', 'a "b"'],
  instances: 2,
  memoryMiB: 128,
  vcores: 1,
  resources: { 'yarn.io/gpu': 1 },
  environment: { A: 'b' },
  files: { f: { resource: 'staging:/ada/app/f', type: 'FILE', visibility: 'APPLICATION', size: 1, timestamp: 2 } },
  retries: 1,
  placement: { tags: ['a'], constraint: 'notin,node,a' },
  opportunistic: true,
  attached: true,
};

describe('a command that travels to its master', () => {
  it('arrives as it was sent, in letters that a launch script leaves alone', () => {
    const { resources: _resources, placement: _placement, opportunistic: _opportunistic, ...minimal } = job;
    for (const sent of [job, minimal, { ...minimal, placement: { tags: [], constraint: undefined } }]) {
      const encoded = encodeJob(sent);
      assert.match(encoded, /^[\w-]+$/);
      assert.deepEqual(decodeJob(encoded), JSON.parse(JSON.stringify(sent)));
    }
  });

  it('is refused with the place of its fault', () => {
    const encoded = (change: object): string => Buffer.from(JSON.stringify({ ...job, ...change })).toString('base64url');
    assert.throws(() => decodeJob(encoded({ command: 'echo' })), /^Error: HEDDLE_COMMAND_JOB cannot be read: \/command is not a list$/);
    assert.throws(() => decodeJob(encoded({ files: { f: { resource: 'x' } } })), /cannot be read: \/files\/f\/type is missing$/);
    assert.throws(() => decodeJob(encoded({ attached: undefined })), /cannot be read: \/attached is missing$/);
  });
});

it('what a master tells of its command is refused with the path of the member that is wrong or missing', () => {
  const full: CommandView = {
    version: 3,
    state: 'FAILED',
    exitCode: 7,
    instances: [{ index: 0, state: 'FAILED', tries: [{ containerId: 'c', nodeHttpAddress: 'n1:8042', exitCode: 7, diagnostics: 'no' }] }],
  };
  const minimal: CommandView = {
    version: 1,
    state: 'RUNNING',
    instances: [{ index: 0, state: 'RUNNING', tries: [{ containerId: 'c', nodeHttpAddress: 'n1:8042', diagnostics: '' }] }],
  };
  assertEveryFaultIsFound(commandView, full, minimal);
});
