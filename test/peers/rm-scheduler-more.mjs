// Whole views of the scheduler, its numbers and its applications, as applications of several users, sizes and queues come and go.
import { masks } from '../kit-apps.mjs';
import { clear, kill, lastReservation, launched, prime, RM, settled, sleeper, steady } from '../kit-scheduler.mjs';

export default {
  name: 'rm-scheduler-more',
  cluster: 'capacity',
  about: 'whole views of queues, users, metrics, nodes and applications in states that no recording has',
  async run(c) {
    masks(c);
    await clear(c);
    await prime(c, 'default', 'models', 'reports');
    // What an application waits for that was moved: Hadoop tells the numbers of the queue that it came from.
    const numbers = [
      [
        /(Queue Resource Limit for AM = |User AM Resource Limit of the queue = |Queue AM Resource Usage = )(?:<|&lt;)[^;]*?(?:>|&gt;);/g,
        '$1?;',
      ],
    ];
    let mask = [];
    const view = async (id) => {
      await steady(c);
      await c.record(`${id}.scheduler`, 'rm', 'GET', `${RM}/scheduler`, { xml: true, mask: lastReservation });
      await c.record(`${id}.metrics`, 'rm', 'GET', `${RM}/metrics`, {
        xml: true,
        loose: ['appsSubmitted', 'appsCompleted', 'appsKilled', 'appsFailed'],
      });
      await c.record(`${id}.nodes`, 'rm', 'GET', `${RM}/nodes`, { xml: true });
      await c.record(`${id}.overview`, 'rm', 'GET', `${RM}/scheduler-overview`, { xml: true });
      await c.record(`${id}.apps`, 'rm', 'GET', `${RM}/apps?states=ACCEPTED,RUNNING`, {
        user: 'root',
        xml: true,
        mask,
        unordered: ['app'],
      });
      await c.record(`${id}.labels`, 'rm', 'GET', `${RM}/get-rm-node-labels`, { xml: true });
      await c.record(`${id}.statistics`, 'rm', 'GET', `${RM}/appstatistics?applicationTypes=TEST&states=ACCEPTED,RUNNING`, { xml: true });
    };
    await view('idle');
    const reports = await sleeper(c, 'reports', { queue: 'reports', user: 'eve', memory: 1500, vcores: 3 });
    await launched(c, reports);
    await view('reports');
    const models = await sleeper(c, 'models', { queue: 'root.research.models', user: 'zoe', memory: 129 });
    await launched(c, models);
    await view('models');
    const zero = await sleeper(c, 'zero', { queue: 'default', user: 'bob', memory: 0, vcores: 0 });
    await settled(c, zero);
    await view('zero');
    const cores = await sleeper(c, 'cores', { queue: 'default', user: 'bob', memory: 256, vcores: 4 });
    await settled(c, cores);
    await view('cores');
    const more = await sleeper(c, 'more', { queue: 'default', user: 'ada', memory: 700, vcores: 2, priority: 7 });
    await settled(c, more);
    await view('more');
    const plan = await sleeper(c, 'plan', { queue: 'operations', user: 'ada', memory: 256 });
    await settled(c, plan);
    await view('plan');
    const wait = await sleeper(c, 'wait', { queue: 'default', user: 'ada', memory: 3000 });
    await settled(c, wait);
    await view('wait');
    const wait2 = await sleeper(c, 'wait2', { queue: 'default', user: 'carl', memory: 4000, priority: 2 });
    await settled(c, wait2);
    await view('wait2');
    mask = numbers;
    await c.record('move', 'rm', 'PUT', `${RM}/apps/${wait}/queue`, { user: 'root', body: { queue: 'models' } });
    await settled(c, wait);
    await view('moved');
    await c.record('priority', 'rm', 'PUT', `${RM}/apps/${wait2}/priority`, { user: 'root', body: { priority: 9 } });
    await view('priority');
    await kill(c, reports);
    await c.appIn(reports, 'KILLED');
    await settled(c, wait);
    await settled(c, wait2);
    await view('without-reports');
    await kill(c, cores);
    await c.appIn(cores, 'KILLED');
    await settled(c, wait2);
    await view('without-cores');
    await c.record('stop', 'rm', 'PUT', `${RM}/scheduler-conf`, {
      user: 'root',
      body: {
        'update-queue': [
          { 'queue-name': 'root.research.models', params: { entry: [{ key: 'state', value: 'STOPPED' }] } },
          { 'queue-name': 'root.research.reports', params: { entry: [{ key: 'state', value: 'STOPPED' }] } },
        ],
      },
    });
    await view('draining');
    const late = await sleeper(c, 'late', { queue: 'models', user: 'ada', memory: 128 });
    await settled(c, late);
    await c.record('late', 'rm', 'GET', `${RM}/apps/${late}`, { user: 'root', xml: true });
    for (const id of [wait, models]) {
      await kill(c, id);
      await c.appIn(id, 'KILLED');
    }
    await view('drained');
    await kill(c, wait2);
    await c.appIn(wait2, 'KILLED');
    await clear(c);
    await view('end');
    await c.http('rm', 'GET', `${RM}/scheduler-conf/format`, { user: 'root' });
  },
};
