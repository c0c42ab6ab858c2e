// Another user of the machine that a cluster runs on.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ClusterProcesses } from '../support/processes.ts';
import { makeUser, mallory, otherUsersNeeded, runAs, send, startCluster, type UnixUser } from './harness.ts';

describe('another user of the machine', { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let owner: UnixUser;
  let cluster: ClusterProcesses;
  before(async () => {
    owner = made.use(makeUser('owner'));
    cluster = made.use(await startCluster({ as: owner }));
  });
  after(() => made.disposeAsync());

  it('finds the cluster up for its owner', async () => {
    assert.equal((await send(`${cluster.urls.resourceManager}/ws/v1/cluster/info`, { as: owner })).status, 200);
  });

  it('reads none of its secrets', async () => {
    const secrets = join(cluster.dataDir, 'secrets');
    const files = readdirSync(secrets).map((name) => join(secrets, name));
    assert.ok(files.length > 0);
    for (const file of files) {
      const { code, stdout } = await runAs(mallory, ['cat', '--', file]);
      assert.notEqual(code, 0, file);
      assert.equal(stdout, '', file);
      // The attack would work if the rights were others: its owner reads it.
      assert.equal((await runAs(owner, ['cat', '--', file])).code, 0, file);
    }
  });
});
