// Delegation tokens of the timeline server and callers without a name, in forms that no recording has.
const V1 = '/ws/v1/timeline';
const accepts = { json: 'application/json', xml: 'application/xml', any: '*/*', html: 'text/html', text: 'text/plain', garbage: 'garbage' };
const versions = [
  'timeline-service-version',
  'timeline-service-build-version',
  'timeline-service-version-built-on',
  'hadoop-version',
  'hadoop-build-version',
  'hadoop-version-built-on',
  'message',
];

export default {
  name: 'timeline-tokens-more',
  cluster: 'timeline',
  about:
    'delegation tokens of the timeline server, the resource manager without Kerberos, and anonymous callers, in forms that no recording has',
  async run(c) {
    let n = 0;
    c.mask(/WebServlet-[0-9a-f]+/g, 'WebServlet-{n}');
    c.mask(/SERVLET:(<\/th><td>)?[^<\n]*/g, 'SERVLET:$1{servlet}');
    c.mask(/"servlet":"[^"]*"/g, '"servlet":"{servlet}"');
    c.mask(/"urlString":"[^"]+"/g, '"urlString":"{token}"');
    c.mask(/\{"long":\d+\}/g, '{"long":1}');
    c.mask(/(sequenceNumber|masterKeyId|issueDate|maxDate)=-?\d+/g, '$1={n}');
    const call = (id, method, query, options = {}) =>
      c.record(id, 'ats', method, `${options.path ?? `${V1}/`}?${query}`, {
        loose: ['urlString', 'long', ...versions],
        cut: 2000,
        ...options,
      });
    const fresh = async (renewer = 'bob', user = 'ann') => {
      const { json } = await c.http('ats', 'GET', `${V1}/?op=GETDELEGATIONTOKEN&renewer=${encodeURIComponent(renewer)}`, { user });
      return c.name(`token${++n}`, json.Token.urlString);
    };
    for (const [i, query] of [
      'op=GETDELEGATIONTOKEN&renewer=',
      'op=GETDELEGATIONTOKEN&renewer',
      'op=GETDELEGATIONTOKEN&renewer=%20',
      'op=GETDELEGATIONTOKEN&renewer=bob&renewer=carl',
      'op=GETDELEGATIONTOKEN&Renewer=bob',
      'op=GETDELEGATIONTOKEN&renewer=bob@EXAMPLE.TEST',
      'op=GETDELEGATIONTOKEN&renewer=bob/host@EXAMPLE.TEST',
      'op=GETDELEGATIONTOKEN&renewer=%C3%BC',
      'op=GETDELEGATIONTOKEN&renewer=%zz',
      'OP=GETDELEGATIONTOKEN&renewer=bob',
      'op=GetDelegationToken&renewer=bob',
      'op=GETDELEGATIONTOKEN%20&renewer=bob',
      'op=&renewer=bob',
      'op=GETDELEGATIONTOKEN&op=x&renewer=bob',
      'op=x&op=GETDELEGATIONTOKEN&renewer=bob',
      'op=GETDELEGATIONTOKEN&service=&renewer=bob',
      'op=GETDELEGATIONTOKEN&service=x&renewer=bob',
      'op=GETDELEGATIONTOKEN&token=garbage&renewer=bob',
      'op=GETDELEGATIONTOKEN&delegation=garbage&renewer=bob',
      'op=GETDELEGATIONTOKEN&delegation=&renewer=bob',
      'op=GETDELEGATIONTOKENS',
      'op=getdelegationtokens',
      'op=LISTSTATUS',
    ].entries()) {
      await call(`get.${i}`, 'GET', query, { user: 'ann' });
      await call(`get-nobody.${i}`, 'GET', query);
    }
    for (const [name, accept] of Object.entries(accepts)) {
      await call(`accept.${name}`, 'GET', 'op=GETDELEGATIONTOKEN&renewer=bob', { user: 'ann', accept });
      await call(`accept-nobody.${name}`, 'GET', 'op=GETDELEGATIONTOKEN&renewer=bob', { accept });
      await call(`accept-wrong-verb.${name}`, 'GET', 'op=RENEWDELEGATIONTOKEN&token=x', { user: 'bob', accept });
      await call(`accept-garbage.${name}`, 'PUT', 'op=RENEWDELEGATIONTOKEN&token=x', { user: 'bob', accept });
      await call(`accept-no-token.${name}`, 'PUT', 'op=RENEWDELEGATIONTOKEN', { user: 'bob', accept });
      await call(`accept-cancel.${name}`, 'PUT', 'op=CANCELDELEGATIONTOKEN&token=x', { user: 'bob', accept });
      await c.record(`accept-bad-token.${name}`, 'ats', 'GET', `${V1}/none?delegation=x`, { accept, loose: ['message'] });
      await c.record(`accept-bad-proxy.${name}`, 'ats', 'GET', `${V1}/none?doAs=x`, { user: 'ann', accept });
    }
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])
      for (const op of ['GETDELEGATIONTOKEN', 'RENEWDELEGATIONTOKEN', 'CANCELDELEGATIONTOKEN'])
        for (const user of ['ann', undefined])
          await call(`method.${method}.${op}.${user}`, method, `op=${op}&renewer=bob&token=x`, {
            user,
            ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
            cut: 55,
          });
    for (const [i, path] of [
      '/',
      '/ws',
      '/ws/v1',
      V1,
      `${V1}/none`,
      `${V1}/none/x`,
      `${V1}/domain`,
      '/ws/v1/applicationhistory/about',
      '/applicationhistory',
      '/conf',
      '/jmx',
      '/nothing',
      '/static/none',
      '/ws/v1/timeline/nothing/x/y/z',
    ].entries()) {
      await call(`path.${i}`, 'GET', 'op=GETDELEGATIONTOKEN&renewer=bob', { user: 'ann', path });
      await call(`path-renew.${i}`, 'PUT', 'op=RENEWDELEGATIONTOKEN&token=x', { user: 'ann', path });
    }
    // Of different renewers.
    for (const [i, renewer] of ['bob', '', 'bob@EXAMPLE.TEST', 'bob/host@EXAMPLE.TEST', 'Bob', ' bob'].entries()) {
      const t = await fresh(renewer);
      for (const user of ['bob', 'Bob', 'bob@EXAMPLE.TEST', 'ann', 'root'])
        await call(`renewer.${i}.${user}`, 'PUT', `op=RENEWDELEGATIONTOKEN&token=${t}`, { user });
    }
    const t = await fresh();
    await call('renew-header', 'PUT', 'op=RENEWDELEGATIONTOKEN', { user: 'bob', headers: { 'x-hadoop-delegation-token': t } });
    await call('renew-body', 'PUT', 'op=RENEWDELEGATIONTOKEN', { user: 'bob', body: { token: t } });
    await call('renew-twice', 'PUT', `op=RENEWDELEGATIONTOKEN&token=${t}&token=x`, { user: 'bob' });
    await call('renew-padded', 'PUT', `op=RENEWDELEGATIONTOKEN&token=${t}%3D%3D`, { user: 'bob' });
    await call('renew-cut', 'PUT', `op=RENEWDELEGATIONTOKEN&token=${t.slice(0, -6)}`, { user: 'bob' });
    await call('renew-longer', 'PUT', `op=RENEWDELEGATIONTOKEN&token=${t}AAAA`, { user: 'bob' });
    await call('renew-changed', 'PUT', `op=RENEWDELEGATIONTOKEN&token=${t.slice(0, 30)}${t[30] === 'A' ? 'B' : 'A'}${t.slice(31)}`, {
      user: 'bob',
    });
    await call('renew-cookie', 'PUT', `op=RENEWDELEGATIONTOKEN&token=${t}`, { headers: { cookie: 'hadoop.auth=garbage' }, user: 'bob' });
    await call('renew-proxy', 'PUT', `op=RENEWDELEGATIONTOKEN&token=${t}&doAs=bob`, { user: 'root' });
    await call('renew-proxy-denied', 'PUT', `op=RENEWDELEGATIONTOKEN&token=${t}&doAs=bob`, { user: 'ann' });
    await call('cancel-proxy-denied', 'PUT', `op=CANCELDELEGATIONTOKEN&token=${await fresh()}&doAs=bob`, { user: 'ann' });
    const cookieOf = async (user) => (await c.http('ats', 'GET', `${V1}/none`, { user })).headers['set-cookie']?.[0].split(';')[0];
    const cookie = c.name('cookie', await cookieOf('ann'));
    await call('get-cookie', 'GET', 'op=GETDELEGATIONTOKEN&renewer=bob', { headers: { cookie } });
    await call('get-cookie-user', 'GET', 'op=GETDELEGATIONTOKEN&renewer=bob', { headers: { cookie }, user: 'carl' });
    await call('get-cookie-garbage', 'GET', 'op=GETDELEGATIONTOKEN&renewer=bob', { headers: { cookie: 'hadoop.auth=x' } });
    await call('get-blank-user', 'GET', 'op=GETDELEGATIONTOKEN&renewer=bob&user.name=');

    // Used in every way.
    const use = (id, options, query = '', path = `${V1}/none`) =>
      c.record(`use.${id}`, 'ats', options.method ?? 'GET', `${path}${query}`, { loose: ['message'], ...options });
    const header = { 'x-hadoop-delegation-token': t };
    await use('header', { headers: header });
    await use('query', {}, `?delegation=${t}`);
    await use('query-case', {}, `?Delegation=${t}`);
    await use('query-empty', {}, '?delegation=');
    await use('header-empty', { headers: { 'x-hadoop-delegation-token': '' } });
    await use('header-blank-query', { headers: { 'x-hadoop-delegation-token': '' } }, `?delegation=${t}`);
    await use('both', { headers: header }, '?delegation=garbage');
    await use('both-other', { headers: { 'x-hadoop-delegation-token': 'garbage' } }, `?delegation=${t}`);
    await use('query-twice', {}, `?delegation=${t}&delegation=garbage`);
    await use('query-twice-garbage', {}, `?delegation=garbage&delegation=${t}`);
    await use('with-cookie', { headers: { ...header, cookie } });
    await use('with-bad-cookie', { headers: { ...header, cookie: 'hadoop.auth=x' } });
    await use('garbage-cookie', { headers: { cookie } }, '?delegation=garbage');
    await use('with-user', { headers: header, user: 'carl' });
    await use('with-blank-user', { headers: header }, '?user.name=');
    await use('do-as', { headers: header }, '?doAs=carl');
    await use('do-as-own', { headers: header }, '?doAs=ann');
    await use('cut', {}, `?delegation=${t.slice(0, -4)}`);
    await use('changed', {}, `?delegation=${t.slice(0, 30)}${t[30] === 'A' ? 'B' : 'A'}${t.slice(31)}`);
    await use('padded', {}, `?delegation=${t}=`);
    await use('space', {}, `?delegation=%20${t}`);
    await use('xml', { headers: header, accept: 'application/xml' });
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      await use(
        `method.${method}`,
        { method, headers: header, cut: 55, accept: 'application/json', ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}) },
        '',
        V1,
      );
      await use(
        `method-garbage.${method}`,
        {
          method,
          headers: { 'x-hadoop-delegation-token': 'x' },
          cut: 55,
          accept: 'application/json',
          ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
        },
        '',
        V1,
      );
    }
    for (const [i, path] of [
      '/ws/v1/applicationhistory/apps',
      '/ws/v1/applicationhistory/about',
      '/applicationhistory',
      '/',
      '/conf',
      '/jmx?qry=none:*',
      '/nothing',
      '/ws/v1/timeline/nothing/x/y/z',
    ].entries()) {
      await use(`path.${i}`, { headers: header, cut: 5, pick: (j) => Object.keys(j) }, '', path);
      await use(`path-garbage.${i}`, { headers: { 'x-hadoop-delegation-token': 'x' }, cut: 5 }, '', path);
    }
    // What is stored belongs to the owner of the token.
    const domain = c.name('domain', `dm${Date.now().toString(36)}`);
    await use('domain', { method: 'PUT', headers: header, body: { id: domain, readers: 'bob', writers: 'ann' } }, '', `${V1}/domain`);
    for (const user of ['ann', 'bob', 'carl', undefined])
      await use(`domain-get.${user}`, { user, loose: [] }, '', `${V1}/domain/${domain}`);
    await use(
      'entity',
      { method: 'POST', headers: header, body: { entities: [{ entity: 'e1', entitytype: domain, starttime: 1, domain }] } },
      '',
      V1,
    );
    await use(
      'entity-other',
      { method: 'POST', user: 'carl', body: { entities: [{ entity: 'e2', entitytype: domain, starttime: 1, domain }] } },
      '',
      V1,
    );
    for (const user of ['ann', 'bob', 'carl', undefined]) await use(`entities.${user}`, { user, loose: [] }, '', `${V1}/${domain}`);
    await use('entities-token', { headers: header, loose: [] }, '', `${V1}/${domain}`);
    await use('domains-token', { headers: header, loose: [], pick: (j) => j.domains?.length > 0 }, '', `${V1}/domain`);
    await use('domains-token-owner', { headers: header, loose: [], pick: (j) => j.domains?.length }, '?owner=carl', `${V1}/domain`);
    await call('cancel', 'PUT', `op=CANCELDELEGATIONTOKEN&token=${t}`, { user: 'bob' });
    await use('cancelled', { headers: header, loose: [] });
    await use('cancelled-xml', { headers: header, accept: 'application/xml' });
    await use('cancelled-do-as', { headers: header }, '?doAs=ann');
    await use('cancelled-post', { method: 'POST', headers: header, body: {} }, '', V1);

    // The resource manager of a cluster without Kerberos: names, anonymous callers, tokens.
    const D = '/ws/v1/cluster/delegation-token';
    const rm = (id, method, path, options = {}) =>
      c.record(`rm-${id}`, 'rm', method, path, { loose: ['message', 'application-id', 'reservation-id'], cut: 2000, ...options });
    for (const user of [undefined, 'ann', 'root']) {
      await rm(`token.${user}`, 'POST', D, { user, body: { renewer: 'bob' } });
      await rm(`token-xml.${user}`, 'POST', D, {
        user,
        body: '<delegation-token><renewer>bob</renewer></delegation-token>',
        headers: { 'content-type': 'application/xml' },
        accept: 'application/xml',
      });
      await rm(`renew.${user}`, 'POST', `${D}/expiration`, { user, headers: { 'hadoop-yarn-rm-delegation-token': 'x' } });
      await rm(`renew-none.${user}`, 'POST', `${D}/expiration`, { user });
      await rm(`cancel.${user}`, 'DELETE', D, { user, headers: { 'hadoop-yarn-rm-delegation-token': 'x' } });
      await rm(`cancel-none.${user}`, 'DELETE', D, { user });
      await rm(`get.${user}`, 'GET', D, { user });
      await rm(`get-json.${user}`, 'GET', D, { user, accept: 'application/json' });
      await rm(`op.${user}`, 'GET', '/ws/v1/cluster/scheduler-overview?op=GETDELEGATIONTOKEN&renewer=bob', {
        user,
        pick: (j) => (j.Token ? 'token' : j),
      });
      await rm(`op-renew.${user}`, 'PUT', '/ws/v1/cluster/info?op=RENEWDELEGATIONTOKEN&token=x', { user });
      await rm(`op-cancel.${user}`, 'PUT', '/ws/v1/cluster/info?op=CANCELDELEGATIONTOKEN&token=x', { user });
      await rm(`op-renew-get.${user}`, 'GET', '/ws/v1/cluster/info?op=RENEWDELEGATIONTOKEN&token=x', { user });
      await rm(`op-renew-none.${user}`, 'PUT', '/ws/v1/cluster/info?op=RENEWDELEGATIONTOKEN', { user });
      await rm(`delegation.${user}`, 'GET', '/ws/v1/cluster/scheduler-overview?delegation=x', { user });
      await rm(`delegation-header.${user}`, 'GET', '/ws/v1/cluster/scheduler-overview', {
        user,
        headers: { 'x-hadoop-delegation-token': 'x' },
      });
      await rm(`delegation-empty.${user}`, 'GET', '/ws/v1/cluster/scheduler-overview?delegation=', { user });
      await rm(`delegation-new.${user}`, 'POST', '/ws/v1/cluster/apps/new-application?delegation=x', { user });
      await rm(`new.${user}`, 'POST', '/ws/v1/cluster/apps/new-application', { user });
      await rm(`do-as.${user}`, 'POST', '/ws/v1/cluster/apps/new-application?doAs=carl', { user });
      await rm(`do-as-self.${user}`, 'POST', '/ws/v1/cluster/apps/new-application?doAs=ann', { user });
      await rm(`do-as-blank.${user}`, 'POST', '/ws/v1/cluster/apps/new-application?doAs=', { user });
      await rm(`do-as-read.${user}`, 'GET', '/ws/v1/cluster/scheduler-overview?doAs=carl', { user });
      await rm(`do-as-xml.${user}`, 'GET', '/ws/v1/cluster/scheduler-overview?DOAS=carl', { user, accept: 'application/xml' });
      await rm(`blank.${user}`, 'GET', '/ws/v1/cluster/scheduler-overview?user.name=', { user });
      await rm(`page.${user}`, 'GET', '/cluster', { user, cut: 5 });
      await rm(`user-info.${user}`, 'GET', '/ws/v1/cluster/userinfo', {
        user,
        pick: (j) => [j.clusterUserInfo?.rmLoginUser, j.clusterUserInfo?.requestedUser, Object.keys(j)],
      });
    }
    const anyCookie =
      (await c.http('rm', 'GET', '/ws/v1/cluster/scheduler-overview', { user: 'ann' })).headers['set-cookie']?.[0].split(';')[0] ??
      'none=1';
    c.name('rm.cookie', anyCookie);
    for (const [id, headers] of Object.entries({
      cookie: { cookie: anyCookie },
      tampered: { cookie: anyCookie.replace('u=ann', 'u=eve') },
      garbage: { cookie: 'hadoop.auth=x' },
      empty: { cookie: 'hadoop.auth=' },
      unsigned: { cookie: 'hadoop.auth="u=root&p=root&t=simple-dt&e=9999999999999"' },
      timeline: { cookie },
    })) {
      await rm(`cookie-${id}`, 'GET', '/ws/v1/cluster/scheduler-overview', { headers });
      await rm(`cookie-${id}-user`, 'GET', '/ws/v1/cluster/scheduler-overview', { headers, user: 'bob' });
      await rm(`cookie-${id}-new`, 'POST', '/ws/v1/cluster/apps/new-application', { headers });
      for (const [server, path] of Object.entries({
        nm: '/ws/v1/node/apps',
        ats: `${V1}/none`,
        jhs: '/ws/v1/history/mapreduce/jobs',
        reader: '/ws/v2/timeline/health',
      }))
        await c.record(`${server}-cookie-${id}`, server, 'GET', path, { headers });
    }
    for (const [server, path] of Object.entries({
      nm: '/ws/v1/node/apps',
      ats: `${V1}/none`,
      jhs: '/ws/v1/history/mapreduce/jobs',
      reader: '/ws/v2/timeline/health',
    }))
      for (const [i, query] of [
        '',
        '?user.name=ann',
        '?user.name=',
        '?user.name=a%26b',
        '?user.name=ann&user.name=bob',
        '?User.name=ann',
        '?user.name=root&doAs=bob',
        '?user.name=ann&doAs=bob',
        '?delegation=x',
        '?user.name=ann&delegation=x',
        '?user.name=ann&op=GETDELEGATIONTOKEN&renewer=bob',
      ].entries()) {
        await c.record(`${server}-name.${i}`, server, 'GET', `${path}${query}`, { loose: ['message', 'urlString'], cut: 2000 });
        await c.record(`${server}-name-xml.${i}`, server, 'GET', `${path}${query}`, {
          loose: ['message'],
          accept: 'application/xml',
          cut: 2000,
        });
      }
  },
};
