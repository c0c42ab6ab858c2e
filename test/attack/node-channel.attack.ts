// Who sits on the resource manager's port, or between it and a node.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { freePorts } from '../support/ports.ts';
import { until } from '../support/processes.ts';
import { folderOf, send, startCluster, submit } from './harness.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

/** Listens on a port; what comes is kept, and answered by `answer`. */
async function sit(port: number, answer: (socket: Socket, piece: Buffer, connection: number) => void) {
  const heard: Buffer[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((socket) => {
    const connection = connections++;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      heard.push(Buffer.from(data));
      answer(socket, Buffer.from(data), connection);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => Buffer.concat(heard).toString('latin1'),
    connections: () => connections,
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A command of Heddle's, until it ends or is disposed. */
function heddle(words: readonly string[], settings: Record<string, string>) {
  const set = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const child: ChildProcess = spawn(process.execPath, [main, ...words, ...set], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    ended,
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function nodeSettings(port: number): Promise<Record<string, string>> {
  const [node, localizer, shuffle] = await freePorts(3);
  return {
    'yarn.resourcemanager.webapp.address': `127.0.0.1:${port}`,
    'yarn.nodemanager.webapp.address': `127.0.0.1:${node}`,
    'yarn.nodemanager.address': '127.0.0.1:0',
    'yarn.nodemanager.localizer.address': `127.0.0.1:${localizer}`,
    'mapreduce.shuffle.port': `${shuffle}`,
  };
}

const accepted = (protocol: string) => `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
/** A text frame of a WebSocket, short. */
const frame = (text: string): Buffer => Buffer.concat([Buffer.from([0x81, 126, text.length >> 8, text.length & 255]), Buffer.from(text)]);
const command = {
  type: 'startContainers',
  containers: [
    {
      containerId: 'container_1700000000000_0001_01_000001',
      applicationId: 'application_1700000000000_0001',
      attemptId: 'appattempt_1700000000000_0001_000001',
      user: 'mallory',
      resource: { memoryMiB: 128, vcores: 1 },
      priority: 0,
      queue: 'root.default',
      isMaster: true,
      applicationAcls: {},
      submitTimeMs: 1,
      maxAttempts: 1,
      launch: { commands: ['MARK'], environment: {}, localResources: {}, serviceData: {} },
    },
  ],
};

describe("who sits on the resource manager's port", () => {
  it('gets neither the secret nor a node that obeys, and the node manager says so and ends', async () => {
    using folder = folderOf();
    const mark = join(folder.path, 'obeyed');
    const orders = Buffer.concat([
      frame(JSON.stringify({ kind: 'welcome', session: 's', resumed: false, received: 0 })),
      frame(JSON.stringify({ kind: 'data', number: 1, message: command }).replace('MARK', `echo obeyed > ${mark}`)),
    ]);
    // Each connection is tried another way.
    using squatter = await sit(0, (socket, piece, connection) => {
      const isQuestion = piece.toString('latin1').startsWith('GET ');
      const ways = [
        () => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'),
        () => socket.end('HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n'),
        () => socket.end('HTTP/1.1 307 Temporary Redirect\r\nLocation: /api/v1/nodes/channel\r\nContent-Length: 0\r\n\r\n'),
        () => socket.write(Buffer.concat([Buffer.from(accepted('websocket')), orders])),
        () => socket.write(Buffer.concat([Buffer.from(accepted('heddle-psk')), orders])),
        () => socket.write(isQuestion ? accepted('heddle-psk') : orders),
        // What it was sent, sent back.
        () => socket.write(isQuestion ? accepted('heddle-psk') : piece),
      ];
      ways[connection % ways.length]!();
    });
    const data = join(folder.path, 'data');
    const settings = { ...(await nodeSettings(squatter.port)), 'heddle.node-manager.exit-when-refused-after': '5s' };
    const node = heddle(['start', 'node-manager', '--data', data], settings);
    assert.equal(await node.ended, 1, node.output());
    assert.match(node.output(), /"level":40,.*refused by the resource manager/);
    assert.ok(squatter.connections() >= 7, `${squatter.connections()} tries`);
    const secret = Buffer.from(readFileSync(join(data, 'secrets/cluster'), 'utf8'), 'base64');
    for (const form of ['base64', 'base64url', 'hex', 'latin1'] as const)
      assert.ok(!squatter.heard().includes(secret.toString(form)), form);
    assert.doesNotMatch(squatter.heard(), /bearer|authorization|register/i);
    assert.throws(() => readFileSync(mark), { code: 'ENOENT' });
  });

  it('is not even asked by the nodes of a cluster that cannot start beside it', async () => {
    using folder = folderOf();
    using squatter = await sit(0, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const settings = { ...(await nodeSettings(squatter.port)), 'heddle.roles': 'resource-manager,node-manager' };
    const cluster = heddle(['up', '--data', join(folder.path, 'data')], settings);
    assert.equal(await cluster.ended, 1);
    assert.match(cluster.output(), new RegExp(`port ${squatter.port} on 127.0.0.1 is in use`));
    assert.equal(squatter.connections(), 0);
  });
});

describe('who kept a copy of a secret that was changed', () => {
  it('is no node any more, while those of the cluster go on', async () => {
    await using cluster = await startCluster();
    using folder = folderOf();
    const { resourceManager } = cluster.urls;
    const copy = join(folder.path, 'copy');
    writeFileSync(copy, readFileSync(join(cluster.dataDir, 'secrets/cluster')), { mode: 0o600 });
    const states = async () => {
      const { body } = await send(`${resourceManager}/ws/v1/cluster/nodes`);
      return (JSON.parse(body) as { nodes: { node: { id: string; state: string }[] } }).nodes.node;
    };
    const running = async () => (await states()).filter(({ state }) => state === 'RUNNING').map(({ id }) => id);
    const [own = ''] = await running();
    const stranger = async (data: string) =>
      heddle(['start', 'node-manager', '--data', join(folder.path, data)], {
        ...(await nodeSettings(Number(new URL(resourceManager).port))),
        ...{ 'heddle.cluster.secret-file': copy, 'heddle.node-manager.exit-when-refused-after': '1s' },
      });
    {
      await using node = await stranger('before');
      await until(`the copy to be worth something: ${node.output()}`, async () => (await running()).length === 2, 30_000);
    }
    await until('it to go', async () => (await running()).join() === own, 30_000);
    const rotated = await cluster.heddle('secret', 'rotate', '--keep', '0');
    assert.equal(rotated.code, 0, rotated.output);
    const known = (await states()).length;
    const node = await stranger('after');
    assert.equal(await node.ended, 1, node.output());
    assert.match(node.output(), /refused by the resource manager/);
    assert.equal((await states()).length, known);
    const mark = join(folder.path, 'ran');
    assert.equal((await submit(resourceManager, `touch ${mark}`, { user: 'ann' })).status, 202);
    await until("the cluster's own node to run what it is given", async () => existsSync(mark), 30_000);
    assert.deepEqual(await running(), [own]);
  });
});

describe('who stands between a node and the resource manager', () => {
  it('reads nothing, and has no use for what it recorded', async () => {
    await using cluster = await startCluster();
    using folder = folderOf();
    const target = Number(new URL(cluster.urls.resourceManager).port);
    const nodes = async () =>
      (JSON.parse((await send(`${cluster.urls.resourceManager}/ws/v1/cluster/metrics`)).body) as { clusterMetrics: { totalNodes: number } })
        .clusterMetrics.totalNodes;
    const before = await nodes();
    const recorded: Buffer[][] = [];
    const behind = new Map<Socket, Socket>();
    let answers = '';
    using relay = await sit(0, (client, piece, connection) => {
      (recorded[connection] ??= []).push(piece);
      let server = behind.get(client);
      if (!server) {
        server = connect(target, '127.0.0.1');
        server.on('error', () => client.destroy()).on('close', () => client.destroy());
        server.on('data', (data) => {
          answers += data.toString('latin1');
          client.write(data);
        });
        client.on('close', () => server?.destroy());
        behind.set(client, server);
      }
      server.write(piece);
    });
    const data = join(folder.path, 'data');
    mkdirSync(join(data, 'secrets'), { recursive: true, mode: 0o700 });
    const secret = readFileSync(join(cluster.dataDir, 'secrets/cluster'));
    writeFileSync(join(data, 'secrets/cluster'), secret, { mode: 0o600 });
    {
      await using _node = heddle(['start', 'node-manager', '--data', data], await nodeSettings(relay.port));
      await until('the node to be there', async () => (await nodes()) === before + 1);
      for (const word of ['register', 'containerTokenKey', 'memoryMiB', '/api/v1/nodes/channel'])
        assert.ok(!`${relay.heard()}${answers}`.includes(word), word);
    }
    const registered = async () => (await send(`${cluster.urls.resourceManager}/ws/v1/cluster/nodes`)).body;
    const after = await registered();
    // All that was said, again, each piece after an answer.
    for (const pieces of recorded) {
      const again = connect(target, '127.0.0.1');
      let heard = '';
      let next = 0;
      const go = (data?: Buffer) => {
        heard += data?.toString('latin1') ?? '';
        const piece = pieces[next++];
        if (piece) again.write(piece);
        else again.end();
      };
      again.on('error', () => undefined).on('connect', () => go());
      again.on('data', go);
      await new Promise((resolve) => again.on('close', resolve));
      assert.doesNotMatch(heard, /welcome|registered/);
    }
    const states = (text: string) =>
      (JSON.parse(text) as { nodes: { node: { id: string; state: string; lastHealthUpdate: number }[] } }).nodes.node
        .map(({ id, state }) => `${id} ${state}`)
        .sort();
    assert.deepEqual(states(await registered()), states(after));
  });
});
