// Preemption in forms that no recording has: what switches it off and on, where that is inherited, and which masters go first.
import { appFacts, clear, facts, launched, RM, sleeper, steady, waiting } from '../kit-scheduler.mjs';

export default {
  name: 'sched-preemption-more',
  cluster: 'capacity-preemption',
  fresh: true,
  about: 'switches of preemption of every form and place, and what is preempted as they change',
  async run(c) {
    c.mask(/application_\d+_\d+/g, 'ID');
    await clear(c);
    const conf = async (queue, params) => {
      const { status, text } = await c.http('rm', 'PUT', `${RM}/scheduler-conf`, {
        user: 'root',
        body: {
          'update-queue': { 'queue-name': queue, params: { entry: Object.entries(params).map(([key, value]) => ({ key, value })) } },
        },
      });
      return [status, status === 200 ? '' : text];
    };
    const flags = (id, set) =>
      c.record(id, 'rm', 'GET', `${RM}/scheduler`, {
        user: 'root',
        pick: (j) => [
          set,
          j.scheduler.schedulerInfo.queues.queue.map((q) => [q.queuePath, q.preemptionDisabled, q.intraQueuePreemptionDisabled]).sort(),
        ],
      });
    await flags('flags');
    let n = 0;
    for (const queue of ['root', 'root.left', 'root.safe'])
      for (const key of ['disable_preemption', 'intra-queue-preemption.disable_preemption', 'disable-preemption'])
        for (const value of ['true', 'TRUE', 'false', 'x', '', ' true ', 'yes', '1'])
          await flags(`flags.${n++}`, [queue, key, value, await conf(queue, { [key]: value })]);
    for (const queue of ['root', 'root.left', 'root.right'])
      await conf(queue, { disable_preemption: 'false', 'intra-queue-preemption.disable_preemption': 'false' });
    await conf('root.safe', { disable_preemption: 'true' });
    await flags('flags-restored');

    const mine = [];
    const start = async (name, queue, memory, user = 'ada', more = {}) => {
      const app = await sleeper(c, name, { queue, memory, user, ...more });
      mine.push(app);
      return app;
    };
    const table = (id) =>
      c.record(id, 'rm', 'GET', `${RM}/apps?states=ACCEPTED,FAILED`, {
        user: 'root',
        pick: ({ apps }) =>
          (apps.app ?? [])
            .filter((a) => mine.includes(a.id))
            .map((a) => [
              a.name,
              a.queue,
              a.state,
              Math.max(a.allocatedMB, 0),
              a.numAMContainerPreempted,
              a.preemptedResourceMB,
              a.preemptedResourceVCores,
            ])
            .sort(),
      });
    const queue = async (id, ...paths) => {
      await steady(c);
      await c.record(id, 'rm', 'GET', `${RM}/scheduler`, { pick: facts(...paths) });
    };
    // A queue that is kept from preemption until it is let go.
    await conf('root.left', { disable_preemption: 'true' });
    for (const k of [1, 2, 3, 4]) await launched(c, await start(`left${k}`, 'left', 2048, k % 2 ? 'ada' : 'bob', { priority: k }));
    const right = await start('right', 'right', 2048, 'bob');
    await waiting(c, right);
    await table('kept');
    await conf('root.left', { disable_preemption: 'false' });
    await launched(c, right);
    await c.sleep(2000);
    await queue('let-go', 'root.left', 'root.right');
    await table('let-go.apps');
    for (const [k, app] of mine.entries())
      await c.record(`let-go.attempts.${k}`, 'rm', 'GET', `${RM}/apps/${app}/appattempts`, {
        user: 'root',
        pick: ({ appAttempts }) => appAttempts.appAttempt.map((a) => [a.appAttemptState, a.containerId === '']),
      });
    await c.record('let-go.right', 'rm', 'GET', `${RM}/apps/${right}`, { user: 'root', pick: appFacts });
    await clear(c);

    // Switched off at the root, everything is kept.
    mine.length = 0;
    await conf('root', { disable_preemption: 'true' });
    await flags('root-off');
    for (const k of [1, 2, 3, 4]) await launched(c, await start(`full${k}`, 'left', 2048));
    const held = await start('held', 'safe', 1024, 'bob');
    await waiting(c, held);
    await c.sleep(2000);
    await table('root-off.apps');
    await conf('root', { disable_preemption: 'false' });
    await launched(c, held);
    await c.sleep(2000);
    await queue('root-on', 'root.left', 'root.safe');
    await table('root-on.apps');
    await c.record('metrics', 'rm', 'GET', `${RM}/metrics`, {
      user: 'root',
      pick: ({ clusterMetrics: m }) => [
        m.allocatedMB,
        m.availableMB,
        m.pendingMB,
        m.containersAllocated,
        m.containersPending,
        m.appsPending,
        m.appsRunning,
      ],
    });
    await clear(c);
  },
};
