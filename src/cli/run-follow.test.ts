import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApplicationInfo } from '../wire/cluster/application.ts';
import type { Connection } from './connection.ts';
import { followCommand } from './run-follow.ts';

const id = 'application_1700000000000_0001';

/** What is told of an application that is over when it is first looked at. */
async function toldOf(t: { mock: typeof test.mock }, app: Partial<ApplicationInfo>): Promise<{ code: number; told: string }> {
  const told: string[] = [];
  const written = t.mock.method(process.stderr, 'write', (text: string) => told.push(text) > 0);
  const cluster = { application: async () => ({ id, ...app }), explain: async () => undefined };
  const connection = { cluster, resourceManagerUrl: 'http://127.0.0.1:1', credentials: {} } as unknown as Connection;
  const code = await followCommand(connection, id, false);
  written.mock.restore();
  return { code, told: told.join('') };
}

const unread = /not all of the output of application_1700000000000_0001 could be read.*\n {2}Read it with "heddle app logs application_1/;

test('who comes when a command is over is told where its output is', async (t) => {
  const well = await toldOf(t, { state: 'FINISHED', finalStatus: 'SUCCEEDED' });
  assert.equal(well.code, 0);
  assert.match(well.told, unread);
  const failed = await toldOf(t, {
    state: 'FINISHED',
    finalStatus: 'FAILED',
    diagnostics: 'Instance 0 failed with exit code 5 after 1 try.',
  });
  assert.equal(failed.code, 5);
  assert.match(failed.told, unread);
});

test('a command that never ran has no output that is missed', async (t) => {
  const refused = await toldOf(t, { state: 'FINISHED', finalStatus: 'FAILED', diagnostics: 'A container of 9 MiB is more than …' });
  assert.equal(refused.code, 1);
  assert.doesNotMatch(refused.told, unread);
});
