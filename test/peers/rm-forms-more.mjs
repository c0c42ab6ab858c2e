// Every path of the resource manager with methods, media types and spellings that clients try.
import { attempt, clear, container, launched, masks, RM, sleeping, submit } from '../kit-apps.mjs';

const reads = [
  '',
  '/info',
  '/metrics',
  '/scheduler',
  '/scheduler-overview',
  '/scheduler-conf',
  '/scheduler-conf/version',
  '/nodes',
  '/nodes/elsewhere:1',
  '/nodes/{node}',
  '/nodes/{node}/get-labels',
  '/apps',
  '/apps/{app}',
  '/apps/{app}/state',
  '/apps/{app}/queue',
  '/apps/{app}/priority',
  '/apps/{app}/timeouts',
  '/apps/{app}/timeouts/LIFETIME',
  '/apps/{app}/appattempts',
  '/apps/{app}/appattempts/{attempt}',
  '/apps/{app}/appattempts/{attempt}/containers',
  '/apps/{app}/appattempts/{attempt}/containers/{container}',
  '/apps/application_1_0009',
  '/apps/x',
  '/appstatistics',
  '/get-node-labels',
  '/get-node-to-labels',
  '/get-rm-node-labels',
  '/label-mappings',
  '/queues/default/access?user=ada',
  '/queues/x/access?user=ada',
  '/reservation/list?queue=operations',
  '/reservation/list?queue=default',
  '/scheduler/activities',
  '/scheduler/app-activities/{app}',
  '/scheduler/bulk-activities',
  '/userinfo',
  '/nothing',
];
const writes = [
  '/apps/new-application',
  '/apps',
  '/apps/{app}/state',
  '/apps/{app}/queue',
  '/apps/{app}/priority',
  '/apps/{app}/timeout',
  '/add-node-labels',
  '/remove-node-labels',
  '/replace-node-to-labels',
  '/nodes/{node}/replace-labels',
  '/nodes/{node}/resource',
  '/reservation/new-reservation',
  '/reservation/submit',
  '/reservation/update',
  '/reservation/delete',
  '/delegation-token',
  '/delegation-token/expiration',
  '/scheduler-conf',
  '/scheduler-conf/validate',
  '/scheduler/logs',
  '/containers/{container}/signal/OUTPUT_THREAD_DUMP',
];
const accepts = [
  'application/json',
  'application/xml',
  'text/xml',
  'text/plain',
  'text/html',
  '*/*',
  'application/*',
  'image/png',
  'application/json;q=0.2, text/html',
  'application/xml;q=1.0,application/json;q=1.0',
  'application/json, */*;q=0',
  'text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8',
  'application/json; charset=us-ascii',
  '',
];
const types = [
  'application/json',
  'application/json;charset=utf-8',
  'application/xml',
  'text/xml',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  '*/*',
  'json',
  'application/vnd.api+json',
];

export default {
  name: 'rm-forms-more',
  cluster: 'capacity',
  about: 'methods, media types and spellings of every path',
  async run(c) {
    masks(c);
    await clear(c);
    c.mask(/(<id>|"id":)\d{13}/g, '$10'); // the number of this start
    c.mask(/reservation_\d+_\d+/g, 'reservation_N');
    c.mask(/application_\d{13}_\d{4}(?="|<)/g, 'application_N');
    const app = await submit(c, 'app', { ...sleeping(900, 512), 'application-type': 'TEST' });
    await launched(c, app);
    const node = c.name('node', (await c.http('rm', 'GET', `${RM}/nodes`)).json.nodes.node[0].id);
    const real = (path) =>
      RM + path.replace('{app}', app).replace('{attempt}', attempt(app)).replace('{container}', container(app)).replace('{node}', node);
    const short = (path) => path.replaceAll('/', '-').replace(/\{(\w+)\}/g, '$1') || '-';
    const keys = (j) =>
      j && typeof j === 'object'
        ? Object.fromEntries(Object.entries(j).map(([k, v]) => [k, v && typeof v === 'object' ? Object.keys(v).sort() : typeof v]))
        : j;
    const quick = /scheduler\/(bulk|activ|app-act)/;
    for (const path of reads) {
      for (const [n, accept] of accepts.entries()) {
        if (quick.test(path) && n > 4) continue;
        await c.record(`accept.${n}.${short(path)}`, 'rm', 'GET', real(path), {
          user: 'root',
          accept,
          cut: 200_000,
          pick: keys,
          mask: [[/SERVLET: \S+/, 'SERVLET']],
        });
      }
      for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']) {
        if (writes.includes(path) && /POST|PUT|DELETE/.test(method)) continue;
        await c.record(`${method}.${short(path)}`, 'rm', method, real(path), {
          user: 'root',
          cut: 200_000,
          ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
        });
      }
      if (quick.test(path)) continue;
      const [plain, query = ''] = path.split('?');
      for (const [n, spelled] of [
        `${plain}/`,
        `${plain}//`,
        `/${plain}`,
        `${plain};a=b`,
        `${plain}%20`,
        `${plain.replace(/[a-z]/, (x) => x.toUpperCase())}`,
        `${plain.replace(/[a-z]/, (x) => `%${x.charCodeAt(0).toString(16)}`)}`,
        `/.${plain}`,
        `/x/..${plain}`,
        `${plain}.json`,
        `${plain}.xml`,
      ].entries())
        await c.record(`spelled.${n}.${short(path)}`, 'rm', 'GET', real(spelled) + (query && `?${query}`), {
          user: 'root',
          cut: 200_000,
          pick: keys,
        });
      await c.record(`spelled.query.${short(path)}`, 'rm', 'GET', `${real(plain)}?${query}&callback=f&_=1&pretty=true`, {
        user: 'root',
        pick: keys,
        cut: 200_000,
      });
    }
    for (const path of writes) {
      const own = /apps\/\{app\}|scheduler-conf$/.test(path) ? 'PUT' : 'POST';
      for (const [n, type] of types.entries()) {
        await c.record(`type.${n}.${short(path)}`, 'rm', own, real(path), {
          user: 'root',
          body: 'x',
          headers: { 'content-type': type },
          loose: ['message', 'requestedTime'],
          cut: 200_000,
        });
        if (n < 2)
          await c.record(`empty.${n}.${short(path)}`, 'rm', own, real(path), {
            user: 'root',
            body: '',
            headers: { 'content-type': type },
            loose: ['message'],
            cut: 200_000,
          });
      }
      for (const [n, accept] of accepts.entries())
        if (!/new-|scheduler\/logs/.test(path))
          await c.record(`write-accept.${n}.${short(path)}`, 'rm', own, real(path), {
            user: 'root',
            body: '{"a":',
            accept,
            loose: ['message'],
            cut: 200_000,
          });
      await c.record(`slash.${short(path)}`, 'rm', own, `${real(path)}/`, { user: 'root', body: 'x', loose: ['message'], cut: 200_000 });
      await c.record(`no-body.${short(path)}`, 'rm', own, real(path), { user: 'ada', loose: ['message'], cut: 200_000 });
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'DELETE', 'PATCH'])
        if (method !== own && !(path === '/delegation-token' && method === 'DELETE') && !reads.includes(path))
          await c.record(`other.${method}.${short(path)}`, 'rm', method, real(path), {
            user: 'root',
            cut: 200_000,
            ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
          });
    }
    for (const [n, type] of types.entries())
      await c.record(`cancel.${n}`, 'rm', 'DELETE', `${RM}/delegation-token`, {
        user: 'root',
        headers: { 'content-type': type, 'Hadoop-YARN-RM-Delegation-Token': 'x' },
      });
    const token = (id, method, path, options = {}) =>
      c.record(`token.${id}`, 'rm', method, `${RM}/delegation-token${path}`, { user: 'ada', ...options });
    for (const [n, body] of [
      { renewer: null },
      { renewer: '' },
      { renewer: 5 },
      [],
      'x',
      null,
      { token: 'x' },
      { renewer: 'bob', owner: 'eve', kind: 'x' },
    ].entries())
      await token(`create.${n}`, 'POST', '', { body });
    for (const [n, value] of ['', ' ', 'AAAA', '***', 'a'.repeat(300), 'ü'.normalize('NFD').replace(/[^ -~]/g, 'u')].entries()) {
      await token(`renew.${n}`, 'POST', '/expiration', { headers: { 'Hadoop-YARN-RM-Delegation-Token': value } });
      await token(`cancel.${n}`, 'DELETE', '', { headers: { 'Hadoop-YARN-RM-Delegation-Token': value } });
      await token(`cancel-xml.${n}`, 'DELETE', '', { accept: 'application/xml', headers: { 'Hadoop-YARN-RM-Delegation-Token': value } });
    }
    for (const [n, query] of [
      'user=ada',
      'user=',
      'user=%20',
      'user=ada&user=bob',
      'user=ada&queue-acl-type=',
      'user=ada&queue-acl-type=SUBMIT_APPLICATIONS&queue-acl-type=x',
      'user=ada&queue-acl-type=%20SUBMIT_APPLICATIONS',
      'user=ada&queue-acl-type=ADMINISTER_QUEUE%20',
      'user=ada%40REALM',
      'User=ada',
      'user=ü',
      '',
    ].entries())
      for (const queue of [
        'default',
        'root',
        'root.research.models',
        'research',
        'nowhere',
        'root.',
        '%20',
        'root.default.x',
        'operations',
        'root.operations.operations-default',
      ])
        for (const user of ['root', 'ada', undefined])
          if (user === 'root' || n === 0)
            await c.record(`access.${n}.${queue}.${user}`, 'rm', 'GET', `${RM}/queues/${queue}/access?${query}`, { user });
    for (const signal of ['OUTPUT_THREAD_DUMP', 'output_thread_dump', 'Output_Thread_Dump', '%20OUTPUT_THREAD_DUMP', 'x', '9', ''])
      for (const box of [
        'container_1_0001_01_000001',
        'x',
        container(app, 1, 5),
        `${container(app)}0`,
        '%20',
        'container_e01_1_0001_01_000001',
      ])
        await c.record(
          `signal.${signal}.${box === container(app, 1, 5) ? 'five' : box.startsWith(container(app)) ? 'ten' : box}`,
          'rm',
          'POST',
          `${RM}/containers/${box}/signal/${signal}`,
          { user: 'root' },
        );
    for (const path of [
      '/ws/v1/cluster/%zz',
      '/ws/v1/cluster/apps/%2F',
      '/ws/v1/cluster/apps/a%2Fb',
      '/ws/v1/cluster/apps/%00',
      '/ws/v1/cluster/apps/..',
      '/ws/v1/cluster/../cluster/info',
      '/ws/v1/cluster/apps/\u00fc',
      '/ws/v1/cluster/nodes/a%3A1',
      '/ws/v1/cluster/nodes/a:1:2',
      '/ws/v1/cluster/nodes/:1',
      '/ws/v1/cluster/nodes/a:',
      '/ws/v1/cluster/nodes/a:-1',
      '/ws/v1/cluster/nodes/a:x/get-labels',
      '/ws/v1/cluster/nodes/a b:1',
      '/ws/v1/cluster/nodes/%20',
      '/ws/v1/cluster/nodes?states=',
      '/ws/v1/cluster/nodes?states=NEW',
      '/ws/v1/cluster/nodes?states=RUNNING,',
      '/ws/v1/cluster/nodes?states=,RUNNING',
      '/ws/v1/cluster/nodes?states=Running',
      '/ws/v1/cluster/nodes?states=running,lost',
      '/ws/v1/cluster/nodes?states=RUNNING;LOST',
      '/ws/v1/cluster/nodes?states=ALL',
      '/ws/v1/cluster/nodes?states=all',
      '/ws/v1/cluster/nodes?state=LOST',
      '/ws/v1/cluster/nodes?healthy=true',
      '/ws/v1/cluster/nodes?healthy=x',
      '/ws/v1/cluster/nodes?states=UNHEALTHY,SHUTDOWN,DECOMMISSIONING,DECOMMISSIONED,REBOOTED,NEW',
      '/ws/v1/cluster/nodes?resource=x',
    ])
      for (const accept of ['application/json', 'application/xml'])
        await c.record(`odd.${accept.slice(-4)}.${path.slice(14)}`, 'rm', 'GET', encodeURI(path).replaceAll('%25', '%'), {
          accept,
          cut: 200_000,
          ...(/RUN|run|all|ALL|Run|healthy|resource|state=/.test(path) && accept.endsWith('json')
            ? { pick: (j) => (j.nodes?.node ? j.nodes.node.length : j) }
            : {}),
        });
  },
};
