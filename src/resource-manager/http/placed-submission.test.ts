import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadConfiguration } from '../../config/load.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import type { RunningRole } from '../../lib/role.ts';
import { start } from '../server.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-placed-'));
const queues = {
  'root.queues': 'default,users',
  'root.default.capacity': '50',
  'root.users.capacity': '50',
  'root.users.queues': 'ada,bob',
  'root.users.ada.capacity': '50',
  'root.users.bob.capacity': '50',
  'root.accessible-node-labels': '*',
  'queue-mappings': 'u:ada:users.ada,u:bob:users.bob',
};
let role: RunningRole;
before(async () => {
  const set = {
    'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
    'yarn.timeline-service.enabled': 'false',
    'yarn.node-labels.enabled': 'true',
    'yarn.resourcemanager.node-labels.am.default-node-label-expression': 'core',
    'yarn.resourcemanager.application-tag-based-placement.enable': 'true',
    'yarn.resourcemanager.application-tag-based-placement.username.whitelist': 'hue',
    'yarn.scheduler.configuration.store.class': 'memory',
    ...Object.fromEntries(Object.entries(queues).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])),
  };
  const configuration = loadConfiguration({ confDir: folder, dataDir: join(folder, 'data'), set });
  role = await start(configuration, { clock: new ManualClock(), logger: silentLogger, random: seededRandom(1) });
  await request('POST', '/add-node-labels', 'root', { nodeLabelInfo: [{ name: 'core' }, { name: 'gpu' }] });
});
after(async () => {
  await role.close();
  rmSync(folder, { recursive: true, force: true });
});

async function request(method: string, path: string, user: string, body?: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(`${role.addresses['web']}/ws/v1/cluster${path}?user.name=${user}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

async function submitted(user: string, more: object): Promise<{ queue: string; amNodeLabelExpression: string }> {
  const id = (JSON.parse((await request('POST', '/apps/new-application', user)).text) as Record<string, string>)['application-id']!;
  const spec = { 'am-container-spec': { commands: { command: 'true' } }, resource: { memory: 128, vCores: 1 } };
  assert.equal((await request('POST', '/apps', user, { 'application-id': id, ...spec, ...more })).status, 202);
  return JSON.parse((await request('GET', `/apps/${id}`, user)).text).app;
}

test('a listed submitter has applications placed as those of the user in their tag', async () => {
  const tag = { 'application-tags': { tag: ['userid=bob'] } };
  assert.equal((await submitted('hue', tag)).queue, 'root.users.bob');
  assert.equal((await submitted('hue', {})).queue, 'root.default');
  assert.equal((await submitted('ada', tag)).queue, 'root.users.ada');
});

test('masters get the label for masters where their application names none', async () => {
  assert.equal((await submitted('ada', {})).amNodeLabelExpression, 'core');
  assert.equal((await submitted('ada', { 'am-container-node-label-expression': 'gpu' })).amNodeLabelExpression, 'gpu');
});

test('a change of queues may name a file of mapping rules, which must be there', async () => {
  const name = (file: string) => ({
    'global-updates': {
      entry: [
        { key: 'yarn.scheduler.capacity.mapping-rule-format', value: 'json' },
        { key: 'yarn.scheduler.capacity.mapping-rule-json-file', value: file },
      ],
    },
  });
  const absent = await request('PUT', '/scheduler-conf', 'root', name('absent.json'));
  assert.deepEqual([absent.status, /absent\.json/.test(absent.text)], [400, true]);
  writeFileSync(
    join(folder, 'rules.json'),
    '{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":"users.bob","fallbackResult":"reject"}]}',
  );
  assert.equal((await request('PUT', '/scheduler-conf', 'root', name('rules.json'))).status, 200);
  assert.equal((await submitted('ada', {})).queue, 'root.users.bob');
});
