// Long addresses, queries and headers, and bodies of kinds that hardly anyone sends, to the resource manager.
import { fresh, masks } from '../kit-apps.mjs';
import { clear, RM } from '../kit-scheduler.mjs';

export default {
  name: 'rm-sizes-more',
  cluster: 'capacity',
  about: 'long requests, and media types of bodies',
  async run(c) {
    masks(c);
    c.mask(/[ax]{1000,}/g, 'LONG');
    await clear(c);
    const KiB = 1024;
    const long = (id, method, path, options = {}) =>
      c.record(id, 'rm', method, path, { user: 'root', cut: 60, mask: [[/[ax]{1000,}/g, 'LONG']], ...options });
    for (const size of [2, 8, 15, 20, 33, 50, 60]) {
      const text = 'a'.repeat(size * KiB);
      const ask = (id, ...rest) => long(`${id}.${size}`, ...rest);
      await ask('query', 'GET', `${RM}/info?x=${text}`, { pick: (j) => Object.keys(j) });
      await ask('filter', 'GET', `${RM}/apps?queue=${text}`, { mask: [[/[ax]{1000,}/g, 'LONG']] });
      // The cookie comes back, which the recorder reads up to 16 KiB.
      if (size < 5) await ask('user', 'GET', `${RM}/userinfo?user.name=${text}`, { user: undefined, pick: (j) => Object.keys(j) });
      await ask('header', 'GET', `${RM}/info`, { headers: { 'x-long': text }, pick: (j) => Object.keys(j) });
      await ask('cookie', 'GET', `${RM}/info`, { headers: { cookie: `a=${text}` }, pick: (j) => Object.keys(j) });
      await ask('token', 'GET', `${RM}/info`, { headers: { 'x-hadoop-delegation-token': text }, pick: (j) => Object.keys(j) });
      await ask('renew', 'POST', `${RM}/delegation-token/expiration`, { headers: { 'Hadoop-YARN-RM-Delegation-Token': text } });
      await ask('accept', 'GET', `${RM}/info`, { accept: `application/json;x=${text}`, pick: (j) => Object.keys(j) });
      await ask('app', 'GET', `${RM}/apps/${text}`);
      await ask('app-put', 'PUT', `${RM}/apps/${text}/state`, { body: { state: 'KILLED' } });
      await ask('node', 'GET', `${RM}/nodes/${text}`);
      await ask('queue', 'GET', `${RM}/queues/${text}/access?user=ada`);
      await ask('path', 'GET', `${RM}/${text}`);
      await ask('page', 'GET', `/cluster/app/${text}`);
      await ask('post', 'POST', `${RM}/apps/new-application?x=${text}`, { pick: (j) => Object.keys(j) });
      await ask('labels', 'GET', `${RM}/label-mappings?labels=${text}`);
      await ask('many', 'GET', `${RM}/info?${Array.from({ length: size * 100 }, (_, n) => `a${n}=1`).join('&')}`, {
        pick: (j) => Object.keys(j),
      });
      await ask('many-headers', 'GET', `${RM}/info`, {
        headers: Object.fromEntries(Array.from({ length: size * 10 }, (_, n) => [`x-${n}`, 'a'.repeat(20)])),
        pick: (j) => Object.keys(j),
      });
    }
    const routes = {
      'add-node-labels': ['POST', '/add-node-labels', { nodeLabelInfo: [{ name: 'l', exclusivity: true }] }],
      'replace-node-to-labels': ['POST', '/replace-node-to-labels', { nodeToLabels: [] }],
      'remove-node-labels': ['POST', '/remove-node-labels?labels=l', {}],
      'replace-labels': ['POST', '/nodes/localhost:1/replace-labels?labels=', {}],
      resource: ['POST', '/nodes/localhost:1/resource', { resource: { memory: 1024, vCores: 1 }, overCommitTimeout: -1 }],
      apps: ['POST', '/apps', {}],
      state: ['PUT', '/apps/application_1_0001/state', { state: 'KILLED' }],
      queue: ['PUT', '/apps/application_1_0001/queue', { queue: 'default' }],
      priority: ['PUT', '/apps/application_1_0001/priority', { priority: 1 }],
      timeout: ['PUT', '/apps/application_1_0001/timeout', { timeout: { type: 'LIFETIME', expiryTime: 'x' } }],
      token: ['POST', '/delegation-token', { renewer: 'ada' }],
      expiration: ['POST', '/delegation-token/expiration', {}],
      'cancel-token': ['DELETE', '/delegation-token', {}],
      reservation: ['POST', '/reservation/submit', {}],
      'update-reservation': ['POST', '/reservation/update', {}],
      'delete-reservation': ['POST', '/reservation/delete', {}],
      conf: ['PUT', '/scheduler-conf', {}],
      validate: ['POST', '/scheduler-conf/validate', {}],
      logs: ['POST', '/scheduler/logs', 'time=1'],
      signal: ['POST', '/containers/container_1_0001_01_000001/signal/STOP', {}],
    };
    for (const [name, [method, path, body]] of Object.entries(routes))
      for (const type of [
        'text/json',
        'application/vnd.api+json',
        'application/x+json',
        'application/hal+xml',
        'text/xml',
        'application/*',
        '*/*',
        'application/xhtml+xml',
        'application/x-json',
        'application/javascript',
        'multipart/form-data; boundary=x',
        'text/html',
        'application/json, application/xml',
        '',
        'json',
        'APPLICATION/JSON',
        'Application/Json;Charset=UTF-8',
        'application/json;charset=nonsense',
        'application/json;q=0.1',
      ])
        await long(`type.${name}.${type.replaceAll('/', '-')}`, method, RM + path, {
          body: typeof body === 'string' ? body : JSON.stringify(body),
          headers: { 'content-type': type },
          loose: ['message'],
        });
    // The recorder writes UTF-8, whatever the charset says.
    for (const [n, charset] of [
      'utf-8',
      'UTF8',
      'ISO-8859-1',
      'us-ascii',
      'windows-1252',
      'utf-16',
      'utf-16le',
      '"utf-8"',
      "'utf-8'",
      '',
      'IBM037',
      'utf-8; charset=latin1',
    ].entries())
      for (const type of ['json', 'xml']) {
        const id = await fresh(c, `charset${n}.${type}`);
        const name = 'größe €';
        const body =
          type === 'json'
            ? JSON.stringify({ 'application-id': id, 'unmanaged-AM': true, 'application-name': name, queue: 'nowhere' })
            : `<application-submission-context><application-id>${id}</application-id><unmanaged-AM>true</unmanaged-AM><application-name>${name}</application-name><queue>nowhere</queue></application-submission-context>`;
        const { status } = await c.record(`charset.${n}.${type}`, 'rm', 'POST', `${RM}/apps`, {
          user: 'root',
          body,
          headers: { 'content-type': `application/${type};charset=${charset}` },
          loose: ['message'],
        });
        if (status === 202)
          await c.record(`charset.${n}.${type}.name`, 'rm', 'GET', `${RM}/apps/${id}`, { user: 'root', pick: (j) => j.app.name });
      }
  },
};
