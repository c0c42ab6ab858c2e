import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeIdentifier, encodeIdentifier, identifierText, type TokenIdentifier } from './token-identifier.ts';
import { decodeToken, encodeToken } from './token-text.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const text = fc.string({ unit: 'grapheme', maxLength: 200 }).filter((one) => one.isWellFormed());
const whole = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const identifier: fc.Arbitrary<TokenIdentifier> = fc.record(
  { owner: text, renewer: text, realUser: text, issueDate: whole, maxDate: whole, sequenceNumber: whole, masterKeyId: fc.integer() },
  { noNullPrototype: true },
);

describe('the text of a token', () => {
  it('survives, and stands in addresses and headers as it is', () => {
    fc.assert(
      fc.property(bytes, bytes, text, text, (name, password, kind, service) => {
        const token = { identifier: name, password, kind, service };
        const written = encodeToken(token);
        assert.match(written, /^[\w-]*$/);
        assert.deepEqual(decodeToken(written), token);
      }),
    );
  });

  it("is Hadoop's: lengths in front, URL-safe base64 without padding", () => {
    const token = { identifier: Buffer.from([1, 2]), password: Buffer.from([3]), kind: 'K', service: '' };
    assert.equal(encodeToken(token), Buffer.from('020102010301' + '4b00', 'hex').toString('base64url'));
    const long = encodeToken({ ...token, identifier: Buffer.alloc(200, 1) });
    assert.equal(Buffer.from(long, 'base64url').toString('hex', 0, 3), '8fc801');
  });

  it('with a padding or the other alphabet is read too', () => {
    const token = { identifier: Buffer.alloc(3, 0xff), password: Buffer.alloc(2, 0xfb), kind: 'K', service: 's' };
    const standard = Buffer.from(encodeToken(token), 'base64url').toString('base64');
    assert.match(standard, /[+/=]/);
    assert.deepEqual(decodeToken(standard), token);
  });

  it('that breaks off or is none is refused', () => {
    const written = Buffer.from(
      encodeToken({ identifier: Buffer.alloc(5), password: Buffer.alloc(20), kind: 'KIND', service: 's:1' }),
      'base64url',
    );
    for (let length = 0; length < written.length; length++)
      assert.equal(decodeToken(written.subarray(0, length).toString('base64url')), undefined, `${length} bytes`);
    fc.assert(
      fc.property(bytes, (noise) => {
        const token = decodeToken(noise.toString('base64url'));
        if (token) assert.ok(token.identifier.length + token.password.length <= noise.length);
      }),
    );
    // Lengths that are negative or larger than everything.
    for (const hex of ['88ffffffffffffffff', '80ff', '8b7fffffff', 'ff'])
      assert.equal(decodeToken(Buffer.from(hex, 'hex').toString('base64url')), undefined, hex);
  });
});

describe('the identifier of a token', () => {
  it('survives', () => {
    fc.assert(fc.property(identifier, (one) => assert.deepEqual(decodeIdentifier(encodeIdentifier(one)), one)));
  });

  it('is a message of protocol buffers: numbered fields in any order, unknown ones passed over', () => {
    const one = { owner: 'ann', renewer: 'bob', realUser: '', issueDate: 1, maxDate: 2, sequenceNumber: 3, masterKeyId: 4 };
    assert.equal(encodeIdentifier(one).toString('hex'), '0a03616e6e1203626f621a002001280230033804');
    assert.deepEqual(decodeIdentifier(Buffer.from('38043003280220011203626f620a03616e6e', 'hex')), one);
    assert.deepEqual(decodeIdentifier(Buffer.from('4801' + '52027878' + '0a03616e6e1203626f622001280230033804', 'hex')), one);
    // Without a key, and with something of another type in its place, which is passed over as well.
    for (const hex of ['200128023003', '2001280230033d00000000']) {
      const withoutKey = decodeIdentifier(Buffer.from(hex, 'hex'));
      assert.deepEqual([withoutKey?.owner, withoutKey?.masterKeyId], ['', -1], hex);
    }
  });

  it('that breaks off or lacks a number is none', () => {
    for (const hex of ['', '20', '0a05616e', '2001', '20012802', '0b', 'ffffffffffffffffffffff01', '0affffffffffffffffff01'])
      assert.equal(decodeIdentifier(Buffer.from(hex, 'hex')), undefined, hex);
    fc.assert(
      fc.property(bytes, (noise) => {
        const one = decodeIdentifier(noise);
        if (one) assert.equal(typeof one.sequenceNumber, 'number');
      }),
    );
  });

  it('stands in messages as Hadoop prints it', () => {
    const one = { owner: 'ann', renewer: 'bob', realUser: 'knox', issueDate: 1, maxDate: 2, sequenceNumber: 3, masterKeyId: 4 };
    assert.equal(
      identifierText('KIND', one),
      'KIND owner=ann, renewer=bob, realUser=knox, issueDate=1, maxDate=2, sequenceNumber=3, masterKeyId=4',
    );
  });
});
