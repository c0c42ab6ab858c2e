import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginSession, isSuperseded, type Registrations } from './registrations.ts';

/** An attempt whose master has registered under these names, one after the other. */
function registeredAs(names: readonly string[]): Registrations {
  const attempt: Registrations = { registrationIds: [], sessions: 0 };
  for (const name of names) beginSession(attempt, name);
  return attempt;
}

test('a late copy of any of the last hundred registrations is known as one that was followed by another', () => {
  const names = Array.from({ length: 300 }, (_, index) => `registration ${index}`);
  const attempt = registeredAs(names);
  const session = { registrationId: names.at(-1) };
  for (const name of names.slice(-100, -1)) assert.ok(isSuperseded(attempt, name, session), name);
  assert.ok(!isSuperseded(attempt, names.at(-1)!, session));
  assert.ok(!isSuperseded(attempt, 'a new one', session));
  // What is kept of one attempt stays small, whatever its master does.
  assert.ok(JSON.stringify(attempt).length < 5000);
});

test('without a session, after a restart, the last registration may come again, and none before it', () => {
  const attempt = registeredAs(['one', 'two', 'two']);
  assert.deepEqual(attempt.registrationIds, ['one', 'two']);
  assert.deepEqual(
    ['one', 'two'].map((name) => isSuperseded(attempt, name, undefined)),
    [true, false],
  );
});
