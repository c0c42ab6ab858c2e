import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  formatApplicationId,
  formatAttemptId,
  formatContainerId,
  InvalidId,
  parseApplicationId,
  parseAttemptId,
  parseContainerId,
} from './ids.ts';

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
