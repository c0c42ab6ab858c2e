import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect as connectSocket, createServer as createSocketServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { ChannelFigures } from './channel-figures.ts';
import { systemClock } from './clock.ts';
import { silentLogger } from './log.ts';
import { systemRandom } from './random.ts';
import { type AcceptedHandlers, acceptChannels, type ChannelAcceptor, connectChannel, type ReliableChannel } from './reliable-channel.ts';

const dependencies = { clock: systemClock, random: systemRandom, logger: silentLogger };

/** Something that tests wait on: resolves as soon as `condition` holds after a `check`. */
class Waiting {
  #waiters: { condition: () => boolean; resolve: () => void }[] = [];
  check(): void {
    for (const waiter of this.#waiters.filter(({ condition }) => condition())) {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      waiter.resolve();
    }
  }
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ condition, resolve }));
  }
}

/** A server, and a wire cutter between it and the client. */
async function stand(
  options: { retentionMs?: number; maximumOutboxMessages?: number; pingIntervalMs?: number; figures?: ChannelFigures } = {},
) {
  const waiting = new Waiting();
  const sessions: { channel: ReliableChannel<string>; heard: string[]; ended: boolean; connected: boolean }[] = [];
  const accept = (): ChannelAcceptor =>
    acceptChannels<string>({
      ...dependencies,
      ...options,
      onSession(channel): AcceptedHandlers {
        const session = { channel, heard: [] as string[], ended: false, connected: true };
        sessions.push(session);
        waiting.check();
        return {
          onMessage(message) {
            session.heard.push(String(message));
            waiting.check();
          },
          onConnection(connected) {
            session.connected = connected;
            waiting.check();
          },
          onEnd() {
            session.ended = true;
            waiting.check();
          },
        };
      },
    });
  let acceptor = accept();
  const server = createServer();
  server.on('upgrade', (request, socket, head) => acceptor.handleUpgrade(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const serverPort = (server.address() as AddressInfo).port;
  const pairs = new Set<Socket>();
  let open = true;
  const cutter = createSocketServer((near) => {
    if (!open) return near.destroy();
    const far = connectSocket(serverPort, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      pairs.add(one);
      one.on('error', () => undefined).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => cutter.listen(0, '127.0.0.1', resolve));
  const url = `ws://127.0.0.1:${(cutter.address() as AddressInfo).port}/`;
  return {
    waiting,
    sessions,
    url,
    cut() {
      for (const socket of pairs) socket.destroy();
      pairs.clear();
    },
    set open(value: boolean) {
      open = value;
    },
    /** The server forgets everything, as after a restart. */
    restart() {
      acceptor.close();
      acceptor = accept();
    },
    close() {
      acceptor.close();
      cutter.close();
      for (const socket of pairs) socket.destroy();
      server.close();
    },
  };
}

function client(url: string, waiting: Waiting, options: { maximumOutboxMessages?: number } = {}) {
  const state = { heard: [] as string[], newSessions: 0 };
  const channel: ReliableChannel<string> = connectChannel<string>({
    ...dependencies,
    ...options,
    url: () => url,
    reconnectMs: 5,
    maximumReconnectMs: 20,
    onNewSession() {
      state.newSessions++;
      channel.send(`register ${state.newSessions}`);
      waiting.check();
    },
    onMessage(message) {
      state.heard.push(String(message));
      waiting.check();
    },
    onConnection: () => waiting.check(),
  });
  return { channel, state };
}

test('messages arrive once and in order in both directions while the wire is cut again and again', async () => {
  const wire = await stand();
  const { channel, state } = client(wire.url, wire.waiting);
  await wire.waiting.until(() => wire.sessions.length === 1 && wire.sessions[0]!.heard.length === 1);
  const session = wire.sessions[0]!;
  const count = 2000;
  for (let i = 0; i < count; i++) {
    channel.send(`up ${i}`);
    session.channel.send(`down ${i}`);
    if (i % 97 === 0) wire.cut();
    if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await wire.waiting.until(() => session.heard.length >= count + 1 && state.heard.length >= count);
  assert.deepEqual(session.heard, ['register 1', ...Array.from({ length: count }, (_, i) => `up ${i}`)]);
  assert.deepEqual(
    state.heard,
    Array.from({ length: count }, (_, i) => `down ${i}`),
  );
  assert.equal(state.newSessions, 1);
  assert.equal(wire.sessions.length, 1);
  channel.close();
  wire.close();
});

test('messages sent while the wire is down arrive after it is back', async () => {
  const wire = await stand();
  const { channel, state } = client(wire.url, wire.waiting);
  await wire.waiting.until(() => wire.sessions[0]?.heard.length === 1);
  wire.open = false;
  wire.cut();
  await wire.waiting.until(() => !channel.connected && !wire.sessions[0]!.connected);
  channel.send('while away');
  wire.sessions[0]!.channel.send('to the absent');
  wire.open = true;
  await wire.waiting.until(() => wire.sessions[0]!.heard.length === 2 && state.heard.length === 1);
  assert.deepEqual(wire.sessions[0]!.heard, ['register 1', 'while away']);
  assert.deepEqual(state.heard, ['to the absent']);
  channel.close();
  wire.close();
});

test('figures tell what was carried, which sessions went on, and what peers that are away are owed', async () => {
  const figures = new ChannelFigures();
  const wire = await stand({ figures });
  const { channel, state } = client(wire.url, wire.waiting);
  await wire.waiting.until(() => wire.sessions[0]?.heard.length === 1);
  assert.deepEqual([figures.open, figures.begunSessions, figures.resumedSessions, figures.pending], [1, 1, 0, 0]);
  assert.deepEqual({ ...figures.received }, { messages: 1, bytes: '{"kind":"data","number":1,"message":"register 1"}'.length });
  wire.open = false;
  wire.cut();
  await wire.waiting.until(() => !channel.connected && !wire.sessions[0]!.connected);
  wire.sessions[0]!.channel.send('ü');
  assert.deepEqual([figures.open, figures.pending, figures.sent.messages], [0, 1, 0]);
  wire.open = true;
  await wire.waiting.until(() => state.heard.length === 1);
  assert.deepEqual([figures.open, figures.begunSessions, figures.resumedSessions], [1, 1, 1]);
  assert.deepEqual({ ...figures.sent }, { messages: 1, bytes: Buffer.byteLength('{"kind":"data","number":1,"message":"ü"}') });
  channel.close();
  wire.close();
  assert.deepEqual([figures.open, figures.pending], [0, 0], 'what has ended is owed nothing');
});

test('a peer that forgot the session gets a new one, and the owner registers again', async () => {
  const wire = await stand();
  const { channel, state } = client(wire.url, wire.waiting);
  await wire.waiting.until(() => wire.sessions[0]?.heard.length === 1);
  wire.open = false;
  wire.cut();
  await wire.waiting.until(() => !channel.connected);
  channel.send('lost with the session');
  wire.restart();
  wire.open = true;
  await wire.waiting.until(() => wire.sessions[1]?.heard.length === 1);
  assert.deepEqual(wire.sessions[1]!.heard, ['register 2']);
  assert.equal(state.newSessions, 2);
  channel.close();
  wire.close();
});

test('a full outbox ends the session instead of growing', async () => {
  const wire = await stand();
  const { channel, state } = client(wire.url, wire.waiting, { maximumOutboxMessages: 10 });
  await wire.waiting.until(() => wire.sessions[0]?.heard.length === 1);
  wire.open = false;
  wire.cut();
  await wire.waiting.until(() => !channel.connected);
  for (let i = 0; i < 50; i++) channel.send(`m${i}`);
  assert.ok(channel.pending <= 11);
  wire.open = true;
  await wire.waiting.until(() => wire.sessions[1]?.heard.length === 1);
  assert.equal(wire.sessions[1]!.heard[0], 'register 2');
  assert.equal(state.newSessions, 2);
  channel.close();
  wire.close();
});

test('the session of a peer that stays away ends after its retention', async () => {
  const wire = await stand({ retentionMs: 10 });
  const { channel } = client(wire.url, wire.waiting);
  await wire.waiting.until(() => wire.sessions[0]?.heard.length === 1);
  channel.close();
  await wire.waiting.until(() => wire.sessions[0]!.ended);
  wire.close();
});

test('a peer that speaks nonsense is cut off', async () => {
  const wire = await stand();
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(wire.url);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', () => undefined);
  socket.on('open', () => socket.send('{"kind":'));
  await closed;
  assert.equal(wire.sessions.length, 0);
  wire.close();
});

test('a peer that says nothing is cut off', async () => {
  const wire = await stand({ pingIntervalMs: 5 });
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(wire.url);
  await new Promise((resolve) => socket.on('close', resolve));
  assert.equal(wire.sessions.length, 0);
  wire.close();
});

test('a peer whose frames are of another form is cut off, before its session begins and in it', async () => {
  const wire = await stand();
  const { WebSocket } = await import('ws');
  const hello = { kind: 'hello', session: 'x', received: 0 };
  const cutOff = async (...frames: readonly unknown[]): Promise<void> => {
    const socket = new WebSocket(wire.url);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => undefined);
    socket.on('open', () => {
      for (const frame of frames) socket.send(JSON.stringify(frame));
    });
    await closed;
  };
  for (const first of [
    null,
    [],
    { ...hello, kind: 'hail' },
    { ...hello, session: 7 },
    { ...hello, received: '0' },
    { ...hello, received: -1 },
  ])
    await cutOff(first);
  assert.equal(wire.sessions.length, 0);
  for (const second of [{ kind: 'data', number: 1 }, { kind: 'data', number: 1.5, message: 'm' }, { kind: 'ack', number: null }, hello])
    await cutOff(hello, second);
  assert.deepEqual(
    wire.sessions.map(({ heard }) => heard),
    [[], [], [], []],
  );
  wire.close();
});
