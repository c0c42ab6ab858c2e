// The capacity scheduler without nodes: gone, of nothing, and partitions that no node is in.

import { sleeping, submit } from '../kit-apps.mjs';
import { clear, get, RM, settled } from '../kit-scheduler.mjs';
import { moments, withoutNodes } from './empty-steps.mjs';

export default {
  name: 'rm-empty-more',
  cluster: 'capacity',
  fresh: true,
  about: 'applications and queues while there is no node, of the capacity scheduler',
  async run(c) {
    await clear(c);
    // Node 0 is stopped there: hook('nm-stop', ['0'])
    const { first, cluster, app, end, read } = await withoutNodes(c, ['default', 'root.research.reports'], { mask: moments });
    await c.http('rm', 'POST', `${RM}/add-node-labels`, { user: 'root', body: { nodeLabelInfo: [{ name: 'gpu', exclusivity: true }] } });
    await c.sleep(700);
    await cluster('label');
    const labelled = { 'am-container-node-label-expression': 'gpu', queue: 'root.research.models' };
    const begin = async (name, spec) => {
      const id = await submit(c, name, spec, 'ada');
      await settled(c, id);
      await app(name, id);
      return id;
    };
    const inLabel = [
      await begin('label-first', { ...sleeping(900, 512), ...labelled }),
      await begin('label-second', { ...sleeping(900, 1024), ...labelled }),
    ];
    await cluster('label-waiting');
    await read('label-waiting.activities', '/scheduler/activities', {});
    const place = async (query) => {
      await c.http('rm', 'POST', `${RM}/nodes/${first}/replace-labels${query}`, { user: 'root' });
      await c.sleep(1500);
    };
    await place('?labels=gpu');
    for (const id of inLabel) await settled(c, id);
    await cluster('label-served');
    await app('label-served.first', inLabel[0]);
    await app('label-served.second', inLabel[1]);
    const outside = [
      await begin('outside-first', { ...sleeping(900, 512), queue: 'default' }),
      await begin('outside-second', { ...sleeping(900, 1024), queue: 'default' }),
    ];
    await cluster('outside-waiting');
    await end(...inLabel);
    await c.hook('nm-stop', ['0']);
    await c.until('no node', async () => !(await get(c, '/nodes?states=RUNNING')).nodes.node?.length);
    await c.sleep(700);
    await cluster('outside-empty');
    await app('outside-empty.first', outside[0]);
    await app('outside-empty.second', outside[1]);
    await end(outside[0]);
    await app('outside-next', outside[1]);
    await end(outside[1]);
  },
};
