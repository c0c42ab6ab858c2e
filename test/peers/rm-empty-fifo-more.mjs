// The fifo scheduler without nodes.
import { clear } from '../kit-scheduler.mjs';
import { withoutNodes } from './empty-steps.mjs';

export default {
  name: 'rm-empty-fifo-more',
  cluster: 'fifo',
  fresh: true,
  about: 'applications and queues while there is no node, of the fifo scheduler',
  async run(c) {
    await clear(c);
    // Hadoop stops node 0: hook('nm-stop', ['0'])
    await withoutNodes(c, ['default', 'default']);
  },
};
