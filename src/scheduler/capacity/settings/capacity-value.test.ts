import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceTypes } from '../../../model/resource.ts';
import { ConfigurationRefused } from '../../policy.ts';
import { floatText, parseCapacity } from './capacity-value.ts';

const types = new ResourceTypes();

describe('capacity values', () => {
  it('are percentages, weights or vectors', () => {
    assert.equal(parseCapacity('50', types).kind, 'percentage');
    assert.equal(parseCapacity('2.5w', types).value, 2.5);
    assert.equal(parseCapacity('[memory=2048, vcores=2]', types).kind, 'absolute');
    assert.equal(parseCapacity('[memory=25%,vcores=2w]', types).kind, 'vector');
    assert.deepEqual(
      parseCapacity('[memory=4Gi,vcores=2]', types).byType.map(({ value }) => value),
      [4096, 2],
    );
    assert.throws(() => parseCapacity('[memory=', types), new ConfigurationRefused('For input string: "[memory="'));
  });

  it('are shown as no vector where they are written with a sign or an exponent', () => {
    const read = (text: string) => [parseCapacity(text, types).value, parseCapacity(text, types).entries.length];
    assert.deepEqual(['50', '+50', '5e1', '2w'].map(read), [
      [50, 2],
      [50, 0],
      [50, 0],
      [2, 2],
    ]);
    assert.deepEqual([parseCapacity('-1w', types).kind, parseCapacity('-1w', types).value], ['percentage', 0]);
  });

  it('writes floats as Java does', () => {
    assert.deepEqual(
      [0.3, 0.5, 100, 1.55, 30.000002].map((value) => floatText(Math.fround(value))),
      ['0.3', '0.5', '100.0', '1.55', '30.000002'],
    );
  });
});
