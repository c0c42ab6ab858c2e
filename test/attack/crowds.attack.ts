// Another user of the machine who takes all connections that a cluster has: loopback is one address for all of them, and as many as they like.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { freePorts } from '../support/ports.ts';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { commandAs, makeUser, mallory, otherUsersNeeded, runAs, send, startCluster, submit, type UnixUser } from './harness.ts';

const limit = 200;

/** Connections to the ports that are opened anew a second after they were closed; says `open` once each of them was tried. */
const crowd = `
  import { connect } from 'node:net';
  const [ports, count, spread] = JSON.parse(process.argv[1]);
  let opened = 0;
  const open = (port, index) => {
    const localAddress = spread ? '127.' + (1 + index % 7) + '.' + (index % 250) + '.9' : '127.0.0.1';
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    const again = () => setTimeout(open, 1000, port, index);
    socket.on('error', () => undefined).once('close', again);
    socket.once('close', count_).once('connect', count_);
    function count_() { if (!this.counted && (this.counted = true) && ++opened === ports.length * count) console.log('open'); }
    if (index % 2) socket.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\n');
    socket.resume();
  };
  for (const port of ports) for (let index = 0; index < count; index++) open(port, index);
`;

/** Who holds connections as another user, until it is disposed. */
async function crowdOf(user: UnixUser, ports: readonly number[], count: number, spread: boolean): Promise<AsyncDisposable> {
  const [program = '', ...words] = [
    ...commandAs(user),
    ...[process.execPath, '--input-type=module', '-e', crowd, JSON.stringify([ports, count, spread])],
  ];
  const child = spawn(program, words, { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  assert.equal(line, 'open');
  return {
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

describe('another user of the machine who opens connections without end', { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let owner: UnixUser;
  let cluster: ClusterProcesses;
  let rpcPort: number;
  before(async () => {
    owner = made.use(makeUser('owner'));
    [rpcPort = 0] = await freePorts(1);
    const settings = {
      'heddle.http.maximum-connections': String(limit),
      'heddle.http.maximum-connections-per-address': String(limit * 0.75),
      'ipc.server.max.connections': String(limit),
      'heddle.rpc.maximum-connections-per-address': String(limit * 0.75),
      'yarn.resourcemanager.address': `127.0.0.1:${rpcPort}`,
    };
    cluster = made.use(await startCluster({ as: owner, settings }));
  });
  after(() => made.disposeAsync());

  /** Whether the port of Hadoop RPC keeps a connection of the owner: it closes those beyond its limits at once. */
  const isKept = async (): Promise<boolean> => {
    const script = `
      import { connect } from 'node:net';
      const socket = connect(${rpcPort}, '127.0.0.1');
      socket.on('error', () => undefined).once('close', () => process.exit(1)).resume();
      setTimeout(() => process.exit(0), 2000);`;
    return (await runAs(owner, [process.execPath, '--input-type=module', '-e', script])).code === 0;
  };

  for (const [how, spread] of [
    ['from one address', false],
    ['from many addresses of loopback', true],
  ] as const)
    it(`${how} leaves the owner room at every port`, async () => {
      const { resourceManager, nodeManager, timeline, history } = cluster.urls;
      const urls = [resourceManager, nodeManager, timeline, history];
      await using _crowd = await crowdOf(mallory, [rpcPort, ...urls.map((url) => Number(new URL(url).port))], limit * 1.5, spread);
      // The kernel has told whose they are by now, or does so within a moment.
      for (const url of urls) {
        const status = async () => (await send(`${url}/ready`, { as: owner })).status;
        await until(`${url} to answer its owner`, async () => (await status()) === 200, 5_000);
        for (let again = 0; again < 5; again++) assert.equal(await status(), 200, url);
      }
      assert.equal(await isKept(), true);
      const { id, status, body } = await submit(resourceManager, 'true', { as: owner, user: owner.name });
      assert.equal(status, 202, body);
      await until('the application to have run', async () => {
        const answer = await send(`${resourceManager}/ws/v1/cluster/apps/${id}/state`, { as: owner });
        return /FINISHED|FAILED/.test(answer.body);
      });
    });
});
