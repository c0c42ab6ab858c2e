// Queues whose capacities are vectors: amounts, percentages and weights of each resource, changed in every way, with work in them.
import { clear, facts, queueOf, RM, sleeper, steady } from '../kit-scheduler.mjs';
import { capacitySteps, odderCapacities } from './capacity-steps.mjs';

export default {
  name: 'rm-vectors-more',
  cluster: 'capacity-vector',
  fresh: true,
  about: 'vectors of capacities over scheduler-conf',
  async run(c) {
    await clear(c);
    const { changed, tree } = capacitySteps(c);
    await tree('start');
    for (const [n, value] of odderCapacities.entries()) {
      // Shares that are no numbers: the scheduler's view is no JSON then.
      if (value.includes('125%')) continue;
      await changed(`fixed.${n}`, [['root.fixed', [['capacity', value]]]]);
      await changed(`maximum.${n}`, [['root.mixed', [['maximum-capacity', value]]]]);
    }
    for (const [n, [top, below]] of [
      ['[memory=4096,vcores=4]', '[memory=50%,vcores=1]'],
      ['[memory=4096,vcores=4]', '[memory=8192,vcores=1]'],
      ['[memory=4096,vcores=4]', '[memory=3w,vcores=100%]'],
      ['[memory=40%,vcores=2w]', '[memory=512,vcores=2]'],
      ['3w', '50'],
      ['30', '1w'],
      ['30', '[memory=512,vcores=1]'],
    ].entries()) {
      await changed(`below.${n}`, [
        ['root.weighed', [['capacity', top]]],
        ['root.weighed.one', [['capacity', below]]],
      ]);
      await changed(`below.${n}.maximum`, [['root.weighed.one', [['maximum-capacity', below]]]]);
    }
    await changed('legacy', [], [['yarn.scheduler.capacity.legacy-queue-mode.enabled', 'true']]);
    await c.record('view', 'rm', 'GET', `${RM}/scheduler`, { xml: true });
    for (const [name, queue, memory] of [
      ['a', 'fixed', 1024],
      ['b', 'mixed', 512],
      ['d', 'one', 1024],
      ['e', 'two', 2048],
    ]) {
      await sleeper(c, name, { queue, user: 'ada', memory });
      await c.sleep(2500);
      await steady(c);
      await c.record(`used.${name}`, 'rm', 'GET', `${RM}/scheduler`, {
        pick: facts('root', 'root.default', 'root.fixed', 'root.mixed', 'root.weighed', 'root.weighed.one', 'root.weighed.two'),
      });
    }
    await changed('shrunk', [['root.fixed', [['capacity', '[memory=512,vcores=1]']]]]);
    await changed('limited', [['root.weighed.one', [['maximum-capacity', '[memory=512,vcores=1]']]]]);
    await c.record('view.used', 'rm', 'GET', `${RM}/scheduler`, { xml: true });
    await c.record('child', 'rm', 'GET', `${RM}/scheduler`, { pick: (json) => queueOf(json, 'root.weighed.two') });
    const more = await sleeper(c, 'more', { queue: 'one', user: 'bob', memory: 1024 });
    await c.sleep(2500);
    await c.record('more', 'rm', 'GET', `${RM}/apps/${more}`, {
      user: 'root',
      pick: ({ app }) => [app.state, app.diagnostics.replace(/^\[[^\]]*\] /, '')],
    });
    await clear(c);
  },
};
