import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeBody, differences, isEmpty, keysOf, sumOfShares } from './queue-change.ts';

const properties = [
  { name: 'yarn.scheduler.capacity.root.queues', value: 'a,b' },
  { name: 'yarn.scheduler.capacity.root.a.capacity', value: '40' },
  { name: 'yarn.scheduler.capacity.root.a.state', value: 'RUNNING' },
  { name: 'yarn.scheduler.capacity.root.b.capacity', value: '60' },
  { name: 'yarn.scheduler.capacity.root.about.capacity', value: '1' },
];
const entry = (key: string, value: string) => ({ key, value });

describe('a change of queues', () => {
  it('names only what differs, and unsets what is emptied', () => {
    assert.deepEqual(keysOf(properties, 'root.a'), { capacity: '40', state: 'RUNNING' });
    const body = changeBody(properties, {
      'root.a': { capacity: ' 50 ', state: '', 'maximum-capacity': '' },
      'root.b': { capacity: '60' },
    });
    assert.deepEqual(body, {
      'update-queue': [{ 'queue-name': 'root.a', params: { entry: [entry('capacity', '50'), entry('state', '')] } }],
    });
    assert.ok(isEmpty(changeBody(properties, { 'root.b': { capacity: '60' } })));
  });

  it('makes and removes queues', () => {
    const body = changeBody(properties, { 'root.c': { capacity: '10' }, 'root.b': { capacity: '0' } }, ['root.c'], ['root.b']);
    assert.deepEqual(body, {
      'remove-queue': ['root.b'],
      'add-queue': [{ 'queue-name': 'root.c', params: { entry: [entry('capacity', '10')] } }],
    });
  });

  it('comes to keys with what they were and will be', () => {
    const after = [
      ...properties.slice(0, 1),
      { name: 'yarn.scheduler.capacity.root.a.capacity', value: '50' },
      { name: 'x', value: 'new' },
    ];
    assert.deepEqual(
      differences(properties, after).map(({ key, before, after: fresh }) => [key.replace('yarn.scheduler.capacity.', ''), before, fresh]),
      [
        ['x', undefined, 'new'],
        ['root.a.capacity', '40', '50'],
        ['root.a.state', 'RUNNING', undefined],
        ['root.about.capacity', '1', undefined],
        ['root.b.capacity', '60', undefined],
      ],
    );
  });

  it('has a sum where shares are percentages alone', () => {
    assert.equal(sumOfShares(['40', '59.5%', '0.5']), 100);
    assert.equal(sumOfShares(['40', '3w']), undefined);
    assert.equal(sumOfShares(['[memory=1024]']), undefined);
    assert.equal(sumOfShares(['', '100']), undefined);
  });
});
