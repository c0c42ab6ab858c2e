// A random walk of applications over a node that comes, goes, dies and changes its size.
import { clear, get, RM } from '../kit-scheduler.mjs';
import { walk } from './walk-steps.mjs';

export default {
  name: 'walk-nodes',
  cluster: 'capacity-nodes',
  fresh: true,
  about: 'applications on a node that comes and goes, in random orders',
  async run(c) {
    await clear(c);
    const nodes = async () => (await get(c, '/nodes')).nodes.node ?? [];
    const first = c.name('first', (await nodes())[0].id);
    let runs = true;
    const hooks = {
      RUNNING: () => c.hook('nm-start', ['0']),
      SHUTDOWN: () => c.hook('nm-stop', ['0']),
      LOST: () => c.hook('nm-kill', ['0']),
    };
    const become = async (id, state) => {
      await hooks[state]();
      await c.until(`a node that is ${state}`, async () => (await nodes()).some((n) => n.state === state), 90);
      runs = state === 'RUNNING';
      // What it holds by now is a moment; the walk looks at it when nothing changes any more.
      await c.record(`${id}.node`, 'rm', 'GET', `${RM}/nodes/${first}`, {
        pick: ({ node: { state, id, rack, nodeHTTPAddress } }) => [state, id, rack, nodeHTTPAddress],
      });
    };
    await walk(c, {
      seed: 9,
      steps: 40,
      // No reservable queue: where there is no node, Hadoop makes its default child anew each second, and what waits in it is lost to it.
      queues: ['default', 'models', 'reports'],
      targets: ['root.default', 'root.research.models', 'root.research.reports'],
      users: ['ada', 'root'],
      memories: [512, 1024, 2048, 3072],
      vcores: [1, 2],
      moves: [
        [
          4,
          (id, random) => {
            if (!runs) return become(id, 'RUNNING');
            return become(id, random.chance(0.6) ? 'SHUTDOWN' : 'LOST');
          },
        ],
        [
          3,
          (id, random) => {
            const [memory, vCores] = random.pick([
              [8192, 8],
              [4096, 4],
              [2048, 8],
              [12288, 12],
            ]);
            return c.record(id, 'rm', 'POST', `${RM}/nodes/${first}/resource`, {
              user: 'root',
              body: { resource: { memory, vCores }, overCommitTimeout: random.pick([-1, -1, 0, 600_000]) },
              loose: ['memory', 'vCores', 'value'],
            });
          },
        ],
      ],
      options: [
        ['', 'yarn.scheduler.capacity.maximum-am-resource-percent', ['0.5', '1']],
        ['root.default', 'user-limit-factor', ['1', '5']],
      ],
    });
    await clear(c);
  },
};
