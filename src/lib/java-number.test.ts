import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseExactLong, parseInteger, parseLong } from './java-number.ts';

describe('whole numbers of Java', () => {
  it('may have a sign and zeros before them', () => {
    assert.deepEqual(['7', '+7', '-7', '007', '-0', `${'0'.repeat(1000)}7`].map(parseLong), [7, 7, -7, 7, 0, 7]);
    assert.deepEqual(['7', '+7', '-7', '007'].map(parseInteger), [7, 7, -7, 7]);
  });

  it('are nothing else', () => {
    for (const text of ['', '+', '-', ' 1', '1 ', '1.0', '1e3', '0x10', '1_000', '--1', 'x', '1\n', '٣']) {
      assert.equal(parseLong(text), undefined, text);
      assert.equal(parseInteger(text), undefined, text);
    }
  });

  it('end where 64 and 32 bits end', () => {
    assert.equal(parseExactLong('9223372036854775807'), 9223372036854775807n);
    assert.equal(parseExactLong('-9223372036854775808'), -9223372036854775808n);
    for (const text of ['9223372036854775808', '-9223372036854775809', '9'.repeat(100_000)]) assert.equal(parseExactLong(text), undefined);
    assert.deepEqual(['2147483647', '-2147483648'].map(parseInteger), [2147483647, -2147483648]);
    assert.deepEqual(['2147483648', '-2147483649', '9223372036854775807'].map(parseInteger), [undefined, undefined, undefined]);
  });
});
