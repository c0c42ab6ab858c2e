import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inConcurrentNodeOrder, inConcurrentOrder, inHashOrder, javaHash } from './java-order.ts';

describe('java order', () => {
  it('hashes texts as Java does', () => {
    assert.equal(javaHash('bob'), 97_717);
    assert.equal(javaHash('root.research.models'), javaHash('root.research.models') | 0);
    assert.deepEqual(
      inHashOrder(['ada', 'bob', 'eve'], (name) => name),
      ['bob', 'eve', 'ada'],
    );
    assert.deepEqual(
      [11, 12].map((most) => inConcurrentOrder(['p', 'd', '5'], (name) => name, most).join('')),
      ['pd5', 'dp5'],
    );
    assert.deepEqual(
      inConcurrentNodeOrder([45_454, 45_455], (port) => `localhost:${port}`),
      [45_455, 45_454],
    );
  });
});
