// Who may use a queue and an application, in forms that no recording has: access lists of users and groups, administrators, formats, signals.
import { clear, launched, RM, sleeper } from '../kit-scheduler.mjs';

const accepts = {
  json: 'application/json',
  xml: 'application/xml',
  any: '*/*',
  html: 'text/html',
  text: 'text/plain',
  'text-xml': 'text/xml',
  garbage: 'garbage',
  quality: 'application/xml;q=0.9,application/json;q=0.1',
  both: 'application/xml,application/json',
};
const lists = [
  '*',
  '',
  ' ',
  'ada',
  'ada,bob',
  'ada, bob',
  'ada bob',
  ' daemon',
  'ada daemon',
  ' daemon,games',
  '  daemon',
  'ada  daemon',
  '* daemon',
  'ada *',
  'ada,*',
  'ADA',
  'ada,',
  ',ada',
  'ada@REALM',
  '%user',
  'ada daemon extra',
  '\tada',
  'ada\tdaemon',
];
const users = ['ada', 'bob', 'daemon', 'games', 'root', 'admin', '*', 'nobody'];

export default {
  name: 'rm-queue-access-more',
  cluster: 'capacity',
  about: 'access of users and groups to queues and applications in forms that no recording has',
  async run(c) {
    await clear(c);
    const access = (id, queue, query, options = {}) =>
      c.record(id, 'rm', 'GET', `${RM}/queues/${queue}/access?${query}`, { user: 'root', ...options });
    const types = [
      'SUBMIT_APPLICATIONS',
      'ADMINISTER_QUEUE',
      'SUBMIT_APPLICATION',
      'submit_applications',
      '',
      '%20',
      'SUBMIT_APPLICATIONS%20',
      'ADMINISTER_QUEUE,SUBMIT_APPLICATIONS',
      'ADMINISTER_QUEUE&queue-acl-type=SUBMIT_APPLICATIONS',
      'x&queue-acl-type=SUBMIT_APPLICATIONS',
      'VIEW_APP',
      '%00',
      '%3Cb%3E',
    ];
    for (const [n, type] of types.entries()) {
      await access(`type.${n}`, 'root.default', `user=ada&queue-acl-type=${type}`);
      await access(`type-xml.${n}`, 'root.default', `user=ada&queue-acl-type=${type}`, { accept: 'application/xml' });
      await access(`type-admin.${n}`, 'default', `user=root&queue-acl-type=${type}`);
    }
    const asked = [
      'user=root',
      'user=admin',
      'user=ada%20',
      'user=%20ada',
      'user=%20',
      'user=ADA',
      'user=ada,bob',
      'user=ada&user=root',
      'user=&user=ada',
      'User=ada',
      'user',
      'user=*',
      'user=%25user',
      'user=ada@EXAMPLE.TEST',
      'user=ada/host@EXAMPLE.TEST',
      'user=%C3%BC',
      'user=%00',
      'user=%zz',
      'user=%3Cb%3E',
      'user=a%0Ab',
      'x=y',
      'user=ada&queue=default',
      'user=ada&user.name=bob',
    ];
    for (const [n, query] of asked.entries()) {
      await access(`user.${n}`, 'root.default', query);
      await access(`user-xml.${n}`, 'root.research.models', query, { accept: 'application/xml' });
      await access(`user-administer.${n}`, 'root.default', `${query}&queue-acl-type=ADMINISTER_QUEUE`);
    }
    const queues = [
      'root',
      'default',
      'models',
      'research',
      'root.research',
      'root.research.models',
      'research.models',
      'root.models',
      'Root.default',
      'DEFAULT',
      'root.default.',
      '.default',
      'root..default',
      'root.default.x',
      '%20',
      '%20default',
      'default%20',
      'root%2Edefault',
      'root%2Fdefault',
      'nowhere',
      '*',
      '%25user',
      'root.',
      '.',
      '..',
      '%00',
      '%3Cb%3E',
      'ü',
      'reports',
      'operations',
      'root.operations',
    ];
    for (const [n, queue] of queues.entries()) {
      const path = encodeURI(decodeURIComponent(queue.replace('%2F', '%252F').replace('%2E', '%252E').replace('%25user', '%2525user')))
        .replace('%252F', '%2F')
        .replace('%252E', '%2E')
        .replace('%2525user', '%25user');
      await access(`queue.${n}`, path, 'user=bob');
      await access(`queue-administer.${n}`, path, 'user=bob&queue-acl-type=ADMINISTER_QUEUE', { accept: 'application/xml' });
      await access(`queue-stranger.${n}`, path, 'user=bob', { user: 'bob' });
      await access(`queue-nobody.${n}`, path, 'user=bob', { user: undefined });
    }
    for (const [name, accept] of Object.entries(accepts)) {
      await access(`accept.${name}`, 'root.default', 'user=ada', { accept, cut: 2000 });
      await access(`accept-stranger.${name}`, 'root.default', 'user=ada', { accept, user: 'ada', cut: 2000 });
      await access(`accept-bad.${name}`, 'root.default', 'user=', { accept, cut: 2000 });
      await access(`accept-type.${name}`, 'root.default', 'user=ada&queue-acl-type=x', { accept, cut: 2000 });
      await access(`accept-unknown.${name}`, 'nowhere', 'user=ada', { accept, cut: 2000 });
    }
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      for (const accept of [undefined, 'application/json', 'application/xml'])
        await c.record(`method.${method}.${accept}`, 'rm', method, `${RM}/queues/root.default/access?user=ada`, {
          user: 'root',
          accept,
          cut: 60,
          loose: ['message'],
          ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
        });
    for (const [n, path] of [
      '/queues',
      '/queues/',
      '/queues/default',
      '/queues/default/',
      '/queues/default/access/',
      '/queues/default/access/x',
      '/queues//access',
      '/queues/a/b/access',
      '/queues/default/Access',
    ].entries())
      await c.record(`path.${n}`, 'rm', 'GET', `${RM}${path}?user=ada`, { user: 'root', cut: 60 });

    // Access lists of every form, in the queue and in its parents.
    const conf = (queue, params) =>
      c.http('rm', 'PUT', `${RM}/scheduler-conf`, {
        user: 'root',
        body: {
          'update-queue': { 'queue-name': queue, params: { entry: Object.entries(params).map(([key, value]) => ({ key, value })) } },
        },
      });
    await conf('root', { acl_submit_applications: ' ', acl_administer_queue: 'root' });
    for (const [n, list] of lists.entries()) {
      await conf('root.default', { acl_submit_applications: list, acl_administer_queue: list });
      for (const user of users) {
        await access(`list.${n}.${user}`, 'root.default', `user=${encodeURIComponent(user)}`);
        await access(`list-administer.${n}.${user}`, 'root.default', `user=${encodeURIComponent(user)}&queue-acl-type=ADMINISTER_QUEUE`);
      }
      for (const user of ['ada', 'daemon', 'bob']) await access(`list-caller.${n}.${user}`, 'root.default', 'user=ada', { user });
    }
    await conf('root.default', { acl_submit_applications: 'ada daemon', acl_administer_queue: 'bob games' });
    await conf('root.research', { acl_submit_applications: 'carl', acl_administer_queue: 'carl' });
    for (const queue of ['root', 'root.default', 'root.research', 'root.research.models', 'root.research.reports', 'root.operations'])
      for (const user of ['ada', 'bob', 'carl', 'daemon', 'games', 'root']) {
        await access(`tree.${queue}.${user}`, queue, `user=${user}`);
        await access(`tree-administer.${queue}.${user}`, queue, `user=${user}&queue-acl-type=ADMINISTER_QUEUE`);
        await access(`tree-caller.${queue}.${user}`, queue, 'user=eve', { user });
      }
    for (const user of ['ada', 'bob', 'carl', 'daemon', 'root', undefined]) {
      await c.record(`acls.${user}`, 'rm', 'GET', `${RM}/scheduler`, {
        user,
        pick: (j) => {
          const all = {};
          const walk = (q) => {
            all[q.queuePath ?? q.queueName] = q.queueAcls;
            for (const child of q.queues?.queue ?? []) walk(child);
          };
          walk(j.scheduler.schedulerInfo);
          return all;
        },
      });
    }
    const submit = async (id, user, spec) => {
      const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user });
      c.name(id, json['application-id']);
      return c.record(`submit.${id}`, 'rm', 'POST', `${RM}/apps`, {
        user,
        body: {
          'application-id': json['application-id'],
          'application-name': id,
          resource: { memory: 128, vCores: 1 },
          'max-app-attempts': 1,
          'am-container-spec': { commands: { command: 'sleep 600' } },
          ...spec,
        },
      });
    };
    for (const [n, [user, queue]] of [
      ['eve', 'default'],
      ['eve', 'root.default'],
      ['eve', 'root.research.reports'],
      ['eve', 'reports'],
      ['carl', 'default'],
      ['games', 'operations'],
      ['eve', 'nowhere'],
      ['eve', 'research'],
      ['eve', 'root'],
    ].entries())
      await submit(`refused${n}`, user, { queue });

    // Applications with access lists of their own.
    const acls = (view, modify) => ({
      entry: [
        ...(view === undefined ? [] : [{ key: 'VIEW_APP', value: view }]),
        ...(modify === undefined ? [] : [{ key: 'MODIFY_APP', value: modify }]),
      ],
    });
    const apps = [];
    for (const [n, [view, modify]] of [
      [undefined, undefined],
      ['*', ' '],
      ['eve', 'eve'],
      [' daemon', ' games'],
      ['eve daemon', undefined],
      ['', '*'],
    ].entries()) {
      const app = await sleeper(c, `app${n}`, {
        user: n === 5 ? 'daemon' : 'ada',
        memory: 128,
        'am-container-spec': { commands: { command: 'sleep 600' }, 'application-acls': acls(view, modify) },
      });
      await launched(c, app);
      apps.push(app);
    }
    for (const [n, app] of apps.entries())
      for (const user of ['ada', 'bob', 'carl', 'daemon', 'eve', 'games', 'root', 'admin', undefined]) {
        await c.record(`app.${n}.${user}`, 'rm', 'GET', `${RM}/apps/${app}`, {
          user,
          pick: (j) =>
            j.RemoteException ?? {
              keys: Object.keys(j.app).sort(),
              name: j.app.name,
              user: j.app.user,
              queue: j.app.queue,
              tracking: j.app.trackingUI,
              diagnostics: j.app.diagnostics === '',
            },
        });
        await c.record(`attempts.${n}.${user}`, 'rm', 'GET', `${RM}/apps/${app}/appattempts`, {
          user,
          pick: (j) => j.RemoteException ?? j.appAttempts.appAttempt?.map((a) => Object.keys(a).sort()),
        });
        await c.record(
          `containers.${n}.${user}`,
          'rm',
          'GET',
          `${RM}/apps/${app}/appattempts/${app.replace('application', 'appattempt')}_000001/containers`,
          { user, pick: (j) => j.RemoteException ?? j.container?.map((a) => Object.keys(a).sort()) },
        );
        await c.record(`priority.${n}.${user}`, 'rm', 'PUT', `${RM}/apps/${app}/priority`, { user, body: { priority: 0 } });
        await c.record(`timeout.${n}.${user}`, 'rm', 'PUT', `${RM}/apps/${app}/timeout`, {
          user,
          body: { timeout: { type: 'LIFETIME', expiryTime: '2099-01-01T00:00:00.000+0000' } },
          loose: ['remainingTimeInSeconds', 'expiryTime'],
        });
        if (user !== 'ada' && user !== 'root')
          await c.record(`move.${n}.${user}`, 'rm', 'PUT', `${RM}/apps/${app}/queue`, { user, body: { queue: 'root.research.reports' } });
      }
    for (const user of ['ada', 'bob', 'carl', 'daemon', 'eve', 'games', 'root', 'admin', undefined])
      await c.record(`apps.${user}`, 'rm', 'GET', `${RM}/apps?states=ACCEPTED`, {
        user,
        pick: (j) => (j.apps.app ?? []).map((a) => [a.id, a.name, a.user, Object.keys(a).length]).sort(),
      });
    const box = (app, n = 1) => `${app.replace('application', 'container')}_01_${String(n).padStart(6, '0')}`;
    const signal = (id, container, command, user, options = {}) =>
      c.record(`signal.${id}`, 'rm', 'POST', `${RM}/containers/${container}/signal/${command}`, { user, ...options });
    for (const user of ['bob', 'carl', 'eve', 'games', undefined])
      await signal(`stranger.${user}`, box(apps[0]), 'OUTPUT_THREAD_DUMP', user);
    for (const [n, command] of [
      'output_thread_dump',
      'OUTPUT_THREAD_DUMP',
      'Graceful_Shutdown2',
      'KILL',
      '%20',
      'GRACEFUL_SHUTDOWN%20',
      '9',
      'OUTPUT_THREAD_DUMP/',
      'OUTPUT_THREAD_DUMP/x',
    ].entries()) {
      await signal(`command.${n}`, box(apps[0]), command, 'root', { cut: 60 });
      await signal(`command-xml.${n}`, box(apps[0]), command, 'root', { accept: 'application/xml', cut: 2000 });
    }
    for (const [n, id] of [
      'container',
      'container_',
      'container_1_1_1_1',
      'container_x_0001_01_000001',
      'container_e1_1_0001_01_000001',
      '%20',
      `${box(apps[0])}x`,
      box(apps[0]).toUpperCase(),
      apps[0],
      box(apps[0], 99),
      `${apps[0].replace('application', 'container')}_09_000001`,
    ].entries()) {
      await signal(`id.${n}`, id, 'OUTPUT_THREAD_DUMP', 'root');
      await signal(`id-xml.${n}`, id, 'OUTPUT_THREAD_DUMP', 'root', { accept: 'application/xml' });
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])
      await c.record(`signal.method.${method}`, 'rm', method, `${RM}/containers/${box(apps[0])}/signal/OUTPUT_THREAD_DUMP`, {
        user: 'root',
        accept: 'application/json',
        cut: 60,
        ...(method === 'PUT' ? { body: {} } : {}),
      });
    await signal('body', box(apps[0]), 'OUTPUT_THREAD_DUMP', 'root', { body: { command: 'KILL' } });
    await signal('body-text', box(apps[0]), 'OUTPUT_THREAD_DUMP', 'root', { body: 'x', headers: { 'content-type': 'text/plain' } });
    for (const [n, [app, user]] of [
      [0, 'carl'],
      [0, 'eve'],
      [1, 'bob'],
      [2, 'eve'],
      [3, 'games'],
      [4, 'daemon'],
      [5, 'eve'],
      [5, undefined],
    ].entries()) {
      await c.record(`kill.${n}`, 'rm', 'PUT', `${RM}/apps/${apps[app]}/state`, {
        user,
        body: { state: 'KILLED' },
        mask: [[/("state":")[A-Z_]+/, '$1{moment}']],
      });
      await c.record(`kill-xml.${n}`, 'rm', 'PUT', `${RM}/apps/${apps[app]}/state`, {
        user: user === undefined ? undefined : 'nobody',
        accept: 'application/xml',
        body: { state: 'KILLED' },
        mask: [[/(<state>)[A-Z_]+/, '$1{moment}']],
      });
    }
    await clear(c);
    for (const user of ['ada', 'bob', 'carl', 'eve', undefined]) {
      await c.record(`ended.${user}`, 'rm', 'GET', `${RM}/apps/${apps[3]}`, {
        user,
        pick: (j) => j.RemoteException ?? Object.keys(j.app).sort(),
      });
      await c.record(`ended-kill.${user}`, 'rm', 'PUT', `${RM}/apps/${apps[3]}/state`, { user, body: { state: 'KILLED' } });
    }
    await c.http('rm', 'GET', `${RM}/scheduler-conf/format`, { user: 'root' });
  },
};
