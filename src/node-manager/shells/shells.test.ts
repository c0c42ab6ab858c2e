// Shells on a node manager that runs, over real sockets: as Heddle's client and as Hadoop's have them.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import pino from 'pino';
import { WebSocket } from 'ws';
import { ContainerShell } from '../../client/container-shell.ts';
import { mostInputBytes, shellProtocol } from '../../wire/node/shell.ts';
import { type NodeFixture, startNode } from '../test-support/node-fixture.ts';

const audited: Record<string, unknown>[] = [];
const log = new Writable({
  write(chunk: Buffer, _encoding, done) {
    const line = JSON.parse(String(chunk)) as Record<string, unknown>;
    if (line['audit']) audited.push(line);
    done();
  },
});
let node: NodeFixture;
let id = '';
before(async () => {
  node = await startNode(
    {
      ...{ 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss' },
      ...{ 'heddle.node-manager.shell.maximum-per-container': '2', 'heddle.node-manager.shell.maximum-per-user': '3' },
    },
    { logger: pino({ level: 'info' }, log) },
  );
});
after(() => node[Symbol.asyncDispose]());
beforeEach(async () => {
  audited.length = 0;
  const order = node.order('sleep 600', { applicationAcls: { VIEW_APP: '*', MODIFY_APP: '*' } });
  node.start(order);
  await node.resourceManager.running(order.containerId);
  id = order.containerId;
});

/** A command by Heddle's client, and what it writes. */
async function shellOf(user: string, command: readonly string[], write: (text: string) => unknown = () => undefined) {
  const shown = { output: '', errors: '' };
  const shell = await ContainerShell.open({
    ...{ url: node.url(), containerId: id, user, authorize: undefined, command },
    write: async (stream, bytes) => {
      shown[stream] += bytes.toString('latin1');
      await write(shown[stream]);
    },
  });
  return { shell, shown };
}
const address = (query: string, command = 'bash') => `${node.url().replace('http', 'ws')}/container/${id}/${command}${query}`;
/** The status of a refused upgrade, or the code and reason that the socket is closed with. */
const endOf = (socket: WebSocket) =>
  new Promise<readonly [number, string]>((resolve) => {
    socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
      resolve([statusCode, '']);
      socket.terminate();
    });
    socket.on('close', (code, reason) => resolve([code, String(reason)])).on('error', () => undefined);
  });
const isAsleep = (seconds: string): boolean =>
  readdirSync('/proc').some((name) => {
    try {
      return /^\d/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(`\0${seconds}\0`);
    } catch {
      return false;
    }
  });
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

describe("Heddle's client", () => {
  it('runs a command in the container, with its environment, and the audit log says so', async () => {
    const { shell, shown } = await shellOf('ada', ['sh', '-c', 'echo $CONTAINER_ID $NM_HOST; pwd; cat; echo bad > /dev/stderr; exit 7']);
    await shell.send(Buffer.from('came in\n'));
    shell.endInput();
    assert.equal(await shell.ended, 7);
    assert.match(shown.output, new RegExp(`^${id} 127\\.0\\.0\\.1\\n/.*/${id}\\ncame in\\n$`));
    assert.equal(shown.errors, 'bad\n');
    while (audited.length < 2) await turn();
    assert.deepEqual(
      audited.map(({ user, operation, target, program, exitCode }) => [user, operation, target, program, exitCode]),
      [
        ['ada', 'open shell', id, 'sh', undefined],
        ['ada', 'close shell', id, undefined, 7],
      ],
    );
  });

  it('is let in as an administrator, and as nobody else', async () => {
    const { shell } = await shellOf('boss', ['true']);
    assert.equal(await shell.ended, 0);
    audited.length = 0;
    const { shell: refused } = await shellOf('eve', ['true']);
    await assert.rejects(refused.ended, /Forbidden/);
    assert.deepEqual(
      audited.map(({ user, operation, reason }) => [user, operation, reason]),
      [['eve', 'open shell', 'Forbidden']],
    );
    for (const query of ['', '?user.name=dr.who', '?user.name=eve']) {
      const [code] = await endOf(new WebSocket(address(query)));
      assert.ok([401, 1008].includes(code), `${query}: ${code}`);
    }
  });

  it('gets everything that is written, however slowly it reads, and the command waits', async () => {
    const { shell, shown } = await shellOf('ada', ['sh', '-c', 'yes | head -c 5000000; echo end'], turn);
    assert.equal(await shell.ended, 0);
    assert.equal(shown.output.length, 5_000_004);
  });

  it('gets no more than it wants on its way at once, and the command waits for what it takes', async () => {
    const [mostOutputBytes, outputBytes] = [100_000, 5_000_000];
    const socket = new WebSocket(address('?user.name=ada'), shellProtocol);
    const ended = endOf(socket);
    let [received, taken, most] = [0, 0, 0];
    let isStarted: () => void = () => undefined;
    let isThrough: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      isStarted = resolve;
    });
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        received += data.length - 1;
        most = Math.max(most, received - taken);
      } else if (String(data).includes('started')) isStarted();
      else if (String(data).includes('taken')) isThrough();
    });
    await new Promise((resolve) => socket.on('open', resolve));
    const command = ['sh', '-c', `yes | head -c ${outputBytes}; cat > /dev/null`];
    socket.send(JSON.stringify({ type: 'start', command, mostOutputBytes }));
    await started;
    while (received < outputBytes) {
      // What is typed goes there and back while output waits.
      for (let time = 0; time < 3; time++)
        await new Promise<void>((resolve) => {
          isThrough = resolve;
          socket.send(Buffer.from('x'));
        });
      const bytes = received - taken;
      taken = received;
      if (bytes > 0) socket.send(JSON.stringify({ type: 'taken', bytes }));
    }
    socket.send(JSON.stringify({ type: 'endInput' }));
    assert.deepEqual(await ended, [1000, 'the command has ended']);
    assert.equal(received, outputBytes);
    // A stream gives as much as 64 KiB at a time.
    assert.ok(most >= 65_536 && most < mostOutputBytes + 65_536, `${most} bytes were on their way`);
  });

  it('may send what the command does not read only up to a bound', async () => {
    const socket = new WebSocket(address('?user.name=ada'), shellProtocol);
    const ended = endOf(socket);
    await new Promise((resolve) => socket.on('open', resolve));
    socket.send(JSON.stringify({ type: 'start', command: ['sleep', '600'] }));
    // What a pipe and its pumps hold is taken; the rest waits here.
    for (let sent = 0; sent < 8 * mostInputBytes && socket.readyState === socket.OPEN; sent += 65_536) socket.send(Buffer.alloc(65_536));
    assert.deepEqual(await ended, [1008, 'more input than was asked for']);
  });

  it('is closed where a message cannot be read', async () => {
    for (const message of ['x', '{}', '{"type":"resize","rows":1,"columns":1}', '{"type":"start","command":["a"],"terminal":5}', '[]']) {
      const socket = new WebSocket(address('?user.name=ada'), shellProtocol);
      const ended = endOf(socket);
      await new Promise((resolve) => socket.on('open', resolve));
      socket.send(message);
      assert.deepEqual(await ended, [1008, 'a message cannot be read'], message);
    }
  });

  it('ends all that it started when it goes', async () => {
    const seconds = String(1_000_000 + randomInt(1_000_000_000));
    const { shell } = await shellOf('ada', ['bash', '-c', `setsid sleep ${seconds} & sleep ${seconds}`]);
    while (!isAsleep(seconds)) await turn();
    shell.close();
    while (isAsleep(seconds)) await turn();
  });

  it('ends with the container', async () => {
    const { shell, shown } = await shellOf('ada', ['sh', '-c', 'echo up; sleep 600']);
    while (shown.output === '') await turn();
    node.resourceManager.send({ type: 'stopContainers', containers: [{ containerId: id, exitCode: -100, diagnostics: 'over' }] });
    assert.equal(await shell.ended, 137);
    await node.resourceManager.complete(id);
    const { shell: late } = await shellOf('ada', ['true']).catch(() => ({ shell: undefined }));
    if (late) await assert.rejects(late.ended, /can be entered while it runs/);
  });

  it('is one of a few in a container', async () => {
    const shells = await Promise.all([shellOf('ada', ['cat']), shellOf('ada', ['cat'])]);
    const { shell } = await shellOf('ada', ['true']);
    await assert.rejects(shell.ended, /2 shells are open in this container/);
    for (const { shell: open } of shells) open.endInput();
    for (const { shell: open } of shells) assert.equal(await open.ended, 0);
  });

  it('is one of a few of its user, in whichever containers; others find room', async () => {
    const here = await Promise.all([shellOf('boss', ['cat']), shellOf('boss', ['cat'])]);
    const order = node.order('sleep 600');
    node.start(order);
    await node.resourceManager.running(order.containerId);
    id = order.containerId;
    const there = await shellOf('boss', ['cat']);
    const { shell: refused } = await shellOf('boss', ['true']);
    await assert.rejects(refused.ended, /3 shells of boss are open on this node/);
    const { shell: other } = await shellOf('ada', ['true']);
    assert.equal(await other.ended, 0);
    for (const { shell } of [...here, there]) shell.endInput();
    for (const { shell } of [...here, there]) assert.equal(await shell.ended, 0);
    const { shell: again } = await shellOf('boss', ['true']);
    assert.equal(await again.ended, 0);
  });
});

describe("Hadoop's client", () => {
  it('has a terminal, by texts alone, and its heartbeat is no input', async () => {
    const socket = new WebSocket(address('?user.name=ada', 'BASH'));
    const ended = endOf(socket);
    let shown = '';
    let changed: () => void = () => undefined;
    socket.on('message', (data, isBinary) => {
      assert.equal(isBinary, false);
      shown += String(data);
      changed();
    });
    const until = async (pattern: RegExp) => {
      while (!pattern.test(shown))
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
    };
    await new Promise((resolve) => socket.on('open', resolve));
    for (const text of ['1{}', 'stty -echo', '\r', '1{}', 'echo gr\u00fc"\u00df" $((6 * 7)); tty', '\r', '1{}']) socket.send(text);
    await until(/gr\u00fc\u00df 42\r\n\/dev\/pts\/\d+\r\n/);
    assert.doesNotMatch(shown, /1\{\}/);
    socket.send('exit');
    socket.send('\r');
    assert.deepEqual(await ended, [1000, 'the command has ended']);
  });

  it('is refused for unknown containers, pages of other origins, and where shells are off', async () => {
    const known = address('?user.name=ada');
    assert.deepEqual(await endOf(new WebSocket(known.replace(id, 'container_1_0001_01_000009'))), [404, '']);
    assert.deepEqual(await endOf(new WebSocket(known.replace(id, 'x'))), [400, '']);
    assert.deepEqual(await endOf(new WebSocket(known, { origin: 'http://evil.example' })), [403, '']);
    assert.deepEqual(await endOf(new WebSocket(known, { headers: { 'sec-fetch-site': 'cross-site' } })), [403, '']);
    await using off = await startNode({ 'heddle.node-manager.shell.enabled': 'false' });
    const order = off.order('sleep 600');
    off.start(order);
    await off.resourceManager.running(order.containerId);
    const at = `${off.url().replace('http', 'ws')}/container/${order.containerId}/sh?user.name=ada`;
    const [code, reason] = await endOf(new WebSocket(at));
    assert.deepEqual([code, /opens no shells/.test(reason)], [1008, true]);
  });
});
