// A random walk of applications through queues with limits of masters, users, parallel applications and priorities.
import { clear } from '../kit-scheduler.mjs';
import { walk } from './walk-steps.mjs';

export default {
  name: 'walk-limits',
  cluster: 'capacity-limits',
  fresh: true,
  about: 'applications that wait for limits, in random orders',
  async run(c) {
    await clear(c);
    await walk(c, {
      seed: 12,
      steps: 50,
      targets: ['root.am', 'root.users', 'root.count', 'root.one', 'root.prio', 'root.both.heavy', 'root.both.fairly', 'root.life'],
      queues: ['am', 'am', 'users', 'users', 'count', 'one', 'prio', 'legacy.ada', 'root.flex.x', 'root.both.heavy', 'root.both.fairly'],
      users: ['ada', 'ada', 'bob', 'eve', 'fay'],
      memories: [512, 1024, 2048, 300],
      vcores: [1, 1, 2],
      options: [
        ['root.am', 'maximum-am-resource-percent', ['0.25', '0.5', '1']],
        ['root.users', 'minimum-user-limit-percent', ['25', '50']],
        ['root.users', 'user-limit-factor', ['1', '2']],
        ['root.count', 'maximum-applications', ['3', '5']],
        ['root.both.fairly', 'ordering-policy', ['fifo', 'fair']],
        ['', 'yarn.scheduler.capacity.maximum-am-resource-percent', ['0.5', '1']],
      ],
    });
    await clear(c);
  },
};
