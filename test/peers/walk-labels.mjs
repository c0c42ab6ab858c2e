// A random walk of applications with and without labels while labels come to the node and go, and queues change.
import { clear, get, RM } from '../kit-scheduler.mjs';
import { walk } from './walk-steps.mjs';

export default {
  name: 'walk-labels',
  cluster: 'capacity-labels',
  fresh: true,
  about: 'applications and labels in random orders',
  async run(c) {
    await clear(c);
    const node = c.name('node', (await get(c, '/nodes?states=RUNNING')).nodes.node[0].id);
    for (const [name, exclusivity] of [
      ['gpu', true],
      ['shared', false],
    ])
      await c.http('rm', 'POST', `${RM}/add-node-labels`, { user: 'root', body: { nodeLabelInfo: [{ name, exclusivity }] } });
    await walk(c, {
      seed: 20261128,
      steps: 60,
      // Hadoop takes no application to a reservable queue by its whole path.
      targets: ['root.default', 'root.research.models', 'root.research.reports'],
      queues: ['default', 'models', 'models', 'reports', 'operations', 'root.research.models'],
      users: ['ada', 'ada', 'bob', 'root'],
      memories: [512, 512, 1024, 2048, 256],
      vcores: [1, 1, 2],
      more: (random) =>
        random.pick([
          {},
          {},
          { 'am-container-node-label-expression': 'gpu' },
          { 'app-node-label-expression': 'gpu' },
          { 'app-node-label-expression': 'gpu', 'am-container-node-label-expression': '' },
          { 'am-container-node-label-expression': 'shared' },
        ]),
      moves: [
        [
          4,
          async (id, random) => {
            // What runs on a node that changes its label Hadoop counts wrongly from then on.
            await clear(c);
            const labels = random.pick([['gpu'], ['shared'], [], ['gpu']]);
            return c.record(id, 'rm', 'POST', `${RM}/nodes/${node}/replace-labels?${labels.map((l) => `labels=${l}`).join('&')}`, {
              user: 'root',
            });
          },
        ],
      ],
      options: [
        ['root.research.models', 'maximum-am-resource-percent', ['0.2', '0.6', '1']],
        ['root.research.models', 'accessible-node-labels.gpu.maximum-am-resource-percent', ['0.3', '0.8']],
        ['root.research', 'default-node-label-expression', ['gpu', '']],
        ['root.default', 'user-limit-factor', ['1', '2', '0.5']],
        ['root.default', 'state', ['STOPPED', 'RUNNING']],
        ['', 'yarn.scheduler.capacity.maximum-am-resource-percent', ['0.3', '0.5', '1']],
      ],
    });
    await clear(c);
  },
};
