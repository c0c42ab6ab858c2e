// Node labels and queues that know them: labels of several kinds, mappings in every form, capacities by label, attributes of nodes.
import { appFacts, clear, get, launched, queueOf, RM, settled, sleeper, steady } from '../kit-scheduler.mjs';
import { mustReset, queueView, withEntries } from './conf-steps.mjs';

export default {
  name: 'rm-labels-more',
  cluster: 'capacity-labels',
  fresh: true,
  about: 'labels, mappings, capacities of queues by label',
  async run(c) {
    await clear(c);
    const node = c.name('node', (await get(c, '/nodes?states=RUNNING')).nodes.node[0].id);
    const host = node.split(':')[0];
    const post = (id, path, body, options = {}) => c.record(id, 'rm', 'POST', RM + path, { user: 'root', body, ...options });
    const byName = (j) => [j.nodeLabelInfo ?? []].flat().sort((a, b) => (a.name < b.name ? -1 : 1));
    const read = async (id, what = ['get-node-labels', 'get-node-to-labels', 'label-mappings', 'get-rm-node-labels']) => {
      for (const path of what)
        await c.record(`${id}.${path}`, 'rm', 'GET', `${RM}/${path}`, {
          user: 'root',
          ...(/s$/.test(path) && !/to|map/.test(path) ? { pick: byName } : {}),
        });
    };
    await read('none');
    const label = (name, exclusivity, more) => ({ name, exclusivity, ...more });
    for (const [n, body] of [
      { nodeLabelInfo: [label('gpu', true), label('ssd', false)] },
      { nodeLabelInfo: [label('gpu', 'true')] },
      { nodeLabelInfo: [label('gpu', 'false')] },
      { nodeLabelInfo: [label('yes', 'yes')] },
      { nodeLabelInfo: [label('number', 1)] },
      { nodeLabelInfo: [label(' spaced ', true)] },
      { nodeLabelInfo: [label('a-b_c9', true)] },
      { nodeLabelInfo: [label('_a', true)] },
      { nodeLabelInfo: [label('9a', true)] },
      { nodeLabelInfo: [label('a.b', true)] },
      { nodeLabelInfo: [label('a/b', true)] },
      { nodeLabelInfo: [label('ä', true)] },
      { nodeLabelInfo: [label('n'.repeat(255), true)] },
      { nodeLabelInfo: [label('twice', true), label('twice', true)] },
      { nodeLabelInfo: [label('both', true), label('both', false)] },
      { nodeLabelInfo: [label('good', true), label('b d', true)] },
      { nodeLabelInfo: [label('null', null)] },
      { nodeLabelInfo: [null] },
      { nodeLabelInfo: null },
      { nodeLabelInfo: [] },
      { nodeLabelInfo: 'x' },
      { nodeLabelInfo: ['x'] },
      { nodeLabelInfo: [label(5, true)] },
      {
        nodeLabelInfo: [
          label('more', true, { colour: 'red', partitionInfo: { resourceAvailable: { memory: 5, vCores: 1 } }, activeNMs: 3 }),
        ],
      },
      { nodeLabelInfo: {} },
      { nodeLabelsInfo: { nodeLabelInfo: [label('wrapped', true)] } },
      [label('listed', true)],
      '[]',
      'null',
      '5',
      '{"nodeLabelInfo":[{"name":"cut"',
      { nodeLabels: ['old'] },
      { nodeLabelInfo: [label('DEFAULT', true)] },
      { nodeLabelInfo: [label('*', true)] },
      { nodeLabelInfo: [label(null, true)] },
    ].entries()) {
      await post(`add.${n}`, '/add-node-labels', body);
      await c.record(`add.${n}.labels`, 'rm', 'GET', `${RM}/get-node-labels`, {
        pick: (j) => byName(j).map((l) => [l.name, l.exclusivity]),
      });
    }
    for (const [n, [type, body, accept]] of [
      [
        'application/xml',
        '<nodeLabelsInfo><nodeLabelInfo><name>xml</name></nodeLabelInfo><nodeLabelInfo><name>xmltwo</name><exclusivity>false</exclusivity></nodeLabelInfo></nodeLabelsInfo>',
        'application/xml',
      ],
      ['application/xml', '<nodeLabelsInfo/>'],
      ['application/xml', '<nodeLabels/>'],
      ['application/xml', '<nodeLabelsInfo><nodeLabelInfo/></nodeLabelsInfo>'],
      ['application/xml', 'x'],
      ['text/xml', '<nodeLabelsInfo/>'],
      ['application/json', { nodeLabelInfo: [label('accepted', true)] }, 'application/xml'],
      ['application/json', { nodeLabelInfo: [label('plain', true)] }, 'text/plain'],
    ].entries())
      await post(`add-typed.${n}`, '/add-node-labels', body, { headers: { 'content-type': type }, ...(accept ? { accept } : {}) });
    await c.record('all.xml', 'rm', 'GET', `${RM}/get-node-labels`, { accept: 'application/xml', unordered: ['nodeLabelInfo'] });
    for (const [n, query] of [
      'labels=twice',
      'labels=twice',
      'labels=xml,xmltwo',
      'labels=xml&labels=xmltwo',
      'labels=%20xml%20',
      'labels=',
      'labels=&labels=yes',
      'labels=number&labels=none',
      'label=number',
      'labels=gpu&labels=gpu',
      'labels=DEFAULT',
      'labels=*',
      'labels=a%20b',
      'labels=a-b_c9;labels=9a',
      '',
    ].entries()) {
      await post(`remove.${n}`, `/remove-node-labels?${query}`, undefined);
      await c.record(`remove.${n}.labels`, 'rm', 'GET', `${RM}/get-node-labels`, { pick: (j) => byName(j).map((l) => l.name) });
    }
    await post('remove-body', '/remove-node-labels', { labels: ['ssd'] });
    await post('gpu-back', '/add-node-labels', { nodeLabelInfo: [label('gpu', true), label('ssd', false)] });

    const map = (nodeId, labels) => ({ nodeId, labels });
    for (const [n, body] of [
      { nodeToLabels: [map(node, ['gpu'])] },
      { nodeToLabels: [map(node, [])] },
      { nodeToLabels: [map(node, null)] },
      { nodeToLabels: [map(node)] },
      { nodeToLabels: [map(node, 'ssd')] },
      { nodeToLabels: [map(node, [''])] },
      { nodeToLabels: [map(node, [' gpu '])] },
      { nodeToLabels: [map(host, ['gpu'])] },
      { nodeToLabels: [map(`${host}:0`, ['ssd'])] },
      { nodeToLabels: [map(`${host}:77`, ['ssd'])] },
      { nodeToLabels: [map('*', ['ssd'])] },
      { nodeToLabels: [map('', ['ssd'])] },
      { nodeToLabels: [map(null, ['ssd'])] },
      { nodeToLabels: [{ labels: ['ssd'] }] },
      { nodeToLabels: [map('other', ['ssd']), map('other:5', ['gpu'])] },
      { nodeToLabels: [map('other:x', ['ssd'])] },
      { nodeToLabels: [map('a b:5', ['ssd'])] },
      { nodeToLabels: [map('ä:5', ['ssd'])] },
      { nodeToLabels: [map('other:-1', ['ssd'])] },
      { nodeToLabels: [map('other:99999', ['ssd'])] },
      { nodeToLabels: [map('other:5:6', ['ssd'])] },
      { nodeToLabels: [map(' other:6 ', ['ssd'])] },
      { nodeToLabels: [map('other:7', ['gpu']), map('other:7', ['ssd'])] },
      { nodeToLabels: [map('other:8', ['gpu', 'gpu'])] },
      { nodeToLabels: [map('other:8', ['gpu', ''])] },
      { nodeToLabels: [map('other:9', 'gpu,ssd')] },
      { nodeToLabels: [map('good:1', ['gpu']), map('good:2', ['none'])] },
      { nodeToLabels: [] },
      { nodeToLabels: null },
      { nodeToLabels: {} },
      { nodeToLabels: 'x' },
      { nodeToLabels: [null] },
      { nodeToLabels: { entry: [{ key: node, value: { labels: ['gpu'] } }] } },
      { nodeToLabels: [{ nodeId: node, labels: ['gpu'], colour: 'red' }] },
      [],
      'x',
      'null',
    ].entries()) {
      const { status } = await post(`map.${n}`, '/replace-node-to-labels', body);
      if (status < 300)
        await c.record(`map.${n}.nodes`, 'rm', 'GET', `${RM}/get-node-to-labels`, { unordered: ['entry', 'nodeLabelInfo'] });
    }
    await post(
      'map-xml',
      '/replace-node-to-labels',
      `<nodeToLabelsEntryList><nodeToLabels><nodeId>${node}</nodeId><labels>gpu</labels></nodeToLabels></nodeToLabelsEntryList>`,
      { headers: { 'content-type': 'application/xml' }, accept: 'application/xml' },
    );
    await post('map-xml-other', '/replace-node-to-labels', '<x/>', {
      headers: { 'content-type': 'application/xml' },
      accept: 'application/xml',
    });
    await read('mapped', ['get-node-to-labels', 'label-mappings', 'get-rm-node-labels']);
    for (const [n, query] of [
      'labels=gpu',
      'labels=ssd',
      'labels=',
      'labels=none&labels=gpu',
      'labels=gpu%20',
      'labels=DEFAULT_PARTITION',
      'labels=*',
      'label=gpu',
      '',
    ].entries())
      await c.record(`mappings.${n}`, 'rm', 'GET', `${RM}/label-mappings?${query}`, { unordered: ['entry', 'nodes'] });
    for (const [n, [name, query]] of [
      [node, 'labels=gpu'],
      [node, 'labels=%20ssd'],
      [node, 'label=gpu'],
      [node, 'labels=gpu,ssd'],
      [host, 'labels=gpu'],
      [`${host}:`, 'labels=gpu'],
      [`${host}:x`, 'labels=gpu'],
      ['a%20b:1', 'labels=gpu'],
      ['newhost:1', 'labels=gpu&labels=gpu'],
      ['newhost:1', 'labels=gpu&labels='],
      [`${node}:1`, 'labels=gpu'],
      ['%20', 'labels=gpu'],
    ].entries()) {
      await post(`one.${n}`, `/nodes/${name}/replace-labels?${query}`, undefined);
      await c.record(`one.${n}.labels`, 'rm', 'GET', `${RM}/nodes/${name}/get-labels`, { unordered: ['nodeLabelInfo'] });
    }
    await read('ones', ['get-node-to-labels', 'label-mappings']);

    const queues = (id, ...paths) =>
      c.record(id, 'rm', 'GET', `${RM}/scheduler`, { pick: (j) => paths.map((path) => queueView(queueOf(j, path))) });
    const on = async (...labels) => {
      await c.http('rm', 'POST', `${RM}/nodes/${node}/replace-labels?${labels.map((l) => `labels=${l}`).join('&')}`, { user: 'root' });
      await c.http('rm', 'POST', `${RM}/nodes/${host}/replace-labels`, { user: 'root' });
      await c.sleep(1500);
      await steady(c);
    };
    await on('ssd');
    await queues('on-ssd', 'root', 'root.default', 'root.research');
    await on('gpu');
    await queues('on-gpu', 'root', 'root.default', 'root.research', 'root.research.models');
    await c.record('on-gpu.metrics', 'rm', 'GET', `${RM}/metrics`, {
      pick: ({ clusterMetrics: m }) => [m.totalMB, m.availableMB, m.totalClusterResourcesAcrossPartition],
    });
    const path = `${RM}/scheduler-conf`;
    const change = async (id, queue, ...pairs) => {
      const { status } = await c.record(id, 'rm', 'PUT', path, {
        user: 'root',
        body: { 'update-queue': { 'queue-name': queue, params: withEntries(pairs) } },
      });
      if (status !== 200) return;
      await queues(`${id}.queues`, queue);
      await mustReset(c);
    };
    const values = {
      'accessible-node-labels': ['', ' ', '*', 'gpu', 'ssd', 'gpu,ssd', 'gpu, '],
      'default-node-label-expression': ['', 'gpu', 'ssd', ' '],
      'accessible-node-labels.gpu.capacity': ['', '0', '100', '50', 'x', '-1', '1w', '[memory=1024,vcores=1]'],
      'accessible-node-labels.gpu.maximum-capacity': ['', '10', '101', 'x', '-1'],
      'accessible-node-labels.gpu.maximum-am-resource-percent': ['0.3', 'x', '2'],
      'accessible-node-labels.ssd.capacity': ['50', '0'],
    };
    for (const queue of ['root.research.models', 'root.default', 'root'])
      for (const [key, all] of Object.entries(values))
        for (const [n, value] of all.entries()) await change(`${queue}.${key}.${n}`, queue, [key, value]);
    await c.record('shared', 'rm', 'PUT', path, {
      user: 'root',
      body: {
        'update-queue': [
          { 'queue-name': 'root', params: withEntries([['accessible-node-labels.ssd.capacity', '100']]) },
          {
            'queue-name': 'root.default',
            params: withEntries([
              ['accessible-node-labels', 'gpu,ssd'],
              ['accessible-node-labels.gpu.capacity', '40'],
              ['accessible-node-labels.ssd.capacity', '100'],
              ['accessible-node-labels.gpu.maximum-capacity', '60'],
              ['default-node-label-expression', 'gpu'],
            ]),
          },
          { 'queue-name': 'root.research', params: withEntries([['accessible-node-labels.gpu.capacity', '60']]) },
        ],
      },
    });
    await queues(
      'shared.queues',
      'root',
      'root.default',
      'root.research',
      'root.research.models',
      'root.research.reports',
      'root.operations',
    );
    const submit = async (id, queue, more) => {
      const app = await sleeper(c, id, { queue, user: 'ada', memory: 512, ...more });
      await settled(c, app);
      await steady(c);
      await c.record(`${id}.app`, 'rm', 'GET', `${RM}/apps/${app}`, {
        user: 'root',
        pick: (j) => ({
          ...appFacts(j),
          am: j.app.amNodeLabelExpression,
          label: j.app.appNodeLabelExpression,
          usages: j.app.resourceInfo?.resourceUsagesByPartition,
          requests: j.app.resourceRequests,
        }),
      });
    };
    await submit('by-default', 'default');
    await submit('empty-label', 'default', { 'am-container-node-label-expression': '' });
    await submit('asked', 'models', { 'am-container-node-label-expression': 'gpu' });
    await submit('asked-spaces', 'models', { 'am-container-node-label-expression': ' gpu ' });
    await submit('app-only', 'models', { 'app-node-label-expression': 'gpu' });
    await submit('plain', 'reports', {});
    await queues('used', 'root', 'root.default', 'root.research', 'root.research.models');
    await c.record('used.metrics', 'rm', 'GET', `${RM}/metrics`, { pick: ({ clusterMetrics: m }) => ({ ...m, lastrun: 0 }) });
    await c.record('used.node', 'rm', 'GET', `${RM}/nodes`, { loose: ['lastHealthUpdate'] });
    await c.record('used.rm', 'rm', 'GET', `${RM}/get-rm-node-labels`, { pick: byName });
    const refused = async (id, more) => {
      const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user: 'ada' });
      await c.record(id, 'rm', 'POST', `${RM}/apps`, {
        user: 'ada',
        body: {
          'application-id': c.name(id, json['application-id']),
          queue: 'models',
          resource: { memory: 512, vCores: 1 },
          'am-container-spec': { commands: { command: 'sleep 1' } },
          ...more,
        },
      });
    };
    for (const [n, expression] of ['ssd', 'none', 'gpu||ssd', '!gpu', 'gpu,ssd', 'gpu ssd', '*', 'GPU'].entries()) {
      await refused(`refused.am.${n}`, { 'am-container-node-label-expression': expression });
      await refused(`refused.app.${n}`, { 'app-node-label-expression': expression });
    }
    await post('remove-used', '/remove-node-labels?labels=gpu', undefined);
    await on('ssd');
    await c.sleep(1000);
    await queues('moved', 'root', 'root.default', 'root.research.models');
    await clear(c);
    await on();
    await mustReset(c);
    await post('remove-now', '/remove-node-labels?labels=ssd', undefined);
    await post('remove-now-gpu', '/remove-node-labels?labels=gpu', undefined);
    await read('end', ['get-node-labels', 'get-node-to-labels', 'label-mappings']);
    void launched;
  },
};
