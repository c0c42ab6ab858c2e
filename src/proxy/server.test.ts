import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import type { RunningRole } from '../lib/role.ts';
import { start } from './server.ts';

const dependencies = { clock: systemClock, logger: silentLogger, random: systemRandom };
const base = '/ws/v1/cluster/apps/application_1_000';

describe('the web proxy on a host of its own', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'heddle-proxy-'));
  let manager: Server;
  let master: Server;
  let proxy: RunningRole;

  before(async () => {
    manager = createServer((request, response) => {
      const { pathname } = new URL(request.url!, 'http://manager');
      const own = `127.0.0.1:${(master.address() as AddressInfo).port}`;
      const answers: Record<string, unknown> = {
        [`${base}1`]: { app: { user: 'ada', state: 'RUNNING', amHostHttpAddress: '127.0.0.1:8042' } },
        [`${base}1/appattempts`]: { appAttempts: { appAttempt: [{ appAttemptId: 'a1' }, { appAttemptId: 'a2' }] } },
        [`${base}1/appattempts/a2`]: { originalTrackingUrl: `http://${own}/master` },
        [`${base}2`]: { app: { user: 'ada', state: 'ACCEPTED' } },
        [`${base}2/appattempts`]: { appAttempts: {} },
      };
      const answer = answers[pathname];
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
    });
    master = createServer((request, response) => response.end(`master ${request.url}`));
    for (const server of [manager, master]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const set = {
      'yarn.web-proxy.address': '127.0.0.1:0',
      'yarn.resourcemanager.webapp.address': `127.0.0.1:${(manager.address() as AddressInfo).port}`,
      'yarn.timeline-service.enabled': 'false',
    };
    proxy = await start(loadConfiguration({ dataDir, set }), dependencies);
  });
  after(async () => {
    await proxy.close();
    manager.close();
    master.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const ask = (path: string) => fetch(proxy.addresses['web'] + path, { redirect: 'manual' });

  it('asks the resource manager and relays to the last attempt', async () => {
    assert.equal(await (await ask('/proxy/application_1_0001/jobs?a=b')).text(), 'master /master/jobs?a=b');
  });
  it('redirects to the page of what has not registered, and says which application is unknown', async () => {
    assert.match((await ask('/proxy/application_1_0002/x')).headers.get('location') ?? '', /\/cluster\/app\/application_1_0002$/);
    assert.equal((await ask('/proxy/application_1_0003')).status, 404);
  });
  it('does not start without an address', async () => {
    await assert.rejects(start(loadConfiguration({ dataDir }), dependencies), /yarn\.web-proxy\.address is not set/);
  });
});
