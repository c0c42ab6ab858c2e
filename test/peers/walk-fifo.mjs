// A random walk of applications through the scheduler that serves first who came first.
import { clear } from '../kit-scheduler.mjs';
import { walk } from './walk-steps.mjs';

export default {
  name: 'walk-fifo',
  cluster: 'fifo',
  fresh: true,
  about: 'applications of the fifo scheduler in random orders',
  async run(c) {
    await clear(c);
    await walk(c, {
      seed: 6,
      steps: 45,
      kind: 'fifo',
      queues: ['default', undefined, 'nowhere', 'root.default', 'root'],
      users: ['ada', 'bob', 'root'],
      memories: [512, 1000, 3000, 2048],
      vcores: [1, 2, 4],
    });
    await clear(c);
  },
};
