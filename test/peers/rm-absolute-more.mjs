// Queues whose capacities are absolute amounts: changed in every way, mixed with other ways, and with work in them.
import { appFacts, clear, facts, launched, queueOf, RM, sleeper, steady } from '../kit-scheduler.mjs';
import { capacitySteps, odderCapacities } from './capacity-steps.mjs';

export default {
  name: 'rm-absolute-more',
  cluster: 'capacity-absolute',
  fresh: true,
  about: 'absolute capacities over scheduler-conf',
  async run(c) {
    await clear(c);
    const { changed, tree } = capacitySteps(c);
    await tree('start');
    for (const [n, value] of odderCapacities.entries()) {
      await changed(`small.${n}`, [['root.small', [['capacity', value]]]]);
      await changed(`maximum.${n}`, [['root.default', [['maximum-capacity', value]]]]);
    }
    for (const [n, queues] of [
      [['root.big', '[memory=2048,vcores=2]']],
      [['root.big', '[memory=8192,vcores=8]']],
      [
        ['root.big.left', '[memory=1024,vcores=1]'],
        ['root.big.right', '[memory=3072,vcores=3]'],
      ],
      [
        ['root.big.left', '75'],
        ['root.big.right', '25'],
      ],
      [
        ['root.big.left', '3w'],
        ['root.big.right', '1w'],
      ],
      [['root.big.left', '[memory=6144,vcores=2]']],
      [
        ['root.default', '30'],
        ['root.big', '50'],
        ['root.small', '20'],
        ['root.big.left', '75'],
        ['root.big.right', '25'],
      ],
      [
        ['root.default', '0'],
        ['root.small', '0'],
      ],
      [['root', '[memory=8192,vcores=8]']],
      [['root', '[memory=100,vcores=1]']],
    ].entries())
      await changed(
        `together.${n}`,
        queues.map(([queue, capacity]) => [queue, [['capacity', capacity]]]),
      );
    for (const [n, pairs] of [
      [['maximum-capacity', '[memory=1024,vcores=1]']],
      [['maximum-capacity', '50']],
      [['maximum-capacity', '-1']],
      [
        ['capacity', '[memory=1024,vcores=1]'],
        ['maximum-capacity', '[memory=512,vcores=1]'],
      ],
      [['minimum-user-limit-percent', '25']],
      [['user-limit-factor', '2']],
      [['maximum-applications', '7']],
      [['maximum-am-resource-percent', '0.1']],
      [['maximum-allocation-mb', '512']],
      [['maximum-allocation-mb', '99999']],
      [['maximum-allocation', 'memory-mb=2048,vcores=2']],
    ].entries())
      await changed(`default.${n}`, [['root.default', pairs]]);
    await changed('legacy-off', [], [['yarn.scheduler.capacity.legacy-queue-mode.enabled', 'false']]);
    await changed(
      'calculator',
      [],
      [['yarn.scheduler.capacity.resource-calculator', 'org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator']],
    );
    for (const [n, body] of [
      { 'add-queue': { 'queue-name': 'root.new', params: { entry: [{ key: 'capacity', value: '[memory=512,vcores=1]' }] } } },
      { 'add-queue': { 'queue-name': 'root.new', params: { entry: [{ key: 'capacity', value: '10' }] } } },
      { 'add-queue': { 'queue-name': 'root.big.new', params: { entry: [{ key: 'capacity', value: '[memory=1,vcores=0]' }] } } },
      { 'add-queue': { 'queue-name': 'root.new' } },
      { 'remove-queue': 'root.small' },
    ].entries()) {
      const { status } = await c.record(`shape.${n}`, 'rm', 'PUT', `${RM}/scheduler-conf`, { user: 'root', body });
      if (status === 200) await tree(`shape.${n}.tree`);
    }
    await changed('back', []);
    const queues = ['root', 'root.default', 'root.big', 'root.big.left', 'root.big.right', 'root.small'];
    const mine = [];
    for (const [n, [queue, user, memory, vcores]] of [
      ['left', 'ada', 2048, 1],
      ['left', 'bob', 1024, 1],
      ['right', 'ada', 1024, 1],
      ['small', 'ada', 1024, 1],
      ['small', 'bob', 512, 1],
      ['default', 'eve', 1024, 3],
      ['default', 'eve', 5120, 1],
      ['right', 'eve', 512, 4],
    ].entries()) {
      mine.push(await sleeper(c, `app${n}`, { queue, user, memory, vcores }));
      await c.sleep(2500);
      await steady(c);
      await c.record(`used.${n}`, 'rm', 'GET', `${RM}/scheduler`, { pick: facts(...queues) });
      await c.record(`app.${n}`, 'rm', 'GET', `${RM}/apps/${mine.at(-1)}`, { user: 'root', pick: appFacts });
    }
    await launched(c, mine[0]);
    await changed('shrunk', [['root.big.left', [['capacity', '[memory=1024,vcores=1]']]]]);
    await changed('limited', [['root.big.left', [['maximum-capacity', '[memory=3072,vcores=2]']]]]);
    await c.record('view', 'rm', 'GET', `${RM}/scheduler`, { xml: true });
    await c.record('child', 'rm', 'GET', `${RM}/scheduler`, { pick: (json) => queueOf(json, 'root.big.left') });
    await clear(c);
  },
};
