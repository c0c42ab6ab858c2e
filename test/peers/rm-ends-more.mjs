// Ends of applications that no recording has: exit codes, signals, commands that are none, resources that are not there, attempts, kills, lifetimes.
import {
  attempt,
  command,
  container,
  ended,
  fresh,
  get,
  launched,
  masks,
  moment,
  RM,
  sleeping,
  submit,
  unmanaged,
  waiting,
} from '../kit-apps.mjs';
import { clear } from '../kit-scheduler.mjs';

const entry = (map) => ({ entry: Object.entries(map).map(([key, value]) => ({ key, value })) });

export default {
  name: 'rm-ends-more',
  cluster: 'capacity',
  about: 'how applications end, and what they and their attempts then show',
  async run(c) {
    masks(c);
    await clear(c);
    const read = (id, path, options = {}) => c.record(id, 'rm', 'GET', `${RM}/apps/${path}`, { user: 'root', ...options });
    const put = (name, id, path, body, options = {}) =>
      c.record(name, 'rm', 'PUT', `${RM}/apps/${id}/${path}`, { user: 'root', body, ...options, ...(path === 'state' ? moment : {}) });
    const show = async (name, id, attempts = 1) => {
      await read(name, id, { xml: true });
      await read(`${name}.attempts`, `${id}/appattempts`, { xml: true });
      for (let n = 1; n <= attempts; n++) {
        await read(`${name}.attempt.${n}`, `${id}/appattempts/${attempt(id, n)}`, { xml: n === 1 });
        await read(`${name}.containers.${n}`, `${id}/appattempts/${attempt(id, n)}/containers`);
        await read(`${name}.container.${n}`, `${id}/appattempts/${attempt(id, n)}/containers/${container(id, n)}`);
      }
    };
    /** Ends that come by themselves, several at a time. */
    const ends = async (list) => {
      const ids = [];
      for (const [name, spec, user] of list) ids.push(await submit(c, name, spec, user ?? 'root'));
      for (const [n, [name, spec]] of list.entries()) {
        await ended(c, ids[n]);
        const attempts = Math.min(spec['max-app-attempts'] ?? 1, 2);
        await show(name, ids[n], Math.max(attempts, 1));
      }
    };
    const one = (text, more = {}) => ({ ...command(text), resource: { memory: 128, vCores: 1 }, ...more });
    const spec = (am, more = {}) => ({ resource: { memory: 128, vCores: 1 }, 'max-app-attempts': 1, 'am-container-spec': am, ...more });

    await ends([2, 126, 127, 128, 130].map((code) => [`exit${code}`, one(`exit ${code}`), 'ada']));
    await ends([134, 137, 143, 154, 255, 256].map((code) => [`exit${code}`, one(`exit ${code}`, { queue: 'models' }), 'ada']));
    await ends(['TERM', 'KILL'].map((signal) => [`signal${signal}`, one(`kill -${signal} $$`)]));
    await ends([
      ['no-program', one('/no/such/program')],
      ['no-command', one('nosuchcommand --help')],
      ['no-syntax', one('if then')],
      ['quote', one("echo 'open")],
      ['folder', one('/tmp')],
    ]);
    await ends([
      ['empty-command', spec({ commands: { command: '' } })],
      ['no-commands', spec({ commands: {} })],
      ['no-spec', { resource: { memory: 128, vCores: 1 }, 'max-app-attempts': 1 }],
      ['two-commands', spec({ commands: { command: ['exit 4', 'exit 5'] } })],
      ['empty-spec', spec({})],
    ]);
    await ends([
      ['output', one('echo said; echo failed >&2; exit 6')],
      ['files', one('echo said >$LOG_DIRS/stdout; echo failed >$LOG_DIRS/stderr; exit 6')],
      ['log-dir', one('echo failed >&2 2><LOG_DIR>/stderr; ls /no/such 2><LOG_DIR>/stderr; exit 6')],
      ['several', one('for i in 1 2; do echo failed $i >$LOG_DIRS/stderr.$i; done; exit 6')],
      ['unicode', one("echo 'größe & <b>' >$LOG_DIRS/stderr; exit 6")],
    ]);
    await ends([
      ['environment', spec({ commands: { command: 'exit $CODE' }, environment: entry({ CODE: '9' }) })],
      ['environment-name', spec({ commands: { command: 'exit 1' }, environment: entry({ 'A B': 'x' }) })],
    ]);
    const resource = (more) => ({
      resource: 'file:///etc/hostname',
      type: 'FILE',
      visibility: 'APPLICATION',
      size: 1,
      timestamp: 1,
      ...more,
    });
    const line = ({ app }) =>
      app && {
        state: app.state,
        finalStatus: app.finalStatus,
        first: app.diagnostics
          .split('\n')[0]
          .slice(0, 200)
          .replace(/\d{13}|changed on src filesystem.*/g, 'N'),
      };
    for (const [name, more] of Object.entries({
      timestamp: {},
      directory: { resource: 'file:///etc' },
      scheme: { resource: 'nothing:///x' },
      relative: { resource: 'etc/hostname' },
      archive: { type: 'ARCHIVE' },
      public: { visibility: 'PUBLIC' },
      private: { visibility: 'PRIVATE', resource: 'file:///no/such/file' },
    })) {
      const id = await submit(
        c,
        `resource-${name}`,
        spec({ commands: { command: 'true' }, 'local-resources': entry({ words: resource(more) }) }),
      );
      await ended(c, id);
      await read(`resource-${name}`, id, { pick: line });
    }
    await ends([
      ['three', one('exit 1', { 'max-app-attempts': 3 })],
      ['hundred', one('exit 2', { 'max-app-attempts': 100 })],
      ['none', one('exit 3', { 'max-app-attempts': 0 })],
      ['minus', one('exit 4', { 'max-app-attempts': -1 })],
      ['window', one('exit 5', { 'max-app-attempts': 2, 'attempt-failures-validity-interval': 600000 })],
      ['kept', one('exit 6', { 'max-app-attempts': 2, 'keep-containers-across-application-attempts': true })],
      ['second', one('test -e /tmp/never || exit 7', { 'max-app-attempts': 2 }), 'ada'],
    ]);

    // kills
    const acls = { 'application-acls': entry({ MODIFY_APP: 'bob', VIEW_APP: 'carol' }) };
    const life = { ...sleeping(900, 256), 'am-container-spec': { commands: { command: 'sleep 900' }, ...acls } };
    for (const [n, [body, options]] of [
      [{ state: 'KILLED' }, { user: 'ada' }],
      [{ state: 'KILLED', diagnostics: '' }, { user: 'bob' }],
      [{ state: 'KILLED', diagnostics: 'over <&> "größe"' }, { user: 'root' }],
      [{ state: 'KILLED', diagnostics: null }, { user: 'admin' }],
      [
        '<appstate><state>KILLED</state><diagnostics>in words</diagnostics></appstate>',
        { headers: { 'content-type': 'application/xml' }, accept: 'application/xml' },
      ],
      ['<appstate><diagnostics>first</diagnostics><state>KILLED</state></appstate>', { headers: { 'content-type': 'application/xml' } }],
      [{ diagnostics: 'only' }, {}],
      [{ state: 'KILLED', diagnostics: 'x'.repeat(3000) }, {}],
      [{ state: 'KILLED', diagnostics: 5 }, {}],
      [{ state: 'KILLED', diagnostics: ['a', 'b'] }, {}],
    ].entries()) {
      const id = await submit(c, `killed${n}`, life, 'ada');
      await launched(c, id);
      for (const user of ['carol', 'eve', undefined]) await put(`killed${n}.by.${user}`, id, 'state', { state: 'KILLED' }, { user });
      const { status } = await put(`killed${n}`, id, 'state', body, options);
      if (status >= 400) await put(`killed${n}.then`, id, 'state', { state: 'KILLED' });
      await ended(c, id);
      await show(`killed${n}`.replace('killed', 'after'), id);
      for (const user of ['bob', 'carol', 'eve', undefined]) await read(`after${n}.by.${user}`, id, { user });
    }
    // what stands in a queue and is changed there, then killed
    const big = await submit(c, 'big', { ...sleeping(900, 4096), queue: 'default' }, 'ada');
    await launched(c, big);
    const held = [];
    for (const [n, more] of [
      {},
      { 'application-timeouts': entry({ LIFETIME: 4 }) },
      { priority: 4 },
      { 'application-tags': { tag: ['b', 'a'] } },
    ].entries())
      held.push(await submit(c, `held${n}`, { ...sleeping(900, 2048), ...life['am-container-spec'], queue: 'default', ...more }, 'eve'));
    await waiting(c, held[0]);
    const soon = (name) => ({
      timeout: { type: 'LIFETIME', expiryTime: c.name(name, new Date(Date.now() + 2000).toISOString().replace('Z', '+0000')) },
    });
    await put('held1.timeout', held[1], 'timeout', soon('held1.soon'), { loose: ['remainingTimeInSeconds'] });
    await ended(c, held[1]);
    await read('held1', held[1], { xml: true, loose: ['remainingTimeInSeconds'] });
    await read('held1.attempts', `${held[1]}/appattempts`, { xml: true });
    await read('held1.timeouts', `${held[1]}/timeouts`, { xml: true, loose: ['remainingTimeInSeconds'] });
    await put('held0.priority', held[0], 'priority', { priority: 6 });
    await put(
      'held0.timeout',
      held[0],
      'timeout',
      { timeout: { type: 'LIFETIME', expiryTime: '2037-05-01T00:00:00.000+0000' } },
      { loose: ['remainingTimeInSeconds'], exact: true },
    );
    await put('held0.kill', held[0], 'state', { state: 'KILLED', diagnostics: 'no room' });
    await ended(c, held[0]);
    await show('held0', held[0]);
    await put('held2.move', held[2], 'queue', { queue: 'root.research.reports' });
    await launched(c, held[2]);
    await read('held2', held[2], { xml: true });
    await put('held2.back', held[2], 'queue', { queue: 'default' });
    await read('held2.backed', held[2]);
    await put('held2.kill', held[2], 'state', { state: 'KILLED' }, { user: 'eve' });
    await ended(c, held[2]);
    await show('held2-after', held[2]);
    await put('held3.kill', held[3], 'state', '<appstate><state>KILLED</state></appstate>', {
      headers: { 'content-type': 'application/xml' },
    });
    await ended(c, held[3]);
    await show('held3', held[3]);
    await put('big.kill', big, 'state', { state: 'KILLED' });
    await ended(c, big);

    // masters that nobody started
    const own = [];
    for (const [n, more] of [
      {},
      { 'application-timeouts': entry({ LIFETIME: 3 }) },
      { 'max-app-attempts': 2, priority: 3 },
      { queue: 'models', 'keep-containers-across-application-attempts': true },
      { ...acls },
    ].entries())
      own.push(await submit(c, `own${n}`, { ...unmanaged, 'application-type': 'OWN', ...more }, 'ada'));
    for (const [n, id] of own.entries()) {
      await launched(c, id);
      if (n === 1) {
        await put('own1.timeout', id, 'timeout', soon('own1.soon'), { loose: ['remainingTimeInSeconds'] });
        continue;
      }
      await read(`own${n}`, id, { xml: true });
      await read(`own${n}.attempts`, `${id}/appattempts`, { xml: true });
      await read(`own${n}.containers`, `${id}/appattempts/${attempt(id)}/containers`, { xml: true });
      await put(
        `own${n}.kill`,
        id,
        'state',
        { state: 'KILLED', diagnostics: `end ${n}` },
        { user: ['ada', 'root', 'root', 'ada', 'root'][n] },
      );
    }
    for (const [n, id] of own.entries()) {
      await ended(c, id);
      await show(`own-after${n}`, id);
    }
    // refused by the scheduler
    for (const [n, queue] of [
      'root',
      'research',
      'root.research',
      'root.nowhere',
      'root.default.x',
      'a.b',
      '',
      ' ',
      'root.',
      '.default',
      'DEFAULT',
      'root.operations',
      'operations.x',
    ].entries()) {
      const id = await fresh(c, `refused${n}`);
      await c.record(`refused${n}.submit`, 'rm', 'POST', `${RM}/apps`, {
        user: 'ada',
        body: { 'application-id': id, ...sleeping(1, 128), queue },
      });
      await c.until('an end', async () => {
        await c.sleep(500);
        const { app } = await get(c, `/apps/${id}`);
        return !app || ['FAILED', 'FINISHED', 'KILLED'].includes(app.state) || app.diagnostics.includes('launched');
      });
      if (!(await get(c, `/apps/${id}`)).app) continue;
      await ended(c, id);
      await read(`refused${n}`, id, { xml: true });
      await read(`refused${n}.attempts`, `${id}/appattempts`, { xml: true });
      await put(`refused${n}.kill`, id, 'state', { state: 'KILLED' });
      await put(`refused${n}.priority`, id, 'priority', { priority: 1 });
      await put(`refused${n}.move`, id, 'queue', { queue: 'default' });
    }
    await clear(c);
  },
};
