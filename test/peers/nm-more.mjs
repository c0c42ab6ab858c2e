// A node asked in every form: media types, methods, ids, sizes and ranges of logs, users, while a container runs and after it.
import { clear, common, kill, NODE, shell } from '../kit-batch.mjs';

const accepts = {
  json: 'application/json',
  xml: 'application/xml',
  any: '*/*',
  text: 'text/plain',
  html: 'text/html',
  binary: 'application/octet-stream',
  both: 'application/xml;q=0.9,application/json;q=0.8',
  wild: 'text/*',
  garbage: 'garbage',
};
export default {
  name: 'nm-more',
  cluster: 'batch',
  about: 'the node manager in forms that no recording has',
  async run(c) {
    common(c);
    await clear(c);
    const page = (path) => (/^\/(node|ws$)/.test(path) ? { cut: 15 } : {});
    const get = (id, path, options = {}) => c.record(id, 'nm', 'GET', path, { ...page(path), ...options });
    const unknown = [
      'application_1_1',
      'application_1_0001',
      'application_1700000000000_0001x',
      'application_-1_0001',
      'application_1_-1',
      '%20',
      'application_1_0001%20',
      'application_99999999999999999999_1',
      'application_1_99999999999',
      'Application_1_0001',
      'job_1_0001',
      'application__1',
      'application_1_',
      'application',
      '_',
      'a%2Fb',
      '%3Cb%3E',
      'ü',
    ];
    for (const [n, id] of unknown.entries()) {
      await get(`app.${n}`, `${NODE}/apps/${encodeURI(decodeURIComponent(id)).replace('a/b', 'a%2Fb')}`);
      await get(`app-xml.${n}`, `${NODE}/apps/${encodeURI(decodeURIComponent(id)).replace('a/b', 'a%2Fb')}`, { accept: 'application/xml' });
    }
    const boxes = [
      'container_1_0001_01_000001',
      'container_e1_1_0001_01_000001',
      'container_e01_1_0001_01_000001',
      'container_e00_1_0001_01_000001',
      'container_1_1_1_1',
      'container_1_0001_01',
      'container_1_0001_01_000001_1',
      'container_x_0001_01_000001',
      'container_1_x_01_000001',
      'container_1_0001_x_000001',
      'container_e_1_0001_01_000001',
      'container_ex_1_0001_01_000001',
      'container_-1_0001_01_000001',
      'container_1_0001_01_-1',
      'Container_1_0001_01_000001',
      'container',
      '%20',
      'container_1_0001_01_99999999999999999999',
      'container_99999999999999999999_1_1_1',
      '..',
      '%2e%2e',
      'a%2Fb',
      '%3Cb%3E',
    ];
    for (const [n, id] of boxes.entries()) {
      await get(`box.${n}`, `${NODE}/containers/${id}`);
      await get(`box-logs.${n}`, `${NODE}/containers/${id}/logs`);
      await get(`box-log.${n}`, `${NODE}/containers/${id}/logs/stdout`);
      await get(`box-old-log.${n}`, `${NODE}/containerlogs/${id}/stdout`);
    }
    const fixed = [
      '',
      '/info',
      '/apps',
      '/apps/',
      '/containers',
      '/containers/',
      '/auxiliaryservices',
      '/resources/yarn.io%2Fgpu',
      '/resources/x',
      '/resources/',
      '/resources',
      '/yarn/sysfs',
      '/yarn/sysfs/root/application_1_0001',
      '/containerlogs',
      '/containerlogs/',
      '/containers/container_1_0001_01_000001',
      '/apps/application_1_0001',
      '/containers/container_1_0001_01_000001/logs',
      '/containers/container_1_0001_01_000001/logs/',
      '/containers/container_1_0001_01_000001/nothing',
      '/nothing',
      '/info;a=b',
      '/info?a=b',
      '//info',
    ];
    for (const path of fixed) {
      for (const [name, accept] of Object.entries(accepts))
        await get(`accept.${name}${path.replaceAll('/', '-')}`, NODE + path, { accept, cut: 20_000 });
      for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'])
        await c.record(`${method}${path.replaceAll('/', '-')}`, 'nm', method, NODE + path, {
          cut: 20_000,
          user: 'root',
          ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
          ...(method === 'PUT' && path === '/auxiliaryservices' ? { user: 'ada' } : {}),
        });
    }
    for (const [n, query] of [
      'state=',
      'state=NEW',
      'state=INITING',
      'state=FINISHING_CONTAINERS_WAIT',
      'state=APPLICATION_RESOURCES_CLEANINGUP',
      'state=FINISHED',
      'state=KILLED',
      'state=%20RUNNING',
      'state=RUNNING,FINISHED',
      'state=RUNNING&state=FINISHED',
      'states=RUNNING',
      'user=',
      'user=%20',
      'user=root&user=ada',
      'user=ROOT',
      'State=RUNNING',
      'state=x&user=',
      'x=y',
    ].entries()) {
      await get(`apps-idle.${n}`, `${NODE}/apps?${query}`);
      await get(`apps-idle-xml.${n}`, `${NODE}/apps?${query}`, { accept: 'application/xml' });
    }
    for (const path of [
      '/',
      '/node/',
      '/node/node',
      '/node/x',
      '/node/application/x',
      '/node/application/application_1_0001',
      '/node/application',
      '/node/container/x',
      '/node/container/container_1_0001_01_000001',
      '/node/container',
      '/node/containerlogs/x/root',
      '/node/containerlogs/container_1_0001_01_000001/root',
      '/node/containerlogs/container_1_0001_01_000001/root/stdout',
      '/node/containerlogs',
      '/node/auxiliaryservices',
      '/node/allApplications/',
      '/ws',
      '/ws/',
      '/ws/v1',
      '/ws/v1/',
      '/ws/v2/node',
      '/ws/v1/cluster',
      '/ws/v1/node.json',
      '/isActive',
      '/conf?name=yarn.nodemanager.address',
      '/stacks',
      '/logLevel',
      '/logs/',
      '/static/',
      '/nothing',
      '/container/x',
      '/terminal',
      '/terminal/terminal.template',
      '/prom',
    ])
      for (const [name, accept] of Object.entries({ none: undefined, json: 'application/json', html: 'text/html' }))
        await c.record(`page.${name}${path.replaceAll('/', '-')}`, 'nm', 'GET', path, {
          ...(accept ? { accept } : {}),
          cut: 15,
          ...(/logs|stacks|static|logLevel/.test(path) ? { cut: 5 } : {}),
        });
    await get('jmx-names', '/jmx?qry=Hadoop:*', {
      pick: (j) =>
        j.beans
          .map((b) => b.name)
          .filter((n) => /NodeManager/.test(n) && !/Shuffle|RpcActivity|UgiMetrics|Container_/.test(n))
          .sort(),
    });
    for (const bean of ['NodeManagerMetrics', 'JvmMetrics', 'ShuffleMetrics', 'MetricsSystem,sub=Stats', 'UgiMetrics'])
      await get(`jmx.${bean}`, `/jmx?qry=Hadoop:service=NodeManager,name=${bean}`, {
        pick: (j) => j.beans.map((b) => Object.keys(b).sort()),
      });

    const app = await shell(
      c,
      'app1',
      "(printf 'l1\\nl2\\nl3\\n'; printf 'a\\0b\\377ü\\r\\nx' > <LOG_DIR>/bytes; mkdir <LOG_DIR>/sub; printf 0123456789 > <LOG_DIR>/sub/inner; printf x > '<LOG_DIR>/a b'; printf y > '<LOG_DIR>/a&<b>'; printf z > '<LOG_DIR>/ü'; seq 1 3000 > <LOG_DIR>/long; sleep 300) 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr",
    );
    const id = `${app.replace('application', 'container')}_01_000001`,
      log = `${NODE}/containers/${id}/logs`,
      old = `${NODE}/containerlogs/${id}`;
    await c.until('the container runs', async () => {
      const { json } = await c.http('nm', 'GET', `${NODE}/containers/${id}`);
      return json.container.state === 'RUNNING' && json.container.containerLogFiles?.includes('long');
    });
    await c.sleep(800);
    for (const user of ['root', 'ada', undefined])
      for (const path of ['/apps', `/apps/${app}`, '/containers', `/containers/${id}`, `/containers/${id}/logs`])
        for (const accept of ['application/json', 'application/xml'])
          await get(`seen.${user}.${accept.slice(-4)}${path.replace(app, 'app').replace(id, 'box').replaceAll('/', '-')}`, NODE + path, {
            user,
            accept,
          });
    const short = id.replace(/_0+(\d+)_/, '_$1_');
    await get('short', `${NODE}/containers/${short}`);
    await get('short-app', `${NODE}/apps/${app.replace(/_0+/, '_')}`);
    for (const base of [log, old]) {
      const kind = base === log ? 'log' : 'old';
      for (const [n, file] of [
        'stdout',
        'stderr',
        'bytes',
        'link',
        'sub',
        'sub/inner',
        'sub%2Finner',
        'a%20b',
        'a+b',
        'a&%3Cb%3E',
        '%C3%BC',
        'Stdout',
        'stdout/',
        'stdout;a=b',
        '.',
        '..',
        '%2E%2E',
        '..%2F..',
        '%2Fetc%2Fhostname',
        'stdout%00',
        '%00',
        'none',
        '%20',
        'launch_container.sh',
        'prelaunch.out',
        'syslog',
        '.stdout',
        'stdout.',
      ].entries())
        await get(`${kind}.${n}`, `${base}/${file}`, /\.sh/.test(file) ? { cut: 11 } : {});
      for (const [n, query] of [
        'size=1',
        'size=9',
        'size=10',
        'size=-1',
        'size=-9',
        'size=-10',
        'size=00',
        'size=%20',
        'size=5%20',
        'size=1e2',
        'size=0x5',
        'size=-9223372036854775808',
        'size=-9223372036854775809',
        'size=9223372036854775807',
        'size=5&size=2',
        'Size=5',
        'format=text&size=3',
        'format=text%20',
        'format=octet-stream&format=text',
        'format=xml',
        'format=TEXT&size=x',
        'Format=octet-stream',
        'start=2',
        'end=3',
        'nm.id=x',
        'manual_redirection=true',
        'redirected_from_node=true',
        'clusterid=x',
      ].entries())
        for (const file of ['stdout', 'bytes', 'none'])
          if (file !== 'bytes' || n < 12) await get(`${kind}.${file}.query.${n}`, `${base}/${file}?${query}`);
      for (const [name, accept] of Object.entries(accepts)) {
        await get(`${kind}.accept.${name}`, `${base}/stdout`, { accept });
        await get(`${kind}.accept-none.${name}`, `${base}/none`, { accept, cut: 20_000 });
        await get(`${kind}.accept-list.${name}`, base, { accept, cut: 20_000 });
      }
      for (const [n, range] of ['bytes=0-0', 'bytes=-3', 'bytes=3-', 'bytes=100-', 'bytes=0-1,3-4', 'lines=1-2'].entries())
        await get(`${kind}.range.${n}`, `${base}/stdout`, { headers: { range } });
      for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'])
        await c.record(`${kind}.${method}`, 'nm', method, `${base}/stdout`, {
          cut: 20_000,
          ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
        });
      await get(`${kind}.etag`, `${base}/stdout`, {
        headers: { 'if-none-match': '*', 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
      });
      for (const [n, query] of ['a=b', 'size=x', 'format=json', 'nm.id=localhost:45454'].entries()) {
        await get(`${kind}.list.${n}`, `${base}?${query}`);
        await get(`${kind}.list-xml.${n}`, `${base}/?${query}`, { accept: 'application/xml' });
      }
    }
    for (const [n, query] of [
      '',
      '?start=0',
      '?start=0&end=0',
      '?start=-5',
      '?start=2&end=1',
      '?start=x',
      '?start=0&end=x',
      '?start=-99999',
      '?start=5&end=-1',
      '?start=1e2',
    ].entries())
      await get(`page-log.${n}`, `/node/containerlogs/${id}/root/stdout/${query}`);
    for (const path of [
      `/node/containerlogs/${id}`,
      `/node/containerlogs/${id}/ada`,
      `/node/containerlogs/${id}/root/none`,
      `/node/containerlogs/${id}/root/sub`,
      `/node/container/${id}`,
      `/node/application/${app}`,
    ])
      for (const user of ['root', 'ada'])
        await get(`page-${user}${path.replace(app, 'app').replace(id, 'box').replaceAll('/', '-')}`, path, { user });
    for (const [n, query] of [
      'state=NEW',
      'state=RUNNING',
      'state=INITING',
      'user=root',
      'user=ada',
      'user=ROOT',
      'user=%20root',
      'state=RUNNING&user=ada',
      'state=RUNNING,FINISHED',
      'state=FINISHED&user=root',
    ].entries())
      await get(`apps.${n}`, `${NODE}/apps?${query}`);
    await kill(c, app);
    await clear(c);
    for (const path of [
      `/containers/${id}`,
      `/apps/${app}`,
      `/containers/${id}/logs`,
      `/containers/${id}/logs/stdout`,
      `/containerlogs/${id}/stdout`,
      `/containers/${id}/logs/none`,
      `/containers/${id}/logs/stdout?size=2&format=octet-stream`,
    ])
      for (const accept of ['application/json', 'application/xml', 'text/plain'])
        for (const user of ['root', 'ada'])
          await get(`after.${user}.${accept.slice(-4)}${path.replace(app, 'app').replace(id, 'box').replaceAll('/', '-')}`, NODE + path, {
            accept,
            user,
          });
    const failed = await shell(c, 'app2', 'echo out; echo err >&2; exit 5');
    await c.appIn(failed, 'FAILED');
    await c.record('failed', 'rm', 'GET', `/ws/v1/cluster/apps/${failed}`, {
      user: 'root',
      pick: ({ app: a }) => [a.state, a.diagnostics.replace(/\[\d{4}-[^\]]*\]/g, '[date]')],
    });
    await c.until('it is gone', async () => (await c.http('nm', 'GET', `${NODE}/apps/${failed}`)).status === 404);
    await get('failed-logs', `${NODE}/containers/${failed.replace('application', 'container')}_01_000001/logs`);
  },
};
