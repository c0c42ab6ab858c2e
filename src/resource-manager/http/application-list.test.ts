import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { loadConfiguration } from '../../config/load.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import type { RunningRole } from '../../lib/role.ts';
import { start } from '../server.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-list-'));
const clock = new ManualClock();
let role: RunningRole;

const call = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${role.addresses['web']}/ws/v1/cluster${path}`, { headers: { accept: 'application/json' }, ...init });

async function submit(name: string): Promise<string> {
  const { 'application-id': id } = (await (await call('/apps/new-application?user.name=ann', { method: 'POST' })).json()) as Record<
    string,
    string
  >;
  const body = { 'application-id': id, 'application-name': name, 'am-container-spec': { commands: { command: 'true' } } };
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  assert.equal((await call('/apps?user.name=ann', init)).status, 202);
  return id!;
}

let asked = 0;
/** The list as it is made for somebody who asks for the first time. */
const anew = async (query: string, accept: string): Promise<string> =>
  (await call(`/apps?${query}&asked=${++asked}`, { headers: { accept } })).text();
const again = async (query: string, accept: string): Promise<string> => (await call(`/apps?${query}`, { headers: { accept } })).text();

describe('a list of applications that is asked for again and again', () => {
  before(async () => {
    const set = { 'yarn.resourcemanager.webapp.address': '127.0.0.1:0', 'yarn.timeline-service.enabled': 'false' };
    const configuration = loadConfiguration({ dataDir: folder, set });
    role = await start(configuration, { clock, logger: silentLogger, random: seededRandom(1) });
  });
  after(async () => {
    await role.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is as it is for who asks for the first time, at each moment, in each format, short and long', async () => {
    for (let count = 0; count < 3; count++) {
      await submit(`plain ${count}`);
      clock.advance(95);
    }
    const compare = async (query: string): Promise<void> => {
      for (const accept of ['application/json', 'application/xml']) {
        for (let times = 0; times < 8; times++) {
          assert.equal(await again(query, accept), await anew(query, accept));
          clock.advance(times * 15);
        }
      }
    };
    await compare('limit=10');
    // Longer than what is sent at once.
    await Promise.all(Array.from({ length: 100 }, (_, count) => submit(`${count} ${'long '.repeat(1500)}`)));
    await compare('states=ACCEPTED');
    await submit('größer');
    await compare('limit=1000');
  });

  it('is whole where a text that the store keeps of an ended application is damaged', async () => {
    const ids = await Promise.all(['one', 'two', 'three'].map(submit));
    const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"state":"KILLED"}' };
    for (const id of ids) {
      await call(`/apps/${id}/state?user.name=ann`, init);
      while ((await (await call(`/apps/${id}/state`)).text()) !== '{"state":"KILLED"}') await new Promise((done) => setImmediate(done));
    }
    // They leave the memory.
    clock.advance(600_001);
    const store = new DatabaseSync(join(folder, 'resource-manager', 'state.sqlite'));
    store.exec(`UPDATE finished_applications SET json = '{"id":"x"""}', xml = '<app><id>&</app>' WHERE id = '${ids[0]}';
                UPDATE finished_applications SET json = x'7b', xml = x'7b' WHERE id = '${ids[1]}'`);
    store.close();
    const expected = ids.map((id, at) => `${id} ${['one', 'two', 'three'][at]}`).sort();
    for (let times = 0; times < 2; times++) {
      const { apps } = JSON.parse(await anew('states=KILLED', 'application/json')) as { apps: { app: { id: string; name: string }[] } };
      assert.deepEqual(apps.app.map(({ id, name }) => `${id} ${name}`).sort(), expected);
      const xml = await anew('states=KILLED', 'application/xml');
      assert.deepEqual(
        [...xml.matchAll(/<app><id>([^<]*)<.id><user>ann<.user><name>([^<]*)/g)].map(([, id, name]) => `${id} ${name}`).sort(),
        expected,
      );
    }
  });

  it('shows a change at once', async () => {
    const id = await submit('to be killed');
    const states = async (): Promise<string[]> => {
      const { apps } = (await (await call('/apps?limit=2000')).json()) as { apps: { app: { id: string; state: string }[] } };
      return apps.app.filter((application) => application.id === id).map(({ state }) => state);
    };
    for (let times = 0; times < 3; times++) assert.deepEqual(await states(), ['ACCEPTED']);
    const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"state":"KILLED"}' };
    await call(`/apps/${id}/state?user.name=ann`, init);
    while ((await (await call(`/apps/${id}/state`)).text()) !== '{"state":"KILLED"}') await new Promise((done) => setImmediate(done));
    assert.deepEqual(await states(), ['KILLED']);
  });
});
