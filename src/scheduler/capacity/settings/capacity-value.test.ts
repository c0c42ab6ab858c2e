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

  it('name amounts apart from what they are as vectors', () => {
    const read = (text: string) => {
      const { kind, legacyKind, amounts, entries } = parseCapacity(text, types);
      return [kind, legacyKind, amounts, entries.length];
    };
    assert.deepEqual(read('[memory=1024,vcores=1]'), ['absolute', 'absolute', [1024, 1], 2]);
    assert.deepEqual(read('[memory-mb=2Gi,vcores=1]'), ['absolute', 'absolute', [2048, 1], 2]);
    assert.deepEqual(read('[memory=1024,vcores=2w]'), ['vector', 'absolute', [1024, 0], 2]);
    assert.deepEqual(read('[memory=25%,vcores=1]'), ['vector', 'percentage', undefined, 2]);
    assert.deepEqual(read('[memory=1w,vcores=1w]'), ['weight', 'weight', undefined, 2]);
    // No unit that anybody knows, or a blank behind the bracket: no amounts, though still a vector.
    assert.deepEqual(read('[memory=1024mb,vcores=1]'), ['absolute', 'absolute', undefined, 2]);
    assert.deepEqual(read('[memory=1024,vcores=1] '), ['absolute', 'percentage', undefined, 2]);
  });

  it('promise nothing without memory', () => {
    for (const text of ['[vcores=1]', '[memory=0,vcores=0]', '[memory=,vcores=1]', '[MEMORY=1024,VCORES=1]', '[memory=0w,vcores=0w]']) {
      const { kind, amounts, entries, byType } = parseCapacity(text, types);
      assert.deepEqual([kind, amounts, entries, byType], ['unknown', undefined, [], []], text);
    }
  });

  it('refuse amounts that are no whole numbers', () => {
    for (const [text, refusal] of [
      ['[memory=1024 ,vcores=1]', 'For input string: "1024 "'],
      ['[ memory = 1024 , vcores = 1 ]', 'For input string: " 1024 "'],
      ['[memory=1024.5,vcores=1]', 'For input string: "1024.5"'],
      ['[memory=9999999999999999999,vcores=1]', 'For input string: "9999999999999999999"'],
      ['[memory=-1024,vcores=1]', 'Illegal amount of memory: -1024 is below 0'],
    ] as const)
      assert.throws(() => parseCapacity(text, types), new ConfigurationRefused(refusal), text);
  });

  it('show their resources in the order of a Java map, as floats', () => {
    const shown = (text: string) => parseCapacity(text, types).entries.map(({ name, value }) => [name, value]);
    assert.deepEqual(shown('[memory=1024,vcores=1,yarn.io/gpu=1]'), [
      ['memory-mb', 1024],
      ['yarn.io/gpu', 1],
      ['vcores', 1],
    ]);
    assert.deepEqual(shown('[memory=1024,vcores=1,gpu=1]')[2], ['gpu', 1]);
    assert.deepEqual(shown('[memory=99999999,vcores=1]')[0], ['memory-mb', 100_000_000]);
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
