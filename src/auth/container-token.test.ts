import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { type ContainerTokenContent, containerToken, readContainerToken } from './container-token.ts';

const key = Buffer.alloc(32, 3);
const content: ContainerTokenContent = {
  containerId: 'container_1_0001_01_000001',
  applicationId: 'application_1_0001',
  attemptId: 'appattempt_1_0001_000001',
  user: 'ada',
  resource: { memoryMiB: 1024, vcores: 1 },
  priority: 0,
  queue: 'root.default',
  isMaster: false,
  applicationAcls: {},
  submitTimeMs: 1,
  maxAttempts: 2,
  nodeId: 'n1:45454',
  expiresMs: 10,
};

test('a token says what it was made of, to who has the key', () => {
  const token = containerToken(key, content);
  assert.deepEqual(readContainerToken(key, token), content);
  assert.equal(readContainerToken(Buffer.alloc(32, 4), token), undefined);
});

test('a token that is changed, cut or of another content is none', () => {
  const token = containerToken(key, content);
  const [text = '', signature = ''] = token.split('.');
  for (const other of ['', '.', text, `${text}.`, `${text}.${signature.slice(1)}`, `x${token}`, `${token}x`])
    assert.equal(readContainerToken(key, other), undefined, other);
  const signed = (value: unknown): string => {
    const body = Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${body}.${createHmac('sha256', key).update(`container:${body}`).digest('base64url')}`;
  };
  assert.deepEqual(readContainerToken(key, signed({ ...content, more: 1 })), { ...content, more: 1 });
  for (const other of [null, [], {}, { ...content, user: undefined }, { ...content, expiresMs: 'never' }])
    assert.equal(readContainerToken(key, signed(other)), undefined, JSON.stringify(other));
});
