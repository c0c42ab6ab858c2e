// A random walk of applications through queues of the fair scheduler with limits.
import { clear } from '../kit-scheduler.mjs';
import { walk } from './walk-steps.mjs';

export default {
  name: 'walk-fair',
  cluster: 'fair-limits',
  fresh: true,
  about: 'applications in fair queues with limits, in random orders',
  async run(c) {
    await clear(c);
    await walk(c, {
      seed: 5,
      steps: 45,
      kind: 'fair',
      looks: 5,
      queues: ['weighty', 'light', 'capped', 'share', 'closed', undefined, 'drf', 'line', 'kept', 'users.bob'],
      users: ['ada', 'ada', 'bob', 'eve'],
      memories: [256, 512, 1024, 300],
      vcores: [1, 1, 2, 4],
    });
    await clear(c);
  },
};
