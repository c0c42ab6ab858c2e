// Application priorities in forms that no recording has: bodies, grants of users and groups, defaults of queues, changes of all of them, moves.
import { appFacts, clear, facts, get, launched, RM, sleeper, waiting } from '../kit-scheduler.mjs';

const C = 'yarn.scheduler.capacity';
const bodies = [
  '{"priority":1}',
  '{"priority":"2"}',
  '{"priority":" 2 "}',
  '{"priority":"x"}',
  '{"priority":""}',
  '{"priority":null}',
  '{"priority":1.5}',
  '{"priority":1.0}',
  '{"priority":1e1}',
  '{"priority":true}',
  '{"priority":[1]}',
  '{"priority":[]}',
  '{"priority":{}}',
  '{"priority":-1}',
  '{"priority":-2147483648}',
  '{"priority":2147483647}',
  '{"priority":2147483648}',
  '{"priority":99999999999999999999}',
  '{"priority":007}',
  '{"Priority":3}',
  '{"priority":3,"priority":4}',
  '{"priority":3,"other":4}',
  '{"applicationpriority":{"priority":3}}',
  '{"applicationPriority":{"priority":3}}',
  '{}',
  '[]',
  'null',
  '3',
  '"3"',
  '',
  ' ',
  '{',
  '{"priority":}',
];
const xmls = [
  '<applicationpriority><priority>3</priority></applicationpriority>',
  '<applicationpriority><priority> 4 </priority></applicationpriority>',
  '<applicationpriority><priority>x</priority></applicationpriority>',
  '<applicationpriority><priority/></applicationpriority>',
  '<applicationpriority/>',
  '<applicationPriority><priority>3</priority></applicationPriority>',
  '<priority>3</priority>',
  '<appqueue><queue>default</queue></appqueue>',
  '<',
  '',
  '<applicationpriority><priority>3</priority><priority>5</priority></applicationpriority>',
  '<applicationpriority><other>3</other></applicationpriority>',
  '<applicationpriority priority="3"/>',
];
const grants = [
  '[user=ada max_priority=8 default_priority=3]',
  '[user=ada max_priority=8]',
  '[user=ada default_priority=3]',
  '[user=ada]',
  '[group=daemon max_priority=5 default_priority=2]',
  '[user=ada max_priority=2] [group=daemon max_priority=5]',
  '[user=* max_priority=4 default_priority=1]',
  '[user=ada,bob max_priority=4]',
  '[user=ada max_priority=x]',
  '[user=ada max_priority=-1]',
  '[max_priority=5]',
  '[user=ada max_priority=8 default_priority=9]',
  'user=ada max_priority=8',
  '[user=ada max_priority=8',
  '',
  ' ',
  '[]',
  '[user=ada max_priority=50]',
  '[ user=ada max_priority=8 ]',
  '[user=ada  max_priority=8]',
  '[USER=ada max_priority=8]',
  '[user=ada max_priority=8][user=bob max_priority=4]',
  '[user=ada max_priority=3] [user=ada max_priority=6]',
];
const defaults = ['4', '0', '-1', '11', '10', 'x', '', '2.5', ' 5 '];

export default {
  name: 'sched-priority-more',
  cluster: 'capacity-limits',
  fresh: true,
  about: 'application priorities of the capacity scheduler in forms that no recording has',
  async run(c) {
    c.mask(/application_\d+_\d+/g, 'ID');
    await clear(c);
    const put = (id, of, body, options = {}) =>
      c.record(id, 'rm', 'PUT', `${RM}/apps/${of}/priority`, { user: 'root', body, loose: [], ...options });
    const read = (id, of, options = {}) => c.record(id, 'rm', 'GET', `${RM}/apps/${of}/priority`, { user: 'root', ...options });
    const app = await sleeper(c, 'app', { queue: 'users', user: 'ada', memory: 128, priority: 5 });
    await launched(c, app);
    for (const [n, body] of bodies.entries()) {
      await put(`body.${n}`, app, body, { loose: ['message'] });
      await read(`body.${n}.after`, app);
    }
    for (const [n, body] of xmls.entries()) {
      await put(`xml.${n}`, app, body, { headers: { 'content-type': 'application/xml' }, loose: ['message'] });
      await put(`xml-xml.${n}`, app, body, {
        headers: { 'content-type': 'application/xml' },
        accept: 'application/xml',
        loose: ['message'],
      });
      await read(`xml.${n}.after`, app, { accept: 'application/xml' });
    }
    for (const [n, type] of [
      'text/plain',
      'text/xml',
      'application/x-www-form-urlencoded',
      'application/json;charset=utf-8',
      'application/JSON',
      'application/*',
      '*/*',
      'x',
    ].entries())
      await put(`type.${n}`, app, '{"priority":3}', { headers: { 'content-type': type }, loose: ['message'] });
    for (const [name, accept] of Object.entries({
      json: 'application/json',
      xml: 'application/xml',
      any: '*/*',
      html: 'text/html',
      text: 'text/plain',
      'text-xml': 'text/xml',
      both: 'application/xml,application/json',
      quality: 'application/json;q=0.1,application/xml;q=0.2',
      garbage: 'garbage',
    })) {
      await put(`accept.${name}`, app, { priority: 4 }, { accept });
      await read(`accept-get.${name}`, app, { accept });
      await put(`accept-refused.${name}`, app, { priority: 4 }, { accept, user: 'bob' });
    }
    for (const method of ['POST', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])
      await c.record(`method.${method}`, 'rm', method, `${RM}/apps/${app}/priority`, {
        user: 'root',
        accept: 'application/json',
        cut: 60,
        ...(method === 'POST' ? { body: { priority: 1 } } : {}),
      });
    for (const user of ['ada', 'bob', 'root', 'admin', undefined]) {
      await put(`user.${user}`, app, { priority: 6 }, { user });
      await put(`user-same.${user}`, app, { priority: 6 }, { user });
      await put(`user-high.${user}`, app, { priority: 40 }, { user });
      await read(`user-get.${user}`, app, { user });
    }
    for (const [n, id] of [
      'application_1_0001',
      'application_1_1',
      'nothing',
      'application_x_1',
      '%20',
      'job_1_0001',
      `${app}x`,
    ].entries()) {
      await put(`id.${n}`, id, { priority: 1 });
      await put(`id-xml.${n}`, id, { priority: 1 }, { accept: 'application/xml' });
      await read(`id-get.${n}`, id);
      await read(`id-get-xml.${n}`, id, { accept: 'application/xml' });
    }
    await put('slash', `${app}/priority/..`, { priority: 1 }, { cut: 60 });
    await c.record('trailing', 'rm', 'GET', `${RM}/apps/${app}/priority/`, { user: 'root', cut: 60 });
    await c.record('app', 'rm', 'GET', `${RM}/apps/${app}`, { user: 'root', pick: appFacts });

    // Submissions, and what grants and defaults make of them.
    const conf = async (queue, params) => {
      const { status, text } = await c.http('rm', 'PUT', `${RM}/scheduler-conf`, {
        user: 'root',
        body: {
          'update-queue': { 'queue-name': queue, params: { entry: Object.entries(params).map(([key, value]) => ({ key, value })) } },
        },
      });
      return [status, status === 200 ? '' : text];
    };
    const submit = async (id, user, queue, priority, before) => {
      const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user });
      const name = json['application-id'];
      const answer = await c.http('rm', 'POST', `${RM}/apps`, {
        user,
        body: {
          'application-id': name,
          queue,
          'unmanaged-AM': true,
          ...(priority === undefined ? {} : { priority }),
          resource: { memory: 128, vCores: 1 },
          'am-container-spec': { commands: { command: 'x' } },
        },
      });
      if (answer.status === 202)
        await c.until(`${id} placed`, async () => ['ACCEPTED', 'FAILED'].includes((await get(c, `/apps/${name}`)).app.state), 20, 50);
      await c.record(id, 'rm', 'GET', `${RM}/apps/${name}`, {
        user: 'root',
        pick: (j) => [before, answer.status, answer.status === 202 ? '' : answer.text, j.app && [j.app.queue, j.app.state, j.app.priority]],
      });
      if (j202(answer)) {
        await c.record(`${id}.put`, 'rm', 'PUT', `${RM}/apps/${name}/priority`, { user, body: { priority: 7 } });
        await c.http('rm', 'PUT', `${RM}/apps/${name}/state`, { user: 'root', body: { state: 'KILLED' } });
      }
    };
    const j202 = ({ status }) => status === 202;
    for (const priority of [undefined, 0, -1, 10, 11, 2147483647, '3', 'x', 1.5, null, true])
      for (const [user, queue] of [
        ['ada', 'users'],
        ['ada', 'prio'],
        ['root', 'prio'],
        ['eve', 'prio'],
      ])
        await submit(`submit.${queue}.${user}.${priority}`, user, queue, priority);
    for (const [n, text] of grants.entries()) {
      const set = await conf('root.prio', { acl_application_max_priority: text });
      for (const user of ['ada', 'bob', 'daemon', 'root'])
        for (const priority of [undefined, 1, 5, 9]) await submit(`grant.${n}.${user}.${priority}`, user, 'prio', priority, set);
    }
    await conf('root.prio', {
      acl_application_max_priority:
        '[user=ada max_priority=8 default_priority=3] [user=bob max_priority=4 default_priority=1] [user=root max_priority=10]',
    });
    for (const [n, text] of defaults.entries()) {
      const set = await conf('root.users', { 'default-application-priority': text });
      for (const priority of [undefined, 1]) await submit(`default.${n}.${priority}`, 'ada', 'users', priority, set);
    }
    await conf('root.users', { 'default-application-priority': '0' });
    await c.http('rm', 'PUT', `${RM}/scheduler-conf`, {
      user: 'root',
      body: { 'global-updates': { entry: [{ key: `${C}.cluster.max-application-priority`, value: '3' }] } },
    });
    await submit('global', 'ada', 'users', 9);

    // Moves keep or change the priority.
    const moving = await sleeper(c, 'moving', { queue: 'users', user: 'ada', memory: 128, priority: 9 });
    await launched(c, moving);
    for (const [n, queue] of ['prio', 'life', 'prio', 'off', 'nowhere', 'users'].entries()) {
      await c.record(`move.${n}`, 'rm', 'PUT', `${RM}/apps/${moving}/queue`, { user: 'ada', body: { queue } });
      await c.sleep(300);
      await read(`move.${n}.priority`, moving);
    }
    await clear(c);
    await read('ended', moving);
    for (const priority of [9, 1, 0, -1, 99]) await put(`ended.${priority}`, moving, { priority });
    await put('ended-user', moving, { priority: 1 }, { user: 'bob' });
    await put('ended-xml', moving, { priority: 1 }, { accept: 'application/xml' });

    // Who is served first.
    const order = (id) =>
      c.record(id, 'rm', 'GET', `${RM}/apps?queue=root.prio&states=ACCEPTED`, {
        user: 'root',
        pick: ({ apps }) => (apps.app ?? []).map((a) => [a.name, a.priority, a.allocatedMB > 0]).sort(),
      });
    const first = await sleeper(c, 'first', { queue: 'prio', user: 'root', memory: 2048, priority: 1 });
    await launched(c, first);
    const names = [];
    for (const [name, priority] of [
      ['low', 0],
      ['same', 4],
      ['twin', 4],
      ['high', 6],
    ])
      names.push(await sleeper(c, name, { queue: 'prio', user: 'root', memory: 2048, priority }));
    await waiting(c, names.at(-1));
    await order('waiting');
    await put('raise-waiting', names[0], { priority: 8 });
    await put('lower-waiting', names[3], { priority: 0 });
    await order('changed');
    await c.http('rm', 'PUT', `${RM}/apps/${first}/state`, { user: 'root', body: { state: 'KILLED' } });
    await launched(c, names[0]);
    await order('first-served');
    await c.http('rm', 'PUT', `${RM}/apps/${names[0]}/state`, { user: 'root', body: { state: 'KILLED' } });
    await launched(c, names[1]);
    await order('second-served');
    await c.record('queue', 'rm', 'GET', `${RM}/scheduler`, { pick: facts('root.prio') });
    await clear(c);
  },
};
