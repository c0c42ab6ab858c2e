// Decisions of the fair scheduler under the limits of its file, in other orders and amounts than the recordings.
import { appFacts, clear, fairFacts, get, kill, launched, RM, settled, sleeper, steady } from '../kit-scheduler.mjs';

export default {
  name: 'sched-fair-more',
  cluster: 'fair-limits',
  fresh: true,
  about: 'fair shares, limits, preemption in other amounts',
  async run(c) {
    await clear(c);
    const view = async (id, ...queues) => {
      await steady(c);
      await c.record(id, 'rm', 'GET', `${RM}/scheduler`, {
        pick: (j) => {
          const all = fairFacts(j);
          return queues.length ? Object.fromEntries(queues.map((q) => [q, all[q]])) : all;
        },
      });
    };
    const table = (id) =>
      c.record(id, 'rm', 'GET', `${RM}/apps?states=ACCEPTED`, {
        user: 'root',
        pick: ({ apps }) =>
          (apps.app ?? [])
            .map((a) => [
              a.name,
              a.user,
              a.queue,
              a.allocatedMB,
              a.allocatedVCores,
              a.queueUsagePercentage,
              a.clusterUsagePercentage,
              a.diagnostics.replace(/^\[[^\]]*\d{4}\] /, ''),
            ])
            .sort(),
      });
    const run = async (...apps) => {
      for (const [name, options] of apps) await settled(c, await sleeper(c, name, options));
    };
    await run(
      ['a1', { queue: 'drf', user: 'ada', memory: 2048, vcores: 2 }],
      ['a2', { queue: 'drf', user: 'bob', memory: 256, vcores: 4 }],
      ['a3', { queue: 'drf', user: 'eve', memory: 512, vcores: 1 }],
    );
    await view('drf');
    await table('drf.apps');
    await clear(c);
    await run(
      ['l1', { queue: 'line', user: 'ada', memory: 2048, vcores: 2 }],
      ['l2', { queue: 'line', user: 'bob', memory: 1024 }],
      ['l3', { queue: 'line', user: 'ada', memory: 2048, priority: 5 }],
      ['l4', { queue: 'line', user: 'ada', memory: 2048 }],
      ['l5', { queue: 'line', user: 'bob', memory: 2048 }],
    );
    await view('line');
    await table('line.apps');
    await clear(c);
    await run(['c1', { queue: 'capped', user: 'ada', memory: 1024 }], ['c2', { queue: 'capped', user: 'ada', memory: 128 }]);
    await view('capped', 'root.capped');
    await table('capped.apps');
    await kill(c, c.value('c1'));
    await settled(c, c.value('c2'));
    await view('capped-next', 'root.capped');
    await clear(c);
    await run(['v1', { queue: 'capped', user: 'ada', memory: 128, vcores: 4 }], ['v2', { queue: 'capped', user: 'ada', memory: 128 }]);
    await view('capped-cores', 'root.capped');
    await table('capped-cores.apps');
    await clear(c);
    await run(
      ['p1', { queue: 'root.users.ada', user: 'ada', memory: 1024 }],
      ['p2', { user: 'ada', memory: 1024 }],
      ['p3', { user: 'ada', memory: 512 }],
      ['p4', { user: 'bob.c', memory: 256 }],
      ['p5', { user: 'eve', memory: 256, queue: 'users' }],
    ).catch((error) =>
      c.record('users.failed', 'rm', 'GET', `${RM}/info`, {
        pick: () =>
          String(error.message)
            .replace(/application_\d+_\d+/, 'ID')
            .slice(0, 200),
      }),
    );
    await view('users');
    await table('users.apps');
    await clear(c);
    await run(
      ['s1', { queue: 'share', user: 'ada', memory: 1024 }],
      ['s2', { queue: 'share', user: 'bob', memory: 128 }],
      ['s3', { queue: 'share', user: 'ada', memory: 896 }],
    );
    await view('share', 'root.share');
    await table('share.apps');
    await kill(c, c.value('s1'));
    await settled(c, c.value('s2'));
    await settled(c, c.value('s3'));
    await view('share-next', 'root.share');
    await table('share-next.apps');
    await clear(c);
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await settled(c, await sleeper(c, `u${n}`, { queue: 'weighty', user: 'ada', memory: 128 }));
    await view('user-default-limit', 'root.weighty');
    await table('user-default-limit.apps');
    await clear(c);
    await run(['k1', { queue: 'kept', user: 'ada', memory: 4096 }], ['k2', { queue: 'kept', user: 'bob', memory: 4096 }]);
    const poor = await sleeper(c, 'poor', { queue: 'light', user: 'bob', memory: 1024 });
    await c.sleep(5000);
    await settled(c, poor);
    await view('kept');
    await table('kept.apps');
    await clear(c);
    await run(
      ['x1', { queue: 'weighty', user: 'ada', memory: 1024 }],
      ['x2', { queue: 'weighty', user: 'ada', memory: 1024 }],
      ['x3', { queue: 'weighty', user: 'ada', memory: 1024 }],
      ['y1', { queue: 'drf', user: 'bob', memory: 1024 }],
      ['y2', { queue: 'drf', user: 'bob', memory: 1024 }],
      ['y3', { queue: 'drf', user: 'bob', memory: 3072 }],
    );
    await view('full');
    await table('full.apps');
    for (const [name, target] of [
      ['x1', 'light'],
      ['x2', 'capped'],
      ['y1', 'share'],
      ['y3', 'capped'],
      ['x3', 'closed'],
      ['y2', 'users'],
      ['y2', 'root.users.bob'],
      ['y2', 'line'],
    ]) {
      await c.record(`move.${name}.${target}`, 'rm', 'PUT', `${RM}/apps/${c.value(name)}/queue`, { user: 'root', body: { queue: target } });
      await c.record(`move.${name}.${target}.app`, 'rm', 'GET', `${RM}/apps/${c.value(name)}`, { user: 'root', pick: appFacts });
    }
    await view('all-moved');
    await table('all-moved.apps');
    await clear(c);
    for (const [queue, user] of [
      ['closed', 'root'],
      ['closed', 'admin'],
      ['closed', 'zoe'],
      ['root.closed', 'ada'],
      ['root', 'ada'],
      ['root.weighty.child', 'ada'],
      ['root.users', 'ada'],
      ['root.users.x.y', 'ada'],
      ['nowhere', 'a.b'],
      ['weighty', 'eve'],
    ]) {
      const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user });
      const name = `acl.${queue}.${user}`,
        a = c.name(name, json['application-id']);
      await c.record(name, 'rm', 'POST', `${RM}/apps`, {
        user,
        body: {
          'application-id': a,
          queue,
          resource: { memory: 128, vCores: 1 },
          'max-app-attempts': 1,
          'am-container-spec': { commands: { command: 'sleep 600' } },
        },
      });
      if ((await get(c, `/apps/${a}`)).app) {
        await settled(c, a);
        await c.record(`${name}.app`, 'rm', 'GET', `${RM}/apps/${a}`, { user: 'root', pick: appFacts });
      }
      await c.record(`${name}.access`, 'rm', 'GET', `${RM}/queues/${queue}/access?user=${user}`, { user: 'root' });
      await c.record(`${name}.administer`, 'rm', 'GET', `${RM}/queues/${queue}/access?user=${user}&queue-acl-type=ADMINISTER_QUEUE`, {
        user: 'root',
      });
    }
    await clear(c);
    void launched;
  },
};
