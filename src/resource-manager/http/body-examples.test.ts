// The bodies that `/openapi.json` has for examples are taken by a resource manager as they are, ids aside.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RunningRole } from '../../lib/role.ts';
import { administeredBy, startManager } from '../test-support/running-manager.ts';
import { bodyExamples } from './body-examples.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-bodies-'));
let role: RunningRole;
before(async () => {
  role = await startManager(folder, {
    ...administeredBy('ada'),
    'yarn.node-labels.enabled': 'true',
    'yarn.cluster.max-application-priority': '10',
    'yarn.scheduler.configuration.store.class': 'memory',
    'heddle.webhooks.allowed-hosts': 'hooks.example.org',
  });
});
after(async () => {
  await role.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What is needed besides a resource manager: a node, a master, a plan, a failed delivery, a ticket. */
const elsewhere = /delegation-token|nodes\/:nodeId|\/attempts\/|\/reservation\/|redeliver|replace-node-to-labels/;
const application = '/ws/v1/cluster/apps/:appid';

async function send(method: string, path: string, body: unknown) {
  const response = await fetch(`${role.addresses['web']}${path}?user.name=ada`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, text: await response.text() };
}

describe('examples of bodies', () => {
  it('are taken', async () => {
    const { 'application-id': id } = JSON.parse((await send('POST', '/ws/v1/cluster/apps/new-application', undefined)).text) as {
      'application-id': string;
    };
    const refused: string[] = [];
    // What ends the application comes last.
    const keys = Object.keys(bodyExamples).toSorted((left, right) => Number(left.endsWith('/state')) - Number(right.endsWith('/state')));
    for (const key of keys) {
      if (elsewhere.test(key)) continue;
      const [method = '', path = ''] = key.split(' ');
      const example = bodyExamples[key] as object;
      const body = 'application-id' in example ? { ...example, 'application-id': id } : example;
      const { status, text } = await send(method, path.startsWith(application) ? path.replace(':appid', id) : path, body);
      if (status >= 300) refused.push(`${key}: ${status} ${text}`);
    }
    assert.deepEqual(refused, []);
  });
});
