// The only node of a cluster falls ill and recovers, with and without containers; then it leaves in order while applications wait.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleeping, submit } from '../kit-apps.mjs';
import { clear, launched, settled } from '../kit-scheduler.mjs';
import { emptySteps, moments } from './empty-steps.mjs';

export default {
  name: 'rm-unhealthy-more',
  cluster: 'capacity-nodes',
  fresh: true,
  about: 'a node that is unhealthy, leaving, and back, while applications wait',
  async run(c) {
    await clear(c);
    const { read, nodes, inState, cluster, app, end } = emptySteps(c, ['default', 'root.research.reports'], { mask: moments });
    const folder = c.name('folder', mkdtempSync(join(tmpdir(), 'case-')));
    const script = join(folder, 'health');
    const ill = join(folder, 'ill');
    writeFileSync(script, `#!/bin/sh\n[ -e ${ill} ] && echo "ERROR the disk smells" || echo fine\n`);
    chmodSync(script, 0o755);
    process.env.NODE_SETTINGS = [
      `yarn.nodemanager.health-checker.script.path=${script}`,
      'yarn.nodemanager.health-checker.interval-ms=400',
      'yarn.nodemanager.resource.memory-mb=4096',
      'yarn.nodemanager.resource.cpu-vcores=4',
    ].join(' ');
    const first = c.name('first', (await nodes())[0].id);
    await c.hook('nm-start', ['1']);
    const second = c.name(
      'second',
      await c.until('a second node', async () => (await nodes()).find((n) => n.id !== first && n.state === 'RUNNING')?.id, 90),
    );
    await c.hook('nm-stop', ['0']);
    await inState(first, 'SHUTDOWN');
    const begin = async (name, spec, user = 'ada') => submit(c, name, { ...sleeping(900, 512), queue: 'default', ...spec }, user);
    const address = (await nodes()).find((n) => n.id === second).nodeHTTPAddress;
    const all = async (id) => {
      await cluster(id);
      const own = await c.http('nm', 'GET', `http://${address}/ws/v1/node/info`).catch(() => undefined);
      if (own)
        await c.record(`${id}.own`, 'nm', 'GET', `http://${address}/ws/v1/node/info`, {
          loose: ['lastNodeUpdateTime', 'nmStartupTime', 'totalVmemAllocatedContainersMB', 'id', 'nodeHostName'],
          pick: ({ nodeInfo: n }) => ({
            healthReport: n.healthReport,
            nodeHealthy: n.nodeHealthy,
            memory: n.totalPmemAllocatedContainersMB,
            vcores: n.totalVCoresAllocatedContainers,
          }),
        });
      await read(`${id}.node`, `/nodes/${second}`, { xml: true, loose: ['lastHealthUpdate', 'aggregatedContainersPhysicalMemoryMB'] });
      for (const states of ['UNHEALTHY', 'RUNNING', 'UNHEALTHY,RUNNING', 'DECOMMISSIONING', 'DECOMMISSIONED'])
        await read(`${id}.list.${states}`, `/nodes?states=${states}`, {
          pick: ({ nodes: n }) => (n.node ?? []).map((x) => [x.id, x.state, x.healthReport, x.numContainers]),
        });
    };
    await all('well');
    const a = await begin('a', { 'max-app-attempts': 2 });
    await launched(c, a);
    writeFileSync(ill, '');
    await inState(second, 'UNHEALTHY');
    await settled(c, a);
    await all('ill');
    await app('ill.a', a);
    const b = await begin('b', { resource: { memory: 1024, vCores: 1 } }, 'bob');
    await settled(c, b);
    await app('ill.b', b);
    await all('ill-waiting');
    await read('ill.activities', `/scheduler/activities?nodeId=${second}`);
    await read('ill.activities-any', '/scheduler/activities');
    rmSync(ill);
    await inState(second, 'RUNNING');
    await settled(c, a);
    await settled(c, b);
    await all('recovered');
    await read('recovered.a', `/apps/${a}`);
    await read('recovered.attempts', `/apps/${a}/appattempts`);
    await read('recovered.b', `/apps/${b}`);
    await end(a, b);

    // leaving in order, busy, while one waits
    const d = await begin('d', {});
    await launched(c, d);
    process.env.GRACEFUL = '1';
    await c.hook('exclude', [second.split(':')[0]]);
    delete process.env.GRACEFUL;
    await inState(second, 'DECOMMISSIONING');
    await c.sleep(700);
    await all('leaving');
    const e = await begin('e', {}, 'bob');
    await settled(c, e);
    await app('leaving.e', e);
    await all('leaving-waiting');
    await end(d);
    await inState(second, 'DECOMMISSIONED');
    await c.sleep(500);
    await all('left');
    await app('left.e', e);
    const f = await begin('f', {}, 'eve');
    await settled(c, f);
    await app('left.f', f);
    await c.hook('exclude', []);
    await c.hook('nm-start', ['1']);
    await inState(second, 'RUNNING');
    await settled(c, e);
    await settled(c, f);
    await all('returned');
    await read('returned.e', `/apps/${e}`);
    await read('returned.f', `/apps/${f}`);
    await end(e, f);
    delete process.env.NODE_SETTINGS;
  },
};
