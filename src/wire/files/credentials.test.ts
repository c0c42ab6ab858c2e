import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeDelimited, part } from '../rpc/codec.ts';
import { CredentialsProto } from '../rpc/tables/transport.ts';
import { credentialsFile, leadingToken, secretsOfCredentials, tokensOfCredentials } from './credentials.ts';
import { readCredentials } from './read-credentials.ts';
import { withLength } from './writables.ts';

const token = (kind: string): Buffer => Buffer.concat(['identifier', 'password', kind, 'host:8020'].map(withLength));

test("credentials have the bytes of Hadoop's token storage", () => {
  const file = credentialsFile([['rm', Buffer.from('0161016201630164', 'hex')]], [['key', Buffer.from('hi')]]);
  assert.equal(file.toString('hex'), '4844545300' + '01' + '02726d' + '0161016201630164' + '01' + '036b6579' + '026869');
});

test('tokens are read back; of a file that is cut off those before the cut', () => {
  const tokens = [token('A'), token('B')];
  const file = credentialsFile(
    [
      ['a', tokens[0]!],
      ['b', tokens[1]!],
    ],
    [['secret', Buffer.from('x')]],
  );
  assert.deepEqual(tokensOfCredentials(file), tokens);
  const counts = Array.from({ length: file.length }, (_, length) => tokensOfCredentials(file.subarray(0, length)).length);
  assert.deepEqual([...new Set(counts)], [0, 1, 2]);
  assert.deepEqual(tokensOfCredentials(Buffer.from('HDTX\0\u0001')), []);
  assert.deepEqual(tokensOfCredentials(Buffer.from('HDTS\u0001')), []);
});

test('a token ends after its four parts', () => {
  const one = token('A');
  assert.deepEqual(leadingToken(Buffer.concat([one, Buffer.from('more')])), one);
  assert.throws(() => leadingToken(one.subarray(0, one.length - 1)), RangeError);
});

test('secrets are read back; of a file that is cut off, or another one, none', () => {
  const file = credentialsFile(
    [['a', token('A')]],
    [
      ['one', Buffer.from('1')],
      ['two', Buffer.from('größe')],
    ],
  );
  assert.deepEqual(
    [...secretsOfCredentials(file)],
    [
      ['one', Buffer.from('1')],
      ['two', Buffer.from('größe')],
    ],
  );
  for (let length = 0; length < file.length; length++) assert.equal(secretsOfCredentials(file.subarray(0, length)).size, 0);
  assert.equal(secretsOfCredentials(Buffer.from('HDTX\0\0\0')).size, 0);
});

test('both versions are read, whatever stands behind their end; cut off they are nothing', () => {
  const tokens = [['a', token('A')] as const, ['', token('B')] as const];
  const secrets = [['s', Buffer.from('hidden')] as const];
  const parts = { identifier: Buffer.from('identifier'), password: Buffer.from('password'), service: 'host:8020' };
  const credentials = part(CredentialsProto, {
    tokens: [
      { alias: 'a', token: { ...parts, kind: 'A' } },
      { alias: '', token: { ...parts, kind: 'B' } },
    ],
    secrets: [{ alias: 's', secret: Buffer.from('hidden') }],
  });
  const message = encodeDelimited(credentials);
  for (const file of [credentialsFile(tokens, secrets), Buffer.concat([Buffer.from('HDTS\u0001'), message])]) {
    assert.deepEqual(readCredentials(file), { tokens, secrets });
    assert.deepEqual(readCredentials(Buffer.concat([file, Buffer.alloc(512)])), { tokens, secrets });
    for (let length = 0; length < file.length; length++)
      assert.equal(readCredentials(file.subarray(0, length)), undefined, `${length} bytes`);
  }
  assert.equal(readCredentials(Buffer.from('HDTS\u0002')), undefined);
});
