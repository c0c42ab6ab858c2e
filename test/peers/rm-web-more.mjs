// What surrounds the resource manager's interface, in other forms: names of callers, cookies, headers, pages, settings, beans.
import { clear, launched, masks, RM, sleeping, submit } from '../kit-apps.mjs';

export default {
  name: 'rm-web-more',
  cluster: 'capacity',
  about: 'identity, cookies, headers, pages, /conf, /jmx, /logLevel of the resource manager',
  async run(c) {
    masks(c);
    await clear(c);
    c.mask(/AdminAuthorizedServlet-[0-9a-f]+/g, 'AdminAuthorizedServlet-{hash}');
    c.mask(/"id":\d{13}/g, '"id":0'); // the number of this start
    const app = await submit(c, 'app', { ...sleeping(900, 256), 'application-type': 'TEST' }, 'ada');
    await launched(c, app);
    const get = (id, path, options = {}) =>
      c.record(id, 'rm', 'GET', path, { ...(/userinfo/.test(path) ? { loose: ['rmLoginUser'] } : {}), ...options });
    const who = `${RM}/userinfo`;
    for (const [n, query] of [
      'user.name=ada',
      'user.name=%20ada',
      'user.name=ada%20',
      'user.name=%20',
      'user.name=ADA',
      'user.name=a/b@R',
      'user.name=ada@EXAMPLE.TEST',
      'user.name=@',
      'user.name=/',
      'user.name=a@b@c',
      'user.name=%C3%BC',
      'user.name=%E4',
      'user.name=%3Cb%3E',
      'user.name=a%26b',
      'user.name=a,b',
      'user.name=a;b',
      'user.name=a%3Db',
      'user.name=a"b',
      `user.name=${'a'.repeat(300)}`,
      'user.name=&user.name=ada',
      'user.name=ada&user.name=',
      'user.name',
      'User.Name=ada',
      'user.Name=ada',
      'username=ada',
      'user=ada',
      'user.name=dr.who',
      'user.name=null',
      'user.name=root&doAs=',
      'user.name=root&doAs=%20',
      'user.name=root&doAs=root',
      'user.name=root&doAs=ada&doAs=bob',
      'user.name=root&doas=ada',
      'user.name=root&DOAS=ada',
      'user.name=root&doAs=ada@REALM',
      'user.name=root&doAs=%C3%BC',
      'user.name=ada&doAs=ada',
      'user.name=ada&doAs=',
      'doAs=',
      'doAs=dr.who',
      'delegation=',
      'delegation=%20',
      'delegation=abc&user.name=ada',
      'op=GETDELEGATIONTOKEN&user.name=ada&renewer=bob',
      'op=getdelegationtoken&user.name=ada',
      'op=RENEWDELEGATIONTOKEN&user.name=ada',
      'op=RENEWDELEGATIONTOKEN&token=x&user.name=ada',
      'op=CANCELDELEGATIONTOKEN&user.name=ada',
      'op=CANCELDELEGATIONTOKEN&token=x',
      'op=x&user.name=ada',
      'op=&user.name=ada',
    ].entries()) {
      await get(`who.${n}`, `${who}?${query}`, { mask: [[/"urlString":"[^"]*/, '"urlString":"{token}']] });
      if (n % 3 === 0)
        await get(`who.${n}.xml`, `${who}?${query}`, { accept: 'application/xml', mask: [[/"urlString":"[^"]*/, '"urlString":"{token}']] });
    }
    for (const method of ['PUT', 'GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD'])
      for (const op of ['GETDELEGATIONTOKEN', 'RENEWDELEGATIONTOKEN', 'CANCELDELEGATIONTOKEN'])
        for (const user of ['ada', undefined])
          await c.record(`op.${method}.${op}.${user}`, 'rm', method, `${RM}/info?op=${op}${op.startsWith('G') ? '' : '&token=x'}`, {
            user,
            cut: 200_000,
            pick: (j) => (j.clusterInfo ? 'info' : j),
            mask: [[/"urlString":"[^"]*/, '"urlString":"{token}']],
          });
    const { headers } = await c.http('rm', 'GET', who, { user: 'carol' });
    const cookie = headers['set-cookie']?.[0]?.split(';')[0];
    c.name('cookie', cookie?.match(/hadoop\.auth=(.*)/)?.[1]);
    const value = c.value('cookie').replace(/^"|"$/g, '');
    for (const [n, sent] of [
      `hadoop.auth="${value}"`,
      `hadoop.auth=${value}`,
      `a=b; hadoop.auth="${value}"`,
      `hadoop.auth="${value}"; hadoop.auth="x"`,
      `hadoop.auth="x"; hadoop.auth="${value}"`,
      `Hadoop.Auth="${value}"`,
      `hadoop.auth="${value.replace('carol', 'eve')}"`,
      `hadoop.auth="${value.slice(0, -2)}"`,
      `hadoop.auth="${value}x"`,
      `hadoop.auth="${value.replace(/&s=.*/, '')}"`,
      `hadoop.auth="${value.replace(/e=\d+/, 'e=1')}"`,
      'hadoop.auth="u=a&p=a&t=simple-dt&e=1"',
      'hadoop.auth="x"',
      'hadoop.auth=""',
      'hadoop.auth',
      '=',
      ';;',
      'x',
      `hadoop.auth="${value}" `,
    ].entries()) {
      await get(`cookie.${n}`, who, { headers: { cookie: sent } });
      if (n < 13) await get(`cookie-named.${n}`, who, { headers: { cookie: sent }, user: 'dave' });
    }
    await get('cookie-do-as', `${who}?doAs=ada`, { headers: { cookie } });
    for (const [n, sent] of [
      { 'x-hadoop-delegation-token': '' },
      { 'x-hadoop-delegation-token': 'AAAA' },
      { 'X-Hadoop-Delegation-Token': '***' },
      { authorization: 'Basic x' },
      { authorization: 'Negotiate x' },
      { authorization: 'Bearer x' },
      { authorization: '' },
      { 'x-requested-by': 'x' },
      { 'x-xsrf-header': '' },
      { 'user-agent': 'Mozilla/5.0' },
      { 'user-agent': 'curl/8' },
      { 'x-forwarded-for': '9.9.9.9', 'x-forwarded-host': 'x', 'x-forwarded-proto': 'https' },
      { forwarded: 'for=9.9.9.9' },
      { 'if-none-match': '*' },
      { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
      { range: 'bytes=0-3' },
      { expect: 'x' },
      { te: 'trailers' },
      { 'accept-charset': 'iso-8859-1' },
      { 'accept-language': 'de' },
      { 'accept-encoding': 'gzip;q=0' },
      { 'accept-encoding': 'gzip;q=0.5, deflate;q=1' },
      { 'accept-encoding': '*' },
      { 'accept-encoding': 'x-gzip' },
      { 'accept-encoding': 'GZIP' },
      { 'accept-encoding': 'br' },
      { 'content-type': 'application/xml' },
      { 'x-http-method-override': 'DELETE' },
    ].entries()) {
      await get(`header.${n}`, who, { headers: sent });
      await get(`header-named.${n}`, `${RM}/apps?user=nobody-at-all`, { headers: sent, user: 'ada' });
      await get(`header-missing.${n}`, `${RM}/apps/application_2_0001`, { headers: sent, user: 'ada' });
    }
    for (const [n, origin] of ['http://x.example', 'null', '', 'http://127.0.0.1:8088', 'http://localhost:8088', 'x'].entries()) {
      await get(`origin.${n}`, who, { headers: { origin } });
      await c.record(`preflight.${n}`, 'rm', 'OPTIONS', `${RM}/apps`, {
        headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x' },
        cut: 60,
      });
    }

    // pages: which there are, where they lead, in which form they refuse
    const pages = [
      '/',
      '/index.html',
      '/cluster',
      '/cluster/',
      '/cluster/cluster',
      '/cluster/about',
      '/cluster/apps',
      '/cluster/apps/',
      '/cluster/apps/RUNNING',
      '/cluster/apps/ACCEPTED,RUNNING',
      '/cluster/apps/x',
      '/cluster/nodes',
      '/cluster/nodes/lost',
      '/cluster/nodes/x',
      '/cluster/nodelabels',
      '/cluster/scheduler',
      '/cluster/scheduler?openQueues=x',
      '/cluster/queue/default',
      '/cluster/app',
      '/cluster/app/',
      '/cluster/app/application_2_0001',
      '/cluster/app/application_x',
      `/cluster/app/${app}`,
      `/cluster/app/${app}/`,
      `/cluster/app/${app}/more`,
      `/cluster/appattempt/${app.replace('application', 'appattempt')}_000001`,
      '/cluster/appattempt/appattempt_1_0001_000001',
      '/cluster/appattempt/x',
      '/cluster/appattempt',
      `/cluster/container/${app.replace('application', 'container')}_01_000001`,
      '/cluster/container/x',
      '/cluster/container',
      '/cluster/failure/application_2_0001',
      '/cluster/redirect',
      '/cluster/errors-and-warnings',
      '/cluster/killapp',
      '/cluster/killapp/x',
      '/cluster/login',
      '/cluster/nothing',
      '/cluster//apps',
      '/cluster/Apps',
      '/ui2',
      '/ui2/',
      '/ui2/index.html',
      '/ui2/nothing',
      '/static',
      '/static/',
      '/static/nothing',
      '/static/yarn.css',
      '/static/../ws/v1/cluster/info',
      '/logs',
      '/logs/',
      '/logs/nothing',
      '/stacks',
      '/stacks/',
      '/logLevel',
      '/prof',
      '/prom',
      '/conf/',
      '/jmx/',
      '/isActive',
      '/isActive/',
      '/isActive/x',
      '/isactive',
      '/ws',
      '/ws/',
      '/ws/v1',
      '/ws/v1/cluster/',
      '/ws/v1/clusterx',
      '/ws/v1/timeline',
      '/ws/v1/history',
      '/ws/v2',
      '/ws/v1/cluster/application.wadl',
      '/application.wadl',
      '/app/v1/services',
      '/app/v1/services/version',
      '/favicon.ico',
      '/robots.txt',
      '/webhdfs/v1',
      '/nothing/at/all',
      '/%00',
      '/%zz',
      '/a%2Fb',
      '/..',
      '//',
      '///cluster',
      '/;a=b',
      '/cluster;a=b',
    ];
    const name = (path) => path.replace(app, 'app').replace(app.slice(12), 'n').replaceAll('/', '-');
    for (const path of pages) {
      for (const [n, accept] of [undefined, 'application/json', 'application/xml', 'text/html', 'text/plain'].entries())
        await get(`page.${n}.${name(path)}`, path, {
          ...(accept ? { accept } : {}),
          cut: /wadl/.test(path) ? 30 : 15,
          user: n % 2 ? 'root' : undefined,
          ...(/cluster\/info/.test(path) ? { pick: Object.keys } : {}),
        });
      // Pages are read; what changing methods do to them nobody asks.
      const methods = /^\/(cluster|logs|static|robots|app|[;./]|$)/.test(path)
        ? ['HEAD', 'OPTIONS']
        : ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
      for (const method of methods)
        await c.record(`page.${method}.${name(path)}`, 'rm', method, path, {
          cut: 15,
          ...(/^P/.test(method) ? { body: 'x', headers: { 'content-type': 'text/plain' } } : {}),
        });
    }
    // settings
    const one = 'yarn.resourcemanager.am.max-attempts';
    for (const [n, query] of [
      `name=${one}`,
      `name=${one}&name=x`,
      `name=x&name=${one}`,
      `name=%20${one}`,
      `name=${one}%20`,
      `Name=${one}`,
      'name',
      'name=%20',
      'name=*',
      'name=%3Cb%3E',
      'name=ü',
      `name=${one}&format=xml`,
      `format=xml&name=${one}`,
      'name=yarn.resourcemanager.scheduler.class',
      'name=yarn.acl.enable',
      'name=yarn.admin.acl',
      'name=yarn.cluster.max-application-priority',
      'name=hadoop.http.staticuser.user',
      'name=yarn.nodemanager.resource.memory-mb',
      'name=yarn.scheduler.minimum-allocation-mb',
      'name=yarn.scheduler.maximum-allocation-mb',
      'name=yarn.resourcemanager.webapp.address',
      'name=hadoop.http.authentication.type',
      'name=mapreduce.framework.name',
      'name=io.file.buffer.size',
      'name=yarn.scheduler.capacity.root.queues',
      'name=fs.s3a.secret.key',
      'name=hadoop.security.credstore.java-keystore-provider.password-file',
    ].entries())
      for (const [m, accept] of [
        undefined,
        'application/json',
        'application/xml',
        'text/html',
        '*/*',
        'application/xml,application/json',
        'application/json;q=0.5',
        'x',
      ].entries())
        if (m < 3 || n < 3)
          await get(`conf.${n}.${m}`, `/conf?${query}`, {
            ...(accept ? { accept } : {}),
            mask: [[/\/[^"<,\]]*\/(?=(?:yarn|core|mapred|capacity)-\w+\.xml)/g, '{conf}/']],
            ...(/^(name|name=%20|name=|Name=.*)$/.test(query) ? { cut: 20, pick: (j) => Object.keys(j) } : {}),
          });
    // beans
    for (const [n, query] of [
      '',
      'qry=',
      'qry=*',
      'qry=*:*',
      'qry=Hadoop:*',
      'qry=hadoop:*',
      'qry=Hadoop:service=ResourceManager,*',
      'qry=Hadoop:service=ResourceManager,name=*',
      'qry=Hadoop:service=ResourceManager,name=QueueMetrics*',
      'qry=Hadoop:service=ResourceManager,name=RMNMInfo&qry=x',
      'qry=java.lang:type=Memory',
      'qry=java.lang:type=Runtime',
      'qry=java.lang:type=Threading',
      'qry=java.lang:type=OperatingSystem',
      'qry=java.lang:*',
      'qry=:',
      'qry=a:b',
      'qry=a:b=c',
      'qry=a:b=c,*',
      'qry=%3Cb%3E',
      'Qry=x',
      'get=',
      'get=::',
      'get=a:b=c',
      'get=a:b=c::',
      'get=a:b=c::d',
      'get=Hadoop:service=ResourceManager,name=ClusterMetrics::NumActiveNMs',
      'get=Hadoop:service=ResourceManager,name=ClusterMetrics::NumActiveNMs::x',
      'get=Hadoop:service=ResourceManager,name=ClusterMetrics::',
      'get=Hadoop:service=ResourceManager,name=ClusterMetrics::numactivenms',
      'get=Hadoop:service=ResourceManager,name=ClusterMetrics::%3Cb%3E',
      'get=Hadoop:service=ResourceManager,name=RMNMInfo::LiveNodeManagers',
      'get=java.lang:type=Memory::HeapMemoryUsage',
      'get=Hadoop:*::NumActiveNMs',
      'get=x&qry=Hadoop:service=ResourceManager,name=RMNMInfo',
      'qry=Hadoop:service=ResourceManager,name=RMNMInfo&get=Hadoop:service=ResourceManager,name=ClusterMetrics::NumActiveNMs',
      'callback=f&qry=Hadoop:name=nothing',
      'callback=f',
      'callback=%3Cb%3E&qry=Hadoop:name=nothing',
    ].entries()) {
      const few = (j) =>
        j.beans ? [Object.keys(j), j.beans.length > 0, j.beans.length < 2 ? j.beans.map((b) => [b.name, b.modelerType]) : 'beans'] : j;
      await get(`jmx.${n}`, `/jmx?${query}`, { pick: few, cut: 100, mask: [[/"(LiveNodeManagers)"[^\n]*/, '"$1"']] });
    }
    for (const bean of [
      'ClusterMetrics',
      'RMNMInfo',
      'JvmMetrics',
      'UgiMetrics',
      'MetricsSystem,sub=Stats',
      'QueueMetrics,q0=root',
      'QueueMetrics,q0=root,q1=default',
      'QueueMetrics,q0=root,q1=research,q2=models',
      'QueueMetrics,q0=root,user=ada',
      'QueueMetrics,q0=root,q1=default,user=ada',
      'PartitionQueueMetrics,partition=,q0=root',
      'PartitionQueueMetrics,partition=',
      'CapacitySchedulerMetrics',
      'OpportunisticSchedulerMetrics',
      'RpcActivityForPort8032',
      'RpcDetailedActivityForPort8032',
    ])
      await get(`bean.${bean}`, `/jmx?qry=Hadoop:service=ResourceManager,name=${bean}`, {
        pick: (j) => j.beans.map((b) => Object.keys(b).sort()),
      });
    await get('bean-values', '/jmx?qry=Hadoop:service=ResourceManager,name=ClusterMetrics', {
      pick: (j) => Object.fromEntries(Object.entries(j.beans[0] ?? {}).filter(([k]) => /^Num|Capability|^modeler|^tag\.Cl|^name/.test(k))),
    });
    await get('bean-queue-values', '/jmx?qry=Hadoop:service=ResourceManager,name=QueueMetrics,q0=root,q1=default', {
      pick: (j) =>
        Object.fromEntries(
          Object.entries(j.beans[0] ?? {}).filter(([k]) =>
            /^(Apps(Run|Pend)|Allocated|Available|Pending|Reserved|Active|modeler|tag\.Q|name|running_)/.test(k),
          ),
        ),
    });
    for (const [n, query] of [
      'log=x',
      'log=',
      'log=%3Cb%3E',
      'log=x&level=DEBUG',
      'log=x&level=nothing',
      'log=&level=DEBUG',
      'level=DEBUG',
      'log=x&level=',
    ].entries())
      for (const user of ['root', undefined]) await get(`log-level.${n}.${user}`, `/logLevel?${query}`, { user, cut: 15 });
  },
};
