// Calls that wait are answered after the time that they name, also where the machine's clock is set back meanwhile.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { startManager } from '../test-support/running-manager.ts';

test('a clock that is set back makes no call wait longer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-waits-'));
  const clock = new ManualClock();
  const role = await startManager(folder, { 'heddle.rpc.enabled': 'false' }, clock);
  try {
    const ask = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(`${role.addresses['web']}${path}`, {
        ...init,
        headers: { accept: 'application/json', 'content-type': 'application/json' },
      });
      return JSON.parse(await answer.text());
    };
    const { id } = await ask('/api/v1/applications?user.name=ann', { method: 'POST', body: '{"unmanaged-AM": true}' });
    let answered = 0;
    const waiting = [`/api/v1/applications/${id}?wait=5000&until=end`, '/api/v1/events?wait=5000&kind=application.finished'].map((path) =>
      ask(path).finally(() => {
        answered++;
      }),
    );
    // Both wait when another call, made after them on the same server, was answered.
    await ask('/ws/v1/cluster/info');
    clock.set(-86_400_000);
    for (let passedMs = 0; passedMs < 60_000 && answered < waiting.length; passedMs += 1000) {
      clock.advance(1000);
      await ask('/ws/v1/cluster/info');
    }
    assert.equal(answered, waiting.length);
    const [application, events] = await Promise.all(waiting);
    assert.equal(application.id, id);
    assert.deepEqual(events.events, []);
  } finally {
    await role.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
