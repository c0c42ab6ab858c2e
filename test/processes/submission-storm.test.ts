import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandApplication } from '../support/applications.ts';
import { startProcesses } from '../support/processes.ts';

interface Listed {
  apps: { app?: { id: string; name: string; state: string }[] } | null;
}

test('of 1,000 submissions cut by kill -9 every accepted one is there after the restart, none twice', async () => {
  await using cluster = await startProcesses({ mode: 'none' });
  await cluster.start('resource-manager');
  const base = `${cluster.urls.resourceManager}/ws/v1/cluster/apps`;
  const accepted = new Map<string, string>();
  let next = 0;
  let killed: Promise<void> | undefined;
  const submitter = async () => {
    while (next < 1000) {
      const name = `storm-${next++}`;
      try {
        const fresh = await fetch(`${base}/new-application?user.name=root`, { method: 'POST' });
        const id = ((await fresh.json()) as Record<string, string>)['application-id']!;
        const answer = await fetch(`${base}?user.name=root`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ 'application-id': id, ...commandApplication('true', { 'application-name': name }) }),
        });
        await answer.text();
        if (answer.status === 202) accepted.set(id, name);
      } catch {
        // The resource manager is gone: the rest is never submitted.
        return;
      }
      if (accepted.size >= 500) killed ??= cluster.stop('resource-manager', 'SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: 16 }, submitter));
  assert.ok(killed);
  await killed;
  await cluster.start('resource-manager');
  const listed = (await (await fetch(base, { headers: { accept: 'application/json' } })).json()) as Listed;
  const found = listed.apps?.app ?? [];
  const names = new Map(found.map(({ id, name }) => [id, name]));
  assert.equal(names.size, found.length, 'an application is listed twice');
  assert.equal(new Set(names.values()).size, found.length, 'a submission became two applications');
  for (const [id, name] of accepted) assert.equal(names.get(id), name);
  for (const { id, state } of found) assert.equal(state, 'ACCEPTED', id);
});
