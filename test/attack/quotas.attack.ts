// Amounts on a running cluster: callers who leave, write, hold and open more than they may, while others go on.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { folderOf, send, startCluster, submit } from './harness.ts';

const mib = 1024 * 1024;
const [fileBytes, userBytes, totalBytes, logBytes] = [mib, 2 * mib, 4 * mib, 2 * mib];
const bodiesOfAddress = 2 * mib;
const settings = {
  'yarn.log-aggregation-enable': 'true',
  'heddle.staging.maximum-file-bytes': String(fileBytes),
  'heddle.staging.user-quota': String(userBytes),
  'heddle.staging.total-quota': String(totalBytes),
  'heddle.node-manager.log-aggregation.maximum-size': String(logBytes),
  'heddle.http.maximum-body-memory-per-address': String(bodiesOfAddress),
  'heddle.http.maximum-body-memory': String(2 * bodiesOfAddress),
};

/** Bytes of the files below a folder, as they lie on the disk. */
const bytesBelow = (folder: string): number =>
  !existsSync(folder)
    ? 0
    : readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .reduce((sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.blocks ?? 0) * 512, 0);
/** What folders and the last block of each file may add. */
const slack = 64 * 1024;

describe('amounts of a cluster', () => {
  const made = new AsyncDisposableStack();
  let cluster: ClusterProcesses;
  let logs: string;
  const sockets: Socket[] = [];
  before(async () => {
    logs = made.use(folderOf()).path;
    cluster = made.use(await startCluster({ settings: { ...settings, 'yarn.nodemanager.remote-app-log-dir': logs } }));
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after(() => made.disposeAsync());

  const manager = () => cluster.urls.resourceManager;
  const stagingFolder = () => join(cluster.dataDir, 'resource-manager/staging');
  const newApplication = async (user: string): Promise<string> => {
    const { body } = await send(`${manager()}/ws/v1/cluster/apps/new-application?user.name=${user}`, { method: 'POST' });
    return (JSON.parse(body) as { 'application-id': string })['application-id'];
  };
  const staged = (user: string, id: string, name: string) => `${manager()}/api/v1/staging/${user}/${id}/${name}?user.name=${user}`;
  const put = (user: string, id: string, name: string, bytes: number, headers: Record<string, string> = {}) =>
    send(staged(user, id, name), { method: 'PUT', headers, body: 'x'.repeat(bytes) });
  const remove = (user: string, id: string) => send(`${manager()}/api/v1/staging/${user}/${id}?user.name=${user}`, { method: 'DELETE' });
  /** Another address of this machine, as if from another host: connections and bodies count for it alone. */
  const open = (localAddress: string, bytes: string): { readonly socket: Socket; readonly said: () => string } => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(manager()).port), localAddress });
    let said = '';
    socket.on('data', (piece) => (said += piece)).on('error', () => undefined);
    socket.write(bytes);
    sockets.push(socket);
    return { socket, said: () => said };
  };
  const statusOf = (said: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(said)?.[1] ?? 0);
  const others = async (): Promise<void> => {
    const { status, body } = await send(`${manager()}/ws/v1/cluster/info`, { options: ['--max-time', '10'] });
    assert.equal(status, 200, body);
  };

  it('users with many names leave no more than all together may, however many come at once', async () => {
    const owners = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => ({ user: `u${index}`, id: await newApplication(`u${index}`) })),
    );
    const answers = await Promise.all(
      owners.flatMap(({ user, id }) =>
        [1, 2, 3].map((name) => put(user, id, `f${name}`, 900 * 1024, name === 2 ? { 'Transfer-Encoding': 'chunked' } : {})),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    assert.ok(statuses.every((status) => status === 201 || status === 413) && statuses.includes(413), statuses.join());
    assert.ok(bytesBelow(stagingFolder()) <= totalBytes + slack, `${bytesBelow(stagingFolder())} bytes`);
    for (const { user, id } of owners) await put(user, id, 'alone', 900 * 1024);
    assert.ok(bytesBelow(stagingFolder()) <= totalBytes + slack, `${bytesBelow(stagingFolder())} bytes`);
    assert.ok(bytesBelow(stagingFolder()) > totalBytes - fileBytes, 'who comes alone has what is left');
    for (const { user, id } of owners) assert.ok((await remove(user, id)).status < 300, user);
    assert.ok(bytesBelow(stagingFolder()) <= slack, `${bytesBelow(stagingFolder())} bytes stayed`);
  });

  it('one user leaves no more than one may, and nobody a file that is too long', async () => {
    const id = await newApplication('ann');
    const long = await put('ann', id, 'long', fileBytes + 1, { 'Transfer-Encoding': 'chunked' });
    assert.equal(long.status, 413);
    const upload = async (name: number) => (await put('ann', id, `f${name}`, 900 * 1024)).status;
    const statuses = await Promise.all([1, 2, 3, 4].map(upload));
    for (const name of [5, 6, 7]) statuses.push(await upload(name));
    assert.equal(statuses.filter((status) => status === 201).length, Math.floor(userBytes / (900 * 1024)), statuses.join());
    assert.ok(bytesBelow(stagingFolder()) <= userBytes + slack);
    // A second application of the same user adds nothing, another user has what is left.
    assert.equal((await put('ann', await newApplication('ann'), 'f', 900 * 1024)).status, 413);
    const other = await newApplication('bob');
    assert.equal((await put('bob', other, 'f', 900 * 1024)).status, 201);
    for (const [user, of] of [
      ['ann', id],
      ['bob', other],
    ] as const)
      await remove(user, of);
  });

  it('uploads that break off hold no room', async () => {
    const id = await newApplication('ann');
    for (let round = 0; round < 12; round++) {
      const { socket } = open(
        '127.0.0.1',
        `PUT /api/v1/staging/ann/${id}/part${round}?user.name=ann HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${fileBytes}\r\n\r\n${'x'.repeat(700 * 1024)}`,
      );
      await until('bytes to arrive', async () => bytesBelow(stagingFolder()) > 0 || socket.destroyed, 10_000);
      socket.destroy();
    }
    await until('the parts to go', async () => bytesBelow(stagingFolder()) <= slack, 30_000);
    assert.equal((await put('ann', id, 'whole', 900 * 1024)).status, 201);
    await remove('ann', id);
  });

  it('no name leads out of the staging area', async () => {
    const id = await newApplication('ann');
    const before = readdirSync(cluster.dataDir, { recursive: true }).length;
    for (const name of ['..', '.', '%2e%2e', '..%2f..%2fx', '%2fetc%2fx', 'a%2fb', 'a%00b', 'x'.repeat(3000)])
      assert.ok((await put('ann', id, name, 10)).status >= 400, name);
    for (const user of ['..', '%2e%2e', 'ann%2f..%2f..', ''])
      assert.ok(
        (await send(`${manager()}/api/v1/staging/${user}/${id}/f?user.name=ann`, { method: 'PUT', body: 'x' })).status >= 400,
        user,
      );
    assert.ok(readdirSync(cluster.dataDir, { recursive: true }).length <= before + 3);
  });

  it('a folder that is swapped for a link while a file comes leads nothing out of the staging area', async () => {
    using elsewhere = folderOf();
    for (const depth of [1, 2, 3]) {
      const id = await newApplication('ann');
      assert.equal((await put('ann', id, 'file', 10)).status, 201);
      const swapped = join(stagingFolder(), ...['u-ann', id, 'file'].slice(0, depth));
      const head = `PUT /api/v1/staging/ann/${id}/file?user.name=ann HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\n\r\n`;
      const { socket, said } = open('127.0.0.1', `${head}ab`);
      await until('the first bytes', async () => readdirSync(join(stagingFolder(), '.incoming')).length > 0, 10_000);
      renameSync(swapped, `${swapped}.aside`);
      symlinkSync(elsewhere.path, swapped);
      socket.write('cd');
      await until('an answer', async () => statusOf(said()) !== 0, 10_000);
      assert.ok(statusOf(said()) >= 400, said());
      assert.deepEqual(readdirSync(elsewhere.path), [], swapped);
      rmSync(swapped);
      renameSync(`${swapped}.aside`, swapped);
      assert.ok((await remove('ann', id)).status < 300);
    }
  });

  it('a container that writes without end, and files that are all holes, fill no disk where logs are gathered', async () => {
    const script = [
      'cd <LOG_DIR>',
      'truncate -s 30G holes',
      'head -c 9000000 /dev/urandom | base64 > stdout',
      'for i in 1 2 3 4; do head -c 1500000 /dev/urandom | base64 > more$i; done',
      'echo the end >> stdout',
    ].join('; ');
    const { id, status, body } = await submit(manager(), script, { user: 'ann' });
    assert.equal(status, 202, body);
    const report = async () =>
      (JSON.parse((await send(`${manager()}/ws/v1/cluster/apps/${id}?user.name=ann`)).body) as { app: { logAggregationStatus: string } })
        .app;
    await until('its logs to be gathered', async () => /SUCCEEDED|FAILED|TIME_OUT/.test((await report()).logAggregationStatus), 90_000);
    const bytes = bytesBelow(logs);
    assert.ok(bytes > logBytes / 2, `${bytes} bytes were gathered`);
    assert.ok(bytes <= logBytes * 1.1, `${bytes} bytes were gathered`);
    await others();
  });

  it('an address that holds bodies back is told so, and others submit', async () => {
    const piece = 900 * 1024;
    const head = `POST /ws/v1/cluster/apps?user.name=eve HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${mib}\r\n\r\n`;
    const held = Array.from({ length: 12 }, () => open('127.0.0.8', head + '{'.padEnd(piece, ' ')));
    await until('refusals', async () => held.some(({ said }) => statusOf(said()) === 429), 30_000);
    // What is refused is not held: no more than the address may have waits for its end.
    const waiting = () => held.filter(({ said, socket }) => statusOf(said()) === 0 && !socket.destroyed).length;
    await until('all others to be refused', async () => waiting() * piece <= bodiesOfAddress, 30_000);
    assert.ok(held.every(({ said }) => [0, 429].includes(statusOf(said()))));
    const { status, body } = await submit(manager(), 'true', { user: 'ann', context: { 'application-name': 'y'.repeat(100_000) } });
    assert.ok(status === 202 || status === 400, `${status} ${body}`);
    await others();
  });
});
