import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  applicationIdOfAttempt,
  applicationIdOfContainer,
  attemptIdOfContainer,
  formatApplicationId,
  formatAttemptId,
  formatContainerId,
  InvalidId,
  parseApplicationId,
  parseAttemptId,
  parseContainerId,
  parseNodeId,
} from './ids.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const clusterTimestamp = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const small = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const refuses = (parse: (text: string) => unknown, text: string, message: string) =>
  assert.throws(() => parse(text), { name: 'InvalidId', message });

describe('ids', () => {
  it('have one form, however they were written', () => {
    const forms = [
      ['application_1_1', 'application_1_0001'],
      ['application_01_00012', 'application_1_0012'],
      ['application_1_12345', 'application_1_12345'],
      ['application_-1_-1', 'application_-1_-0001'],
    ] as const;
    for (const [text, form] of forms) {
      assert.equal(formatApplicationId(parseApplicationId(text)), form);
      assert.equal(formatApplicationId(parseApplicationId(form)), form);
    }
    assert.equal(formatAttemptId(parseAttemptId('appattempt_1_1_2')), 'appattempt_1_0001_000002');
    assert.equal(formatContainerId(parseContainerId('container_1_1_2_3')), 'container_1_0001_02_000003');
    assert.equal(formatContainerId(parseContainerId('container_e7_1_1_2_3')), 'container_e07_1_0001_02_000003');
  });
  it('are refused where they are none', () => {
    for (const text of ['', 'application_', 'application_1', 'application_1_x', 'application_1_1_', 'application_1_2147483648', 'job_1_1'])
      assert.throws(() => parseApplicationId(text), InvalidId, text);
  });
});

describe('ids of applications, attempts and containers', () => {
  it('survive, and keep those that they belong to', () => {
    fc.assert(
      fc.property(clusterTimestamp, small, small, fc.nat(), fc.nat(200), (timestamp, sequence, attempt, number, epoch) => {
        const parts = { clusterTimestamp: timestamp, sequence, attempt, number, epoch };
        const container = formatContainerId(parts);
        assert.deepEqual(parseContainerId(container), parts);
        assert.equal(formatContainerId(parseContainerId(container)), container);
        assert.deepEqual(parseAttemptId(attemptIdOfContainer(container)), { clusterTimestamp: timestamp, sequence, attempt });
        assert.equal(applicationIdOfContainer(container), formatApplicationId(parts));
        assert.equal(applicationIdOfAttempt(attemptIdOfContainer(container)), applicationIdOfContainer(container));
      }),
    );
  });

  it('have as many digits as Hadoop gives them', () => {
    assert.equal(formatApplicationId({ clusterTimestamp: 5, sequence: 7 }), 'application_5_0007');
    assert.equal(formatApplicationId({ clusterTimestamp: 5, sequence: 123_456 }), 'application_5_123456');
    assert.equal(formatAttemptId({ clusterTimestamp: 5, sequence: 7, attempt: 2 }), 'appattempt_5_0007_000002');
    assert.equal(formatContainerId({ clusterTimestamp: 5, sequence: 7, attempt: 2, number: 3 }), 'container_5_0007_02_000003');
    assert.equal(
      formatContainerId({ clusterTimestamp: 5, sequence: 7, attempt: 2, number: 3, epoch: 4 }),
      'container_e04_5_0007_02_000003',
    );
    assert.equal(
      formatContainerId({ clusterTimestamp: 5, sequence: 7, attempt: 200, number: 12_345_678, epoch: 123 }),
      'container_e123_5_0007_200_12345678',
    );
  });

  it("that are none are refused with Hadoop's sentences", () => {
    refuses(
      parseApplicationId,
      'job_1_1',
      'Invalid ApplicationId prefix: job_1_1. The valid ApplicationId should start with prefix application',
    );
    refuses(parseApplicationId, 'application_1_x', 'Invalid ApplicationId: application_1_x');
    refuses(parseApplicationId, 'application_9007199254740993_1', 'Invalid ApplicationId: application_9007199254740993_1');
    refuses(parseAttemptId, 'application_1_1', 'Invalid AppAttemptId prefix: application_1_1');
    for (const text of ['appattempt_1_1', 'appattempt_1_1_1_1', 'appattempt_1_1_x', 'appattempt_1__1', 'appattempt_1_1_2147483648'])
      refuses(parseAttemptId, text, `Invalid AppAttemptId: ${text}`);
    refuses(parseContainerId, 'box_1_1_1_1', 'Invalid ContainerId prefix: box_1_1_1_1');
    for (const text of [
      'container_1_1_1',
      'container_1_1_1_1_1',
      'container_ex_1_1_1_1',
      'container_e_1_1_1_1',
      'container_',
      'container_1_1_1_1.5',
    ])
      refuses(parseContainerId, text, `Invalid ContainerId: ${text}`);
  });

  it('are refused or read, whatever the text', () => {
    const part = fc.constantFrom('application', 'appattempt', 'container', 'e1', '1', '-1', '+2', '', 'x', '99999999999999999999', ' ');
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 7 }).map((parts) => parts.join('_')),
        (text) => {
          for (const [parse, format] of [
            [parseApplicationId, formatApplicationId],
            [parseAttemptId, formatAttemptId],
            [parseContainerId, formatContainerId],
          ] as const) {
            try {
              const again = (format as (parts: object) => string)(parse(text));
              assert.equal((format as (parts: object) => string)(parse(again)), again);
            } catch (error) {
              assert.ok(error instanceof InvalidId, `${text}: ${String(error)}`);
            }
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('ids of nodes', () => {
  it('are a host and a port', () => {
    assert.deepEqual(parseNodeId('node.example:45454'), { host: 'node.example', port: 45454 });
    assert.deepEqual(parseNodeId(' node :0'), { host: 'node', port: 0 });
  });

  it("that are none are refused with Hadoop's sentences", () => {
    for (const text of ['node', 'node:', 'a:1:2', '', '::1:5']) refuses(parseNodeId, text, `Invalid NodeId [${text}]. Expected host:port`);
    for (const [text, port] of [
      ['node:x', 'x'],
      ['node:1.5', '1.5'],
      ['node:2147483648', '2147483648'],
      ['node: 1', ' 1'],
    ] as const)
      refuses(parseNodeId, text, `Invalid port: ${port}`);
  });
});
