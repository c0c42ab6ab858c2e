import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionReason } from './connection-reason.ts';

const failed = (code: unknown, message = 'as a library says it', more: object = {}) =>
  connectionReason(Object.assign(new Error(message), { code }, more));

test('codes of connections are told in words, with the host that has no address', () => {
  assert.equal(failed('ECONNREFUSED'), 'nothing listens there');
  assert.equal(failed('ENOTFOUND'), 'its host has no address');
  assert.equal(failed('ENOTFOUND', '', { hostname: 'nowhere' }), 'its host nowhere has no address');
  assert.equal(
    failed('ERR_SSL_WRONG_VERSION_NUMBER', '40D3:error:0A00010B:SSL routines'),
    'it does not speak TLS there: http may be meant',
  );
  assert.equal(failed('HPE_INVALID_CONSTANT'), 'what it says is no answer of HTTP');
});

test('what has no words is told as it is: of a certificate its message, else its code, and the message of what has none', () => {
  assert.equal(failed('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'), 'self-signed certificate');
  assert.equal(failed('ESOMETHING'), 'ESOMETHING');
  assert.equal(failed(undefined), 'as a library says it');
  assert.equal(failed(20), 'as a library says it');
  assert.equal(failed(undefined, 'bad port'), 'its port belongs to another protocol, and is never asked by HTTP');
});
