// Changes of the tree of queues over scheduler-conf: added, removed, converted, of every way of capacity, templates, and whole requests of odd form.
import { clear, facts, queueOf, RM } from '../kit-scheduler.mjs';
import { mustReset, queueView, withEntries } from './conf-steps.mjs';

const add = (name, ...pairs) => ({ 'queue-name': name, params: withEntries(pairs) });
const stopped = (name) => add(name, ['state', 'STOPPED']);

export default {
  name: 'rm-conf-tree-more',
  cluster: 'capacity',
  about: 'trees of queues changed over scheduler-conf',
  async run(c) {
    await clear(c);
    const path = `${RM}/scheduler-conf`;
    await mustReset(c);
    const put = (id, body, options = {}) => c.record(id, 'rm', 'PUT', path, { user: 'root', body, ...options });
    const validate = (id, body, options = {}) => c.record(id, 'rm', 'POST', `${path}/validate`, { user: 'root', body, ...options });
    const look = (id, ...queues) =>
      c.record(`${id}.queues`, 'rm', 'GET', `${RM}/scheduler`, { pick: (j) => queues.map((queue) => queueView(queueOf(j, queue))) });
    const tree = (id) =>
      c.record(`${id}.tree`, 'rm', 'GET', `${RM}/scheduler`, {
        pick: ({ scheduler: { schedulerInfo } }) => {
          const all = [];
          const walk = (q) => {
            all.push([
              q.queuePath,
              q.state,
              q.capacity,
              q.absoluteCapacity,
              q.maxCapacity,
              q.weight,
              q.normalizedWeight,
              q.mode,
              q.queueType,
              q.creationMethod,
            ]);
            (q.queues?.queue ?? []).forEach(walk);
          };
          walk(schedulerInfo);
          return all;
        },
      });
    const stored = (id, prefix) =>
      c.record(`${id}.stored`, 'rm', 'GET', path, {
        user: 'root',
        pick: (j) =>
          [j.property]
            .flat()
            .filter((p) => p.name.startsWith(`yarn.scheduler.capacity.${prefix}`))
            .map((p) => [p.name, p.value])
            .sort(),
      });
    const change = async (id, body, ...queues) => {
      const { status } = await put(id, body);
      if (status === 200) await look(id, ...queues);
    };
    const again = async (id, body, ...queues) => {
      await change(id, body, ...queues);
      await mustReset(c);
    };

    // whole requests of odd form
    for (const [n, body] of [
      { 'update-queue': [] },
      { 'update-queue': null },
      { 'update-queue': 'root.default' },
      { 'update-queue': [{}] },
      { 'update-queue': [[]] },
      { 'global-updates': null },
      { 'global-updates': {} },
      { 'global-updates': { entry: [] } },
      { 'global-updates': { entry: {} } },
      { 'global-updates': { entry: [{ key: 'a' }] } },
      { 'global-updates': { entry: [{ value: 'a' }] } },
      { 'global-updates': { entry: [{ key: 'a', value: null }] } },
      { 'global-updates': { entry: [{ key: 'a', value: 5 }] } },
      { 'global-updates': { entry: [{ key: 'a', value: true }] } },
      { 'global-updates': { entry: [{ key: 'a', value: { b: 1 } }] } },
      { 'global-updates': { entry: [{ key: '', value: 'b' }] } },
      { 'global-updates': [{ entry: [{ key: 'a', value: 'b' }] }] },
      { 'global-updates': { entry: [{ key: 'yarn.scheduler.capacity.root.default.capacity', value: '45' }] } },
      {
        'global-updates': withEntries([
          ['yarn.resourcemanager.am.max-attempts', '7'],
          ['yarn.scheduler.maximum-allocation-mb', '4096'],
        ]),
      },
      {
        'global-updates': withEntries([
          ['yarn.scheduler.capacity.maximum-applications', '70'],
          ['yarn.scheduler.capacity.maximum-applications', '80'],
        ]),
      },
      { 'add-queue': null },
      { 'add-queue': {} },
      { 'add-queue': [] },
      { 'add-queue': 'root.x' },
      { 'add-queue': { 'queue-name': '' } },
      { 'add-queue': { 'queue-name': 'root' } },
      { 'add-queue': { 'queue-name': 'root.' } },
      { 'add-queue': { 'queue-name': '.x' } },
      { 'add-queue': { 'queue-name': 'root..x' } },
      { 'add-queue': { 'queue-name': 'root.x' } },
      { 'add-queue': { 'queue-name': 'root.x', params: {} } },
      { 'add-queue': { 'queue-name': 'root.a b', params: withEntries([['capacity', '0']]) } },
      { 'add-queue': { 'queue-name': 'root.ü', params: withEntries([['capacity', '0']]) } },
      { 'add-queue': { 'queue-name': ' root.x ', params: withEntries([['capacity', '0']]) } },
      { 'add-queue': { 'queue-name': 'root.default.x', params: withEntries([['capacity', '100']]) } },
      { 'add-queue': [add('root.x', ['capacity', '0']), add('root.x', ['capacity', '0'])] },
      { 'add-queue': [add('root.x', ['capacity', '0']), add('root.x.y', ['capacity', '0'])] },
      { 'add-queue': [add('root.x.y', ['capacity', '0']), add('root.x', ['capacity', '0'])] },
      { 'add-queue': add('root.default2', ['capacity', '-5']) },
      { 'add-queue': add('root.reports', ['capacity', '0']) },
      { 'remove-queue': null },
      { 'remove-queue': '' },
      { 'remove-queue': [] },
      { 'remove-queue': {} },
      { 'remove-queue': 5 },
      { 'remove-queue': ['root.default', 'root.operations'] },
      { 'remove-queue': { 'queue-name': 'root.default' } },
      { 'remove-queue': 'root.research' },
      { 'remove-queue': ' root.default' },
      { 'remove-queue': 'root.research.none' },
      { 'remove-queue': 'root.none.none' },
      { 'update-queue': add('root', ['capacity', '100']) },
      { 'update-queue': add('root', ['capacity', '50']) },
      { 'update-queue': add('root', ['state', 'STOPPED']) },
      { 'update-queue': add('root', ['state', 'RUNNING']) },
      { 'update-queue': add('', ['capacity', '50']) },
      { 'update-queue': add('root.default', ['', 'x']) },
      { 'update-queue': add('root.default', ['queues', '']) },
      { 'update-queue': add('root.default.', ['maximum-applications', '5']) },
      { 'update-queue': { 'queue-name': 5, params: withEntries([['capacity', '50']]) } },
      { 'update-queue': { 'queue-name': 'root.default', params: { entry: 'x' } } },
      { 'update-queue': { 'queue-name': 'root.default', params: 'x' } },
      { 'update-queue': { 'queue-name': 'root.default', params: [] } },
      { 'update-queue': { 'queue-name': 'root.default', params: [{ entry: [{ key: 'capacity', value: '50' }] }] } },
      { 'update-queue': { 'queue-name': 'root.default', parameters: withEntries([['capacity', '1']]) } },
      { 'update-queue': add('root.default', ['maximum-applications', null]) },
      { 'update-queue': add('root.default', ['maximum-applications', 33]) },
      { 'update-queue': [add('root.default', ['maximum-applications', '5']), add('root.default', ['maximum-applications', '6'])] },
      { 'update-queue': add('root.default', ['maximum-applications', '5'], ['maximum-applications', '6']) },
      { schedConfUpdateInfo: { 'update-queue': add('root.default', ['capacity', '50']) } },
      { 'sched-conf': { 'update-queue': add('root.default', ['capacity', '45']) } },
      { 'Update-Queue': add('root.default', ['capacity', '50']) },
      'x',
      5,
      true,
      null,
      '',
      '[]',
      '[{}]',
      '{}{}',
      '{"a":',
      "{'update-queue':[]}",
      '{"update-queue":[],}',
      '\ufeff{}',
      '{"update-queue":[],"update-queue":[]}',
      { subClusterId: 'a' },
      { 'update-queue': [], 'remove-queue': [], 'add-queue': [], 'global-updates': {} },
    ].entries()) {
      const { status } = await put(`odd.${n}`, body);
      if (status === 200) {
        await tree(`odd.${n}`);
        await stored(`odd.${n}`, '');
        await mustReset(c);
      }
    }
    for (const [n, [type, body, accept]] of [
      ['application/xml', '<schedConf/>'],
      ['application/xml', '<sched-conf/>', 'application/xml'],
      ['application/xml', '<schedConf><update-queue/></schedConf>'],
      ['application/xml', '<sched-conf><update-queue><queue-name>root.default</queue-name></update-queue></sched-conf>'],
      [
        'application/xml',
        '<sched-conf><update-queue><queue-name>root.default</queue-name><params><entry><key>capacity</key><value>50</value></entry></params></update-queue></sched-conf>',
        'application/xml',
      ],
      ['text/xml', '<sched-conf/>'],
      ['application/xml;charset=utf-8', '<sched-conf/>'],
      [
        'application/xml',
        '<sched-conf><add-queue><queue-name>root.x</queue-name><params><entry><key>capacity</key><value>0</value></entry></params></add-queue></sched-conf>',
      ],
      ['application/xml', '<sched-conf><remove-queue>root.none</remove-queue></sched-conf>'],
      ['application/xml', '<sched-conf><unknown/></sched-conf>'],
      ['application/xml', ''],
      ['application/xml', 'x'],
      ['application/xml', '<a:sched-conf xmlns:a="b"/>'],
      ['application/xml', '<sched-conf xmlns="b"/>'],
      [
        'application/xml',
        '<!DOCTYPE a [<!ENTITY b "c">]><sched-conf><update-queue><queue-name>&b;</queue-name></update-queue></sched-conf>',
      ],
      ['application/json', '{}', 'application/xml'],
      ['application/json', '{}', 'text/plain'],
      ['application/json', '{}', 'text/html'],
      ['application/json;charset=iso-8859-1', '{}'],
      ['APPLICATION/JSON', '{}'],
      ['application/*', '{}'],
      ['application/x-www-form-urlencoded', 'a=b'],
      ['nonsense', '{}'],
      ['', '{}'],
    ].entries()) {
      await put(`typed.${n}`, body, { headers: { 'content-type': type }, ...(accept ? { accept } : {}) });
      await mustReset(c);
    }
    for (const [n, accept] of ['application/json', 'application/xml', 'text/plain', 'text/html', '*/*', 'application/*;q=0.5'].entries()) {
      await c.record(`version.${n}`, 'rm', 'GET', `${path}/version`, { user: 'root', accept });
      await c.record(`format.${n}`, 'rm', 'GET', `${path}/format`, { user: 'root', accept });
      await c.record(`get.${n}`, 'rm', 'GET', path, { user: 'root', accept });
      await validate(`validated.${n}`, { 'update-queue': add('root.default', ['maximum-applications', '9']) }, { accept });
    }
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'DELETE', 'PATCH'])
      for (const below of ['', '/version', '/format', '/validate', '/', '/nothing'])
        await c.record(`${method}${below.replace('/', '.')}`, 'rm', method, path + below, {
          user: 'root',
          cut: 60,
          ...(method === 'POST' ? { body: {} } : {}),
        });

    // one after the other, from the start
    await again('add-weight', { 'add-queue': add('root.w', ['capacity', '1w']) }, 'root.w');
    await again('add-absolute', { 'add-queue': add('root.w', ['capacity', '[memory=1024,vcores=1]']) }, 'root.w');
    await again(
      'add-parent',
      {
        'add-queue': [
          add('root.p', ['capacity', '10']),
          add('root.p.a', ['capacity', '70']),
          add('root.p.b', ['capacity', '30'], ['maximum-capacity', '40']),
        ],
        'update-queue': add('root.operations', ['capacity', '10']),
      },
      'root',
      'root.p',
      'root.p.a',
      'root.p.b',
      'root.operations',
    );
    await again(
      'add-children-first',
      {
        'add-queue': [
          add('root.p.a', ['capacity', '70']),
          add('root.p.b', ['capacity', '30']),
          add('root.p', ['capacity', '10'], ['queues', 'a,b']),
        ],
        'update-queue': add('root.operations', ['capacity', '10']),
      },
      'root.p',
    );
    await again('add-sum-below', { 'add-queue': [add('root.p', ['capacity', '0']), add('root.p.a', ['capacity', '70'])] }, 'root.p');
    await again('add-zero', { 'add-queue': [add('root.p', ['capacity', '0'])] }, 'root.p');
    await again(
      'add-zero-parent',
      { 'add-queue': [add('root.p', ['capacity', '0']), add('root.p.a', ['capacity', '0']), add('root.p.b', ['capacity', '0'])] },
      'root.p',
      'root.p.a',
    );
    await again('add-capacity-missing', { 'add-queue': add('root.p', ['maximum-capacity', '50']) }, 'root.p');
    await again('add-stopped', { 'add-queue': add('root.p', ['capacity', '0'], ['state', 'STOPPED']) }, 'root.p');
    await again(
      'add-state-of-parent',
      { 'add-queue': [add('root.p', ['capacity', '0'], ['state', 'STOPPED']), add('root.p.a', ['capacity', '0'], ['state', 'RUNNING'])] },
      'root.p',
      'root.p.a',
    );
    await again(
      'all-weights',
      {
        'update-queue': [
          add('root.default', ['capacity', '3w'], ['maximum-capacity', '50']),
          add('root.research', ['capacity', '2w']),
          add('root.operations', ['capacity', '1w']),
        ],
      },
      'root',
      'root.default',
      'root.research',
      'root.operations',
      'root.research.models',
    );
    await again(
      'weights-below-percentages',
      { 'update-queue': [add('root.research.models', ['capacity', '3w']), add('root.research.reports', ['capacity', '1w'])] },
      'root.research',
      'root.research.models',
      'root.research.reports',
    );
    await again('one-weight', { 'update-queue': add('root.research.models', ['capacity', '3w']) }, 'root.research');
    await again(
      'all-absolute',
      {
        'update-queue': [
          add('root.default', ['capacity', '[memory=4096,vcores=4]'], ['maximum-capacity', '[memory=8192,vcores=8]']),
          add('root.research', ['capacity', '[memory=2048,vcores=2]'], ['maximum-capacity', '[memory=4096,vcores=8]']),
          add('root.operations', ['capacity', '[memory=1024,vcores=1]']),
          add('root.research.models', ['capacity', '[memory=1024,vcores=1]']),
          add('root.research.reports', ['capacity', '[memory=512,vcores=1]']),
        ],
      },
      'root',
      'root.default',
      'root.research',
      'root.operations',
      'root.research.models',
      'root.research.reports',
    );
    await again(
      'absolute-children-of-percent',
      {
        'update-queue': [
          add('root.research.models', ['capacity', '[memory=1024,vcores=1]']),
          add('root.research.reports', ['capacity', '[memory=512,vcores=1]']),
        ],
      },
      'root.research',
      'root.research.models',
      'root.research.reports',
    );
    await again(
      'absolute-maximum-of-percent',
      { 'update-queue': add('root.default', ['maximum-capacity', '[memory=6144,vcores=6]']) },
      'root.default',
    );
    await again(
      'zero-capacity',
      { 'update-queue': [add('root.default', ['capacity', '0']), add('root.research', ['capacity', '80'])] },
      'root.default',
      'root.research',
      'root.research.models',
    );
    await again(
      'percent-fractions',
      {
        'update-queue': [
          add('root.default', ['capacity', '33.33']),
          add('root.research', ['capacity', '33.33']),
          add('root.operations', ['capacity', '33.34']),
        ],
      },
      'root',
      'root.default',
      'root.research',
      'root.research.models',
    );
    await again('sum-99.9', { 'update-queue': [add('root.default', ['capacity', '49.9'])] }, 'root.default');
    await again('sum-99.999', { 'update-queue': [add('root.default', ['capacity', '49.9999'])] }, 'root.default');
    await again(
      'allow-zero-sum',
      {
        'update-queue': [
          add('root.research', ['allow-zero-capacity-sum', 'true']),
          add('root.research.models', ['capacity', '0']),
          add('root.research.reports', ['capacity', '0']),
        ],
      },
      'root.research',
      'root.research.models',
    );
    await again(
      'maximum-of-parent-below-child',
      { 'update-queue': [add('root.research', ['maximum-capacity', '30']), add('root.research.models', ['maximum-capacity', '90'])] },
      'root.research',
      'root.research.models',
    );
    await again(
      'parameters-of-parent',
      {
        'update-queue': add(
          'root.research',
          ['ordering-policy', 'priority-utilization'],
          ['user-limit-factor', '3'],
          ['maximum-am-resource-percent', '0.3'],
          ['max-parallel-apps', '9'],
          ['disable_preemption', 'true'],
          ['priority', '4'],
          ['maximum-applications', '44'],
          ['maximum-application-lifetime', '500'],
          ['minimum-user-limit-percent', '20'],
          ['maximum-allocation-mb', '4096'],
        ),
      },
      'root.research',
      'root.research.models',
    );
    await again(
      'parameters-of-root',
      {
        'update-queue': add(
          'root',
          ['ordering-policy', 'priority-utilization'],
          ['user-limit-factor', '3'],
          ['max-parallel-apps', '9'],
          ['disable_preemption', 'true'],
          ['maximum-applications', '44'],
          ['maximum-application-lifetime', '500'],
          ['minimum-user-limit-percent', '20'],
          ['maximum-capacity', '50'],
        ),
      },
      'root',
      'root.research.models',
      'root.default',
    );

    // templates of automatic queues
    for (const [n, pairs] of [
      [['auto-queue-creation-v2.enabled', 'true']],
      [
        ['auto-queue-creation-v2.enabled', 'true'],
        ['auto-queue-creation-v2.template.capacity', '2w'],
        ['auto-queue-creation-v2.leaf-template.user-limit-factor', '5'],
        ['auto-queue-creation-v2.parent-template.acl_submit_applications', 'ada'],
      ],
      [
        ['auto-queue-creation-v2.enabled', 'true'],
        ['auto-queue-creation-v2.max-queues', '3'],
        ['auto-queue-creation-v2.queue-auto-removal.enable', 'false'],
      ],
      [['auto-create-child-queue.enabled', 'true']],
      [
        ['auto-create-child-queue.enabled', 'true'],
        ['leaf-queue-template.capacity', '30'],
      ],
      [
        ['auto-create-child-queue.enabled', 'true'],
        ['leaf-queue-template.capacity', '30'],
        ['leaf-queue-template.maximum-capacity', '20'],
      ],
      [
        ['auto-create-child-queue.enabled', 'true'],
        ['leaf-queue-template.capacity', 'x'],
      ],
      [
        ['auto-create-child-queue.management-policy', 'x'],
        ['auto-create-child-queue.enabled', 'true'],
      ],
      [['leaf-queue-template.capacity', '30']],
      [['reservable', 'true']],
      [
        ['reservable', 'true'],
        ['show-reservations-as-queues', 'true'],
        ['reservation-window', '3600000'],
        ['average-capacity', '30'],
      ],
      [
        ['reservation-policy', 'x'],
        ['reservable', 'true'],
      ],
      [['queues', 'x']],
    ].entries()) {
      // A queue that makes queues of the old kind cannot be made a leaf again: only a new one, which can be removed, is tried.
      for (const parent of pairs.some(([key]) => key.startsWith('auto-create-child'))
        ? ['root.fresh']
        : ['root.default', 'root.research', 'root.fresh']) {
        const weighted =
          /v2/.test(pairs[0][0]) && parent === 'root.research'
            ? [add('root.research.models', ['capacity', '3w']), add('root.research.reports', ['capacity', '1w'])]
            : [];
        const body =
          parent === 'root.fresh'
            ? { 'add-queue': add(parent, ['capacity', '0'], ...pairs) }
            : { 'update-queue': [...weighted, add(parent, ...pairs)] };
        await again(`template.${n}.${parent}`, body, parent);
        await validate(`template.${n}.${parent}.validated`, body, { pick: () => 'valid' });
      }
    }

    // removing
    await change('stop-default', { 'update-queue': stopped('root.default') }, 'root.default');
    await put('remove-without-room', { 'remove-queue': 'root.default' });
    await change(
      'remove-default',
      { 'remove-queue': 'root.default', 'update-queue': add('root.research', ['capacity', '80']) },
      'root',
      'root.research',
    );
    await tree('remove-default');
    await stored('remove-default', 'root.default');
    await change(
      'add-default-back',
      { 'add-queue': add('root.default', ['capacity', '50']), 'update-queue': add('root.research', ['capacity', '30']) },
      'root.default',
    );
    await stored('add-default-back', 'root');
    await mustReset(c);
    await change(
      'stop-parent',
      { 'update-queue': stopped('root.research') },
      'root.research',
      'root.research.models',
      'root.research.reports',
    );
    await put('start-child-of-stopped', { 'update-queue': add('root.research.models', ['state', 'RUNNING']) });
    await change(
      'remove-parent',
      { 'remove-queue': 'root.research', 'update-queue': add('root.default', ['capacity', '80']) },
      'root',
      'root.default',
    );
    await stored('remove-parent', 'root');
    await c.record('format-back', 'rm', 'GET', `${path}/format`, { user: 'root' });
    await tree('format-back');
    await put('remove-both', { 'remove-queue': ['root.research.models', 'root.research.reports'] });
    await put('stop-children', { 'update-queue': [stopped('root.research.models'), stopped('root.research.reports')] });
    await tree('stop-children');
    await put('remove-one-child', {
      'remove-queue': 'root.research.models',
      'update-queue': add('root.research.reports', ['capacity', '100']),
    });
    await put('remove-last-child', { 'remove-queue': 'root.research.reports' });
    await tree('remove-children');
    await stored('remove-children', 'root');
    await c.record('format-after-children', 'rm', 'GET', `${path}/format`, { user: 'root' });
    await tree('format-after-children');
    await put('add-and-remove', { 'add-queue': add('root.z', ['capacity', '0']), 'remove-queue': 'root.z' });
    await put('add-and-update', {
      'add-queue': add('root.z', ['capacity', '0']),
      'update-queue': add('root.z', ['maximum-applications', '3']),
    });
    await look('add-and-update', 'root.z');
    await put('remove-and-add', { 'remove-queue': 'root.z', 'add-queue': add('root.z', ['capacity', '0'], ['maximum-applications', '4']) });
    await look('remove-and-add', 'root.z');
    await c.record('all', 'rm', 'GET', path, { user: 'root', xml: true });
    await c.record('facts', 'rm', 'GET', `${RM}/scheduler`, { pick: facts('root', 'root.default', 'root.z') });
    await mustReset(c);
  },
};
