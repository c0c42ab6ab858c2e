// Nodes that are reserved: what shows it everywhere, and what ends it (the application, its queue, its node, room elsewhere).
import { attempt } from '../kit-apps.mjs';
import { appFacts, clear, facts, get, kill, launched, RM, settled, sleeper, steady } from '../kit-scheduler.mjs';

export default {
  name: 'rm-reserved-more',
  cluster: 'capacity-nodes',
  fresh: true,
  about: 'reservations of nodes for containers, and their ends',
  async run(c) {
    await clear(c);
    const first = c.name('first', (await get(c, '/nodes?states=RUNNING')).nodes.node[0].id);
    await c.hook('nm-start', ['1']);
    const second = c.name(
      'second',
      await c.until(
        'a second node',
        async () => (await get(c, '/nodes?states=RUNNING')).nodes.node.map((n) => n.id).find((id) => id !== first),
        90,
      ),
    );
    await c.sleep(1500);
    await c.http('rm', 'PUT', `${RM}/scheduler-conf`, {
      user: 'root',
      body: {
        'global-updates': { entry: [{ key: 'yarn.scheduler.capacity.maximum-am-resource-percent', value: '1' }] },
        'update-queue': [
          { 'queue-name': 'root.default', params: { entry: [{ key: 'user-limit-factor', value: '5' }] } },
          { 'queue-name': 'root.research.reports', params: { entry: [{ key: 'user-limit-factor', value: '9' }] } },
        ],
      },
    });
    const read = (id, path, options = {}) => c.record(id, 'rm', 'GET', RM + path, { user: 'root', ...options });
    const node = (text) => text?.replace(/localhost:\d+/g, 'NODE');
    const usage = (name) => (j) => {
      const q = j.scheduler.schedulerInfo.queues.queue.flatMap((x) => [x, ...(x.queues?.queue ?? [])]).find((x) => x.queuePath === name);
      return [
        q.resources.resourceUsagesByPartition.map((p) => [
          p.partitionName,
          p.used.memory,
          p.reserved.memory,
          p.pending.memory,
          p.amUsed.memory,
        ]),
        q.reservedContainers,
        q.allocatedContainers,
        q.pendingContainers,
        q.usedCapacity,
        q.absoluteUsedCapacity,
      ];
    };
    const all = async (id, ...apps) => {
      await steady(c);
      await read(`${id}.facts`, '/scheduler', { pick: facts('root', 'root.default', 'root.research', 'root.research.reports') });
      for (const q of ['root.default', 'root.research.reports']) await read(`${id}.usage.${q}`, '/scheduler', { pick: usage(q) });
      await read(`${id}.metrics`, '/metrics', { pick: ({ clusterMetrics: m }) => m, loose: ['appsSubmitted'] });
      await read(`${id}.nodes`, '/nodes?states=RUNNING', {
        pick: ({ nodes }) =>
          (nodes.node ?? [])
            .map((n) => [n.numContainers, n.usedMemoryMB, n.availMemoryMB, n.usedVirtualCores, n.availableVirtualCores])
            .sort(),
      });
      for (const [n, app] of apps.entries()) {
        await read(`${id}.app.${n}`, `/apps/${app}`, {
          pick: (j) => ({
            ...appFacts(j),
            diagnostics: node(j.app.diagnostics.replace(/^\[[^\]]*\] /, '')),
            reserved: [j.app.reservedMB, j.app.reservedVCores],
            part: [j.app.queueUsagePercentage, j.app.clusterUsagePercentage],
            usages: j.app.resourceInfo,
            requests: j.app.resourceRequests,
          }),
        });
        await read(`${id}.containers.${n}`, `/apps/${app}/appattempts/${attempt(app)}/containers`, {
          pick: ({ container = [] }) => container.length,
        });
      }
    };
    const one = await sleeper(c, 'one', { user: 'ada', memory: 6144 });
    await launched(c, one);
    const two = await sleeper(c, 'two', { user: 'ada', memory: 6144 });
    await launched(c, two);
    const wait = await sleeper(c, 'wait', { user: 'eve', memory: 4096, vcores: 2 });
    await settled(c, wait);
    await all('one', wait);
    const more = await sleeper(c, 'more', { user: 'bob', memory: 3072, queue: 'root.research.reports' });
    await settled(c, more);
    await all('two', wait, more);
    const small = await sleeper(c, 'small', { user: 'bob', memory: 512 });
    await settled(c, small);
    await all('small', wait, more, small);
    await c.record('priority', 'rm', 'PUT', `${RM}/apps/${wait}/priority`, { user: 'root', body: { priority: 7 } });
    await c.sleep(1000);
    await all('priority', wait);
    await kill(c, wait);
    await c.appIn(wait, 'KILLED');
    await c.sleep(1500);
    await all('killed', more);
    await read('killed.app', `/apps/${wait}`, { pick: ({ app }) => [app.state, app.reservedMB, app.allocatedMB, app.diagnostics] });
    await kill(c, more);
    await c.appIn(more, 'KILLED');
    const again = await sleeper(c, 'again', { user: 'eve', memory: 4096 });
    await settled(c, again);
    await all('again', again);
    await c.record('move', 'rm', 'PUT', `${RM}/apps/${again}/queue`, { user: 'root', body: { queue: 'root.research.reports' } });
    await c.sleep(2000);
    await all('moved', again);
    await kill(c, one);
    await launched(c, again);
    await all('served', again);
    await clear(c);
    await c.hook('nm-stop', ['1']);
    await c.until('one node', async () => (await get(c, '/nodes?states=RUNNING')).nodes.node.length === 1);
    await all('left');
    await c.http('rm', 'GET', `${RM}/scheduler-conf/format`, { user: 'root' });
    void second;
  },
};
