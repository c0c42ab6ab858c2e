// A random walk of applications through queues that take back from each other.
import { clear } from '../kit-scheduler.mjs';
import { walk } from './walk-steps.mjs';

export default {
  name: 'walk-preemption',
  cluster: 'capacity-preemption',
  fresh: true,
  about: 'applications that are preempted, in random orders',
  async run(c) {
    await clear(c);
    await walk(c, {
      seed: 41,
      steps: 36,
      looks: 5,
      queues: ['left', 'left', 'right', 'safe'],
      targets: ['root.left', 'root.right', 'root.safe'],
      users: ['ada', 'bob'],
      memories: [1024, 2048, 2048, 3072],
      vcores: [1, 2],
      options: [
        ['root.safe', 'disable_preemption', ['true', 'false']],
        ['root.right', 'maximum-capacity', ['50', '100']],
        ['root.left', 'disable_preemption', ['true', 'false']],
      ],
    });
    await clear(c);
  },
};
