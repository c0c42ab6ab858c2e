// Kerberos in forms that no recording has: proofs of every kind together, formats and methods of refusals, tokens in odd forms, acting for others.
const RM = '/ws/v1/cluster';
const HEADER = 'hadoop-yarn-rm-delegation-token';
const paths = { rm: `${RM}/scheduler-overview`, nm: '/ws/v1/node/apps', ats: '/ws/v1/timeline/none', jhs: '/ws/v1/history/mapreduce/jobs' };

export default {
  name: 'security-kerberos-more',
  cluster: 'kerberos',
  about: 'realm EXAMPLE.TEST: proofs together, refusals in every format, tokens in odd forms, acting for others',
  async run(c) {
    let n = 0;
    c.mask(/WebServlet-[0-9a-f]+/g, 'WebServlet-{n}');
    c.mask(/SERVLET:(<\/th><td>)?[^<\n]*/g, 'SERVLET:$1{servlet}');
    c.mask(/"servlet":"[^"]*"/g, '"servlet":"{servlet}"');
    c.mask(/("token":|"urlString":)"[^"]+"/g, '$1"{token}"');
    c.mask(/<token>[^<]+/g, '<token>{token}');
    c.mask(/\{"long":\d+\}/g, '{"long":1}');
    c.mask(/\b(sequenceNumber|masterKeyId|issueDate|maxDate)=-?\d+/g, '$1={n}');
    c.mask(/"(expiration-time|max-validity)":\d+/g, '"$1":1');
    c.mask(/<(expiration-time|max-validity)>\d+/g, '<$1>1');
    const ticket = async (user) => {
      const token = (await c.hook('spnego', [user, 'localhost'])).output.trim();
      c.name(`ticket${++n}`, token);
      return { authorization: `Negotiate ${token}` };
    };
    const call = async (id, server, method, path, { as, ...options } = {}) => {
      const answer = await c.record(id, server, method, path, {
        cut: 2000,
        loose: ['message', 'application-id'],
        ...options,
        headers: { ...options.headers, ...(as ? await ticket(as) : {}) },
      });
      for (const value of [answer.headers['www-authenticate'] ?? []].flat())
        if (value.length > 20) c.name(`answer${++n}`, value.replace('Negotiate ', ''));
      return answer;
    };
    const quiet = async (user, server, method, path, options = {}) =>
      c.http(server, method, path, { ...options, headers: { ...options.headers, ...(await ticket(user)) } });
    for (const [server, path] of Object.entries(paths)) {
      for (const [name, accept] of Object.entries({
        xml: 'application/xml',
        any: '*/*',
        html: 'text/html',
        text: 'text/plain',
        garbage: 'garbage',
        both: 'application/json, text/html',
      }))
        await call(`${server}-accept.${name}`, server, 'GET', path, { accept });
      for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
        for (const accept of [undefined, 'application/json'])
          await call(`${server}-method.${method}.${accept}`, server, method, path, {
            accept,
            cut: 55,
            ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
          });
      for (const [i, authorization] of [
        '',
        'Negotiate',
        'Negotiate ',
        'negotiate Z2FyYmFnZQ==',
        'Negotiate !',
        'Negotiate YQ==',
        'Bearer x',
        'NTLM TlRMTVNTUAAB',
        'Basic',
      ].entries())
        await call(`${server}-authorization.${i}`, server, 'GET', path, { headers: { authorization } });
      for (const [i, query] of [
        '?user.name=',
        '?user.name',
        '?delegation=',
        '?delegation',
        '?delegation=x',
        '?doAs=ann',
        '?op=x',
        '?user.name=ann&doAs=bob',
      ].entries())
        await call(`${server}-query.${i}`, server, 'GET', `${path}${query}`);
      const { headers } = await quiet('ann', server, 'GET', path);
      const cookie = headers['set-cookie']?.[0].split(';')[0];
      await call(`${server}-ticket-xml`, server, 'GET', path, { as: 'ann', accept: 'application/xml' });
      await call(`${server}-ticket-name`, server, 'GET', `${path}?user.name=bob`, { as: 'ann' });
      await call(`${server}-ticket-blank-name`, server, 'GET', `${path}?user.name=`, { as: 'ann' });
      await call(`${server}-ticket-absent`, server, 'GET', `${path}/x/y/z`, { as: 'ann', cut: 20 });
      await call(`${server}-ticket-bad-cookie`, server, 'GET', path, { as: 'ann', headers: { cookie: 'hadoop.auth=x' } });
      await call(`${server}-ticket-token`, server, 'GET', `${path}?delegation=x`, { as: 'ann' });
      if (!cookie) continue;
      c.name(`${server}.cookie`, cookie);
      for (const [i, each] of [
        cookie.replace('u=ann', 'u=eve'),
        cookie.replace('t=kerberos', 't=simple'),
        cookie.replace(/&s=[^"]*/, ''),
        'hadoop.auth=',
        'hadoop.auth="u=ann&p=ann&t=simple&e=9999999999999&s=x"',
      ].entries())
        await call(`${server}-cookie.${i}`, server, 'GET', path, { headers: { cookie: each } });
      await call(`${server}-cookie-bad-ticket`, server, 'GET', path, { headers: { cookie, authorization: 'Negotiate Z2FyYmFnZQ==' } });
      await call(`${server}-cookie-name`, server, 'GET', `${path}?user.name=bob`, { headers: { cookie } });
      await call(`${server}-cookie-token`, server, 'GET', `${path}?delegation=x`, { headers: { cookie } });
      await call(`${server}-cookie-do-as`, server, 'GET', `${path}?doAs=bob`, { headers: { cookie } });
    }
    const D = `${RM}/delegation-token`;
    for (const [i, [body, type]] of [
      ['{"renewer":""}'],
      ['{"renewer":1}'],
      ['{"renewer":null}'],
      ['{"renewer":"bob@EXAMPLE.TEST"}'],
      ['{"renewer":"rm/localhost@EXAMPLE.TEST"}'],
      ['{'],
      ['[]'],
      ['null'],
      ['{"token":"x"}'],
      ['<delegation-token/>', 'application/xml'],
      ['<', 'application/xml'],
      ['<other/>', 'application/xml'],
      ['x', 'text/plain'],
    ].entries()) {
      await call(`token-body.${i}`, 'rm', 'POST', D, { as: 'ann', body, headers: { 'content-type': type ?? 'application/json' } });
      await call(`token-body-xml.${i}`, 'rm', 'POST', D, {
        as: 'ann',
        body,
        accept: 'application/xml',
        headers: { 'content-type': type ?? 'application/json' },
      });
    }
    const fresh = async (user = 'ann', renewer = 'bob') =>
      c.name(`token${++n}`, (await quiet(user, 'rm', 'POST', D, { body: { renewer } })).json.token);
    const t = await fresh();
    for (const method of ['GET', 'PUT', 'HEAD', 'OPTIONS', 'PATCH'])
      await call(`token-method.${method}`, 'rm', method, D, {
        as: 'ann',
        cut: 55,
        accept: 'application/json',
        ...(method === 'PUT' ? { body: {} } : {}),
      });
    for (const [i, text] of [
      '',
      ' ',
      'x',
      t.slice(0, -4),
      `${t}AAAA`,
      `${t.slice(0, 30)}${t[30] === 'A' ? 'B' : 'A'}${t.slice(31)}`,
    ].entries()) {
      await call(`renew.${i}`, 'rm', 'POST', `${D}/expiration`, { as: 'bob', headers: { [HEADER]: text } });
      await call(`cancel.${i}`, 'rm', 'DELETE', D, { as: 'bob', headers: { [HEADER]: text }, accept: 'application/xml' });
      await call(`use.${i}`, 'rm', 'GET', `${RM}/scheduler-overview?delegation=${encodeURIComponent(text)}`);
      await call(`use-header.${i}`, 'rm', 'GET', `${RM}/scheduler-overview`, { headers: { 'x-hadoop-delegation-token': text } });
    }
    await call('use-do-as', 'rm', 'POST', `${RM}/apps/new-application?delegation=${t}&doAs=bob`);
    await call('use-xml', 'rm', 'GET', `${RM}/scheduler-overview?delegation=${t}`, { accept: 'application/xml' });
    await call('use-cancel', 'rm', 'DELETE', `${D}?delegation=${t}`, { headers: { [HEADER]: t } });
    for (const [i, [as, target]] of [
      ['proxy', 'bob'],
      ['proxy', ''],
      ['proxy', 'proxy'],
      ['proxy', 'ann@EXAMPLE.TEST'],
      ['ann', 'ann'],
      ['root', 'ann'],
      ['proxy', 'root'],
    ].entries())
      for (const [server, method, path] of [
        ['rm', 'POST', `${RM}/apps/new-application`],
        ['rm', 'GET', `${RM}/scheduler-overview`],
        ['ats', 'GET', '/ws/v1/timeline/none'],
        ['nm', 'GET', '/ws/v1/node/apps'],
      ])
        await call(`proxy.${i}.${server}.${method}`, server, method, `${path}?doAs=${encodeURIComponent(target)}`, { as });
    const op = (id, method, query, options) => call(`timeline-${id}`, 'ats', method, `/ws/v1/timeline/?${query}`, options);
    for (const [i, query] of [
      'op=GETDELEGATIONTOKEN',
      'op=getdelegationtoken&renewer=',
      'op=GETDELEGATIONTOKEN&renewer=bob@EXAMPLE.TEST',
      'op=GETDELEGATIONTOKEN&renewer=bob&doAs=eve',
      'op=GETDELEGATIONTOKEN&renewer=bob&delegation=x',
      'op=RENEWDELEGATIONTOKEN&token=x',
      'op=LISTSTATUS',
    ].entries()) {
      await op(`get.${i}`, 'GET', query, {
        as: 'ann',
        loose: [
          'message',
          'timeline-service-version',
          'timeline-service-build-version',
          'timeline-service-version-built-on',
          'hadoop-version',
          'hadoop-build-version',
          'hadoop-version-built-on',
        ],
      });
      await op(`get-nobody.${i}`, 'GET', query);
      await op(`put.${i}`, 'PUT', query, { as: 'ann' });
    }
    const u = c.name(
      'timeline',
      (await quiet('ann', 'ats', 'GET', '/ws/v1/timeline/?op=GETDELEGATIONTOKEN&renewer=bob')).json.Token.urlString,
    );
    await op('renew-owner', 'PUT', `op=RENEWDELEGATIONTOKEN&token=${u}`, { as: 'ann' });
    await op('renew-cut', 'PUT', `op=RENEWDELEGATIONTOKEN&token=${u.slice(0, -4)}`, { as: 'bob' });
    await call('timeline-use-do-as', 'ats', 'GET', `/ws/v1/timeline/none?delegation=${u}&doAs=bob`);
    await call('timeline-use-xml', 'ats', 'GET', `/ws/v1/applicationhistory/apps?delegation=${u}`, { accept: 'application/xml' });
    await call('timeline-use-nm', 'nm', 'GET', `/ws/v1/node/apps?delegation=${u}`);
    await call('timeline-use-jhs', 'jhs', 'GET', `/ws/v1/history/mapreduce/jobs?delegation=${u}`);
  },
};
