// A random walk of applications through queues of absolute amounts, which change meanwhile.
import { clear } from '../kit-scheduler.mjs';
import { walk } from './walk-steps.mjs';

export default {
  name: 'walk-absolute',
  cluster: 'capacity-absolute',
  fresh: true,
  about: 'applications in queues of absolute amounts in random orders',
  async run(c) {
    await clear(c);
    await walk(c, {
      seed: 77,
      steps: 45,
      queues: ['default', 'left', 'right', 'small', 'small', 'root.big.left', undefined, 'big'],
      users: ['ada', 'ada', 'bob', 'eve'],
      memories: [512, 1024, 300, 2048],
      vcores: [1, 1, 2],
      options: [
        ['root.small', 'capacity', ['[memory=2048,vcores=2]', '[memory=1024,vcores=1]', '[memory=512,vcores=3]']],
        ['root.small', 'maximum-capacity', ['[memory=2048,vcores=2]', '[memory=8192,vcores=8]']],
        ['root.big.left', 'user-limit-factor', ['1', '2', '0.5']],
        ['root.big.left', 'minimum-user-limit-percent', ['100', '50', '25']],
        ['root.big.right', 'maximum-am-resource-percent', ['0.2', '1']],
        ['root.default', 'state', ['STOPPED', 'RUNNING']],
        ['root.default', 'maximum-applications', ['2', '100']],
        ['root.default', 'max-parallel-apps', ['1', '100']],
      ],
    });
    await clear(c);
  },
};
