import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadBucket, emptyBodySha256, s3Settings, signedHeaders } from './s3.ts';

const credentials = { accessKey: 'AKIAIOSFODNN7EXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', sessionToken: undefined };
const sign = (query: readonly (readonly [string, string])[], path = '/', headers: Record<string, string> = {}) =>
  signedHeaders(
    {
      method: 'GET',
      host: 'examplebucket.s3.amazonaws.com',
      path,
      query,
      headers,
      bodySha256: emptyBodySha256,
      timeMs: Date.UTC(2013, 4, 24),
    },
    { region: 'us-east-1', credentials },
  )['authorization'] ?? '';

test('signatures are those of the examples in the S3 reference', () => {
  const example = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41';
  assert.ok(sign([], '/test.txt', { range: 'bytes=0-9' }).endsWith(`Signature=${example}`));
  assert.ok(sign([['lifecycle', '']]).endsWith('Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'));
  const listing = [
    ['max-keys', '2'],
    ['prefix', 'J'],
  ] as const;
  assert.ok(sign(listing).endsWith('Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'));
});

test('settings of a bucket come before general ones, those before the environment', () => {
  const settings: Record<string, string> = {
    'fs.s3a.access.key': 'general',
    'fs.s3a.secret.key': 'general secret',
    'fs.s3a.bucket.mine.access.key': 'own',
    'fs.s3a.bucket.mine.secret.key': 'own secret',
    'fs.s3a.endpoint': 'store.example:9000',
    'fs.s3a.path.style.access': 'true',
  };
  const environment = { AWS_ACCESS_KEY_ID: 'environment', AWS_SECRET_ACCESS_KEY: 's', AWS_REGION: 'eu-central-1' };
  const of = (bucket: string, from: Record<string, string> = settings) => s3Settings((key) => from[key], bucket, environment);
  assert.equal(of('mine').credentials?.accessKey, 'own');
  assert.equal(of('other').credentials?.accessKey, 'general');
  assert.equal(of('other', {}).credentials?.accessKey, 'environment');
  assert.deepEqual([of('mine').endpoint, of('mine').pathStyle, of('mine').region], ['https://store.example:9000', true, 'eu-central-1']);
  assert.equal(s3Settings(() => undefined, 'mine', {}).credentials, undefined);
  for (const bad of ['a', 'evil.example/x', 'UPPER', 'x@y', '..', 'a b'])
    assert.throws(() => s3Settings(() => undefined, bad, {}), BadBucket, bad);
});

test('a setting that says yes or no and has neither for its value is refused', () => {
  const of = (name: string, value: string) => s3Settings((key) => ({ 'fs.s3a.endpoint': 'store.example', [name]: value })[key], 'mine', {});
  assert.equal(of('fs.s3a.path.style.access', 'TRUE').pathStyle, true);
  assert.equal(of('fs.s3a.path.style.access', 'false').pathStyle, false);
  assert.equal(of('fs.s3a.connection.ssl.enabled', 'False').endpoint, 'http://store.example');
  for (const name of ['path.style.access', 'connection.ssl.enabled'])
    for (const key of [`fs.s3a.${name}`, `fs.s3a.bucket.mine.${name}`])
      assert.throws(() => of(key, 'maybe'), { name: 'BadBucket', message: `fs.s3a.${name}: 'maybe' is neither true nor false` });
});
