// Aggregated logs at the history server: other ids, filters, forms, methods and users.
import { clear, common, HISTORY, kill, shell } from '../kit-batch.mjs';

export default {
  name: 'logs-more',
  cluster: 'batch',
  about: 'aggregated container logs in forms that no recording has',
  async run(c) {
    common(c);
    c.mask(/("path":"|<path>)[^"<]*?(?=\/[^/"<]+\/bucket-)/g, '$1{logs}');
    await clear(c);
    const get = (id, path, options = {}) => c.record(id, 'jhs', 'GET', HISTORY + path, { cut: 4000, ...options });
    const app = await shell(
      c,
      'app1',
      "(echo first line; echo second >&2; printf 'no end' > <LOG_DIR>/extra.txt; printf x > '<LOG_DIR>/a b'; touch <LOG_DIR>/empty.txt) 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr",
    );
    await c.appIn(app, 'FAILED');
    const box = `${app.replace('application', 'container')}_01_000001`;
    await c.until('aggregated', async () => (await c.http('jhs', 'GET', `${HISTORY}/containers/${box}/logs`)).status === 200, 120, 1000);
    const log = `/containerlogs/${box}`;
    for (const [n, size] of [
      '1',
      '9',
      '11',
      '12',
      '-1',
      '-11',
      '-12',
      '00',
      '%20',
      '5%20',
      '1e2',
      '0x5',
      '1.5',
      '99999999999',
      '9223372036854775807',
      '99999999999999999999',
    ].entries())
      for (const file of ['stdout', 'extra.txt', 'empty.txt', 'none']) await get(`size.${n}.${file}`, `${log}/${file}?size=${size}`);
    for (const [n, file] of [
      'a%20b',
      'a+b',
      'Stdout',
      'stdout/',
      'stdout;a=b',
      '.',
      '%2E%2E',
      '%2Fetc',
      '%20',
      '%C3%BC',
      '%3Cb%3E',
      'directory.info',
      'std',
      'std.*',
    ].entries())
      await get(`file.${n}`, `${log}/${file}`, n === 11 ? { cut: 5 } : {});
    for (const [n, accept] of [
      'application/json',
      'application/xml',
      'text/plain',
      'text/html',
      '*/*',
      'application/octet-stream',
      'garbage',
      'text/*',
    ].entries()) {
      await get(`accept.${n}.log`, `${log}/stdout`, { accept });
      await get(`accept.${n}.none`, `${log}/none`, { accept });
      await get(`accept.${n}.list`, `/containers/${box}/logs`, { accept });
      await get(`accept.${n}.app`, `/aggregatedlogs?appid=${app}`, { accept });
      await get(`accept.${n}.query`, `/extended-log-query?appid=${app}&filename=stdout`, { accept });
      await get(`accept.${n}.dir`, '/remote-log-dir', { accept });
    }
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'])
      for (const [name, path] of [
        ['log', `${log}/stdout`],
        ['list', `/containers/${box}/logs`],
        ['app', `/aggregatedlogs?appid=${app}`],
        ['dir', '/remote-log-dir'],
      ])
        await c.record(`${method}.${name}`, 'jhs', method, HISTORY + path, { cut: 4000, ...(/^P/.test(method) ? { body: {} } : {}) });
    for (const [n, id] of [
      'container_1_1_1_1',
      'container_e01_1_0001_01_000001',
      'container_1_0001_01',
      'container_x_0001_01_000001',
      'Container_1_0001_01_000001',
      '%20',
      'container',
      `${box}_1`,
      box.toUpperCase(),
      '%3Cb%3E',
    ].entries()) {
      await get(`id.${n}.list`, `/containers/${id}/logs`, { xml: true });
      await get(`id.${n}.log`, `/containerlogs/${id}/stdout`);
      await get(`id.${n}.aggregated`, `/aggregatedlogs?containerid=${id}`);
      await get(`id.${n}.query`, `/extended-log-query?appid=${app}&containerid=${id}`);
    }
    for (const [n, id] of [
      'application_1_1',
      'application_1_0001_1',
      'application_x',
      '%20',
      '',
      'job_1_0001',
      app.replace(/_0+/, '_'),
      `%20${app}`,
      `${app}%20`,
      app.toUpperCase(),
    ].entries()) {
      await get(`app.${n}.aggregated`, `/aggregatedlogs?appid=${id}`);
      await get(`app.${n}.query`, `/extended-log-query?appid=${id}`);
      await get(`app.${n}.dir`, `/remote-log-dir?appid=${id}`, { mask: [[/\/\d{4}\/application/, '/{bucket}/application']] });
    }
    for (const [n, more] of [
      '&filename=',
      '&filename=%20',
      '&filename=STDOUT',
      '&filename=stdout&filename=stderr',
      '&filename=.*',
      '&file_size=',
      '&file_size=0',
      '&file_size=%3E',
      '&file_size=%3D5',
      '&file_size=%3E=5',
      '&file_size=%3E-1',
      '&file_size=5%20',
      '&modification_time=',
      '&modification_time=x',
      '&modification_time=%3E0',
      '&modification_time=%3E1&modification_time=%3C2',
      '&nm.id=',
      '&nm.id=localhost',
      '&nm.id=.*',
      '&x=y',
      '&appid=application_1_0001',
      '&user=ada',
    ].entries())
      await get(`query.${n}`, `/extended-log-query?appid=${app}${more}`, { unordered: ['containerLogInfo', 'containerLogFiles'] });
    for (const user of ['ada', 'eve', 'root', undefined]) {
      await get(`by.${user}.log`, `${log}/stdout`, { user });
      await get(`by.${user}.list`, `/containers/${box}/logs`, { user });
      await get(`by.${user}.dir`, '/remote-log-dir?user=ada', { user });
    }
    for (const [n, query] of ['user=', 'user=%20', 'user=ada&user=bob', 'user=a%2Fb', 'user=..', `user=ada&appid=${app}`].entries())
      await get(`dir.${n}`, `/remote-log-dir?${query}`, { mask: [[/\/\d{4}\/application/, '/{bucket}/application']] });
    void kill;
  },
};
