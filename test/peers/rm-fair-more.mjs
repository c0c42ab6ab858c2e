// The fair scheduler: what the interface shows of it and what it refuses, moves, priorities, submissions to queues of every name.
import { amMaximum, appFacts, clear, fairFacts, kill, launched, RM, refusals, settled, sleeper, steady } from '../kit-scheduler.mjs';
import { tryQueue, trySize } from './submission-steps.mjs';

export default {
  name: 'rm-fair-more',
  cluster: 'fair',
  fresh: true,
  about: 'the fair scheduler: names of queues, moves, refusals, views',
  async run(c) {
    await clear(c);
    const view = async (id) => {
      await steady(c);
      await c.record(id, 'rm', 'GET', `${RM}/scheduler`, { pick: fairFacts });
    };
    const app = (id, of) => c.record(id, 'rm', 'GET', `${RM}/apps/${of}`, { user: 'root', pick: appFacts });
    await c.record('scheduler', 'rm', 'GET', `${RM}/scheduler`, { xml: true, mask: amMaximum });
    await refusals(c);
    for (const [n, path] of [
      '/scheduler/activities?groupBy=x',
      '/scheduler/bulk-activities?activitiesCount=x',
      '/scheduler/app-activities/x',
      '/scheduler/app-activities/application_1_0001?actions=get',
      '/scheduler-conf/version',
      '/reservation/list',
      '/reservation/list?queue=x',
      '/label-mappings',
      '/get-node-to-labels',
      '/queues/default/access?user=ada',
      '/queues/research.models/access?user=ada',
      '/queues/root/access?user=ada',
      '/queues/models/access?user=ada',
      '/queues/root.research.models/access?user=ada&queue-acl-type=x',
      '/queues/root.new/access?user=ada',
    ].entries())
      for (const accept of ['application/json', 'application/xml'])
        await c.record(`refused.${n}.${accept.slice(-4)}`, 'rm', 'GET', RM + path, { user: 'root', accept });
    for (const [n, [method, path, body]] of [
      ['PUT', '/scheduler-conf', {}],
      ['PUT', '/scheduler-conf', 'x'],
      ['POST', '/scheduler-conf/validate', {}],
      ['POST', '/reservation/submit', {}],
      [
        'POST',
        '/reservation/submit',
        { queue: 'default', 'reservation-id': 'reservation_1_1', 'reservation-definition': { arrival: 1, deadline: 2 } },
      ],
      ['POST', '/reservation/update', {}],
      ['POST', '/reservation/delete', {}],
      ['POST', '/reservation/delete', { 'reservation-id': 'reservation_1_1' }],
      ['POST', '/reservation/new-reservation', undefined],
      ['POST', '/add-node-labels', { nodeLabelInfo: [{ name: 'gpu' }] }],
      ['POST', '/scheduler/logs', {}],
    ].entries())
      for (const user of ['root', 'ada'])
        await c.record(`written.${n}.${user}`, 'rm', method, RM + path, { user, body, mask: [[/reservation_\d+_\d+/, 'reservation_N']] });
    const queues = [
      undefined,
      '',
      'default',
      'root.default',
      'root.root.default',
      'root',
      'research',
      'root.research',
      'models',
      'research.models',
      'root.research.models',
      'root.new',
      'new.deep',
      'root.new.deeper',
      'root.a b',
      ' root.default ',
      'Default',
      'root.Default',
      'ROOT.default',
      'root.ü',
      'root.research.new',
      'root.default.below',
      'root.operations.',
      '.operations',
      'root..x',
      'a..b',
      '.',
      'root.',
      '..',
      'a.',
      'root.x.y.z.w',
      'root.research.models.deep',
      'a/b',
      'a:b',
      'a,b',
      '<b>',
      'root.ada',
      'ada',
      '%user',
      'null',
    ];
    for (const [n, queue] of queues.entries()) {
      if (['a..b', 'root..x', '..'].includes(queue)) continue; // these end real resource managers
      await tryQueue(c, n, queue);
    }
    await clear(c);
    await view('queues-made');
    await c.record('queues-made.xml', 'rm', 'GET', `${RM}/scheduler`, { accept: 'application/xml', mask: amMaximum });
    for (const [n, size] of [
      [0, 0],
      [1, 1],
      [1023, 1],
      [1025, 1],
      [8192, 8],
      [8193, 1],
      [128, 9],
      [-1, 1],
      [128, -1],
      [1500, 3],
      ['x', 1],
    ].entries())
      if (await trySize(c, n, size, { queue: 'operations' })) await clear(c);
    const one = await sleeper(c, 'one', { queue: 'models', user: 'ada', memory: 512 });
    await launched(c, one);
    const put = (id, path, body, options = {}) => c.record(id, 'rm', 'PUT', `${RM}/apps/${one}${path}`, { user: 'root', body, ...options });
    for (const [n, queue] of [
      'default',
      'root.default',
      'root',
      'research',
      'root.nowhere',
      'reports',
      'root.research.reports',
      'operations',
      ' operations',
      'root.operations.x',
      '',
      'Operations',
      'root.new',
      'default',
    ].entries()) {
      await put(`move.${n}`, '/queue', { queue });
      await c.record(`move.${n}.queue`, 'rm', 'GET', `${RM}/apps/${one}/queue`, { user: 'root' });
    }
    await put('move-other-user', '/queue', { queue: 'operations' }, { user: 'eve' });
    for (const priority of [3, 0, -1, 99]) {
      await put(`priority.${priority}`, '/priority', { priority });
      await c.record(`priority.${priority}.get`, 'rm', 'GET', `${RM}/apps/${one}/priority`, { user: 'root' });
    }
    await view('moved');
    await c.record('moved.app', 'rm', 'GET', `${RM}/apps/${one}`, { user: 'root', xml: true });
    const many = [];
    for (const [n, queue] of ['reports', 'reports', 'reports', 'default', 'models'].entries()) {
      many.push(await sleeper(c, `m${n}`, { queue, user: n % 2 ? 'bob' : 'ada', memory: 700 + 100 * n, vcores: 1 + (n % 3), priority: n }));
      await settled(c, many.at(-1));
    }
    await view('many');
    for (const [n, a] of many.entries()) await app(`many.${n}`, a);
    await c.record('many.scheduler', 'rm', 'GET', `${RM}/scheduler`, { xml: true, mask: amMaximum });
    await c.record('many.metrics', 'rm', 'GET', `${RM}/metrics`, { pick: ({ clusterMetrics: m }) => m });
    await c.record('many.apps', 'rm', 'GET', `${RM}/apps?states=ACCEPTED`, { user: 'root' });
    for (const queue of ['reports', 'root.research.reports', 'root.research', 'models', 'root'])
      await c.record(`list.${queue}`, 'rm', 'GET', `${RM}/apps?states=ACCEPTED&queue=${queue}`, {
        user: 'root',
        pick: ({ apps, ...j }) => (apps ? (apps.app ?? []).map((a) => a.name).sort() : j),
      });
    await c.record('many.nodes', 'rm', 'GET', `${RM}/nodes`);
    await kill(c, many[0]);
    await settled(c, many[2]);
    await view('next');
    await clear(c);
  },
};
