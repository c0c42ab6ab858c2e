// Addresses that others reach: what is bound although it seems to be loopback, and what strangers' containers may do.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freePorts } from '../support/ports.ts';
import { startProcesses, until } from '../support/processes.ts';
import { folderOf, makeUser, otherUsersNeeded, runAs, send, startCluster, submit } from './harness.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
/** An address of this machine that others could reach. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
const skip = otherUsersNeeded || (outside === undefined ? 'this machine has no address but loopback' : false);

describe('an address that others reach', { skip }, () => {
  it('is not bound because a name looks like loopback', async () => {
    using room = folderOf();
    const hosts = join(room.path, 'hosts');
    writeFileSync(hosts, `${outside} localhost my.localhost\n`);
    const [port] = await freePorts(1);
    for (const name of ['localhost', 'my.localhost']) {
      const start = [process.execPath, main, 'start', 'resource-manager', '--data', join(room.path, 'data')];
      const { code, stderr } = await runAs(undefined, [
        ...['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc/hosts && exec "$@"', hosts],
        ...[...start, '--set', `yarn.resourcemanager.webapp.address=${name}:${port}`],
      ]);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /can be reached by others, and no authentication is configured/);
    }
  });

  it('is said loudly at each start, once accepted, and runs no container of strangers as root', async () => {
    using sandbox = makeUser('sandbox');
    const [port] = await freePorts(1);
    await using cluster = await startCluster({
      settings: {
        'heddle.security.allow-unauthenticated': `${outside}:${port}`,
        'yarn.resourcemanager.webapp.address': `${outside}:${port}`,
        'yarn.nodemanager.linux-container-executor.nonsecure-mode.local-user': sandbox.name,
      },
      resourceManager: `http://${outside}:${port}`,
    });
    assert.match(cluster.output('up'), new RegExp(`WARNING: others reach ${outside}:${port}`));
    using room = folderOf(sandbox);
    const script = join(room.path, 'script.sh');
    const secrets = join(cluster.dataDir, 'secrets');
    writeFileSync(script, `id -u >${room.path}/uid; ls ${secrets} >${room.path}/secrets; touch ${room.path}/done\n`, { mode: 0o755 });
    const { status } = await submit(cluster.urls.resourceManager, `bash ${script}`, { user: 'stranger' });
    assert.equal(status, 202);
    await until('the container', async () => (await runAs(undefined, ['ls', join(room.path, 'done')])).code === 0, 30_000);
    assert.equal(readFileSync(join(room.path, 'uid'), 'utf8').trim(), String(sandbox.uid));
    assert.equal(readFileSync(join(room.path, 'secrets'), 'utf8'), '');
  });

  it('lets no stranger run containers as an ordinary user who started the cluster', async () => {
    using owner = makeUser('owner');
    using room = folderOf(owner);
    mkdirSync(join(room.path, 'conf'));
    const start = [process.execPath, main, 'start', 'node-manager', '--data', join(room.path, 'data')];
    const { code, stderr } = await runAs(owner, [...start, '--set', `heddle.security.allow-unauthenticated=${outside}`]);
    assert.equal(code, 1);
    assert.match(stderr, /containers of callers who prove nothing would run as this node manager's own user/);
  });
});

describe('root', { skip: otherUsersNeeded }, () => {
  it('is told at the start that containers run as root', async () => {
    await using cluster = await startProcesses({ mode: 'up' });
    assert.match(cluster.output('up'), /WARNING: this is root, and containers run as root, though confined/);
    assert.equal((await send(`${cluster.urls.resourceManager}/ws/v1/cluster/info`)).status, 200);
  });
});
