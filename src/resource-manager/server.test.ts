// The start of the resource manager: what it opened is closed again, also when it fails half way.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { type Clock, ManualClock, type Timer } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { seededRandom } from '../lib/random.ts';
import { start } from './server.ts';

/** A clock that knows how many of its timers still run. */
class CountingClock implements Clock {
  readonly #clock = new ManualClock();
  readonly #open = new Set<object>();

  now(): number {
    return this.#clock.now();
  }

  steadyMs(): number {
    return this.#clock.steadyMs();
  }

  setTimer(delayMs: number, run: () => void): Timer {
    const key = {};
    this.#open.add(key);
    const timer = this.#clock.setTimer(delayMs, () => {
      this.#open.delete(key);
      run();
    });
    return {
      cancel: () => {
        this.#open.delete(key);
        timer.cancel();
      },
    };
  }

  get running(): number {
    return this.#open.size;
  }
}

/** A folder of settings and one of data, and a start with them. */
function place() {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-start-'));
  const confDir = join(folder, 'conf');
  const dataDir = join(folder, 'data');
  mkdirSync(confDir);
  const clock = new CountingClock();
  const state = join(dataDir, 'resource-manager', 'state.sqlite');
  return {
    clock,
    dataDir,
    write: (name: string, content: string) => writeFileSync(join(confDir, name), content),
    begin(set: Record<string, string> = {}) {
      const configuration = loadConfiguration({
        confDir,
        dataDir,
        set: { 'yarn.resourcemanager.webapp.address': '127.0.0.1:0', 'heddle.cluster.secret-file': join(folder, 'secret'), ...set },
      });
      return start(configuration, { clock, logger: silentLogger, random: seededRandom(1) });
    },
    /** What is open: timers, and the store, whose log file goes when it is closed. */
    open: () => ({ timers: clock.running, store: existsSync(`${state}-wal`) }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const closed = { timers: 0, store: false };
const property = (name: string, value: string) => `<property><name>${name}</name><value>${value}</value></property>`;

describe('the start of a resource manager', () => {
  it('closes all that it opened', async () => {
    const { begin, open, remove, clock } = place();
    const role = await begin({ 'yarn.resourcemanager.reservation-system.enable': 'true' });
    assert.ok(open().store);
    assert.ok(clock.running > 3);
    await role.close();
    assert.deepEqual(open(), closed);
    await assert.rejects(fetch(role.addresses['web']!));
    remove();
  });

  it('that fails after its store was opened closes it', async () => {
    const { begin, open, write, remove } = place();
    write('capacity-scheduler.xml', `<configuration>${property('yarn.scheduler.capacity.root.queues', 'a,a')}</configuration>`);
    await assert.rejects(begin(), /capacity-scheduler\.xml/);
    assert.deepEqual(open(), closed);
    remove();
  });

  it('that fails after its cluster was built ends what the cluster waits for', async () => {
    const { begin, open, write, remove } = place();
    const sizes = property('yarn.resource.dynamic.nodes', 'n1:1') + property('yarn.resource.dynamic.n1:1.memory', 'much');
    write('dynamic-resources.xml', `<configuration>${sizes}</configuration>`);
    await assert.rejects(begin(), /dynamic-resources\.xml.*much is no amount/);
    assert.deepEqual(open(), closed);
    remove();
  });

  it('that cannot listen closes everything, and the next start succeeds', async () => {
    const { begin, open, remove } = place();
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { port } = other.address() as { port: number };
    const taken = { 'yarn.resourcemanager.webapp.address': `127.0.0.1:${port}`, 'yarn.resourcemanager.reservation-system.enable': 'true' };
    await assert.rejects(begin(taken), /EADDRINUSE/);
    assert.deepEqual(open(), closed);
    await new Promise((done) => other.close(done));
    const role = await begin(taken);
    assert.equal(role.addresses['web'], `http://127.0.0.1:${port}`);
    await role.close();
    assert.deepEqual(open(), closed);
    remove();
  });

  it('gives ids that no start before gave, whatever the clock says', async () => {
    const { begin, remove } = place();
    const firstIds: string[] = [];
    for (let turn = 0; turn < 2; turn++) {
      const role = await begin();
      const answer = await fetch(`${role.addresses['web']}/ws/v1/cluster/apps/new-application?user.name=ada`, { method: 'POST' });
      firstIds.push(((await answer.json()) as Record<string, string>)['application-id']!);
      await role.close();
    }
    const [first = '', second = ''] = firstIds;
    assert.notEqual(first, second);
    assert.ok(second > first);
    remove();
  });

  it('is ready for as long as its store is where it was', async () => {
    const { begin, remove, dataDir } = place();
    const server = await begin();
    try {
      const asked = async () => {
        const answer = await fetch(`${server.addresses['web']}/readyz`);
        return [answer.status, await answer.json()];
      };
      assert.deepEqual(await asked(), [200, { ready: true }]);
      const store = join(dataDir, 'resource-manager', 'state.sqlite');
      renameSync(store, `${store}.away`);
      const refused = { ready: false, reason: `The store ${store} was removed or replaced while it was in use: nothing can be kept.` };
      assert.deepEqual(await asked(), [503, refused]);
      assert.deepEqual(server.readiness?.current, refused);
      renameSync(`${store}.away`, store);
      assert.deepEqual(await asked(), [200, { ready: true }]);
    } finally {
      await server.close();
      remove();
    }
  });

  it('tells monitors the port that clients of Hadoop RPC are served on, also where another one was set', async () => {
    const { begin, remove } = place();
    const server = await begin({ 'yarn.resourcemanager.address': '127.0.0.1:0' });
    try {
      const answer = await fetch(`${server.addresses['web']}/jmx?qry=Hadoop:service=ResourceManager,name=RMInfo&user.name=ada`);
      const { beans } = (await answer.json()) as { beans: { HostAndPort: string }[] };
      assert.notEqual(new URL(`rpc://${server.addresses['rpc']}`).port, '0');
      assert.deepEqual(
        beans.map(({ HostAndPort }) => HostAndPort),
        [server.addresses['rpc']],
      );
    } finally {
      await server.close();
      remove();
    }
  });
});
