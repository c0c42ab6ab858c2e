// The first-in first-out scheduler: views, submissions, changes.
import { appFacts, clear, kill, RM, settled, sleeper, steady } from '../kit-scheduler.mjs';
import { tryQueue, trySize } from './submission-steps.mjs';

export default {
  name: 'rm-fifo-more',
  cluster: 'fifo',
  fresh: true,
  about: 'the first-in first-out scheduler in other forms',
  async run(c) {
    await clear(c);
    const app = (id, of) => c.record(id, 'rm', 'GET', `${RM}/apps/${of}`, { user: 'root', pick: appFacts });
    for (const [n, path] of [
      '/scheduler',
      '/scheduler-overview',
      '/scheduler/activities?groupBy=x',
      '/scheduler/bulk-activities?activitiesCount=x',
      '/scheduler/app-activities/x',
      '/scheduler-conf',
      '/scheduler-conf/version',
      '/scheduler-conf/format',
      '/reservation/list?queue=x',
      '/queues/default/access?user=ada',
      '/queues/root/access?user=ada',
      '/queues/root.default/access?user=ada',
      '/queues/x/access?user=ada',
      '/queues/default/access?user=ada&queue-acl-type=ADMINISTER_QUEUE',
      '/metrics',
      '/nodes',
      '/get-node-labels',
      '/label-mappings',
      '/get-rm-node-labels',
    ].entries())
      for (const accept of ['application/json', 'application/xml'])
        for (const user of ['root', 'ada'])
          await c.record(`read.${n}.${accept.slice(-4)}.${user}`, 'rm', 'GET', RM + path, { user, accept });
    for (const [n, [method, path, body]] of [
      ['PUT', '/scheduler-conf', {}],
      ['POST', '/scheduler-conf/validate', {}],
      ['POST', '/reservation/submit', {}],
      ['POST', '/reservation/new-reservation', undefined],
      ['POST', '/reservation/delete', { 'reservation-id': 'reservation_1_1' }],
      ['POST', '/add-node-labels', { nodeLabelInfo: [{ name: 'gpu' }] }],
      ['POST', '/remove-node-labels?labels=gpu', undefined],
    ].entries())
      await c.record(`written.${n}`, 'rm', method, RM + path, { user: 'root', body, mask: [[/reservation_\d+_\d+/, 'reservation_N']] });
    for (const [n, queue] of [undefined, '', 'default', 'root.default', 'root', 'x', 'Default', ' default', 'default.x', 'ü'].entries())
      if (await tryQueue(c, n, queue)) await clear(c);
    for (const [n, size] of [
      [0, 0],
      [1, 1],
      [1000, 2],
      [8192, 8],
      [8193, 1],
      [128, 5],
      [-1, 1],
      [1500, 4],
    ].entries())
      if (await trySize(c, n, size)) await clear(c);
    const all = [];
    for (const [n, [memory, vcores, priority]] of [
      [2048, 2, 1],
      [3072, 1, 0],
      [4096, 1, 5],
      [1024, 1, 9],
      [1024, 4, 2],
    ].entries()) {
      all.push(await sleeper(c, `a${n}`, { user: n % 2 ? 'bob' : 'ada', memory, vcores, priority }));
      await settled(c, all.at(-1));
    }
    await steady(c);
    for (const [n, a] of all.entries()) await c.record(`app.${n}`, 'rm', 'GET', `${RM}/apps/${a}`, { user: 'root' });
    for (const path of ['/scheduler', '/metrics', '/nodes', '/apps?states=ACCEPTED'])
      await c.record(`full${path}`, 'rm', 'GET', RM + path, { user: 'root', xml: true });
    const put = (id, of, path, body, options = {}) =>
      c.record(id, 'rm', 'PUT', `${RM}/apps/${of}${path}`, { user: 'root', body, ...options });
    for (const queue of ['default', 'root.default', 'x', '']) await put(`move.${queue}`, all[0], '/queue', { queue });
    for (const priority of [3, -1, 99]) await put(`priority.${priority}`, all[0], '/priority', { priority });
    await put(
      'timeout',
      all[0],
      '/timeout',
      { timeout: { type: 'LIFETIME', expiryTime: '2036-01-01T00:00:00.000+0000' } },
      { loose: ['remainingTimeInSeconds'], exact: true },
    );
    await put('kill-other', all[0], '/state', { state: 'KILLED' }, { user: 'eve' });
    await kill(c, all[1]);
    await c.appIn(all[1], 'KILLED');
    await settled(c, all[2]);
    await steady(c);
    for (const [n, a] of all.entries()) await app(`next.${n}`, a);
    await c.record('next.scheduler', 'rm', 'GET', `${RM}/scheduler`);
    await clear(c);
  },
};
