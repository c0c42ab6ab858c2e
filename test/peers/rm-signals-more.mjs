// Signals to containers of applications in every state, ids and commands in other forms; delegation tokens without Kerberos.
import {
  attempt,
  command,
  container,
  ended,
  get,
  kill,
  launched,
  masks,
  RM,
  ready,
  sleeping,
  submit,
  unmanaged,
  waiting,
} from '../kit-apps.mjs';
import { clear } from '../kit-scheduler.mjs';

export default {
  name: 'rm-signals-more',
  cluster: 'capacity',
  about: 'signals to containers and tokens in simple mode in forms that no recording has',
  async run(c) {
    masks(c);
    await clear(c);
    const signal = (name, id, what, options = {}) =>
      c.record(name, 'rm', 'POST', `${RM}/containers/${id}/signal/${what}`, { user: 'root', ...options });
    const handlers = "trap 'echo quit' QUIT; trap 'exit 9' TERM; echo ready >$LOG_DIRS/stdout; while true; do sleep 0.2; done";
    const run = async (name, more = {}, user = 'root') => {
      const id = await submit(c, name, { ...command(handlers), ...more }, user);
      await launched(c, id);
      await ready(c, id);
      return id;
    };
    const life = await run('life', {}, 'ada');
    const over = await submit(c, 'over', command('exit 3'), 'ada');
    await ended(c, over);
    const big = await submit(c, 'big', sleeping(900, 2048), 'eve');
    await launched(c, big);
    const held = await submit(c, 'held', sleeping(900, 4096), 'zoe');
    await waiting(c, held);
    const own = await submit(c, 'own', unmanaged, 'ada');
    await launched(c, own);
    const lost = await submit(c, 'lost', { ...sleeping(1), queue: 'nowhere' }, 'ada');
    await ended(c, lost);
    const box = container(life);
    const commands = [
      'OUTPUT_THREAD_DUMP',
      'output_thread_dump',
      'Output_Thread_Dump',
      'STOP',
      'SIGKILL',
      '9',
      '-9',
      '%20OUTPUT_THREAD_DUMP',
      'OUTPUT_THREAD_DUMP%20',
      'GRACEFUL',
      'graceful-shutdown',
      '%3Cb%3E',
      'OUTPUT_THREAD_DUMP;a=b',
      'null',
      'ü',
      'GRACEFUL_SHUTDOWN,FORCEFUL_SHUTDOWN',
    ];
    for (const [n, what] of commands.entries()) await signal(`command.${n}`, box, what, { xml: n % 3 === 0 });
    const number = box.slice('container_'.length);
    const ids = [
      'container_',
      'container_1',
      'container_1_1',
      'container_1_1_1',
      'container_1_1_1_1',
      'container_a_1_1_1',
      'container_1_a_1_1',
      'container_1_1_a_1',
      'container_1_1_1_a',
      'container_e1_1_1_1_1',
      'container_e_1_1_1_1',
      'container_ex_1_1_1_1',
      `container_e00_${number}`,
      `container_e01_${number}`,
      `Container_${number}`,
      `CONTAINER_${number}`,
      number,
      `${box}_1`,
      `%20${box}`,
      `${box}%20`,
      'container_-1_1_1_1',
      'container_1_99999999999_1_1',
      'container_99999999999999999999_1_1_1',
      'application_1_1',
      attempt(life),
      life,
      '%3Cb%3E',
      'ü',
      `${box};a=b`,
      box.replace(/_0*(\d+)$/, '_$1'),
      box.replace(/_(\d+)$/, '_0000000$1'),
      box.replace(/_01_/, '_1_'),
      'container_1_0001_01_000001_1',
      'containerx_1_1_1_1',
      'container-1-1-1-1',
    ];
    for (const [n, id] of ids.entries()) {
      await signal(`id.${n}`, id, 'OUTPUT_THREAD_DUMP', { xml: n % 4 === 0 });
      await signal(`id-wrong.${n}`, id, 'NOTHING');
    }
    for (const [name, app] of Object.entries({ over, held, own, lost, big }))
      for (const [n, what] of ['OUTPUT_THREAD_DUMP', 'STOP'].entries())
        for (const k of [1, 2]) await signal(`${name}.${n}.${k}`, container(app, 1, k), what, { xml: k === 1 });
    await signal('second-attempt', container(life, 2), 'OUTPUT_THREAD_DUMP');
    for (const user of ['ada', 'eve', 'admin', undefined, '', 'a b', 'ada@EXAMPLE.ORG'])
      await signal(`by.${user}`, box, 'OUTPUT_THREAD_DUMP', { user });
    for (const [n, [type, body]] of [
      ['application/json', '{'],
      ['application/json', '[]'],
      ['application/xml', '<a/>'],
      ['application/xml', ''],
      ['text/plain', 'x'],
      ['application/x-www-form-urlencoded', 'command=STOP'],
      ['nonsense', 'x'],
      ['application/octet-stream', '\u0000'],
    ].entries())
      await signal(`body.${n}`, box, 'OUTPUT_THREAD_DUMP', { body, headers: { 'content-type': type } });
    for (const [n, accept] of [
      'text/plain',
      'text/html',
      '*/*',
      'application/*',
      'application/xml;q=0.5, application/json',
      'text/xml',
      'image/png',
      'nonsense',
      'application/json;q=0',
    ].entries())
      for (const what of ['OUTPUT_THREAD_DUMP', 'STOP']) await signal(`accept.${n}.${what}`, box, what, { accept });
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])
      for (const path of [
        `/containers/${box}/signal/OUTPUT_THREAD_DUMP`,
        `/containers/${box}/signal/`,
        `/containers/${box}/signal`,
        `/containers/${box}`,
        '/containers',
        `/containers/${box}/signal/a/b`,
        `/containers/${box}/signals/OUTPUT_THREAD_DUMP`,
      ])
        await c.record(`${method}.${path.replace(box, 'ID').replaceAll('/', '-')}`, 'rm', method, `${RM}${path}`, {
          user: 'root',
          cut: 60,
        });
    for (const [n, path] of [
      `/containers/${box}/signal/`,
      `/containers//signal/OUTPUT_THREAD_DUMP`,
      `/containers/${box}/signal/OUTPUT_THREAD_DUMP/`,
      `/containers/${box}/signal/OUTPUT_THREAD_DUMP?command=STOP`,
      `/containers/${box}//signal/OUTPUT_THREAD_DUMP`,
      `/Containers/${box}/signal/OUTPUT_THREAD_DUMP`,
    ].entries())
      await c.record(`path.${n}`, 'rm', 'POST', `${RM}${path}`, { user: 'root', cut: 60 });
    const end = async (name, id) => {
      await ended(c, id);
      await c.record(`${name}.app`, 'rm', 'GET', `${RM}/apps/${id}`, { user: 'root', xml: true });
      await c.record(`${name}.attempts`, 'rm', 'GET', `${RM}/apps/${id}/appattempts`, { user: 'root', xml: true });
      for (const what of ['OUTPUT_THREAD_DUMP', 'GRACEFUL_SHUTDOWN', 'FORCEFUL_SHUTDOWN', 'STOP'])
        await signal(`${name}.after.${what}`, container(id), what, { xml: true });
    };
    await signal('graceful-lower', box, 'graceful_shutdown', { accept: 'application/xml' });
    await end('graceful', life);
    await kill(c, big);
    // one that ends by itself at SIGTERM, one that does not hear it, one of two attempts
    const calm = await submit(
      c,
      'calm',
      command("trap 'exit 0' TERM; echo ready >$LOG_DIRS/stdout; while true; do sleep 0.2; done"),
      'ada',
    );
    await launched(c, calm);
    await ready(c, calm);
    await signal('calm', container(calm), 'GRACEFUL_SHUTDOWN');
    await end('calm-end', calm);
    const plain = await submit(c, 'plain', command('echo ready >$LOG_DIRS/stdout; exec sleep 600'), 'ada');
    await launched(c, plain);
    await ready(c, plain);
    await signal('plain', container(plain), 'Graceful_Shutdown');
    await end('plain-end', plain);
    const twice = await submit(c, 'twice', command('echo ready >$LOG_DIRS/stdout; exec sleep 600', 2), 'ada');
    await launched(c, twice);
    await ready(c, twice);
    await signal('twice', container(twice), 'forceful_shutdown', { xml: false });
    await c.until('the second', async () => (await get(c, `/apps/${twice}/appattempts`)).appAttempts.appAttempt.length === 2);
    await launched(c, twice);
    await c.until('ready again', async () =>
      (await c.http('nm', 'GET', `/ws/v1/node/containers/${container(twice, 2)}/logs/stdout`, { user: 'root' })).text.includes('ready'),
    );
    await signal('twice-first', container(twice), 'OUTPUT_THREAD_DUMP');
    await signal('twice-second', container(twice, 2), 'FORCEFUL_SHUTDOWN');
    await end('twice-end', twice);
    await kill(c, own);
    await clear(c);

    const token = (name, method, path, options = {}) =>
      c.record(name, 'rm', method, `${RM}/delegation-token${path}`, { user: 'root', ...options });
    const header = (value) => ({ 'Hadoop-YARN-RM-Delegation-Token': value });
    let n = 0;
    for (const body of [
      { renewer: '' },
      { renewer: null },
      { renewer: 5 },
      { renewer: ['a'] },
      { renewer: {} },
      { 'delegation-token': { renewer: 'a' } },
      { renewer: 'ada', owner: 'bob', token: 'x' },
      { Renewer: 'a' },
      { more: 1 },
      [],
      'null',
      '5',
      '"a"',
      '',
      ' ',
      'renewer=ada',
      { renewer: 'a@b', kind: 'x', 'expiration-time': 'x' },
      { 'expiration-time': 5, 'max-validity': 6 },
    ]) {
      n += 1;
      await token(`create.${n}`, 'POST', '', { body });
      await token(`create.${n}.ada`, 'POST', '', { body, user: 'ada', accept: 'application/xml' });
    }
    for (const body of [
      '<delegation-token/>',
      '<delegation-token><renewer/></delegation-token>',
      '<delegation-token><token>a</token></delegation-token>',
      '<x/>',
      '<a',
      '',
      'x',
      '<appstate><state>KILLED</state></appstate>',
    ]) {
      n += 1;
      await token(`create-xml.${n}`, 'POST', '', { body, headers: { 'content-type': 'application/xml' }, loose: ['message'] });
    }
    for (const type of [
      'text/plain',
      'text/xml',
      'application/x-www-form-urlencoded',
      'application/json;charset=utf-8',
      'application/json; charset=latin1',
      'APPLICATION/JSON',
    ])
      await token(`create-type.${type.replaceAll('/', '-')}`, 'POST', '', {
        body: '{"renewer":"ada"}',
        headers: { 'content-type': type },
        loose: ['message'],
      });
    for (const [k, value] of ['', ' ', 'a', 'a b', 'AAAA', '%', 'ü', 'x'.repeat(3000), 'EgACYWIBYQA'].entries())
      for (const user of ['root', undefined, 'ada']) {
        await token(`renew.${k}.${user}`, 'POST', '/expiration', { headers: header(value), user, xml: k === 1 });
        await token(`cancel.${k}.${user}`, 'DELETE', '', { headers: header(value), user });
      }
    for (const method of ['GET', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'])
      for (const path of ['', '/', '/expiration', '/expiration/', '/x'])
        await token(`${method}.token${path.replaceAll('/', '-')}`, method, path, { cut: 60 });
    for (const path of ['/', '/expiration/', '/x']) {
      await token(`post${path.replaceAll('/', '-')}`, 'POST', path, { headers: header('a'), cut: 60 });
      await token(`delete${path.replaceAll('/', '-')}`, 'DELETE', path, { headers: header('a'), cut: 60 });
    }
    await token('delete-query', 'DELETE', '?token=abc');
    await token('renew-query', 'POST', '/expiration?token=abc');
    await token('renew-body', 'POST', '/expiration', { body: { token: 'abc' } });
    await token('delete-body', 'DELETE', '', { body: { token: 'abc' } });
  },
};
