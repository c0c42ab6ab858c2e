// Applications while queues are added, stopped, started, removed and given other shares.
import { clear, RM } from '../kit-scheduler.mjs';
import { withEntries } from './conf-steps.mjs';
import { walk } from './walk-steps.mjs';

export default {
  name: 'walk-tree',
  cluster: 'capacity',
  about: 'applications while queues are added, stopped and removed, in random orders',
  async run(c) {
    await clear(c);
    const parents = ['root', 'root.p1', 'root.p2', 'root.p1.a'];
    const names = ['a', 'b', 'c'];
    const tops = ['root.p1', 'root.p2', 'root.t'];
    const of = (name, ...pairs) => ({ 'queue-name': name, params: withEntries(pairs) });
    const change = (id, body) =>
      c.record(id, 'rm', body.validate ? 'POST' : 'PUT', `${RM}/scheduler-conf${body.validate ? '/validate' : ''}`, {
        user: 'root',
        body: { ...body, validate: undefined },
        cut: 900,
        pick: (j) => (j.RemoteException ? j : [j.property].flat().length > 0),
      });
    // from the start: weights everywhere below root, so that queues may come and go one by one
    const old = ['root.research.models', 'root.research.reports', 'root.research', 'root.operations'];
    await c.record('weights', 'rm', 'PUT', `${RM}/scheduler-conf`, {
      user: 'root',
      cut: 900,
      body: {
        'remove-queue': old,
        'update-queue': [...old.map((q) => of(q, ['state', 'STOPPED'])), of('root.default', ['capacity', '2w'])],
        'add-queue': tops.map((q) => of(q, ['capacity', '1w'], ['maximum-capacity', '80'])),
      },
    });
    const where = (random) => `${random.pick(parents)}.${random.pick(names)}`;
    const states = ['STOPPED', 'RUNNING'];
    await walk(c, {
      seed: 411,
      steps: 55,
      queues: ['root.t', 'root.p1', 'root.p1.a', 'root.p2.b', 'root.p1.a.c', 'root.p2.a', 'a', 'b', 'default', 't', 'p2'],
      targets: ['root.t', 'root.p1', 'root.p1.a', 'root.p2.b', 'root.p2.a', 'root.default', 'root.nowhere'],
      users: ['ada', 'bob'],
      memories: [256, 512, 1024, 3000],
      vcores: [1, 2],
      moves: [
        [
          4,
          (id, random) =>
            change(id, {
              'add-queue': of(
                where(random),
                ['capacity', random.pick(['1w', '2w', '0w', '10'])],
                ...(random.int(3) ? [] : [['state', random.pick(states)]]),
              ),
            }),
        ],
        [3, (id, random) => change(id, { 'update-queue': of(random.pick([...tops, where(random)]), ['state', random.pick(states)]) })],
        [3, (id, random) => change(id, { 'remove-queue': random.pick([...tops, where(random), where(random)]) })],
        [
          3,
          (id, random) =>
            change(id, {
              'update-queue': of(random.pick([...tops, where(random)]), [
                random.pick([
                  'capacity',
                  'maximum-capacity',
                  'user-limit-factor',
                  'maximum-am-resource-percent',
                  'maximum-applications',
                  'ordering-policy',
                  'minimum-user-limit-percent',
                  'max-parallel-apps',
                  'acl_submit_applications',
                ]),
                random.pick(['1w', '3w', '40', '0.2', '1', 'fair', '-1', ' ', 'ada']),
              ]),
            }),
        ],
        [
          2,
          (id, random) => {
            const q = where(random);
            return change(id, { 'update-queue': of(q, ['state', 'STOPPED']), 'remove-queue': q });
          },
        ],
        [
          1,
          (id, random) =>
            change(id, {
              'global-updates': withEntries([
                [
                  `yarn.scheduler.capacity.${random.pick(['maximum-applications', 'maximum-am-resource-percent', 'max-parallel-apps', 'queue-mappings'])}`,
                  random.pick(['4', '0.3', '100', 'u:ada:root.t', '']),
                ],
              ]),
            }),
        ],
        [1, (id, random) => change(id, { validate: true, 'remove-queue': where(random) })],
      ],
    });
  },
};
