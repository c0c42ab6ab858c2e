// A node on a machine of its own, which has a copy of the secret of the cluster and none of that of its servers, where names count for nothing.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { commandApplication } from '../support/applications.ts';
import { startProcesses, until } from '../support/processes.ts';

it('believes the servers of its cluster: logs are passed on, to who may see them alone', async () => {
  await using cluster = await startProcesses({
    mode: 'none',
    settings: {
      'heddle.security.authentication': 'bearer',
      'yarn.acl.enable': 'true',
      'yarn.admin.acl': 'root',
      'yarn.timeline-service.enabled': 'false',
    },
  });
  const [secret, copy] = [join(cluster.dataDir, 'secrets/services'), join(cluster.home, 'services')];
  await cluster.start('resource-manager');
  copyFileSync(secret, copy);
  rmSync(secret);
  await cluster.start('node-manager');
  assert.ok(!existsSync(secret) || !readFileSync(secret).equals(readFileSync(copy)), 'the node has another');
  copyFileSync(copy, secret);
  const bearing = async (user: string) => {
    const file = join(cluster.home, `${user}.token`);
    const made = await cluster.heddle(
      'token',
      'create',
      't',
      '--scope',
      'submit',
      '--user',
      user,
      '--out',
      file,
      '--cluster',
      cluster.urls.resourceManager,
    );
    assert.equal(made.code, 0, made.output);
    return { authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` };
  };
  const [ann, eve] = [await bearing('ann'), await bearing('eve')];
  const apps = `${cluster.urls.resourceManager}/ws/v1/cluster/apps`;
  const fresh = await fetch(`${apps}/new-application`, { method: 'POST', headers: ann });
  const { 'application-id': id = '' } = (await fresh.json()) as Record<string, string>;
  const submission = { 'application-id': id, ...commandApplication('echo heard 1><LOG_DIR>/stdout; sleep 600') };
  const json = { ...ann, 'content-type': 'application/json' };
  assert.equal((await fetch(apps, { method: 'POST', headers: json, body: JSON.stringify(submission) })).status, 202);
  const log = `${cluster.urls.resourceManager}/api/v1/logs/${id.replace('application', 'container')}_01_000001/stdout`;
  const read = async (headers: Record<string, string>) => (await fetch(log, { headers })).text();
  await until('the log', async () => (await read(ann)).includes('heard'), 30_000, 100);
  assert.match(await read(eve), /User \[eve\] is not authorized/);
});
