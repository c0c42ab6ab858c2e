// A node with a log server for REST, services by manifest, and lists filtered by user: other bodies, forms, users and moments.
import { clear, common, kill, NODE, shell } from '../kit-batch.mjs';

const shuffle = {
  name: 'shuffle_a',
  version: '1',
  configuration: { properties: { 'class.name': 'org.apache.hadoop.mapred.ShuffleHandler' } },
};
const bodies = [
  {},
  { services: null },
  { services: {} },
  { services: 'x' },
  { services: [null] },
  { services: [{}] },
  { services: ['x'] },
  { services: [{ name: 'a' }] },
  { services: [{ name: '' }] },
  { services: [{ name: 5 }] },
  { services: [{ name: 'bad name', configuration: { properties: { 'class.name': 'org.apache.hadoop.mapred.ShuffleHandler' } } }] },
  { services: [{ ...shuffle, version: null }] },
  { services: [{ ...shuffle, version: 2 }] },
  { services: [{ ...shuffle, more: 1 }] },
  { services: [shuffle], more: 1 },
  { services: [shuffle, shuffle] },
  { services: [{ ...shuffle, launch_time: '5' }] },
  { services: [{ ...shuffle, configuration: null }] },
  { services: [{ ...shuffle, configuration: {} }] },
  { services: [{ ...shuffle, configuration: { properties: {} } }] },
  { services: [{ ...shuffle, configuration: { properties: { 'class.name': '' } } }] },
  { services: [{ ...shuffle, configuration: { properties: { 'class.name': 'java.lang.String' } } }] },
  { services: [{ ...shuffle, configuration: { files: [{ type: 'STATIC', src_file: '/no/such' }] } }] },
  [],
  [shuffle],
  'null',
  '"x"',
  '5',
  '',
  'x',
  '{"services":[',
];
export default {
  name: 'nm-options-more',
  cluster: 'batch-node-options',
  about: 'the node manager with options, in forms that no recording has',
  async run(c) {
    common(c);
    await clear(c);
    const thrown = (error) => (error?.message === undefined ? error : { message: error.message.split('\n')[0].slice(0, 60) });
    const get = (id, path, options = {}) => c.record(id, 'nm', 'GET', path, { cut: 3000, ...options });
    const put = (id, body, options = {}) =>
      c.record(id, 'nm', 'PUT', `${NODE}/auxiliaryservices`, { user: 'root', body, cut: 60, pick: thrown, ...options });
    for (const [n, body] of bodies.entries()) {
      await put(`put.${n}`, body);
      await get(`put.${n}.get`, `${NODE}/auxiliaryservices`, { xml: n % 4 === 0 });
      await put(`put.${n}.none`, { services: [] });
    }
    for (const [n, type] of [
      'application/json;charset=utf-8',
      'text/plain',
      'application/xml',
      'text/json',
      'application/x-www-form-urlencoded',
      '*/*',
    ].entries())
      await put(`type.${n}`, { services: [] }, { headers: { 'content-type': type } });
    for (const user of ['admin', 'ada', undefined, 'dr.who', 'root'])
      for (const [n, accept] of [undefined, 'application/json', 'application/xml', 'text/plain'].entries())
        await put(`by.${user}.${n}`, { services: [] }, { user, ...(accept ? { accept } : {}) });
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'DELETE', 'PATCH'])
      await c.record(`services.${method}`, 'nm', method, `${NODE}/auxiliaryservices`, {
        user: 'root',
        cut: 3000,
        ...(method === 'POST' ? { body: {} } : {}),
      });

    const write = "(echo first line; printf 'no end' > <LOG_DIR>/extra; sleep 300) 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr";
    const app = await shell(c, 'app1', write, { user: 'ada' });
    const other = await shell(c, 'app2', write, { user: 'bob' });
    const box = (id) => `${id.replace('application', 'container')}_01_000001`;
    for (const id of [app, other])
      await c.until('the container runs', async () => {
        const { json } = await c.http('nm', 'GET', `${NODE}/containers/${box(id)}`, { user: 'root' });
        return json.container.state === 'RUNNING' && json.container.containerLogFiles?.includes('extra');
      });
    await c.sleep(800);
    const unordered = ['app', 'container', 'containerids', 'containerLogFiles'];
    for (const user of ['root', 'admin', 'ada', 'bob', 'eve', undefined]) {
      for (const path of ['/apps', '/apps?state=RUNNING', '/apps?user=ada', '/apps?user=bob', '/apps?user=eve', '/containers'])
        await get(`list.${user}${path.replaceAll('/', '-')}`, NODE + path, { user, unordered, xml: user === 'ada' });
      for (const path of [
        `/apps/${app}`,
        `/containers/${box(app)}`,
        `/containers/${box(app)}/logs`,
        `/containers/${box(app)}/logs/stdout`,
        `/containerlogs/${box(app)}/extra`,
        `/containers/${box(app)}/logs/none`,
      ])
        await get(`one.${user}${path.replace(app, 'app').replace(box(app), 'box').replaceAll('/', '-')}`, NODE + path, { user, unordered });
    }
    const log = `${NODE}/containers/${box(app)}/logs`;
    for (const [n, query] of [
      'nm.id=localhost:45454',
      'nm.id=other:1',
      'redirected_from_node=true',
      'manual_redirection=true',
      'clusterid=x',
      'a=b',
      'size=3',
      'format=octet-stream',
    ].entries()) {
      await get(`running.${n}`, `${log}?${query}`, { user: 'ada', unordered });
      await get(`running-log.${n}`, `${log}/stdout?${query}`, { user: 'ada' });
    }
    await kill(c, app);
    await kill(c, other);
    await clear(c);
    for (const [n, query] of [
      '',
      '?',
      '?a',
      '?a=',
      '?=b',
      '?a=b&a=c',
      '?a=%20b',
      '?a=+b',
      '?a=%26b',
      '?a=%C3%BC',
      '?a=%3Cb%3E',
      '?a=b;c=d',
      '?a=b%23c',
      '?user.name=ada',
      '?user.name=eve&a=b',
      '?doAs=ada',
      '?nm.id=localhost:45454',
      '?nm.id=x&nm.id=y',
      '?redirected_from_node=true',
      '?redirected_from_node=false&a=b',
      '?manual_redirection=true',
      '?clusterid=x',
      '?size=5',
      '?size=x',
      '?format=x',
      '?format=octet-stream&size=-3',
      '?delegation=x',
    ].entries()) {
      await get(`ended.${n}`, log + query);
      await get(`ended-slash.${n}`, `${log}/${query}`);
      await get(`ended-log.${n}`, `${log}/stdout${query}`);
      await get(`ended-old.${n}`, `${NODE}/containerlogs/${box(app)}/stdout${query}`);
    }
    for (const [n, file] of [
      'none',
      'a%20b',
      'a%2Fb',
      '..',
      '%2E%2E',
      'a&b',
      'a%3Fb',
      'a%23b',
      'a;b=c',
      '%C3%BC',
      '%3Cb%3E',
      'stdout/',
      'stdout/x',
      '%25',
    ].entries()) {
      await get(`file.${n}`, `${log}/${file}`);
      await get(`file-old.${n}`, `${NODE}/containerlogs/${box(app)}/${file}`);
    }
    for (const user of ['root', 'ada', 'eve', undefined])
      for (const [n, accept] of [undefined, 'application/json', 'application/xml', 'text/plain', 'text/html'].entries())
        for (const [name, path] of [
          ['list', log],
          ['log', `${log}/stdout`],
        ])
          await get(`end.${user}.${n}.${name}`, path, { user, ...(accept ? { accept } : {}) });
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'])
      for (const [name, path] of [
        ['list', log],
        ['log', `${log}/stdout`],
      ])
        await c.record(`end.${method}.${name}`, 'nm', method, path, { cut: 3000, ...(/^P/.test(method) ? { body: {} } : {}) });
    for (const [n, id] of [
      'container_1_0001_01_000001',
      'container_1_1_1_1',
      'container_e01_1_0001_01_000001',
      'container_x',
      'x',
      '%20',
      'container_1_0001_01',
      box(app).replace(/1$/, '7'),
      `${box(app)}0`,
    ].entries()) {
      await get(`id.${n}`, `${NODE}/containers/${id}/logs`, { user: 'ada' });
      await get(`id-log.${n}`, `${NODE}/containers/${id}/logs/stdout?size=3`, { user: 'ada' });
      await get(`id-old.${n}`, `${NODE}/containerlogs/${id}/stdout`);
      await get(`id-box.${n}`, `${NODE}/containers/${id}`);
    }
    for (const path of ['/apps', '/containers', `/apps/${app}`])
      await get(`after${path.replace(app, 'app').replaceAll('/', '-')}`, NODE + path, { user: 'ada', xml: true });
    for (const [n, path] of [
      `/node/containerlogs/${box(app)}/ada`,
      `/node/containerlogs/${box(app)}/ada/stdout`,
      `/node/containerlogs/${box(app)}/ada/stdout?start=0`,
      `/node/containerlogs/x/ada`,
      `/node/containerlogs/${box(app)}/eve`,
    ].entries())
      for (const user of ['ada', undefined]) await get(`page.${n}.${user}`, path, { user, cut: 15 });
  },
};
