// A container that runs as the very user who started the cluster, and looks for what that user could read.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { folderOf, makeUser, otherUsersNeeded, runAs, startCluster, submit, type UnixUser } from './harness.ts';

describe("a container that runs as the cluster's own user", { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let owner: UnixUser;
  let cluster: ClusterProcesses;
  let room: { readonly path: string };
  before(async () => {
    owner = made.use(makeUser('owner'));
    room = made.use(folderOf(owner));
    cluster = made.use(await startCluster({ as: owner, settings: { 'heddle.node-manager.conceal-secrets': 'required' } }));
  });
  after(() => made.disposeAsync());

  /** Runs a script in a container and gives what it said. */
  const said = async (name: string, script: string): Promise<string> => {
    const file = join(room.path, `${name}.sh`);
    const out = join(room.path, name);
    writeFileSync(file, `{\n${script}\n} >${out}.part 2>/dev/null </dev/null; mv ${out}.part ${out}\n`, { mode: 0o755 });
    const { status, body } = await submit(cluster.urls.resourceManager, `bash ${file}`, { as: owner, user: owner.name });
    assert.equal(status, 202, body);
    await until(`the container ${name}`, async () => (await runAs(undefined, ['test', '-e', out])).code === 0, 30_000);
    return readFileSync(out, 'utf8');
  };

  it('reads neither secrets nor stores, nor takes their cover away', async () => {
    const { dataDir } = cluster;
    const paths = ['secrets/cluster', 'secrets/http-cookie', 'resource-manager/state.sqlite', 'node-manager/recovery/node.sqlite'];
    const read = paths.map((path) => `head -c 16 ${dataDir}/${path} | base64`).join('\n');
    const covers = ['secrets', 'resource-manager', 'node-manager/recovery/node.sqlite']
      .map((path) => `umount ${dataDir}/${path}`)
      .join('; ');
    const script = `echo in; id -u\n${read}\n${covers}\n${read}\nunshare --user --map-root-user --mount sh -c '${covers}\n${read.replaceAll('\n', '; ')}'`;
    assert.equal(await said('secrets', script), `in\n${owner.uid}\n`);
    for (const path of paths)
      assert.notEqual((await runAs(owner, ['head', '-c', '16', join(dataDir, path)])).stdout, '', `${path} is there for who is outside`);
  });

  it('reads neither memory, environment nor files of the servers', async () => {
    const pid = cluster.pids.get('up');
    assert.notEqual((await runAs(owner, ['cat', `/proc/${pid}/environ`])).stdout, '', 'the user outside can');
    const script = `echo in; cat /proc/${pid}/environ; head -c 1 /proc/${pid}/mem; for file in /proc/${pid}/fd/*; do readlink $file; timeout 1 head -c 1 $file; done; ls /proc/${pid}/root/; ls -d /proc/${pid}/cwd/`;
    assert.equal(await said('memory', script), 'in\n');
  });

  it('gains no rights by setuid programs', async () => {
    assert.match(await said('rights', 'grep -E "NoNewPrivs|CapEff" /proc/self/status'), /CapEff:\s+0+\nNoNewPrivs:\s+1/);
  });
});
