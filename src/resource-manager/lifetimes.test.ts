// How long applications live: by the limit of the queue that they are in when it is asked for, and as before over a restart.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { seededRandom } from '../lib/random.ts';
import type { RunningRole } from '../lib/role.ts';
import { start } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-lifetimes-'));
const clock = new ManualClock();
let role: RunningRole;

async function begin(): Promise<void> {
  const queue = 'yarn.scheduler.capacity.root';
  const set = {
    'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
    'yarn.timeline-service.enabled': 'false',
    'yarn.scheduler.configuration.store.class': 'memory',
    [`${queue}.queues`]: 'free,brief',
    [`${queue}.free.capacity`]: '50',
    [`${queue}.brief.capacity`]: '50',
    [`${queue}.brief.maximum-application-lifetime`]: '60',
    [`${queue}.brief.default-application-lifetime`]: '5',
  };
  const configuration = loadConfiguration({ confDir: folder, dataDir: join(folder, 'data'), set });
  role = await start(configuration, { clock, logger: silentLogger, random: seededRandom(1) });
}
before(begin);
after(async () => {
  await role.close();
  rmSync(folder, { recursive: true, force: true });
});

async function request(method: string, path: string, body?: unknown) {
  const response = await fetch(`${role.addresses['web']}/ws/v1/cluster${path}?user.name=root`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, text);
  return text === '' ? undefined : JSON.parse(text);
}
async function submit(queue: string): Promise<string> {
  const id = (await request('POST', '/apps/new-application'))['application-id'];
  await request('POST', '/apps', { 'application-id': id, 'unmanaged-AM': true, queue });
  return id;
}
const move = (id: string, queue: string) => request('PUT', `/apps/${id}/queue`, { queue });
const ask = (id: string, seconds: number) => {
  const expiryTime = new Date(clock.now() + seconds * 1000).toISOString().replace('Z', '+0000');
  return request('PUT', `/apps/${id}/timeout`, { timeout: { type: 'LIFETIME', expiryTime } });
};
/** Seconds from now, or UNLIMITED. */
async function left(id: string): Promise<number | string> {
  const { timeout } = (await request('GET', `/apps/${id}/timeouts`)).timeouts;
  const { expiryTime } = [timeout].flat()[0];
  return expiryTime === 'UNLIMITED' ? expiryTime : (Date.parse(expiryTime) - clock.now()) / 1000;
}

it('an application lives as long as the queue allows that it is in when a lifetime is set', async () => {
  const id = await submit('free');
  await ask(id, 5000);
  assert.equal(await left(id), 5000);
  await move(id, 'brief');
  assert.equal(await left(id), 5000, 'a move alone changes nothing');
  await ask(id, 5000);
  assert.equal(await left(id), 60);
  await move(id, 'free');
  await ask(id, 7000);
  assert.equal(await left(id), 7000);
  const brief = await submit('brief');
  assert.equal(await left(brief), 5);
  await ask(brief, 50);
  assert.equal(await left(brief), 50);
});

it('an application that was moved into a queue with limits lives on after a restart as before', async () => {
  const [limited, unlimited] = [await submit('free'), await submit('free')];
  await ask(limited, 5000);
  for (const id of [limited, unlimited]) await move(id, 'brief');
  await role.close();
  await begin();
  assert.equal(await left(limited), 5000);
  assert.equal(await left(unlimited), 'UNLIMITED');
});
