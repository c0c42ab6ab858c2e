// Frames that no WebSocket may have (RFC 6455), and messages that never end, at every place of a cluster that takes WebSockets: what was sent is
// not heard, the connection is closed, and others are served meanwhile and after it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { ClusterSecret } from '../../src/auth/cluster-secret.ts';
import { nodePurpose } from '../../src/auth/connection-key.ts';
import { ContainerShell } from '../../src/client/container-shell.ts';
import { ProvenAgent } from '../../src/client/proven-agent.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { nodeChannelPath } from '../../src/wire/cluster/node-channel.ts';
import { longestShellMessage, shellProtocol } from '../../src/wire/node/shell.ts';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { send, startCluster, submit, unmanaged } from './harness.ts';

const operation = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9 };
const finished = 0x80;

/** A frame as clients send them, masked with nothing; `head` is its first byte, `declared` the length that it says. */
function frame(
  head: number,
  payload: Buffer | string = '',
  { declared = payload.length as number | bigint, isMasked = true } = {},
): Buffer {
  const mask = isMasked ? 0x80 : 0;
  const lengths =
    declared > 0xffff
      ? Buffer.from([mask | 127, ...Buffer.alloc(8)])
      : declared > 125
        ? Buffer.from([mask | 126, Number(declared) >> 8, Number(declared) & 255])
        : Buffer.from([mask | Number(declared)]);
  if (declared > 0xffff) lengths.writeBigUInt64BE(BigInt(declared), 1);
  return Buffer.concat([Buffer.from([head]), lengths, Buffer.alloc(isMasked ? 4 : 0), Buffer.from(payload)]);
}
const text = finished | operation.text;
const close = finished | operation.close;
const closing = (code: number, reason: Buffer | string = ''): Buffer =>
  frame(close, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]));
const noText = Buffer.from([0xc3, 0x28]);

/** By what is wrong; of those with an end, what is sent again and again until the connection is closed. */
const hostile: Readonly<Record<string, { readonly sent: Buffer; readonly again?: Buffer }>> = {
  'without a mask': { sent: frame(text, '{}', { isMasked: false }) },
  'with a bit of no extension': { sent: frame(text | 0x40, '{}') },
  'with all bits of extensions': { sent: frame(text | 0x70, '{}') },
  'of an operation that there is not': { sent: frame(finished | 3, '{}') },
  'of a control operation that there is not': { sent: frame(finished | 11) },
  'of a control operation in fragments': { sent: frame(operation.ping) },
  'of a control operation that is too long': { sent: frame(finished | operation.ping, Buffer.alloc(126)) },
  'of a text that is none': { sent: frame(text, noText) },
  'of a text that is none, cut within a letter': {
    sent: Buffer.concat([frame(operation.text, noText.subarray(0, 1)), frame(finished, noText.subarray(1))]),
  },
  'longer than any may be': { sent: frame(text, '', { declared: 2n ** 40n }) },
  'longer than can be counted': { sent: frame(text, '', { declared: 2n ** 64n - 1n }) },
  'that goes on with nothing': { sent: frame(finished, '{}') },
  'that begins within another message': { sent: Buffer.concat([frame(operation.text, '{'), frame(text, '}')]) },
  'in fragments without end': { sent: frame(operation.text, 'a'), again: frame(operation.continuation, 'a') },
  'in empty fragments without end': { sent: frame(operation.text), again: frame(operation.continuation) },
  'that closes with half a code': { sent: frame(close, 'x') },
  'that closes with a code that is for nobody to send': { sent: closing(1005) },
  'that closes with a code that there is not': { sent: closing(70) },
  'that closes with a reason that is no text': { sent: closing(1000, noText) },
  'of what is no message here': { sent: frame(text, 'hello') },
  'of what is no message here, in bytes': { sent: frame(finished | operation.binary, Buffer.alloc(64, 255)) },
};
const mostShells = 64;
/** Some of those that repeat are sent at once: connections of an ordinary client are not faster. */
const repetitions = 2000;

/** Where a WebSocket is opened. */
interface Place {
  readonly url: string;
  readonly agent?: Agent;
  readonly protocol?: string;
}

/** Whether the last of these frames of a server, which are short, closes. */
function isClosing(frames: Buffer): boolean {
  let at = 0;
  let head: number | undefined;
  while (at + 1 < frames.length) {
    head = frames[at];
    const length = frames[at + 1]!;
    at += 2 + (length === 126 ? 2 + frames.readUInt16BE(at + 2) : length);
  }
  return head === close;
}

/** Opens a WebSocket and sends these bytes on it. Resolves when it is closed, to what came; nothing comes for 20 s: it fails. */
function sentTo({ url, agent, protocol }: Place, { sent, again }: { readonly sent: Buffer; readonly again?: Buffer }): Promise<Buffer> {
  const key = Buffer.alloc(16, 7).toString('base64');
  const headers = {
    ...{ Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': key },
    ...(protocol !== undefined && { 'Sec-WebSocket-Protocol': protocol }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, ...(agent && { agent }) });
    asked.on('error', reject).on('response', ({ statusCode }) => reject(new Error(`no WebSocket: ${statusCode}`)));
    asked.on('upgrade', (response, socket, head) => {
      const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
      assert.equal(
        response.headers['sec-websocket-accept'],
        createHash('sha1')
          .update(key + guid)
          .digest('base64'),
      );
      const came: Buffer[] = [];
      socket.unshift(head);
      const late = setTimeout(() => {
        socket.destroy();
        reject(new Error(`the connection is still open: ${Buffer.concat(came).toString('latin1')}`));
      }, 20_000);
      socket
        .on('error', () => undefined)
        .on('data', (piece: Buffer) => {
          came.push(piece);
          // Who says good-bye waits for an answer.
          if (isClosing(Buffer.concat(came))) socket.end(closing(1000));
        });
      socket.on('close', () => {
        clearTimeout(late);
        resolve(Buffer.concat(came));
      });
      socket.write(sent);
      if (!again) return;
      const many = Buffer.concat(Array.from({ length: repetitions }, () => again));
      const more = (): void => void (socket.writable && socket.write(many, () => setImmediate(more)));
      more();
    });
    asked.end();
  });
}

/** A master of the attacker's whose page takes WebSockets, as the package `ws` does, and keeps what it heard. */
async function aMaster() {
  const server = createServer();
  const sockets = new WebSocketServer({ server, maxPayload: longestShellMessage });
  const heard: string[] = [];
  sockets.on('connection', (socket: WebSocket) => {
    socket.on('error', () => undefined);
    socket.on('message', (message) => {
      heard.push(String(message));
      socket.close(1003);
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    [Symbol.dispose]: () => {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
    },
  };
}

describe('a WebSocket that breaks the rules', () => {
  const made = new AsyncDisposableStack();
  let cluster: ClusterProcesses;
  let containerId: string;
  let master: Awaited<ReturnType<typeof aMaster>>;
  const places: Record<string, Place> = {};
  before(async () => {
    const limits = ['maximum', 'maximum-per-user', 'maximum-per-container'];
    const settings = Object.fromEntries(limits.map((limit) => [`heddle.node-manager.shell.${limit}`, `${mostShells}`]));
    cluster = made.use(await startCluster({ settings }));
    master = made.use(await aMaster());
    const { resourceManager, nodeManager } = cluster.urls;
    const { id } = await submit(resourceManager, 'exec sleep 600', { user: 'ann' });
    containerId = `container_${id.slice('application_'.length)}_01_000001`;
    const container = `${nodeManager}/ws/v1/node/containers/${containerId}?user.name=ann`;
    await until('its container to run', async () => (await send(container)).body.includes('RUNNING'), 60_000);
    // A node that is in an attacker's hands: it knows the secret.
    const secret = new ClusterSecret(join(cluster.dataDir, 'secrets/cluster'), { clock: systemClock, random: systemRandom });
    const agent = new ProvenAgent({ url: () => resourceManager, keys: () => secret.nodeKeys, purpose: nodePurpose, unknown: 'unknown' });
    const application = await unmanaged(resourceManager, `${master.url}/`);
    Object.assign(places, {
      'a shell': { url: `${nodeManager}/container/${containerId}?user.name=ann`, protocol: shellProtocol },
      'a shell of Hadoop’s client': { url: `${nodeManager}/container/${containerId}?user.name=ann` },
      'the channel of nodes': { url: `${resourceManager}${nodeChannelPath}`, agent },
      'the page of a master, through the web proxy': { url: `${resourceManager}/proxy/${application}/?user.name=eve` },
    });
  });
  after(() => made.disposeAsync());

  /** Every server answers, and a shell opens. */
  const othersAreServed = async () => {
    for (const [server, url] of Object.entries(cluster.urls).filter(([name]) => name !== 'reader'))
      assert.equal((await send(`${url}/ready`)).status, 200, server);
    let shown = '';
    const write = async (_stream: unknown, bytes: Buffer) => void (shown += bytes.toString());
    const command = ['echo', 'in'];
    const options = { url: cluster.urls.nodeManager, containerId, user: 'ann', authorize: undefined, command, write };
    assert.equal(await (await ContainerShell.open(options)).ended, 0);
    assert.equal(shown, 'in\n');
    const { nodes } = JSON.parse((await send(`${cluster.urls.resourceManager}/ws/v1/cluster/nodes?states=RUNNING`)).body);
    assert.equal(nodes.node.length, 1);
  };

  it('is closed, with every frame that there may not be', async () => {
    for (const [name, place] of Object.entries(places))
      await Promise.all(
        Object.entries(hostile)
          .map(async ([what, frames]) => {
            // Hadoop's client sends what is typed, as it is typed.
            if (name === 'a shell of Hadoop’s client' && what.startsWith('of what is no message')) return;
            await sentTo(place, frames).catch((error: Error) => assert.fail(`${name}, a frame ${what}: ${error.message}`));
          })
          .concat(othersAreServed()),
      );
    await othersAreServed();
    assert.deepEqual(new Set(master.heard), new Set(['hello', Buffer.alloc(64, 255).toString()]), 'what is a message, and nothing else');
  });

  it('and then says nothing is given up, and leaves its room to others', async () => {
    const stalled = { sent: frame(text, '{', { declared: 100 }) };
    const { 'a shell': shell, 'the channel of nodes': channel } = places;
    // They are told so in the midst of their frame, and say no good-bye.
    for (let opened = 0; opened < mostShells; opened++) void sentTo(shell!, stalled).catch(() => undefined);
    await sentTo(channel!, stalled);
    await until('room for a shell', () => othersAreServed().then(() => true), 20_000);
  });
});
