// The web proxy before applications in every state: paths, encodings, queries, methods, bodies, cookies, headers.
import { writeFileSync } from 'node:fs';
import { batch, clear, common, finished, folder, HISTORY, kill, number, RM, recorded, shell } from '../kit-batch.mjs';

const rests = [
  '',
  '/',
  '//',
  '/a',
  '/a/',
  '/a//b',
  '//a',
  '/a%20b',
  '/a+b',
  '/a%2Fb',
  '/a%252Fb',
  '/a%3Fb',
  '/a%23b',
  '/a%26b',
  '/a%3Bb',
  '/a;b=c',
  '/a;b=c/d',
  ';a=b',
  '/%C3%BC',
  '/%E4',
  '/%3Cb%3E',
  '/%22x%22',
  '/./a',
  '/../a',
  '/a/../b',
  '/%2E%2E/a',
  '/a%5Cb',
  '/a%7Cb',
  '/a:b@c',
  '/a%0Ab',
  '/a=b&c',
  "/a'(b)*!~",
  '?',
  '?a',
  '?a=',
  '?=b',
  '?&',
  '?a=b&a=c',
  '?a=b&&c=d',
  '?a=%20b',
  '?a=+b',
  '?a=%2Bb',
  '?a=%26b',
  '?a=%3Db',
  '?a=b=c',
  '?a=%C3%BC',
  '?a=%E4',
  '?a=%3Cb%3E',
  '?a=%22',
  '?a=b;c=d',
  '?a%20b=c',
  '?a=b%23c',
  '?a=%zz',
  '?a=http://x.example/y?z',
  '?proxyapproved=true',
  '?proxyapproved=false',
  '?proxyapproved',
  '?a=b&proxyapproved=true&c=d',
  '?doAs=ada',
  '?user.name=root&a=b',
  '/a?b=c/d',
  '/a?b=c?d',
  '/a%20b?c%20d=e%20f',
];
export default {
  name: 'web-proxy-more',
  cluster: 'batch',
  about: 'the proxy: paths, queries, methods, bodies, cookies',
  async run(c) {
    common(c);
    c.mask(/streamjob\d+/g, 'streamjob{number}');
    c.mask(/WebServlet-[0-9a-f]+/g, 'WebServlet-{hash}');
    await clear(c);
    const get = (id, path, options = {}) => c.record(id, 'rm', 'GET', path, { cut: 3000, ...options });
    const none = 'application_1700000000000_0001';
    for (const [n, path] of [
      '/PROXY/',
      '/Proxy/application_1700000000000_0001',
      '/proxy;a=b',
      '/proxy?a=b',
      '/proxy/?a=b',
      '/proxy//',
      '/proxy/.',
      '/proxy/..',
      '/proxy/../ws/v1/cluster/nothing',
      '/proxy/%20',
      '/proxy/application',
      '/proxy/application_',
      '/proxy/application__',
      '/proxy/application_1',
      '/proxy/application_1_',
      '/proxy/application__1',
      '/proxy/application_-1_1',
      '/proxy/application_1_-1',
      '/proxy/application_+1_1',
      '/proxy/application_1_99999999999',
      '/proxy/application_99999999999999999999_1',
      '/proxy/application_1_1_1_1',
      '/proxy/APPLICATION_1_1',
      '/proxy/application_1_1%20',
      '/proxy/%20application_1_1',
      '/proxy/application%5F1%5F1',
      '/proxy/application_1_1;a=b',
      '/proxy/application_1_1;a=b/c',
      '/proxy/application_1_%C3%BC',
      '/proxy/application_1_%3Cb%3E',
      '/proxy/%3Cb%3E',
      '/proxy/application_1_1%2Fa',
      '/proxy/appattempt_1_0001_000001',
      '/proxy/container_1_0001_01_000001',
      '/proxy/redirect/application_1_1',
      '/proxy/redirect/application_1_1/',
      '/proxy/redirect//application_1_1',
      '/proxy/redirect/redirect/application_1_1',
      '/proxy/redirect/application_1',
      '/proxy/redirect/application_x_1',
      '/proxy/redirect/application_1_x/a',
      '/proxy/redirect;a=b/application_1_1',
      '/proxy/redirect?a=b',
      '/proxy/redirectapplication_1_1',
      '/proxy/Redirect/application_1_1',
      '/proxy/redirect/%20',
      '/proxy/redirect/../application_1_1',
      '/proxyx/application_1_1',
      '/ws/v1/proxy/application_1_1',
      '/cluster/failure/application_1_1',
      '/cluster/failure/x',
      '/cluster/failure',
      '/cluster/app/application_1_1',
    ].entries()) {
      await get(`path.${n}`, path, path.startsWith('/cluster') ? { cut: 15 } : {});
      await get(`path.${n}.json`, path, { accept: 'application/json', cut: path.startsWith('/cluster') ? 15 : 3000 });
    }
    for (const [n, accept] of [
      'application/json',
      'application/xml',
      'text/plain',
      'text/html',
      '*/*',
      'image/png',
      'garbage',
      'application/json;q=0.1,text/html;q=0',
    ].entries())
      for (const path of [`/proxy/${none}`, '/proxy', '/proxy/x', '/proxy/redirect/application_1_1'])
        await get(`accept.${n}.${path.slice(1).replaceAll('/', '-')}`, path, { accept });
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'])
      for (const path of [
        '/proxy',
        '/proxy/',
        '/proxy/x',
        `/proxy/${none}`,
        `/proxy/${none}/a?b=c`,
        '/proxy/redirect',
        '/proxy/redirect/application_1_1',
      ])
        await c.record(`${method}.${path.slice(1).replaceAll('/', '-')}`, 'rm', method, path, {
          ...(['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {}),
          accept: 'application/json',
          cut: 3000,
        });
    await get('user', `/proxy/${none}`, { user: 'ada' });
    await get('user-twice', `/proxy/${none}?user.name=ada&user.name=bob`);
    await get('cookie', `/proxy/${none}`, { headers: { cookie: 'hadoop.auth=x; a=b' } });
    await get('origin', `/proxy/${none}`, { headers: { origin: 'http://x.example' } });

    // applications whose masters have no page
    const app = await shell(c, 'app1', 'sleep 300');
    await c.until('the container runs', async () => (await c.http('nm', 'GET', `/ws/v1/node/apps/${app}`)).json?.app?.state === 'RUNNING');
    const all = async (name, id) => {
      for (const [n, rest] of rests.entries()) await get(`${name}.${n}`, `/proxy/${id}${rest}`);
      for (const [n, rest] of ['', '/', '/a?b=c', ';a=b', '/a%2Fb'].entries()) {
        await get(`${name}.redirect.${n}`, `/proxy/redirect/${id}${rest}`);
        await get(`${name}.short.${n}`, `/proxy/application_${number(id).replace(/_0+/, '_')}${rest}`);
        await get(`${name}.longer.${n}`, `/proxy/${id}_x${rest}`);
        await get(`${name}.user.${n}`, `/proxy/${id}${rest}`, { user: 'ada' });
        await get(`${name}.json.${n}`, `/proxy/${id}${rest}`, { accept: 'application/json' });
        await get(`${name}.xml.${n}`, `/proxy/${id}${rest}`, { accept: 'application/xml' });
        for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'])
          await c.record(`${name}.${method}.${n}`, 'rm', method, `/proxy/${id}${rest}`, {
            ...(['POST', 'PUT', 'PATCH'].includes(method) ? { body: 'x', headers: { 'content-type': 'text/plain' } } : {}),
            cut: 3000,
          });
      }
      await get(`${name}.gzip`, `/proxy/${id}/`, { headers: { 'accept-encoding': 'gzip' } });
    };
    await all('unregistered', app);
    await kill(c, app);
    await c.appIn(app, 'KILLED');
    await all('killed', app);
    const failed = await shell(c, 'app2', 'exit 4');
    await c.appIn(failed, 'FAILED');
    await all('failed', failed);
    const refused = await shell(c, 'app3', 'exit 4', { queue: 'nowhere' });
    await c.appIn(refused, 'FAILED');
    await all('refused', refused);
    const own = await shell(c, 'app4', 'true', { 'unmanaged-AM': true });
    await c.sleep(1500);
    await all('unmanaged', own);
    await kill(c, own);
    await c.appIn(own, 'KILLED');
    await all('unmanaged-killed', own);

    // a master with a page
    const home = folder(c, 'home', { 'a.txt': 'one two\n' });
    const job = await batch(
      c,
      'job1',
      'streaming',
      `${home}/in`,
      `${home}/out`,
      `bash -c 'while [ ! -e ${home}/go ]; do sleep 0.2; done; exec cat'`,
      'NONE',
      '-Dmapreduce.job.name=case',
      '-Dmapreduce.job.maps=1',
      '-Dmapreduce.map.speculative=false',
    );
    const am = job.proxy;
    await c.until(
      'the map runs',
      async () =>
        (await c.http('rm', 'GET', `${am}/jobs/${job.job}/tasks/${job.task('m', 0)}/attempts/${job.attempt('m', 0)}`)).json?.taskAttempt
          ?.state === 'RUNNING',
      180,
    );
    const loose = ['progress', 'mapProgress', 'elapsedTime'];
    const page = (path) => (/\/ws\/v1\/mapreduce|^\/(a|%)/.test(path) ? {} : { cut: 15 });
    for (const [n, rest] of rests.entries()) await get(`running.${n}`, `/proxy/${job.app}${rest}`, page(rest));
    for (const [n, rest] of rests.entries())
      await get(`running-info.${n}`, `/proxy/${job.app}/ws/v1/mapreduce/info${rest}`, { loose, cut: 15 });
    for (const [n, path] of [
      '/ws/v1/mapreduce',
      '/ws/v1/mapreduce/',
      '/ws/v1/mapreduce/info',
      '/ws/v1/mapreduce//info',
      '//ws/v1/mapreduce/info',
      '/ws/v1/%6Dapreduce/info',
      '/ws/v1/mapreduce/info%20',
      '/ws/v1/mapreduce/../mapreduce/info',
      '/ws/v1/mapreduce/jobs',
      `/ws/v1/mapreduce/jobs/${job.job}`,
      '/ws/v1/mapreduce/jobs/job_1_1',
      '/ws/v1/mapreduce/jobs/x',
      '/ws/v1/mapreduce/nothing',
      '/ws/v1/cluster/info',
      '/conf?name=mapreduce.job.name',
      '/jmx?qry=Hadoop:service=MRAppMaster,name=x',
      '/stacks',
      '/logs/',
      '/static/x',
      '/isActive',
      '/mapreduce',
      '/mapreduce/',
      '/mapreduce/app',
      '/mapreduce/nothing',
      '/',
      '/nothing',
    ].entries())
      for (const accept of [undefined, 'application/json', 'application/xml', 'text/html'])
        await get(`master.${n}.${accept ?? 'none'}`, `/proxy/${job.app}${path}`, {
          ...(accept ? { accept } : {}),
          loose,
          ...(path.startsWith('/ws') ? {} : { cut: 15 }),
        });
    const info = `/proxy/${job.app}/ws/v1/mapreduce/info`;
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'])
      for (const path of [info, `/proxy/${job.app}/`, `/proxy/${job.app}/nothing`])
        await c.record(`master.${method}${path.slice(7).replace(job.app, 'app').replaceAll('/', '-')}`, 'rm', method, path, {
          ...(['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {}),
          cut: 15,
        });
    for (const [n, headers] of [
      { 'accept-encoding': 'gzip' },
      { 'accept-encoding': 'deflate' },
      { 'accept-encoding': 'identity;q=0' },
      { 'accept-language': 'de' },
      { 'user-agent': 'Mozilla/5.0' },
      { cookie: 'a=b; proxy-user=eve' },
      { 'x-forwarded-for': '1.2.3.4' },
      { origin: 'http://x.example' },
      { authorization: 'Basic YWRhOmE=' },
      { 'if-none-match': '*' },
      { range: 'bytes=0-3' },
      { connection: 'close' },
      { 'content-type': 'text/plain' },
    ].entries()) {
      await get(`header.${n}`, info, { headers, loose });
      await get(`header-page.${n}`, `/proxy/${job.app}/`, { headers, cut: 15 });
    }
    for (const user of ['ada', 'root', 'dr.who']) {
      await get(`user.${user}`, info, { user, loose });
      await get(`user-job.${user}`, `/proxy/${job.app}/ws/v1/mapreduce/jobs/${job.job}`, { user, loose: [...loose, 'elapsedTime'] });
      await get(`redirect.${user}`, `/proxy/redirect/${job.app}/a?b=c`, { user });
    }
    const state = `/proxy/${job.app}/ws/v1/mapreduce/jobs/${job.job}/tasks/${job.task('m', 0)}/attempts/${job.attempt('m', 0)}/state`;
    for (const [n, [body, type]] of [
      ['{"state":"RUNNING"}', 'application/json'],
      ['{\n"state":\n"RUNNING"}\n', 'application/json'],
      ['{"state":"RUNNING"}', undefined],
      ['{"state":"RUNNING"}', 'text/plain'],
      ['{"state":"ü"}', 'application/json'],
      ['', 'application/json'],
      ['<jobTaskAttemptState><state>RUNNING</state></jobTaskAttemptState>', 'application/xml'],
    ].entries())
      await c.record(`put.${n}`, 'rm', 'PUT', state, { user: 'root', body, headers: type ? { 'content-type': type } : {} });
    writeFileSync(`${home}/go`, '');
    await job.done;
    await recorded(c, job);
    await c.appIn(job.app, 'FINISHED');
    await all('finished', job.app);
    for (const [n, path] of ['/ws/v1/mapreduce/info', `/ws/v1/mapreduce/jobs/${job.job}`, '/mapreduce/app'].entries())
      await get(`finished.path.${n}`, `/proxy/${job.app}${path}`);
    const bad = await finished(
      c,
      'job2',
      'fail',
      `${home}/in`,
      `${home}/none`,
      '-Dmapreduce.map.maxattempts=1',
      '-Dmapreduce.job.name=bad',
    );
    for (const [n, rest] of ['', '/', '/a?b=c'].entries()) await get(`bad.${n}`, `/proxy/${bad.app}${rest}`);
    void HISTORY;
    void RM;
  },
};
