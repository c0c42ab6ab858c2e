// Formats over many routes of every server: what each makes of Accept, of content types, of encodings, of methods, and of addresses in odd forms.
const accepts = [
  'application/json',
  'application/xml',
  '*/*',
  '*',
  '*/json',
  'application/*',
  'application/*;q=0.1',
  'application/xml;q=0.5, application/json;q=0.5',
  'application/json;q=0.5, application/xml;q=0.5',
  'application/xml;q=0.501, application/json;q=0.502',
  'application/json;q=0, */*',
  'application/xml;q=0, */*',
  'application/json;q=0',
  'application/json;q=1.5, application/xml',
  'application/json;q=x, application/xml',
  'application/json;q=-1, application/xml',
  'application/json; q=0.2 , application/xml ; q=0.3',
  'application/json;charset=utf-8;q=0.1, application/xml;q=0.2',
  'application/json;charset=iso-8859-1',
  'application/xml;charset=utf-16',
  'application/json;version=1',
  'APPLICATION/JSON',
  'application/Xml',
  'application/json,',
  ',application/xml',
  ', ,application/xml',
  'application/json;',
  'application/json application/xml',
  'application /json',
  'text/xml',
  'text/xml, application/json;q=0.1',
  'text/xml, application/xml;q=0.1',
  'text/html, application/json;q=0.1',
  'text/html, */*;q=0.1',
  'text/plain, application/xml',
  'text/plain;q=0.9, application/json;q=0.9',
  'text/*, application/json;q=0.1',
  'image/png',
  'application/json+x',
  'application/hal+json',
  'application/vnd.sun.wadl+xml',
  'application/x-javascript',
  'application/octet-stream',
  'application/json/x',
  '/',
  'application/',
  '/json',
  'application',
  '"application/json"',
  ' ',
  'application/json\t',
];
const few = [
  undefined,
  ...accepts.slice(0, 3),
  'application/*',
  'text/html',
  'text/plain',
  'text/xml',
  'text/*',
  'garbage',
  'application/xml, application/json',
  'application/json;q=0.1, application/xml',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
];
const C = '/ws/v1/cluster';
const N = '/ws/v1/node';
const H = '/ws/v1/history';
const T = '/ws/v1/timeline';
const A = '/ws/v1/applicationhistory';
const R = '/ws/v2/timeline';
const routes = {
  rm: [
    `${C}/scheduler-overview`,
    `${C}/appstatistics`,
    `${C}/apps`,
    `${C}/apps?limit=x`,
    `${C}/apps?states=x`,
    `${C}/apps/application_1_0001`,
    `${C}/apps/x`,
    `${C}/apps/application_1_0001/state`,
    `${C}/apps/application_1_0001/queue`,
    `${C}/apps/application_1_0001/priority`,
    `${C}/apps/application_1_0001/timeouts`,
    `${C}/apps/application_1_0001/timeouts/LIFETIME`,
    `${C}/apps/application_1_0001/appattempts`,
    `${C}/apps/application_1_0001/appattempts/appattempt_1_0001_000001/containers`,
    `${C}/nodes?states=LOST`,
    `${C}/nodes/x:1`,
    `${C}/nodes?states=x`,
    `${C}/get-node-labels`,
    `${C}/get-node-to-labels`,
    `${C}/label-mappings`,
    `${C}/scheduler-conf/version`,
    `${C}/scheduler-conf/format`,
    `${C}/reservation/list`,
    `${C}/reservation/list?queue=default`,
    `${C}/scheduler/app-activities/application_1_0001`,
    `${C}/queues/root.default/access?user=a`,
    `${C}/nothing`,
    C,
    '/proxy/application_1_0001/',
    '/isActive',
  ],
  nm: [
    `${N}/apps`,
    `${N}/apps/application_1_0001`,
    `${N}/apps/x`,
    `${N}/apps?state=x`,
    `${N}/containers`,
    `${N}/containers/x`,
    `${N}/containers/container_1_0001_01_000001`,
    `${N}/containers/container_1_0001_01_000001/logs`,
    `${N}/containers/container_1_0001_01_000001/logs/stdout`,
    `${N}/containerlogs/container_1_0001_01_000001/stdout`,
    `${N}/auxiliaryservices`,
    `${N}/resources/x`,
    `${N}/nothing`,
  ],
  jhs: [
    `${H}/mapreduce/jobs`,
    `${H}/mapreduce/jobs?limit=x`,
    `${H}/mapreduce/jobs/job_1_0001`,
    `${H}/mapreduce/jobs/x`,
    `${H}/mapreduce/jobs/job_1_0001/tasks`,
    `${H}/mapreduce/jobs/job_1_0001/counters`,
    `${H}/mapreduce/jobs/job_1_0001/conf`,
    `${H}/mapreduce/jobs/job_1_0001/jobattempts`,
    `${H}/mapreduce/jobs/job_1_0001/tasks/task_1_0001_m_000000/attempts`,
    `${H}/containerlogs/container_1_0001_01_000001/stdout`,
    `${H}/aggregatedlogs`,
    `${H}/nothing`,
  ],
  ats: [
    `${T}/none`,
    `${T}/none?limit=x`,
    `${T}/none/x`,
    `${T}/none/events?entityId=x`,
    `${T}/domain`,
    `${T}/domain/x`,
    `${A}/apps`,
    `${A}/apps?limit=x`,
    `${A}/apps/application_1_0001`,
    `${A}/apps/x`,
    `${A}/apps/application_1_0001/appattempts`,
    `${A}/apps/application_1_0001/appattempts/appattempt_1_0001_000001`,
    `${A}/containers/container_1_0001_01_000001/logs`,
    `${A}/containerlogs/container_1_0001_01_000001/stdout`,
    `${A}/nothing`,
  ],
  reader: [
    `${R}/health`,
    `${R}/apps/application_1_0001`,
    `${R}/apps/x`,
    `${R}/clusters/c/apps/application_1_0001/entities/X`,
    `${R}/clusters/c/apps/application_1_0001/entities/X?limit=x`,
    `${R}/clusters/c/apps/application_1_0001/entities/X/y`,
    `${R}/apps/application_1_0001/entity-types`,
    `${R}/run-uid/x`,
    `${R}/nothing`,
  ],
};
const versions = [
  'timeline-service-version',
  'timeline-service-build-version',
  'timeline-service-version-built-on',
  'hadoop-version',
  'hadoop-build-version',
  'hadoop-version-built-on',
  'message',
  'id',
  'lastNodeUpdateTime',
  'totalVmemAllocatedContainersMB',
  'nmStartupTime',
];
const keys = { cut: 20_000, loose: versions, pick: (j) => (j.RemoteException || j.exception ? j : Object.keys(j)) };
const bodies = [
  ['POST', `${C}/apps/new-application`, ''],
  ['POST', `${C}/apps`, '{}'],
  ['PUT', `${C}/apps/application_1_0001/state`, '{"state":"KILLED"}'],
  ['PUT', `${C}/apps/application_1_0001/queue`, '{"queue":"default"}'],
  ['PUT', `${C}/apps/application_1_0001/priority`, '{"priority":1}'],
  ['PUT', `${C}/apps/application_1_0001/timeout`, '{"timeout":{"type":"LIFETIME","expiryTime":"2099-01-01T00:00:00.000+0000"}}'],
  ['POST', `${C}/reservation/new-reservation`, ''],
  ['POST', `${C}/reservation/submit`, '{}'],
  ['POST', `${C}/reservation/update`, '{}'],
  ['POST', `${C}/reservation/delete`, '{}'],
  ['PUT', `${C}/scheduler-conf`, '{}'],
  ['POST', `${C}/scheduler-conf/validate`, '{}'],
  ['POST', `${C}/add-node-labels`, '{}'],
  ['POST', `${C}/remove-node-labels`, ''],
  ['POST', `${C}/replace-node-to-labels`, '{}'],
  ['POST', `${C}/nodes/x:1/replace-labels`, ''],
  ['POST', `${C}/nodes/x:1/resource`, '{}'],
  ['POST', `${C}/delegation-token`, '{}'],
  ['POST', `${C}/delegation-token/expiration`, ''],
  ['POST', `${C}/scheduler/logs`, 'time=x'],
  ['POST', `${C}/containers/container_1_0001_01_000001/signal/GRACEFUL_SHUTDOWN`, ''],
];
const types = [
  undefined,
  'application/json',
  'application/json;charset=utf-8',
  'APPLICATION/JSON',
  'application/xml',
  'text/xml',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data;boundary=x',
  'application/octet-stream',
  'application/*',
  'application/json+x',
  '',
];

export default {
  name: 'formats-more',
  cluster: 'timeline',
  about: 'Accept, content types, encodings, methods and addresses over many routes of all servers',
  async run(c) {
    c.mask(/WebServlet-[0-9a-f]+/g, 'WebServlet-{n}');
    c.mask(/SERVLET:(<\/th><td>)?[^<\n]*/g, 'SERVLET:$1{servlet}');
    c.mask(/"servlet":"[^"]*"/g, '"servlet":"{servlet}"');
    c.mask(/(application|reservation)_\d{10,}_\d+/g, '$1_N');
    const firsts = {
      rm: [`${C}/scheduler-overview`, `${C}/apps/x`, `${C}/nothing`],
      nm: [`${N}/apps`, `${N}/apps/x`],
      jhs: [`${H}/mapreduce/jobs`, `${H}/mapreduce/jobs/x`],
      ats: [`${T}/none`, `${T}/domain/x`, `${A}/apps`],
      reader: [`${R}/health`, `${R}/apps/x`],
    };
    for (const [server, paths] of Object.entries(firsts))
      for (const [p, path] of paths.entries())
        for (const [n, accept] of accepts.entries()) await c.record(`all.${server}.${p}.${n}`, server, 'GET', path, { accept, ...keys });
    for (const [server, paths] of Object.entries(routes))
      for (const [p, path] of paths.entries()) {
        for (const [n, accept] of few.entries())
          await c.record(`few.${server}.${p}.${n}`, server, 'GET', path, { accept, user: 'ann', ...keys });
        for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE'])
          for (const accept of [undefined, 'application/json', 'application/xml', 'text/html'])
            await c.record(`method.${server}.${p}.${method}.${accept}`, server, method, path, {
              accept,
              user: 'ann',
              cut: method === 'OPTIONS' ? 55 : 20_000,
              loose: versions,
              ...(method === 'POST' || method === 'PUT' ? { body: '{}' } : {}),
            });
      }
    for (const [server, paths] of Object.entries(firsts)) {
      const [path] = paths;
      for (const [n, accept] of accepts.entries()) await c.record(`options.${server}.${n}`, server, 'OPTIONS', path, { accept, cut: 55 });
      for (const [n, encoding] of [
        'gzip',
        'GZIP',
        'x-gzip',
        'deflate',
        'br',
        'identity',
        '*',
        'gzip;q=0',
        'gzip;q=0.1',
        'identity, gzip',
        'gzip, deflate, br',
        'gzip;q=0, *',
        '',
      ].entries())
        await c.record(`encoding.${server}.${n}`, server, 'GET', path, { headers: { 'accept-encoding': encoding }, ...keys });
      for (const [n, header] of [
        { 'accept-language': 'de' },
        { 'accept-charset': 'utf-16' },
        { 'if-none-match': '*' },
        { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
        { range: 'bytes=0-1' },
        { 'x-http-method-override': 'DELETE' },
        { expect: '200-ok' },
        { 'content-type': 'garbage' },
        { 'content-type': 'application/xml' },
      ].entries())
        await c.record(`header.${server}.${n}`, server, 'GET', path, { headers: header, ...keys });
      const last = path.split('/').at(-1);
      for (const [n, other] of [
        `${path}/`,
        `${path}//`,
        path.replace('/ws/', '//ws/'),
        path.replace('/v1/', '//v1/').replace('/v2/', '//v2/'),
        `${path};a=b`,
        path.replace(`/${last}`, `;a=b/${last}`),
        `${path}.json`,
        `${path}.xml`,
        `${path}%20`,
        `${path}%2F`,
        `${path}?`,
        `${path}?&`,
        `${path}?=`,
        `${path}?a`,
        `${path}?a=%zz`,
        `${path}?a=%00`,
        `${path}?a=b;c=d`,
        path.toUpperCase(),
        path.replace('ws', 'WS'),
        path.replace(last, `%${last.charCodeAt(0).toString(16)}${last.slice(1)}`),
        `${path}/.`,
        `${path}/..`,
        `${path}/../${last}`,
        `/./${path.slice(1)}`,
        `${path}%00`,
        `${path}/%2e%2e/${last}`,
        `${path}\\x`,
        `${path}/ü`,
        `${path}#x`,
      ].entries()) {
        await c.record(`address.${server}.${n}`, server, 'GET', other, { ...keys, cut: 60 });
        await c.record(`address-json.${server}.${n}`, server, 'GET', other, { accept: 'application/json', ...keys, cut: 60 });
      }
    }
    for (const [b, [method, path, body]] of bodies.entries()) {
      for (const [n, type] of types.entries())
        await c.record(`type.${b}.${n}`, 'rm', method, path, {
          user: 'ann',
          body,
          ...(type === undefined ? { headers: { 'content-type': '' } } : { headers: { 'content-type': type } }),
          ...keys,
          pick: undefined,
          loose: [...versions, 'application-id', 'reservation-id'],
        });
      for (const [n, accept] of few.entries())
        await c.record(`body-accept.${b}.${n}`, 'rm', method, path, {
          user: 'ann',
          body,
          accept,
          headers: { 'content-type': path.endsWith('/logs') ? 'application/x-www-form-urlencoded' : 'application/json' },
          ...keys,
          pick: undefined,
          loose: [...versions, 'application-id', 'reservation-id'],
        });
    }
    for (const [b, [method, path, body]] of [
      ['POST', T, '{}'],
      ['PUT', `${T}/domain`, '{"id":"formats"}'],
    ].entries())
      for (const [n, type] of types.entries())
        await c.record(`ats-type.${b}.${n}`, 'ats', method, path, {
          user: 'ann',
          body,
          headers: { 'content-type': type ?? '' },
          ...keys,
          pick: undefined,
        });
  },
};
