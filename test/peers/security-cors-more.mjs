// Cross-origin requests in forms that no recording has: origins, lists of them, preflights, answers of every kind, other paths of each server.
const own = { rm: 'http://a.example', nm: 'http://a.example', jhs: 'http://a.example', ats: 'http://t.example' };
const paths = {
  rm: '/ws/v1/cluster/scheduler-overview',
  nm: '/ws/v1/node/apps',
  jhs: '/ws/v1/history/mapreduce/jobs',
  ats: '/ws/v1/timeline/none',
};
const origins = [
  '',
  'http://a.example/',
  'http://a.example:80',
  'http://a.example ',
  'http://a.example http://evil.example',
  'http://evil.example  http://a.example',
  'http://evil.example\thttp://a.example',
  'http://a.example,http://evil.example',
  'http://a.example, http://evil.example',
  'http://evil.example, http://a.example',
  'HTTP://a.example',
  'a.example',
  '//a.example',
  '*',
  'http://*.b.example',
  'http://.b.example',
  'http://x-y.b.example',
  'http://x_1.b.example',
  'http://x.B.example',
  'https://x.b.example',
  'http://x.b.example:8080',
  'http://evil.example/.b.example',
  'http://evil.example?.b.example',
  'http://xb.example',
  'http://x.bbexample',
  'http://x.b.example.evil.example',
  'http://c1.example',
  'https://c0123.example',
  'https://c1.example:8443',
  'https://c1xexample',
  'https://c.example',
  'http://c1.example.evil.example',
  'xhttp://c1.example',
  'regex:https?://c[0-9]+[.]example',
  'file://',
  'null http://a.example',
  'http://t.example',
  'http://T.example',
  'https://t.example',
  'http://t.example:8188',
  'http://t.example http://evil.example',
  'http://evil.example http://t.example',
  'http://127.0.0.1:8088',
  'http://localhost:8088',
  'http://%61.example',
  'http://a.example#x',
  'http://a.example;x',
];
const methods = ['', ' ', 'HEAD', 'OPTIONS', 'PATCH', 'Get', ' GET', 'GET ', 'GET,PUT', 'GET, PUT', 'CONNECT', 'TRACE', 'X', '*'];
const headers = [
  '',
  ' ',
  ',',
  'Content-Type,',
  ',Content-Type',
  'Content-Type,,Accept',
  'Content-Type ,Accept',
  'Content-Type Accept',
  'Content-Type;Accept',
  'Accept',
  'accept',
  'X-Extra',
  'x-extra',
  'X-Extra,X-Extra',
  'Origin',
  'X-Requested-With',
  'Authorization',
  'Cookie',
  '*',
  'Content-Type\t,\tAccept',
  'Content-Type,Accept,X-Extra',
];
const others = {
  rm: [
    '/ws/v1/cluster/info',
    '/ws/v1/cluster/apps/application_1_0001',
    '/ws/v1/cluster/apps/nothing',
    '/ws/v1/cluster/apps?limit=x',
    '/ws/v1/cluster/nothing',
    '/ws/v1/cluster/',
    '/ws/v1/cluster/scheduler-conf',
    '/ws/v1/cluster/delegation-token',
    '/ws/v1/cluster/apps/new-application',
    '/cluster',
    '/cluster/apps',
    '/',
    '/proxy/application_1_0001/',
    '/proxy/',
    '/conf',
    '/jmx?qry=none:*',
    '/isActive',
    '/nothing',
    '/ws/v1/cluster/%zz',
  ],
  nm: [
    '/ws/v1/node/info',
    '/ws/v1/node/apps/application_1_0001',
    '/ws/v1/node/apps?state=x',
    '/ws/v1/node/containers/x',
    '/ws/v1/node/nothing',
    '/node',
    '/',
    '/conf',
    '/jmx?qry=none:*',
    '/nothing',
    '/ws/v1/node/containerlogs/x/y',
  ],
  jhs: [
    '/ws/v1/history/info',
    '/ws/v1/history/mapreduce/jobs/job_1_0001',
    '/ws/v1/history/mapreduce/jobs?limit=x',
    '/ws/v1/history/nothing',
    '/jobhistory',
    '/',
    '/conf',
    '/jmx?qry=none:*',
    '/nothing',
    '/ws/v1/history/aggregatedlogs',
  ],
  ats: [
    '/ws/v1/timeline',
    '/ws/v1/timeline/none/x',
    '/ws/v1/timeline/none?limit=x',
    '/ws/v1/timeline/domain/none',
    '/ws/v1/applicationhistory/apps',
    '/ws/v1/applicationhistory/apps/application_1_0001',
    '/ws/v1/applicationhistory/about',
    '/applicationhistory',
    '/',
    '/conf',
    '/jmx?qry=none:*',
    '/nothing',
    '/ws/v1/timeline?op=GETDELEGATIONTOKEN&renewer=bob',
  ],
};
const versions = [
  'timeline-service-version',
  'timeline-service-build-version',
  'timeline-service-version-built-on',
  'hadoop-version',
  'hadoop-build-version',
  'hadoop-version-built-on',
  'id',
  'lastNodeUpdateTime',
  'totalVmemAllocatedContainersMB',
  'nmStartupTime',
];
const method = 'access-control-request-method';
const asked = 'access-control-request-headers';

export default {
  name: 'security-cors-more',
  cluster: 'cors',
  about: 'origins, preflights and answers of every kind with the cross-origin filter on, in forms that no recording has',
  async run(c) {
    c.mask(/WebServlet-[0-9a-f]+/g, 'WebServlet-{n}');
    for (const [server, path] of Object.entries(paths)) {
      const origin = own[server];
      const call = (id, verb, sent, options = {}) =>
        c.record(`${server}-${id}`, server, verb, options.path ?? path, { headers: sent, cut: 55, loose: versions, ...options });
      for (const [n, value] of origins.entries()) {
        await call(`origin.${n}`, 'GET', { origin: value });
        if (server === 'rm' || n % 5 === 0) await call(`preflight-origin.${n}`, 'OPTIONS', { origin: value, [method]: 'GET' });
      }
      for (const [n, value] of methods.entries()) {
        await call(`method.${n}`, 'OPTIONS', { origin, [method]: value });
        if (server === 'rm') await call(`get-method.${n}`, 'GET', { origin, [method]: value });
      }
      for (const [n, value] of headers.entries()) {
        await call(`header.${n}`, 'OPTIONS', { origin, [method]: 'GET', [asked]: value });
        if (server === 'rm') await call(`get-header.${n}`, 'GET', { origin, [asked]: value });
      }
      await call('two-origins', 'GET', { origin: ['http://evil.example', origin] });
      await call('two-origins-first', 'GET', { origin: [origin, 'http://evil.example'] });
      await call('two-methods', 'OPTIONS', { origin, [method]: ['GET', 'DELETE'] });
      await call('two-headers', 'OPTIONS', { origin, [method]: 'GET', [asked]: ['Accept', 'X-Secret'] });
      await call('two-headers-refused-first', 'OPTIONS', { origin, [method]: 'GET', [asked]: ['X-Secret', 'Accept'] });
      await call('preflight-no-origin', 'OPTIONS', { [method]: 'GET', [asked]: 'Accept' });
      for (const [name, accept] of Object.entries({
        json: 'application/json',
        xml: 'application/xml',
        any: '*/*',
        html: 'text/html',
        text: 'text/plain',
        garbage: 'garbage',
      })) {
        await call(`accept.${name}`, 'GET', { origin }, { accept, cut: 20_000 });
        await call(`preflight-accept.${name}`, 'OPTIONS', { origin, [method]: 'GET' }, { accept });
      }
      await call('gzip', 'GET', { origin, 'accept-encoding': 'gzip' });
      await call('preflight-gzip', 'OPTIONS', { origin, [method]: 'GET', 'accept-encoding': 'gzip' });
      for (const verb of ['HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'TRACE'])
        await call(
          `verb.${verb}`,
          verb,
          { origin },
          verb === 'PUT' || verb === 'POST' ? { body: {}, loose: ['message'] } : { loose: ['message'] },
        );
      for (const verb of ['PUT', 'POST', 'DELETE'])
        await call(`verb-method.${verb}`, verb, { origin, [method]: 'GET' }, { accept: 'application/json', loose: ['message'] });
      for (const [n, other] of others[server].entries()) {
        const options = {
          path: other,
          ...(/^\/(jmx|conf|static)/.test(other) ? { cut: 5, pick: () => 'json' } : {}),
          ...(/new-application|delegation/.test(other) ? { loose: [...versions, 'message'] } : {}),
          ...(/OKEN/.test(other) ? { pick: () => 'token' } : {}),
        };
        await call(`other.${n}`, 'GET', { origin }, options);
        await call(`other-evil.${n}`, 'GET', { origin: 'http://evil.example' }, options);
        await call(`other-preflight.${n}`, 'OPTIONS', { origin, [method]: 'PUT', [asked]: 'Content-Type' }, options);
        await call(`other-preflight-plain.${n}`, 'OPTIONS', {}, options);
      }
    }
    // The resource manager of this cluster knows no caller's name.
    const write = (id, verb, path, options) =>
      c.record(`rm-write-${id}`, 'rm', verb, `/ws/v1/cluster${path}`, {
        headers: { origin: own.rm, ...options?.headers },
        user: 'ann',
        loose: ['message', 'application-id'],
        ...options,
      });
    await write('new', 'POST', '/apps/new-application');
    await write('new-xml', 'POST', '/apps/new-application', { accept: 'application/xml' });
    await write('submit', 'POST', '/apps', { body: { 'application-id': 'application_1_0001' } });
    await write('state', 'PUT', '/apps/application_1_0001/state', { body: { state: 'KILLED' } });
    await write('priority', 'PUT', '/apps/application_1_0001/priority', { body: { priority: 1 } });
    await write('queue', 'PUT', '/apps/application_1_0001/queue', { body: { queue: 'default' } });
    await write('timeout', 'PUT', '/apps/application_1_0001/timeout', { body: { timeout: { type: 'LIFETIME', expiryTime: 'x' } } });
    await write('conf', 'PUT', '/scheduler-conf', { body: {} });
    await write('validate', 'POST', '/scheduler-conf/validate', { body: {} });
    await write('labels', 'POST', '/add-node-labels', { body: { nodeLabelInfo: [{ name: 'x' }] } });
    await write('replace', 'POST', '/replace-node-to-labels', { body: {} });
    await write('token', 'POST', '/delegation-token', { body: { renewer: 'bob' } });
    await write('token-renew', 'POST', '/delegation-token/expiration', {});
    await write('token-cancel', 'DELETE', '/delegation-token', {});
    await write('reservation', 'POST', '/reservation/new-reservation');
    await write('reservation-delete', 'POST', '/reservation/delete', { body: { 'reservation-id': 'reservation_1_0001' } });
    await write('signal', 'POST', '/containers/container_1_0001_01_000001/signal/GRACEFUL_SHUTDOWN');
    await write('logs', 'POST', '/scheduler/logs', { body: 'time=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    await write('access', 'GET', '/queues/root.default/access?user=ann');
    await write('resource', 'POST', '/nodes/localhost:45454/resource', { body: { resource: { memory: 1, vCores: 1 } } });
    await write('do-as', 'POST', '/apps/new-application?doAs=bob');
    await write('cookie', 'POST', '/apps/new-application', { headers: { cookie: 'hadoop.auth=x' } });
    for (const [id, verb, path, options] of [
      ['post', 'POST', '/ws/v1/timeline', { body: {}, user: 'ann' }],
      ['post-nobody', 'POST', '/ws/v1/timeline', { body: {} }],
      ['domain', 'PUT', '/ws/v1/timeline/domain', { body: { id: 'cors' }, user: 'ann' }],
      ['domain-evil', 'PUT', '/ws/v1/timeline/domain', { body: { id: 'cors2' }, user: 'ann', headers: { origin: 'http://evil.example' } }],
      ['domain-after', 'GET', '/ws/v1/timeline/domain/cors2', { user: 'ann' }],
      ['token', 'GET', '/ws/v1/timeline/?op=GETDELEGATIONTOKEN&renewer=bob', { user: 'ann', pick: (j) => Object.keys(j) }],
      ['user', 'GET', '/ws/v1/timeline/none', { user: 'ann' }],
      ['cookie', 'GET', '/ws/v1/timeline/none', { headers: { origin: own.ats, cookie: 'hadoop.auth=garbage' } }],
    ])
      await c.record(`ats-write-${id}`, 'ats', verb, path, { headers: { origin: own.ats }, cut: 55, ...options });
  },
};
