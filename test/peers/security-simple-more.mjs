// Simple authentication without anonymous access, in forms that no recording has: names, cookies, formats, methods, tokens of the resource manager.
const paths = {
  rm: '/ws/v1/cluster/scheduler-overview',
  nm: '/ws/v1/node/apps',
  ats: '/ws/v1/timeline/none',
  jhs: '/ws/v1/history/mapreduce/jobs',
  reader: '/ws/v2/timeline/health',
};
const names = [
  'user.name=ann',
  'user.name=ann&user.name=bob',
  'user.name=&user.name=bob',
  'user.name',
  'user.name=%20',
  'user.name=%20ann%20',
  'user.name=ann+b',
  'user.name=a%26b',
  'user.name=a%3Db',
  'user.name=a;b',
  'user.name=a%22b',
  'user.name=%C3%BC',
  'user.name=%00',
  'user.name=%zz',
  'user.name=a%2Fb%40HOST',
  'user.name=ann@EXAMPLE.TEST',
  'user.name=a%0Ab',
  'user.name=a%2Cb',
  'user.name=a%5Cb',
  'user.name=%3Cb%3E',
  'user.name=0',
  'user.name=null',
  'User.Name=ann',
  'USER.NAME=ann',
  'user%2Ename=ann',
  'username=ann',
  'user=ann',
  'x=y&user.name=ann',
  'user.name=ann&anonymous=true',
  'doAs=ann',
  'user.name=ann&doAs=bob',
  'user.name=root&doAs=bob',
  'user.name=root&doas=bob',
  'user.name=root&doAs=',
  'delegation=garbage',
  'user.name=ann&delegation=garbage',
  'user.name=ann&op=GETDELEGATIONTOKEN',
  'user.name=ann&op=GETDELEGATIONTOKEN&renewer=bob',
  'user.name=ann&op=RENEWDELEGATIONTOKEN&token=garbage',
  'user.name=ann&op=x',
];
const accepts = {
  json: 'application/json',
  any: '*/*',
  html: 'text/html',
  text: 'text/plain',
  application: 'application/*',
  'text-any': 'text/*',
  'text-xml': 'text/xml',
  garbage: 'garbage',
  empty: '',
  csv: 'text/csv',
  'json-html': 'application/json,text/html',
  'html-json': 'text/html,application/json',
  'xml-json': 'application/xml,application/json',
  quality: 'application/xml;q=0.9,application/json;q=0.1',
  browser: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
};
const pages = {
  rm: [
    '/cluster',
    '/',
    '/conf',
    '/jmx?qry=none:*',
    '/isActive',
    '/nothing',
    '/proxy/application_1_0001/',
    '/ws/v1/cluster/nothing',
    '/stacks',
    '/logLevel?log=x',
    '/logs/',
    '/static/none',
    '/ws/v1/cluster/apps/application_1_0001',
  ],
  nm: ['/node', '/', '/conf', '/jmx?qry=none:*', '/nothing', '/ws/v1/node/nothing', '/logs/', '/ws/v1/node/containers/x'],
  ats: [
    '/applicationhistory',
    '/',
    '/conf',
    '/jmx?qry=none:*',
    '/nothing',
    '/ws/v1/timeline/none/x',
    '/ws/v1/applicationhistory/apps',
    '/ws/v1/applicationhistory/about',
  ],
  jhs: ['/jobhistory', '/', '/conf', '/jmx?qry=none:*', '/nothing', '/ws/v1/history/info', '/ws/v1/history/nothing'],
  reader: [
    '/',
    '/conf',
    '/jmx?qry=none:*',
    '/nothing',
    '/ws/v2/timeline',
    '/ws/v2/timeline/nothing',
    '/ws/v2/timeline/apps/application_1_0001',
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
  'message',
];

export default {
  name: 'security-simple-more',
  cluster: 'simple-auth',
  about: 'user.name, cookies, formats, methods and tokens of simple authentication in forms that no recording has',
  async run(c) {
    c.mask(/WebServlet-[0-9a-f]+/g, 'WebServlet-{n}');
    c.mask(/SERVLET:(<\/th><td>)?[^<\n]*/g, 'SERVLET:$1{servlet}');
    c.mask(/"servlet":"[^"]*"/g, '"servlet":"{servlet}"');
    c.mask(/"urlString":"[^"]+"/g, '"urlString":"{token}"');
    const cookies = {};
    for (const [server, path] of Object.entries(paths)) {
      const get = (id, options = {}, query = '') =>
        c.record(`${server}-${id}`, server, 'GET', `${path}${query}`, { cut: 2000, ...options });
      // Hadoop writes some names into its cookie as they are, and no client reads such an answer.
      for (const [n, query] of names.entries()) await get(`name.${n}`, {}, `?${query}`).catch(() => undefined);
      for (const [id, accept] of Object.entries(accepts)) {
        await get(`accept.${id}`, { accept });
        await get(`accept-user.${id}`, { accept, user: 'ann' });
        await get(`accept-cookie.${id}`, { accept, headers: { cookie: 'hadoop.auth=garbage' } });
      }
      for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
        const body = method === 'POST' || method === 'PUT' ? { body: {} } : {};
        await c.record(`${server}-nobody.${method}`, server, method, path, { cut: 60, ...body });
        await c.record(`${server}-nobody-json.${method}`, server, method, path, { cut: 60, accept: 'application/json', ...body });
        await c.record(`${server}-user.${method}`, server, method, path, {
          cut: 60,
          accept: 'application/json',
          user: 'ann',
          loose: versions,
          ...body,
        });
      }
      for (const [n, page] of pages[server].entries()) {
        const options = /^\/(jmx|conf|stacks|logLevel)/.test(page) ? { cut: 5, pick: () => 'json' } : { cut: 15, loose: versions };
        await c.record(`${server}-page.${n}`, server, 'GET', page, { ...options });
        await c.record(`${server}-page-user.${n}`, server, 'GET', page, { user: 'ann', ...options });
        await c.record(`${server}-page-json.${n}`, server, 'GET', page, { accept: 'application/json', ...options });
      }
      const { headers } = await c.http(server, 'GET', path, { user: 'ann' });
      const cookie = headers['set-cookie']?.[0].split(';')[0];
      if (!cookie) continue;
      cookies[server] = cookie;
      c.name(`${server}.cookie`, cookie);
      const value = cookie.slice('hadoop.auth='.length);
      const plain = value.replaceAll('"', '');
      const [text, signature] = plain.split('&s=');
      const forged = [
        plain,
        `"${plain}"; Path=/`,
        `"${plain}";`,
        `"${plain}"; hadoop.auth=garbage`,
        `garbage; hadoop.auth="${plain}"`,
        `"${plain} "`,
        `" ${plain}"`,
        `"${text}"`,
        `"${text}&s="`,
        `"${text}&s=${signature.slice(0, -4)}"`,
        `"${text}&s=${signature}&s=${signature}"`,
        `"&s=${signature}"`,
        `"${text}&S=${signature}"`,
        `"s=${signature}&${text}"`,
        `"u=eve&${plain}"`,
        `"${plain}&u=eve"`,
        `"u=&p=&t=simple&e=9999999999999&s=x"`,
        `"${text.replace(/e=\d+/, 'e=0')}&s=${signature}"`,
        `"${text.replace(/e=\d+/, 'e=x')}&s=${signature}"`,
        encodeURIComponent(plain),
        `"u=ann"`,
        `u=ann`,
        `""`,
        `"`,
        ' ',
        '%00',
        '&s=',
        '&s=x',
        'x&s=x',
      ];
      for (const [n, each] of forged.entries())
        await get(`forged.${n}`, { headers: { cookie: `hadoop.auth=${each}` }, mask: [[/(Invalid signed text: )[^<\n"]*/, '$1{text}']] });
      for (const [n, name] of ['Hadoop.Auth', 'HADOOP.AUTH', 'hadoop.auth2', 'hadoop-auth', '$hadoop.auth', ' hadoop.auth'].entries())
        await get(`cookie-name.${n}`, { headers: { cookie: `${name}=${value}` } });
      await get('cookie-other-first', { headers: { cookie: `a=b; ${cookie}; c=d` } });
      await get('cookie-comma', { headers: { cookie: `a=b, ${cookie}` } });
      await get('cookie-twice', { headers: { cookie: `${cookie}; ${cookie}` } });
      await get('cookie-blank-user', { headers: { cookie } }, '?user.name=');
      await get('cookie-do-as', { headers: { cookie } }, '?doAs=bob');
      await get('cookie-token', { headers: { cookie } }, '?delegation=garbage');
      await get('garbage-and-user', { headers: { cookie: 'hadoop.auth=garbage' }, user: 'ann' });
      await get('cookie-xml', { headers: { cookie }, accept: 'application/xml' });
      await c.record(`${server}-cookie.HEAD`, server, 'HEAD', path, { headers: { cookie } });
      await c.record(`${server}-cookie.OPTIONS`, server, 'OPTIONS', path, { headers: { cookie }, cut: 55 });
      await c.record(`${server}-cookie.POST`, server, 'POST', path, {
        headers: { cookie },
        accept: 'application/json',
        body: {},
        loose: ['message'],
      });
      for (const authorization of ['Basic', 'Bearer x', 'Negotiate', 'Negotiate ', 'Digest username="ann"', 'PseudoAuth ann', 'x', ''])
        await get(`authorization.${authorization}`, { headers: { authorization } });
      await get('authorization-user', { headers: { authorization: 'Negotiate YWJj' }, user: 'ann' });
      for (const header of ['x-hadoop-delegation-token', 'hadoop-yarn-rm-delegation-token', 'user.name', 'x-user', 'remote-user']) {
        await get(`header.${header}`, { headers: { [header]: 'ann' } });
        await get(`header-user.${header}`, { headers: { [header]: 'garbage' }, user: 'ann' });
      }
    }
    // A cookie of one server shown to another.
    for (const [from, cookie] of Object.entries(cookies))
      for (const [to, path] of Object.entries(paths))
        if (from !== to) await c.record(`cookie.${from}-${to}`, to, 'GET', path, { headers: { cookie }, accept: 'application/json' });

    // Tokens of the resource manager without Kerberos.
    const token = (id, method, path, options = {}) =>
      c.record(`rm-token.${id}`, 'rm', method, `/ws/v1/cluster/delegation-token${path}`, { user: 'ann', loose: ['message'], ...options });
    const header = (value) => ({ headers: { 'hadoop-yarn-rm-delegation-token': value } });
    for (const [id, options] of Object.entries({
      nobody: { user: undefined },
      user: {},
      root: { user: 'root' },
      xml: { accept: 'application/xml' },
      html: { accept: 'text/html' },
      text: { accept: 'text/plain' },
    })) {
      await token(`get.${id}`, 'POST', '', { body: { renewer: 'bob' }, ...options });
      await token(`renew.${id}`, 'POST', '/expiration', { ...header('garbage'), ...options });
      await token(`renew-no-header.${id}`, 'POST', '/expiration', options);
      await token(`cancel.${id}`, 'DELETE', '', { ...header('garbage'), ...options });
      await token(`cancel-no-header.${id}`, 'DELETE', '', options);
      await token(`read.${id}`, 'GET', '', options);
    }
    for (const [n, [body, type]] of [
      ['', 'application/json'],
      ['{', 'application/json'],
      ['[]', 'application/json'],
      ['null', 'application/json'],
      ['{"renewer":1}', 'application/json'],
      ['{"renewer":null}', 'application/json'],
      ['{"renewer":["a"]}', 'application/json'],
      ['{"token":"x"}', 'application/json'],
      ['<delegation-token><renewer>bob</renewer></delegation-token>', 'application/xml'],
      ['<delegation-token/>', 'application/xml'],
      ['<other/>', 'application/xml'],
      ['<', 'application/xml'],
      ['', 'application/xml'],
      ['renewer=bob', 'application/x-www-form-urlencoded'],
      ['bob', 'text/plain'],
      ['{"renewer":"bob"}', 'text/xml'],
    ].entries())
      await token(`body.${n}`, 'POST', '', { body, headers: { 'content-type': type } });
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'HEAD']) {
      await token(`method.${method}`, method, '', { cut: 55, ...(method === 'PUT' ? { body: {} } : {}) });
      await token(`method-expiration.${method}`, method, '/expiration', { cut: 55, ...(method === 'PUT' ? { body: {} } : {}) });
    }
    await token('expiration.GET', 'GET', '/expiration');
    await token('expiration.DELETE', 'DELETE', '/expiration');
    await token('expiration-body', 'POST', '/expiration', { body: { token: 'garbage' } });
    await token('slash', 'POST', '/', { body: { renewer: 'bob' } });
    await token('unknown', 'POST', '/nothing', { body: { renewer: 'bob' }, cut: 60 });
    await token('do-as', 'POST', '?doAs=bob', { user: 'root', body: { renewer: 'bob' } });

    // Who may do what.
    const rm = (id, method, path, user, options = {}) =>
      c.record(`rm-${id}.${user}`, 'rm', method, `/ws/v1/cluster${path}`, {
        user,
        loose: ['message', 'application-id', 'reservation-id', 'state'],
        ...options,
      });
    for (const user of [undefined, 'ann', 'root', 'admin', 'ann b']) {
      await rm('new', 'POST', '/apps/new-application', user);
      await rm('submit', 'POST', '/apps', user, { body: { 'application-id': 'application_1_0001' } });
      await rm('state', 'PUT', '/apps/application_1_0001/state', user, { body: { state: 'KILLED' } });
      await rm('conf', 'GET', '/scheduler-conf/version', user);
      await rm('conf-get', 'GET', '/scheduler-conf', user, { pick: (j) => Object.keys(j) });
      await rm('validate', 'POST', '/scheduler-conf/validate', user, { body: {}, pick: (j) => Object.keys(j) });
      await rm('labels', 'POST', '/add-node-labels', user, { body: { nodeLabelInfo: [{ name: 'x' }] } });
      await rm('labels-get', 'GET', '/get-node-labels', user);
      await rm('replace', 'POST', '/replace-node-to-labels', user, { body: { nodeToLabels: [] } });
      await rm('access', 'GET', '/queues/root.default/access?user=ann', user);
      await rm('reservation', 'POST', '/reservation/new-reservation', user);
      await rm('signal', 'POST', '/containers/container_1_0001_01_000001/signal/GRACEFUL_SHUTDOWN', user);
      await rm('logs', 'POST', '/scheduler/logs', user, {
        body: 'time=1',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      await rm('resource', 'POST', '/nodes/localhost:1/resource', user, { body: { resource: { memory: 1, vCores: 1 } } });
      await rm('user-info', 'GET', '/userinfo', user, { pick: (j) => (j.clusterUserInfo ? Object.keys(j.clusterUserInfo) : j) });
      await rm('activities', 'GET', '/scheduler/activities', user, { pick: (j) => Object.keys(j) });
    }
    const ats = (id, method, path, options = {}) => c.record(`ats-more.${id}`, 'ats', method, path, { loose: ['message'], ...options });
    for (const user of [undefined, 'ann', 'bob', 'root']) {
      await ats(`domain.${user}`, 'PUT', '/ws/v1/timeline/domain', { user, body: { id: 'simple-more', readers: 'ann', writers: 'ann' } });
      await ats(`entity.${user}`, 'POST', '/ws/v1/timeline', {
        user,
        body: { entities: [{ entity: `e-${user}`, entitytype: 'SIMPLE', starttime: 1, domain: 'simple-more' }] },
      });
      await ats(`entities.${user}`, 'GET', '/ws/v1/timeline/SIMPLE', { user, pick: (j) => j.entities?.map((e) => e.entity).sort() ?? j });
      await ats(`domain-get.${user}`, 'GET', '/ws/v1/timeline/domain/simple-more', { user });
      await ats(`domains.${user}`, 'GET', '/ws/v1/timeline/domain?owner=ann', { user });
      await ats(`token.${user}`, 'GET', '/ws/v1/timeline/?op=GETDELEGATIONTOKEN&renewer=bob', { user });
      await ats(`apps.${user}`, 'GET', '/ws/v1/applicationhistory/apps', { user, loose: ['aggregateResourceAllocation'] });
      await c.record(`reader.${user}`, 'reader', 'GET', '/ws/v2/timeline/clusters/c/apps/application_1_0001', { user, loose: ['message'] });
      await c.record(`nm-more.${user}`, 'nm', 'GET', '/ws/v1/node/containers', { user });
      await c.record(`nm-sysfs.${user}`, 'nm', 'PUT', '/ws/v1/node/yarn/sysfs/ann/application_1_0001', {
        user,
        body: 'x',
        loose: ['message'],
      });
      await c.record(`nm-services.${user}`, 'nm', 'PUT', '/ws/v1/node/auxiliaryservices', {
        user,
        body: { services: [] },
        loose: ['message'],
      });
      await c.record(`jhs-more.${user}`, 'jhs', 'GET', '/ws/v1/history/mapreduce/jobs/job_1_0001', { user });
    }
  },
};
