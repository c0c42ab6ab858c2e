import assert from 'node:assert/strict';
import { test } from 'node:test';
import { empty, text } from '../../http/answers.ts';
import { profiles } from '../../http/profiles.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { bareType, jsonOnly } from './labelled.ts';

const aCall = (accept?: string, format: 'json' | 'xml' = 'json') =>
  ({ headers: { accept }, format, method: 'GET', path: '/x' }) as unknown as Call;
const refuse = () => {
  throw failure('OVERLOADED', { what: 'The store', seconds: 3 });
};

test('a busy store says when to come back', async () => {
  const answer = await jsonOnly(profiles.timeline, refuse)(aCall());
  assert.equal(answer.status, 429);
  assert.deepEqual(answer.headers, { 'retry-after': '3' });
});

test('a resource that knows only JSON says so in JSON', async () => {
  const answer = await jsonOnly(profiles.timeline, () => empty(200))(aCall('application/xml', 'xml'));
  assert.equal(answer.status, 406);
  assert.ok(
    answer.kind === 'rendered' && answer.contentType === 'application/json;charset=utf-8' && answer.body.startsWith('{"exception"'),
  );
});

test('answers that carry a type of their own keep it', async () => {
  const answer = await bareType(profiles.timeline, aCall(), () => text(200, 'x', 'text/plain'));
  assert.ok(answer.kind === 'rendered' && answer.contentType === 'text/plain');
  const bare = await bareType(profiles.timeline, aCall(undefined, 'xml'), refuse);
  assert.ok(bare.kind === 'rendered' && bare.contentType === 'application/xml' && bare.body.includes('<RemoteException>'));
});
