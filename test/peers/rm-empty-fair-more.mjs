// The fair scheduler without nodes.
import { amMaximum, clear } from '../kit-scheduler.mjs';
import { withoutNodes } from './empty-steps.mjs';

export default {
  name: 'rm-empty-fair-more',
  cluster: 'fair',
  fresh: true,
  about: 'applications and queues while there is no node, of the fair scheduler',
  async run(c) {
    await clear(c);
    // Hadoop stops node 0: hook('nm-stop', ['0'])
    await withoutNodes(c, ['default', 'root.research.reports'], { mask: amMaximum });
  },
};
