import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { addInto, difference, fits, longMaximum, ResourceTypes, resourceText, subtractFrom, sum, zeros } from './resource.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const vector = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { maxLength: 5 });
/** Vectors of different lengths are the same where what is missing is 0. */
const same = (a: readonly number[], b: readonly number[]): boolean =>
  Array.from({ length: Math.max(a.length, b.length) }).every((_, i) => (a[i] ?? 0) === (b[i] ?? 0));

describe('vectors of amounts', () => {
  it('are added and subtracted type by type, whatever their lengths', () => {
    assert.deepEqual(sum([1, 2], [3]), [4, 2]);
    assert.deepEqual(sum([1], [3, 4, 5]), [4, 4, 5]);
    assert.deepEqual(difference([1, 2], [3, 0, 1]), [-2, 2, -1]);
    assert.deepEqual(sum([], []), []);
  });

  it('come back to what they were', () => {
    fc.assert(
      fc.property(vector, vector, (a, b) => {
        assert.ok(same(difference(sum(a, b), b), a));
        assert.ok(same(sum(a, b), sum(b, a)));
        assert.ok(fits(a, sum(a, b)));
      }),
    );
  });

  it('are not changed by sums and differences, but by adding into them', () => {
    const a = [1, 2];
    const b = [5, 5];
    sum(a, b);
    difference(a, b);
    assert.deepEqual(
      [a, b],
      [
        [1, 2],
        [5, 5],
      ],
    );
    addInto(a, b);
    assert.deepEqual(a, [6, 7]);
    subtractFrom(a, [0, 0, 3]);
    assert.deepEqual(a, [6, 7, -3]);
  });

  it('fit where no type is more than there is room', () => {
    assert.ok(fits([1, 1], [1, 1]));
    assert.ok(fits([], []));
    assert.ok(fits([0, 0, 0], [0]));
    assert.ok(fits([1], [1, 0]));
    assert.ok(!fits([1, 2], [5, 1]));
    assert.ok(!fits([1, 0, 1], [5, 5]));
    assert.ok(!fits([0], [-1]));
  });

  it('begin as zeros that may be changed', () => {
    const one = zeros();
    one[0] = 5;
    assert.deepEqual(
      [one, zeros(), zeros(3)],
      [
        [5, 0],
        [0, 0],
        [0, 0, 0],
      ],
    );
  });
});

describe('registered types', () => {
  const types = new ResourceTypes([
    { name: 'yarn.io/gpu', units: '', minimumAllocation: 0, maximumAllocation: 4 },
    { name: 'bandwidth', units: 'M', minimumAllocation: 1, maximumAllocation: longMaximum },
  ]);

  it('are memory and cores, then those of the cluster in their order', () => {
    assert.equal(types.count, 4);
    assert.deepEqual(
      types.types.map(({ name, units }) => `${name} ${units}`),
      ['memory-mb Mi', 'vcores ', 'yarn.io/gpu ', 'bandwidth M'],
    );
    assert.deepEqual(
      ['memory-mb', 'vcores', 'yarn.io/gpu', 'bandwidth', 'constructor', ''].map((name) => types.indexOf(name)),
      [0, 1, 2, 3, undefined, undefined],
    );
    assert.equal(new ResourceTypes().count, 2);
  });

  it('have the largest number of Java where no maximum is set', () => {
    assert.equal(longMaximum, 2 ** 63);
    assert.equal(types.types[0]?.maximumAllocation, longMaximum);
  });

  it('stand in the text of a vector where they are not 0', () => {
    assert.equal(resourceText([1024, 1]), '<memory:1024, vCores:1>');
    assert.equal(resourceText([]), '<memory:0, vCores:0>');
    assert.equal(resourceText([1, 2, 3, 4], types), '<memory:1, vCores:2, yarn.io/gpu: 3, bandwidth: 4M>');
    assert.equal(resourceText([1, 2, 0, 4], types), '<memory:1, vCores:2, bandwidth: 4M>');
    assert.equal(resourceText([1, 2, 3, 4, 5]), '<memory:1, vCores:2>');
  });
});
