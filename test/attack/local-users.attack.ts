// Another user of the machine that a cluster runs on: loopback is no border between users.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { folderOf, makeUser, mallory, otherUsersNeeded, runAs, send, startCluster, submit, type UnixUser } from './harness.ts';

const refusal = /heddle\.security\.trusted-local-users/;

describe('another user of the machine', { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let owner: UnixUser;
  let cluster: ClusterProcesses;
  before(async () => {
    owner = made.use(makeUser('owner'));
    cluster = made.use(await startCluster({ as: owner, settings: { 'yarn.timeline-service.versions': '1.5,2.0' } }));
  });
  after(() => made.disposeAsync());

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

  it('is served by no server, whatever name it gives, while owner and root are', async () => {
    const { resourceManager, nodeManager, timeline, reader, history } = cluster.urls;
    const urls = [
      `${resourceManager}/ws/v1/cluster/info`,
      `${resourceManager}/cluster`,
      `${resourceManager}/conf`,
      `${resourceManager}/openapi.json`,
      `${nodeManager}/ws/v1/node/info`,
      `${timeline}/ws/v1/timeline/`,
      `${timeline}/ws/v1/applicationhistory/apps`,
      `${reader}/ws/v2/timeline/`,
      `${history}/ws/v1/history/info`,
    ];
    for (const url of urls) {
      for (const name of ['', `?user.name=${owner.name}`, '?user.name=root', '?user.name=mallory', '?doAs=root&user.name=root']) {
        const { status, body } = await send(url + name, { as: mallory });
        assert.equal(status, 401, url + name);
        assert.match(body, refusal, url + name);
      }
      for (const as of [owner, undefined]) assert.equal((await send(url, as ? { as } : {})).status, 200, url);
    }
  });

  it('neither submits nor changes anything', async () => {
    const { resourceManager, timeline } = cluster.urls;
    assert.equal((await submit(resourceManager, 'id', { as: mallory, user: owner.name })).status, 401);
    const changes = [
      ['POST', `${resourceManager}/ws/v1/cluster/apps`],
      ['PUT', `${resourceManager}/ws/v1/cluster/apps/application_1_0001/state`],
      ['POST', `${resourceManager}/ws/v1/cluster/delegation-token`],
      ['POST', `${resourceManager}/api/v1/queues/refresh`],
      ['GET', `${resourceManager}/ws/v1/cluster/info?op=GETDELEGATIONTOKEN&renewer=mallory`],
      ['POST', `${timeline}/ws/v1/timeline/`],
    ] as const;
    for (const [method, url] of changes) {
      const named = `${url}${url.includes('?') ? '&' : '?'}user.name=${owner.name}`;
      const headers = { 'Content-Type': 'application/json' };
      assert.equal((await send(named, { as: mallory, method, headers, ...(method === 'GET' ? {} : { body: '{}' }) })).status, 401, named);
    }
  });

  it('ends no server by what it leaves where every user may write', async () => {
    const open = join(cluster.dataDir, 'staging/history/done_intermediate');
    const named = (kind: string) =>
      `job_1700000000000_0001-1700000000000-${kind}-j-1700000000000-1-1-SUCCEEDED-default-1700000000000.jhist`;
    // What is not hers by its name is put aside while she is at it.
    const script = `cd ${open} && mkdir -m 700 closed && echo left; mkdir closed/below; mkdir -m 755 ${mallory.name}
      (cd ${mallory.name}; mkfifo ${named(mallory.name)}; mkdir -m 000 below; ln -s /proc/self/fd/0 job_1700000000000_0002_conf.xml)
      for i in $(seq 50); do mkdir -m 000 shut-$i; done; chmod 000 ${mallory.name}; mv shut-1 shut-51`;
    assert.equal((await runAs(mallory, ['bash', '-c', script])).stdout, 'left\n');
    for (let asked = 0; asked < 3; asked++)
      assert.equal((await send(`${cluster.urls.history}/ws/v1/history/mapreduce/jobs`, { as: owner })).status, 200);
    assert.equal((await send(`${cluster.urls.resourceManager}/ready`, { as: owner })).status, 200);
    // Nor does it keep the owner from a backup.
    using room = folderOf(owner);
    const main = join(import.meta.dirname, '../../src/main.ts');
    const backup = await runAs(owner, [process.execPath, main, 'backup', join(room.path, 'backup'), '--data', cluster.dataDir], '', 60_000);
    assert.equal(backup.code, 0, backup.stderr);
  });

  it("gains nothing by the owner's cookie", async () => {
    const { headers } = await send(`${cluster.urls.resourceManager}/ws/v1/cluster/info?user.name=${owner.name}`, { as: owner });
    const cookie = headers['set-cookie']?.split(';')[0] ?? '';
    assert.match(cookie, /^hadoop\.auth=/);
    for (const [as, status] of [
      [owner, 200],
      [mallory, 401],
    ] as const)
      assert.equal((await send(`${cluster.urls.resourceManager}/ws/v1/cluster/info`, { as, headers: { Cookie: cookie } })).status, status);
  });

  it('gains nothing by closing the connection before it is looked at, which makes the kernel call it root', async () => {
    using room = folderOf(mallory);
    const id = (await submit(cluster.urls.resourceManager, 'true', { as: owner, user: owner.name })).id.replace(/\d{4}$/, '0999');
    const port = new URL(cluster.urls.resourceManager).port;
    const body = JSON.stringify({
      'application-id': id,
      'application-name': 'attack',
      'am-container-spec': { commands: { command: `id >${room.path}/ran` } },
    });
    const request = `POST /ws/v1/cluster/apps?user.name=root HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const script = `
      import { connect } from 'node:net';
      const request = Buffer.from(process.argv[1], 'base64');
      for (let i = 0; i < 200; i++) {
        await new Promise((done) => {
          const socket = connect(${port}, '127.0.0.1', () => socket.write(request, () => (i % 2 ? socket.destroy() : socket.end(() => socket.destroy()))));
          socket.on('error', done).on('close', done);
        });
      }`;
    const { code, stderr } = await runAs(
      mallory,
      [process.execPath, '--input-type=module', '-e', script, Buffer.from(request).toString('base64')],
      '',
      60_000,
    );
    assert.equal(code, 0, stderr);
    assert.equal((await send(`${cluster.urls.resourceManager}/ws/v1/cluster/apps/${id}`, { as: owner })).status, 404);
  });
});

describe('a container that runs as another unix user', { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let sandbox: UnixUser;
  let cluster: ClusterProcesses;
  let room: { readonly path: string };
  before(async () => {
    sandbox = made.use(makeUser('sandbox'));
    room = made.use(folderOf());
    mkdirSync(join(room.path, 'out'));
    chmodSync(join(room.path, 'out'), 0o777);
    cluster = made.use(
      await startCluster({
        settings: {
          'heddle.node-manager.switch-users': 'true',
          'yarn.nodemanager.linux-container-executor.nonsecure-mode.local-user': sandbox.name,
        },
      }),
    );
  });
  after(() => made.disposeAsync());

  it('is the user who submitted it and nobody else, as long as it runs', async () => {
    const rm = `${cluster.urls.resourceManager}/ws/v1/cluster`;
    const out = join(room.path, 'out');
    const ask = (url: string, file: string) => `curl -s -o /dev/null -w '%{http_code}' -X POST '${url}' >${out}/${file}`;
    const script = join(room.path, 'script.sh');
    const lines = [
      `id -u >${out}/uid`,
      ask(`${rm}/apps/new-application?user.name=ann`, 'ann'),
      ask(`${rm}/apps/new-application?user.name=eve`, 'eve'),
      ask(`${rm}/apps/new-application?user.name=root`, 'root'),
      `cat ${cluster.dataDir}/secrets/cluster >${out}/secret 2>/dev/null`,
      `touch ${out}/done; while ! [ -e ${room.path}/end ]; do sleep 0.1; done`,
    ];
    writeFileSync(script, lines.join('\n'), { mode: 0o755 });
    const { id, status } = await submit(cluster.urls.resourceManager, `bash ${script}`, { user: 'ann' });
    assert.equal(status, 202);
    await until('the container', async () => readdirSync(out).includes('done'), 30_000);
    const said = (file: string) => readFileSync(join(out, file), 'utf8').trim();
    assert.equal(said('uid'), String(sandbox.uid));
    assert.deepEqual([said('ann'), said('eve'), said('root'), said('secret')], ['200', '401', '401', '']);
    writeFileSync(join(room.path, 'end'), '');
    await until('the end', async () => {
      const { body } = await send(`${rm}/apps/${id}/state`);
      return /FINISHED|FAILED/.test(body);
    });
    await until('the container to be gone', async () => (await send(`${rm}/info?user.name=ann`, { as: sandbox })).status === 401);
  });
});

describe('a user of the machine whom the settings trust', { skip: otherUsersNeeded }, () => {
  it('is served, and others are not', async () => {
    await using cluster = await startCluster({ settings: { 'heddle.security.trusted-local-users': String(mallory.uid) } });
    const url = `${cluster.urls.resourceManager}/ws/v1/cluster/info`;
    assert.equal((await send(url, { as: mallory })).status, 200);
    assert.equal((await send(url, { as: { ...mallory, uid: mallory.uid + 1 } })).status, 401);
  });
});

describe('a user without an entry in the user directory', { skip: otherUsersNeeded }, () => {
  it('has a cluster of its own, and others have no part in it', async () => {
    await using cluster = await startCluster({ as: mallory });
    const url = `${cluster.urls.resourceManager}/ws/v1/cluster/info`;
    assert.equal((await send(url, { as: mallory })).status, 200);
    assert.equal((await send(url, { as: { ...mallory, uid: mallory.uid + 1 } })).status, 401);
  });
});
