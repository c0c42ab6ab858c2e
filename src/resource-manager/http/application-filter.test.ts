import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Query } from '../../http/query.ts';
import { Failure } from '../../model/errors.ts';
import type { Found } from '../../scheduler/policy.ts';
import { passes } from '../views/application-filter.ts';
import { parseDeselects } from '../views/deselects.ts';
import { checkFinalStatus, parseApplicationFilter } from './application-filter.ts';

const fixedQueues = {
  queueOfFilter: (name: string): Found =>
    name === 'reports' || name === 'root.reports' ? { queue: 'root.reports' } : name === 'twice' ? 'ambiguous' : 'unknown',
};
const anyQueue = { queueOfFilter: (queue: string): Found => ({ queue }) };
const parse = (text: string, policy = fixedQueues) => parseApplicationFilter(new Query(text), policy);
const message = (text: string): string => {
  try {
    parse(text);
  } catch (error) {
    assert.ok(error instanceof Failure && error.entry.status === 400);
    return error.message;
  }
  return 'accepted';
};
const facts = { state: 'ACCEPTED', user: 'ada', type: 'spark', tags: ['red', 'blue'], name: 'nightly', startedMs: 100, finishedMs: 0 };

describe('filters of applications', () => {
  it('reads states in any case, split, trimmed, repeated, from both parameters', () => {
    assert.deepEqual([...parse('states=%20failed%20,,&state=killed').states!], ['FAILED', 'KILLED']);
    assert.deepEqual([...parse('state=killed,failed&state=running').states!], ['KILLED', 'FAILED']);
    assert.equal(parse('states=').states, undefined);
    assert.match(message('states=KILLED,DONE'), /^Invalid application-state DONE specified\. It should be one of \[NEW, /);
    // Which of several is told: recorded of Hadoop 3.4.2, which keeps what was asked in a HashSet.
    assert.match(message('states=KILLING&states=1'), /^Invalid application-state 1 specified/);
    assert.match(message('states=KILLING,1'), /^Invalid application-state KILLING specified/);
  });
  it('knows queues by the policy and refuses those that it does not find', () => {
    assert.deepEqual(parse('queue=reports').queues, new Set(['root.reports']));
    assert.equal(message('queue=none'), 'Unknown queue: none');
    assert.match(message('queue=twice'), /^Ambiguous queue reference: twice/);
    assert.deepEqual(parse('queue=none', anyQueue).queues, new Set(['none']));
  });
  it('names the first fault in Hadoop’s order', () => {
    assert.equal(message('finishedTimeEnd=x&startedTimeBegin=y&queue=none'), 'startedTimeBegin value must be a number!');
    assert.equal(message('limit=many&queue=none'), 'Unknown queue: none');
    assert.equal(message('startedTimeEnd=9223372036854775808'), 'startedTimeEnd value must be a number!');
    assert.equal(message('limit=0&startedTimeBegin=-1'), 'limit value must be greater then 0');
    assert.equal(message('startedTimeBegin=5&startedTimeEnd=4&states=x'), 'startedTimeEnd must be greater than startTimeBegin');
    assert.equal(message('finishedTimeBegin=-5'), 'finishTimeBegin must be greater than 0');
    assert.equal(message('limit=1.5'), 'limit value must be a number!');
  });
  it('combines filters', () => {
    const passing = (text: string) => passes(parse(text), facts);
    assert.ok(passing('states=accepted&applicationTypes=SPARK,x&applicationTags=RED&user=ada&name=nightly'));
    assert.ok(passing('startedTimeBegin=100&startedTimeEnd=100&finishedTimeEnd=0'));
    assert.ok(passing('user='));
    for (const text of [
      'user=Ada',
      'name=Nightly',
      'name=',
      'applicationTags=green',
      'startedTimeBegin=101',
      'finishedTimeBegin=1',
      'states=RUNNING',
    ]) {
      assert.ok(!passing(text), text);
    }
  });
  it('checks final status and deselected members late', () => {
    assert.throws(() => checkFinalStatus(parse('finalStatus=failed')), /No enum constant .*FinalApplicationStatus\.failed$/);
    assert.deepEqual([...parseDeselects(['TIMEOUTS', 'resourceInfo'])], ['timeouts', 'resourceInfo']);
    assert.throws(() => parseDeselects([' resourceInfo']), /^Failure: Invalid deSelects string resourceInfo specified/);
  });
});
