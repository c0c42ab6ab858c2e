import assert from 'node:assert/strict';
import { test } from 'node:test';
import { empty, ok, text } from '../../http/answers.ts';
import { profiles } from '../../http/profiles.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { timelineAbout } from '../../wire/timeline/v1-records.ts';
import { bareType, eitherFormat } from './labelled.ts';

const aCall = (accept?: string, format: 'json' | 'xml' = 'json') =>
  ({ headers: { accept }, format, method: 'GET', path: '/x' }) as unknown as Call;
const refuse = () => {
  throw failure('OVERLOADED', { what: 'The store', seconds: 3 });
};

test('a busy store says when to come back', async () => {
  const answer = await eitherFormat(profiles.timeline, refuse)(aCall());
  assert.equal(answer.status, 429);
  assert.deepEqual(answer.headers, { 'retry-after': '3' });
});

test('what is asked for in neither JSON nor XML is refused in JSON', async () => {
  const answer = await eitherFormat(profiles.timeline, () => empty(200))(aCall('text/plain'));
  assert.equal(answer.status, 406);
  assert.ok(
    answer.kind === 'rendered' && answer.contentType === 'application/json;charset=utf-8' && answer.body.startsWith('{"exception"'),
  );
});

test('XML that is asked for is answered, refusals too', async () => {
  const asked = aCall('application/xml', 'xml');
  const about = await eitherFormat(profiles.timeline, () => ok(timelineAbout, { About: 'x' }))(asked);
  assert.ok(about.kind === 'rendered' && about.contentType === 'application/xml; charset=utf-8');
  assert.match(about.body, /<about><About>x<\/About><\/about>$/);
  const refused = await eitherFormat(profiles.timeline, refuse)(asked);
  assert.ok(refused.kind === 'rendered' && refused.body.includes('<RemoteException>'));
});

test('JSON is answered to whoever takes it, XML to who takes that alone', async () => {
  const typeFor = async (accept: string, jsonAlone = false) => {
    const answer = await eitherFormat(profiles.timeline, () => ok(timelineAbout, { About: 'x' }), { jsonAlone })(aCall(accept));
    return answer.kind === 'rendered' ? [answer.status, answer.contentType] : [];
  };
  const json = [200, 'application/json;charset=utf-8'];
  assert.deepEqual(await typeFor('application/json;q=0.5,application/xml'), json);
  assert.deepEqual(await typeFor('text/html,application/xml;q=0.9,*/*;q=0.8'), json);
  assert.deepEqual(await typeFor('text/html,application/xml;q=0.9'), [200, 'application/xml; charset=utf-8']);
  assert.deepEqual(await typeFor('application/xml', true), [406, 'application/json;charset=utf-8']);
});

test('answers that carry a type of their own keep it', async () => {
  const answer = await bareType(profiles.timeline, aCall(), () => text(200, 'x', 'text/plain'));
  assert.ok(answer.kind === 'rendered' && answer.contentType === 'text/plain');
  const bare = await bareType(profiles.timeline, aCall(undefined, 'xml'), refuse);
  assert.ok(bare.kind === 'rendered' && bare.contentType === 'application/xml' && bare.body.includes('<RemoteException>'));
});
