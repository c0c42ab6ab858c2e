// Connections without end, at a cluster that may open few files: its servers go on, let in again who comes after, and lose nothing that they took.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { Agent, request } from 'undici';
import { freePorts } from '../support/ports.ts';
import { startProcesses, until } from '../support/processes.ts';
import { send, submit } from './harness.ts';

const needed = process.platform === 'linux' ? false : 'needs Linux, whose prlimit bounds the files of a process';
/** Files that the cluster may open: about three times what it needs. */
const files = 600;

/** Connections to a port that stay open, from many addresses of this machine; every other one begins a request and never ends it. */
function flood(port: number, count: number): Socket[] {
  return Array.from({ length: count }, (_, index) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: `127.0.${1 + (index % 7)}.${1 + (index % 50)}` });
    socket.on('error', () => undefined);
    if (index % 2 === 0) socket.write('POST /ws/v1/cluster/apps HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n');
    return socket;
  });
}

describe('connections that take every file that a cluster may open', { skip: needed }, () => {
  it('neither stop a server nor lose what was taken, and leave room as soon as they go', async () => {
    const [clients = 0, masters = 0, administrators = 0] = await freePorts(3);
    await using cluster = await startProcesses({
      mode: 'up',
      settings: {
        'yarn.resourcemanager.address': `127.0.0.1:${clients}`,
        'yarn.resourcemanager.scheduler.address': `127.0.0.1:${masters}`,
        'yarn.resourcemanager.admin.address': `127.0.0.1:${administrators}`,
        'yarn.timeline-service.versions': '1.5f,2.0f',
        'heddle.node-manager.switch-users': 'false',
      },
      within: () => ['prlimit', `--nofile=${files}:${files}`],
    });
    const { resourceManager } = cluster.urls;
    const ready = () =>
      Promise.all(
        Object.values(cluster.urls).map(async (url) => {
          const { status, body } = await send(`${url}/ready`);
          return `${status} ${url} ${body}`;
        }),
      );
    const ports = [clients, masters, administrators, ...Object.values(cluster.urls).map((url) => Number(new URL(url).port))];

    // Who was there before goes on: on a connection that is kept.
    await using made = new AsyncDisposableStack();
    const kept = new Agent({ connections: 1, pipelining: 1, keepAliveTimeout: 60_000, keepAliveMaxTimeout: 60_000 });
    made.defer(() => kept.destroy());
    const taken: string[] = [];
    const submitKept = async (): Promise<number> => {
      const post = async (path: string, body?: object) => {
        const { statusCode, body: answer } = await request(`${resourceManager}${path}?user.name=ann`, {
          method: 'POST',
          dispatcher: kept,
          headers: { 'content-type': 'application/json' },
          body: body ? JSON.stringify(body) : null,
        });
        return { statusCode, text: await answer.text() };
      };
      const made = await post('/ws/v1/cluster/apps/new-application');
      if (made.statusCode !== 200) return made.statusCode;
      const id = (JSON.parse(made.text) as { 'application-id': string })['application-id'];
      const { statusCode } = await post('/ws/v1/cluster/apps', {
        'application-id': id,
        'application-name': 'kept',
        'max-app-attempts': 1,
        'am-container-spec': { commands: { command: 'true' } },
        resource: { memory: 128, vCores: 1 },
      });
      if (statusCode === 202) taken.push(id);
      return statusCode;
    };
    assert.equal(await submitKept(), 202);

    for (const round of [ports.slice(0, 3), ports.slice(3), ports]) {
      const held = round.flatMap((port) => flood(port, Math.ceil((2 * files) / round.length)));
      try {
        await until('the flood to have arrived', async () => held.every(({ connecting, destroyed }) => !connecting || destroyed), 30_000);
        for (let count = 0; count < 5; count++) {
          assert.equal(await submitKept(), 202);
          // Who comes now is served or told to come again.
          const late = await submit(resourceManager, 'true', { user: 'bob', context: { 'application-name': 'late' } });
          assert.ok([202, 503, 429, 0].includes(late.status), `${late.status} ${late.body}`);
          if (late.status === 202) taken.push(late.id);
        }
      } finally {
        for (const socket of held) socket.destroy();
      }
      let last: readonly string[] = [];
      const answer = async () => {
        last = await ready();
        // The reader of the timeline says by 404 that it is there.
        return last.every((text) => /^(?:200|404) /.test(text));
      };
      await until('every server to answer again', answer, 30_000).catch(() => assert.fail(last.join('\n')));
    }
    assert.doesNotMatch(cluster.output('up'), /EMFILE|too many open files/i);

    const statesOf = async (): Promise<Map<string, string>> => {
      const { body } = await send(`${resourceManager}/ws/v1/cluster/apps`);
      const { apps } = JSON.parse(body) as { apps: { app: { id: string; state: string }[] } };
      return new Map(apps.app.map(({ id, state }) => [id, state]));
    };
    await until('all to have run', async () => {
      const states = await statesOf();
      return taken.every((id) => /FINISHED|FAILED/.test(states.get(id) ?? ''));
    });
    await cluster.stop('up', 'SIGKILL');
    await cluster.start('up');
    const states = await statesOf();
    assert.deepEqual(
      taken.filter((id) => !states.has(id)),
      [],
    );
  });
});
