import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { exitStatus } from '../../model/exit-status.ts';
import { anOrder, startNode } from '../test-support/node-fixture.ts';
import { followManifest } from './manifest.ts';
import type { AuxiliaryService } from './service.ts';
import { AuxiliaryServices } from './services.ts';

test('a service hears of applications and their data, adds a variable and answers below its path', async () => {
  const heard: string[] = [];
  let ended: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const service: AuxiliaryService = {
    name: 'notes',
    start: async ({ folder }) => void heard.push(`start ${folder.endsWith('/auxiliary/notes')}`),
    stop: async () => void heard.push('stop'),
    applicationStarted: ({ user, data }) => void heard.push(`application ${user} ${data}`),
    applicationEnded() {
      heard.push('ended');
      ended();
    },
    metadata: () => Buffer.from('hello'),
    handle: (request, response, path) => void response.end(`${request.method} ${path}`),
  };
  {
    await using node = await startNode({ 'yarn.nodemanager.aux-services': 'notes,unknown' }, { auxiliaryServices: [service] });
    const first = node.order('echo $NM_AUX_SERVICE_notes > <LOG_DIR>/stdout');
    const second = node.order('true', { launch: { serviceData: { notes: Buffer.from('token').toString('base64') } } });
    node.start(first);
    await node.resourceManager.complete(first.containerId);
    node.start(second);
    await node.resourceManager.complete(second.containerId);
    assert.equal(
      await (await node.get(`/api/v1/containers/${first.containerId}/logs/stdout`)).text(),
      `${Buffer.from('hello').toString('base64')}\n`,
    );
    assert.equal(await (await node.get('/api/v1/auxiliary/notes/a/b?c=d')).text(), 'GET /a/b?c=d');
    assert.equal((await node.get('/api/v1/auxiliary/unknown/a')).status, 404);
    // Of the settings, but not there; and named by nobody.
    for (const name of ['unknown', 'tez_shuffle', 'spark_shuffle']) {
      const lacking = node.order('true', { launch: { serviceData: { notes: '', [name]: '' } } });
      node.start(lacking);
      const { exitCode, diagnostics } = await node.resourceManager.complete(lacking.containerId);
      assert.equal(exitCode, exitStatus.invalid);
      assert.match(diagnostics, new RegExp(`^\\[[^\\]]*\\]The auxService:${name} does not exist(: .* Set (tez|spark)\\..*)?\n$`));
    }
    node.resourceManager.send({ type: 'finishApplications', applicationIds: [first.applicationId] });
    await end;
  }
  assert.deepEqual(heard, ['start true', 'application ada undefined', 'application ada token', 'ended', 'stop']);
});

test('a name of the settings stands for the service of its class, and several names for one service', async () => {
  const heard: string[] = [];
  const service = (name: string, className: string): AuxiliaryService => ({
    name,
    classNames: [className],
    start: async () => void heard.push(`start ${name}`),
    stop: async () => void heard.push(`stop ${name}`),
    applicationStarted: ({ data }) => void heard.push(`${name} ${data}`),
    applicationEnded: () => void heard.push(`ended ${name}`),
    metadata: () => Buffer.from(name),
  });
  const context = { applicationFolders: () => [], nodeHttpAddress: () => '' };
  const services = new AuxiliaryServices({
    available: [service('one', 'a.One'), service('two', 'a.Two')],
    names: [
      { name: 'mine', className: 'a.One' },
      { name: 'one', className: undefined },
      { name: 'two', className: 'another.Two' },
      { name: 'three', className: undefined },
    ],
    folder: tmpdir(),
    context,
    clock: new ManualClock(),
    logger: silentLogger,
  });
  await services.start();
  assert.deepEqual([...services.metadata()].map(String), ['mine,one', 'one,one']);
  assert.equal(services.find('two'), undefined);
  const order = anOrder(1, 'true', { serviceData: { mine: Buffer.from('secret').toString('base64') } });
  services.containerArrived(order, false);
  services.applicationEnded(order.applicationId);
  await services.stop();
  assert.deepEqual(heard, ['start one', 'one secret', 'ended one', 'stop one']);
});

test('what a service keeps survives a restart, and none of it where the node does not recover', async () => {
  const found: boolean[] = [];
  const service: AuxiliaryService = {
    name: 'notes',
    async start({ folder }) {
      mkdirSync(folder, { recursive: true });
      found.push(existsSync(join(folder, 'kept')));
      writeFileSync(join(folder, 'kept'), '');
    },
  };
  await using node = await startNode({ 'yarn.nodemanager.aux-services': 'notes' }, { auxiliaryServices: [service] });
  await node.restart();
  await node.restart({ 'yarn.nodemanager.recovery.enabled': 'false' });
  assert.deepEqual(found, [false, true, false]);
});

test('services come from the manifest file, again when it changes, and stay where it is wrong or others may write it', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'manifest-')), 'conf');
  mkdirSync(folder, { mode: 0o755 });
  const path = join(folder, 'manifest.json');
  const write = (text: string) => writeFileSync(path, text, { mode: 0o644 });
  const manifest = (...names: string[]) =>
    JSON.stringify({
      services: names.map((name) => ({
        name,
        version: '1',
        configuration: { properties: { 'class.name': 'org.apache.hadoop.mapred.ShuffleHandler' } },
      })),
    });
  const clock = new ManualClock(1_700_000_000_000);
  const said: string[] = [];
  const logger = Object.assign(Object.create(silentLogger), { warn: ({ reason }: { reason: string }) => void said.push(reason) });
  const context = { applicationFolders: () => [], nodeHttpAddress: () => '' };
  const services = new AuxiliaryServices({ available: [], names: [], folder, context, clock, logger });
  const names = () => services.manifest.map(({ name }) => name);
  write(manifest('one'));
  const followed = await followManifest({ path, reloadMs: 1000, services, clock, logger });
  assert.deepEqual(names(), ['one']);
  const look = async (condition: () => boolean) => {
    while (!condition()) {
      clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  write(manifest('one', 'two'));
  await look(() => names().length === 2);
  write('{"services": [');
  await look(() => said.length === 1);
  write(manifest('one', 'two', '3 is no name'));
  await look(() => said.length === 2);
  chmodSync(path, 0o666);
  write(manifest('evil', 'of', 'others', 'altogether'));
  await look(() => said.length === 3);
  assert.match(said[2] ?? '', /manifest\.json must not be writable by its group or others/);
  assert.deepEqual(names(), ['one', 'two']);
  await followed.close();
  rmSync(join(folder, '..'), { recursive: true });
});
