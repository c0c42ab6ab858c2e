// Nodes in every state, with what can be asked of them and done to them there; nodes with attributes and labels; a master whose node goes.
import { attempt, container, ended, masks, sleeping, submit } from '../kit-apps.mjs';
import { clear, get, launched, RM, steady } from '../kit-scheduler.mjs';

const sizes = [
  { resource: { memory: 4096 } },
  { resource: { vCores: 4 } },
  { resource: { memory: 4096, vCores: 4 } },
  { resource: { memory: '4096', vCores: '4' }, overCommitTimeout: '-1' },
  { resource: { memory: ' 4096 ', vCores: 4 } },
  { resource: { memory: 4096.7, vCores: 4.2 } },
  { resource: { memory: '4g', vCores: 4 } },
  { resource: { memory: null, vCores: null } },
  { resource: null },
  { resource: {} },
  { resource: [] },
  { resource: [{ memory: 2048, vCores: 2 }] },
  { resource: 'x' },
  { resource: '' },
  { resource: { memory: true, vCores: false } },
  { resource: { memory: [4096], vCores: [4] } },
  { resource: { memory: {}, vCores: {} } },
  { resource: { memory: 0, vCores: 0 } },
  { resource: { memory: 1024, vCores: -1 } },
  { resource: { memory: -5, vCores: -5 } },
  '{"resource":{"memory":9007199254740993,"vCores":1}}',
  '{"resource":{"memory":99999999999999999999,"vCores":1}}',
  { resource: { memory: 1024, vCores: 99999999999 } },
  { resource: { memory: 2147483648, vCores: 2147483647 } },
  { resource: { memory: 1, vCores: 1 } },
  { resource: { memory: 6144, vCores: 6 }, overCommitTimeout: 0 },
  { resource: { memory: 6144, vCores: 6 }, overCommitTimeout: -5 },
  { resource: { memory: 6144, vCores: 6 }, overCommitTimeout: null },
  { resource: { memory: 6144, vCores: 6 }, overCommitTimeout: 1.5 },
  { resource: { memory: 6144, vCores: 6 }, overCommitTimeout: 'x' },
  { resource: { memory: 6144, vCores: 6 }, overCommitTimeout: 99999999999 },
  { resource: { memory: 6144, vCores: 6 }, overCommitTimeout: true },
  { resource: { memory: 5120, vCores: 5, more: 1 }, more: 2 },
  { resource: { Memory: 5120, VCORES: 5 } },
  { resource: { memoryMB: 5120, virtualCores: 5 } },
  { resource: { 'memory-mb': 5120, vcores: 5 } },
  {
    resource: {
      resourceInformations: {
        resourceInformation: [
          { name: 'memory-mb', value: 3072, units: 'Mi', resourceType: 'COUNTABLE' },
          { name: 'vcores', value: 3, units: '', resourceType: 'COUNTABLE' },
        ],
      },
    },
  },
  {
    resource: {
      memory: 2048,
      vCores: 2,
      resourceInformations: { resourceInformation: [{ name: 'memory-mb', value: 3, units: 'Gi' }] },
    },
  },
  {
    resource: {
      memory: 2048,
      vCores: 2,
      resourceInformations: { resourceInformation: [{ name: 'yarn.io/gpu', value: 3, units: '' }] },
    },
  },
  { resource: { memory: 2048, vCores: 2, resourceInformations: { resourceInformation: [{ name: 'vcores', value: -3 }] } } },
  { resource: { memory: 2048, vCores: 2, resourceInformations: { resourceInformation: [{ name: 'vcores', value: 'x' }] } } },
  { resource: { memory: 2048, vCores: 2, resourceInformations: { resourceInformation: [{}] } } },
  { resource: { memory: 2048, vCores: 2, resourceInformations: { resourceInformation: [null] } } },
  { resource: { memory: 2048, vCores: 2, resourceInformations: {} } },
  { resource: { memory: 2048, vCores: 2, resourceInformations: [] } },
  { resource: { memory: 2048, vCores: 2, resourceInformations: { resourceInformation: [] } } },
  { resourceOption: { resource: { memory: 4096, vCores: 4 }, overCommitTimeout: -1 } },
  { memory: 4096, vCores: 4 },
  { overCommitTimeout: -1 },
  [],
  null,
  'null',
  '"x"',
  '5',
  'x',
  '',
  '{',
];
const xmlSizes = [
  '<resourceOption/>',
  '<resourceOption><resource/></resourceOption>',
  '<resourceOption><resource><memory>4096</memory></resource></resourceOption>',
  '<resourceOption><resource><vCores>4</vCores></resource></resourceOption>',
  '<resourceOption><resource><memory>x</memory><vCores>4</vCores></resource></resourceOption>',
  '<resourceOption><resource><memory> 4096 </memory><vCores> 4 </vCores></resource></resourceOption>',
  '<resourceOption><resource><memory>-4</memory><vCores>4</vCores></resource></resourceOption>',
  '<resourceOption><resource><memory>4096</memory><vCores>4</vCores></resource><overCommitTimeout>x</overCommitTimeout></resourceOption>',
  '<resourceOption><resource><memory>4096</memory><vCores>4</vCores><more>1</more></resource></resourceOption>',
  '<resourceOption><overCommitTimeout>-1</overCommitTimeout></resourceOption>',
  '<ResourceOption><resource><memory>4096</memory><vCores>4</vCores></resource></ResourceOption>',
  '<resource><memory>4096</memory><vCores>4</vCores></resource>',
  '<resourceOption><resource><resourceInformations><resourceInformation><name>memory-mb</name><value>3072</value><units>Mi</units></resourceInformation><resourceInformation><name>vcores</name><value>3</value></resourceInformation></resourceInformations></resource></resourceOption>',
  '',
  'x',
];
export default {
  name: 'rm-nodes-more',
  cluster: 'capacity-nodes',
  fresh: true,
  about: 'nodes in every state, odd sizes, attributes, masters whose node goes',
  async run(c) {
    masks(c);
    await clear(c);
    const read = (id, path, options = {}) => c.record(id, 'rm', 'GET', RM + path, options);
    const list = async () =>
      (await get(c, '/nodes?states=NEW,RUNNING,UNHEALTHY,DECOMMISSIONING,DECOMMISSIONED,LOST,REBOOTED,SHUTDOWN')).nodes.node ?? [];
    const first = c.name('first', (await get(c, '/nodes')).nodes.node[0].id);
    const inState = (node, state) =>
      c.until(`${node} ${state}`, async () => (await list()).some((n) => n.id === node && n.state === state), 90);
    const size = (id, node, body, options = {}) =>
      c.record(id, 'rm', 'POST', `${RM}/nodes/${node}/resource`, {
        user: 'root',
        body,
        loose: ['memory', 'vCores', 'value'],
        note: 'Hadoop answers the size before or after the change',
        ...options,
      });
    const total = async (id) => {
      await c.sleep(500);
      await read(id, `/nodes/${first}`, {
        pick: ({ node }) => [
          node.totalResource,
          node.availMemoryMB,
          node.availableVirtualCores,
          node.usedMemoryMB,
          node.usedVirtualCores,
          node.memUtilization >= 0,
        ],
      });
    };
    const back = async () => {
      await c.http('rm', 'POST', `${RM}/nodes/${first}/resource`, {
        user: 'root',
        body: { resource: { memory: 8192, vCores: 8 }, overCommitTimeout: -1 },
      });
      await c.until('8192 MB', async () => {
        const { node } = await get(c, `/nodes/${first}`);
        return node.totalResource.memory === 8192 && node.totalResource.vCores === 8;
      });
    };
    for (const [n, body] of sizes.entries()) {
      await size(`size.${n}`, first, body);
      await total(`size.${n}.node`);
      await back();
    }
    for (const [n, body] of xmlSizes.entries()) {
      await size(`size-xml.${n}`, first, body, {
        headers: { 'content-type': 'application/xml' },
        accept: n % 2 ? 'application/xml' : 'application/json',
      });
      await total(`size-xml.${n}.node`);
      await back();
    }
    const good = { resource: { memory: 8192, vCores: 8 }, overCommitTimeout: -1 };
    for (const [n, id] of [
      'localhost',
      'localhost:',
      'localhost:1',
      'localhost:x',
      ':45454',
      'LOCALHOST:45454',
      '127.0.0.1:45454',
      'localhost:045454',
      'localhost:45454:1',
      'localhost:45454%20',
      '%20localhost:45454',
      'localhost%3A45454',
      'localhost:99999',
      'localhost:-1',
      'localhost:4545%34',
      'a%2Fb:1',
      '%3Cb%3E:1',
      'ü:1',
      '%20',
      'localhost/45454',
      'localhost:45454/x',
      'localhost:45454;a=b',
      '*',
    ].entries()) {
      const path = encodeURI(id).replaceAll('%25', '%');
      await size(`id.${n}.size`, path, good);
      await size(`id.${n}.size-xml`, path, good, { accept: 'application/xml' });
      await read(`id.${n}.node`, `/nodes/${path}`, { pick: ({ node, ...j }) => (node ? node.id : j), cut: 200_000 });
      await read(`id.${n}.node-xml`, `/nodes/${path}`, { accept: 'application/xml' });
      await read(`id.${n}.labels`, `/nodes/${path}/get-labels`, { cut: 200_000, xml: true });
      await c.record(`id.${n}.replace`, 'rm', 'POST', `${RM}/nodes/${path}/replace-labels`, { user: 'root', body: {}, cut: 200_000 });
    }
    for (const [n, query] of [
      'states=RUNNING&states=LOST',
      'states=LOST&states=RUNNING',
      'states=RUNNING,RUNNING',
      'states=RUNNING%2CLOST',
      'states=LOST,DECOMMISSIONED,SHUTDOWN',
      'states=NEW,RUNNING',
      'states=REBOOTED',
      'states=UNHEALTHY',
      'states=DECOMMISSIONING',
      'states=running,NEW',
      'states=RUNNING+',
      'states=%22RUNNING%22',
      'states',
      'states=RUNNING&x=y',
      'STATES=LOST',
      'states=ACTIVE',
      'states=1',
      'states=,',
      'states=null',
      'states=RUNNING&healthy=false',
      'limit=0',
      'deSelects=x',
      'label=gpu',
      'nodeId=x',
    ].entries()) {
      await read(`query.${n}`, `/nodes?${query}`, {
        pick: ({ nodes, ...j }) => (nodes ? (nodes.node ?? []).map((x) => [x.id, x.state]) : j),
      });
      await read(`query.${n}.xml`, `/nodes?${query}`, { accept: 'application/xml' });
    }

    // a busy node
    const a = await submit(c, 'a', { ...sleeping(900, 2048), queue: 'default' }, 'ada');
    await launched(c, a);
    await steady(c);
    await c.sleep(1500);
    const measured = { loose: ['aggregatedContainersPhysicalMemoryMB', 'lastHealthUpdate'], unordered: ['nodeAttributeInfo'] };
    await read('busy', `/nodes/${first}`, { xml: true, ...measured });
    await read('busy.list', '/nodes', { xml: true, ...measured });
    await read('busy.user', `/nodes/${first}`, { user: 'ada', ...measured });

    // further nodes: attributes, labels that nobody wants, another size, limits of its own
    process.env.NODE_SETTINGS = [
      'yarn.nodemanager.node-attributes.provider=config',
      'yarn.nodemanager.node-attributes.provider.configured-node-attributes=os,STRING,linux:row,STRING,7',
      'yarn.nodemanager.resource.memory-mb=4096',
      'yarn.nodemanager.resource.cpu-vcores=2',
    ].join(' ');
    await c.hook('nm-start', ['1']);
    const second = c.name(
      'second',
      await c.until('a second node', async () => (await list()).find((n) => n.id !== first && n.state === 'RUNNING')?.id, 90),
    );
    await c.sleep(1500);
    const all = async (state) => {
      await read(`${state}.node`, `/nodes/${second}`, { xml: true, ...measured });
      for (const query of [
        '',
        '?states=RUNNING',
        '?states=LOST',
        '?states=SHUTDOWN',
        '?states=DECOMMISSIONED',
        '?states=DECOMMISSIONING',
        '?states=UNHEALTHY',
        '?states=NEW',
        '?states=RUNNING,SHUTDOWN,LOST,DECOMMISSIONED,DECOMMISSIONING,UNHEALTHY,NEW,REBOOTED',
      ])
        await read(`${state}.list${query}`, `/nodes${query}`, {
          pick: ({ nodes, ...j }) =>
            nodes ? (nodes.node ?? []).map((n) => [n.id, n.state, n.numContainers, n.totalResource?.memory]).sort() : j,
        });
      await read(`${state}.list-xml`, '/nodes?states=LOST,SHUTDOWN,DECOMMISSIONED,DECOMMISSIONING', {
        accept: 'application/xml',
        unordered: ['node', 'nodeAttributeInfo'],
      });
      await read(`${state}.metrics`, '/metrics', {
        xml: true,
        loose: ['appsSubmitted', 'appsCompleted', 'appsKilled', 'appsFailed'],
      });
      await read(`${state}.labels`, `/nodes/${second}/get-labels`, { xml: true });
      if (state !== 'running') await size(`${state}.size`, second, { resource: { memory: 4096, vCores: 2 }, overCommitTimeout: -1 });
      await read(`${state}.activities`, `/scheduler/activities?nodeId=${second}`);
      await read(`${state}.overview`, '/scheduler-overview');
      await read(`${state}.jmx`, '/metrics', {
        pick: ({ clusterMetrics: m }) => [m.totalNodes, m.activeNodes, m.totalMB, m.totalVirtualCores],
      });
      await c.record(`${state}.bean`, 'rm', 'GET', '/jmx?qry=Hadoop:service=ResourceManager,name=RMNMInfo', {
        pick: (j) =>
          JSON.parse(j.beans[0].LiveNodeManagers)
            .map((n) => [n.HostName, n.State, n.NodeId, n.NumContainers, n.UsedMemoryMB, n.AvailableMemoryMB])
            .sort(),
      });
      await c.record(`${state}.page`, 'rm', 'GET', '/cluster/nodes', { cut: 15 });
    };
    await all('running');
    await clear(c);
    await c.hook('nm-stop', ['1']);
    await inState(second, 'SHUTDOWN');
    await all('shutdown');
    await c.hook('nm-start', ['1']);
    await inState(second, 'RUNNING');
    await c.sleep(1000);
    await read('plain-again', `/nodes/${second}`, { xml: true, ...measured });

    // a master on the node that goes: the next attempt stands on the other
    await size('small', first, { resource: { memory: 1024, vCores: 1 }, overCommitTimeout: -1 });
    await c.sleep(800);
    const wide = await submit(c, 'wide', { ...sleeping(900, 2048), 'max-app-attempts': 2, queue: 'default' }, 'ada');
    await launched(c, wide);
    await back();
    await c.record('wide.before', 'rm', 'GET', `${RM}/apps/${wide}/appattempts`, { user: 'ada' });
    await c.hook('nm-kill', ['1']);
    await inState(second, 'LOST');
    await c.until('the second attempt', async () => {
      const { appAttempt } = (await get(c, `/apps/${wide}/appattempts`)).appAttempts;
      return appAttempt.length === 2 && appAttempt[1].appAttemptState === 'LAUNCHED';
    });
    await c.sleep(500);
    for (const path of [
      '',
      '/appattempts',
      `/appattempts/${attempt(wide)}`,
      `/appattempts/${attempt(wide, 2)}`,
      `/appattempts/${attempt(wide)}/containers`,
      `/appattempts/${attempt(wide, 2)}/containers`,
      `/appattempts/${attempt(wide)}/containers/${container(wide)}`,
      `/appattempts/${attempt(wide, 2)}/containers/${container(wide, 2)}`,
      `/appattempts/${attempt(wide, 2)}/containers/${container(wide)}`,
      `/appattempts/${attempt(wide)}/containers/${container(wide, 2)}`,
    ])
      await c.record(
        `wide${path.replace(wide.slice(12), '').replaceAll('/', '-').replaceAll(wide.slice(12), 'N')}`,
        'rm',
        'GET',
        `${RM}/apps/${wide}${path}`,
        { user: 'ada', xml: true },
      );
    await all('lost');
    await c.hook('nm-start', ['1']);
    await inState(second, 'RUNNING');
    await c.sleep(1000);
    await read('found', `/nodes/${second}`, { xml: true, ...measured });
    await clear(c);

    // leaving in order, with and without time for what runs
    const stays = await submit(c, 'stays', { ...sleeping(900, 6144), queue: 'default' }, 'ada');
    await launched(c, stays);
    process.env.GRACEFUL = '1';
    await c.hook('exclude', [second.split(':')[0]]);
    delete process.env.GRACEFUL;
    await c.until('it leaves', async () => (await list()).some((n) => n.id === first && n.state === 'DECOMMISSIONING'));
    await c.sleep(500);
    await read('leaving', `/nodes/${first}`, { xml: true, ...measured });
    await read('leaving.busy-list', '/nodes?states=DECOMMISSIONING', {
      pick: ({ nodes }) => nodes.node.filter((n) => n.id === first),
      ...measured,
    });
    await c.record('leaving.app', 'rm', 'GET', `${RM}/apps/${stays}`, {
      user: 'ada',
      pick: ({ app }) => [app.state, app.allocatedMB, app.runningContainers],
    });
    await c.hook('exclude', []);
    await inState(first, 'RUNNING');
    await c.sleep(800);
    await read('stayed', `/nodes/${first}`, { xml: true, ...measured });
    await clear(c);
    await c.hook('nm-start', ['1']);
    await inState(second, 'RUNNING');
    await c.hook('exclude', [second.split(':')[0]]);
    await c.until('both gone', async () => (await list()).every((n) => n.state === 'DECOMMISSIONED'));
    await c.sleep(500);
    await all('decommissioned');
    const none = await submit(c, 'none', { ...sleeping(900, 256), queue: 'default' }, 'ada');
    await c.sleep(2500);
    await c.record('none', 'rm', 'GET', `${RM}/apps/${none}`, { user: 'ada', xml: true });
    await c.record('none.activities', 'rm', 'GET', `${RM}/scheduler/app-activities/${none}`, { user: 'ada' });
    await c.http('rm', 'PUT', `${RM}/apps/${none}/state`, { user: 'root', body: { state: 'KILLED' } });
    await ended(c, none);
    delete process.env.NODE_SETTINGS;
  },
};
