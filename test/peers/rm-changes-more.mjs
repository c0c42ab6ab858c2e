// Changes of applications in every state, lists and statistics with odd filters.
import {
  attempt,
  command,
  container,
  ended,
  kill,
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

export default {
  name: 'rm-changes-more',
  cluster: 'capacity',
  about: 'changes in every state, lists and statistics',
  async run(c) {
    masks(c);
    await clear(c);
    const begin = c.name('begin', Date.now());
    await c.sleep(20);
    const view = ({ app }) => {
      if (!app) return app;
      const { resourceRequests, resourceInfo, ...rest } = app;
      return { ...rest, diagnostics: app.diagnostics.replace(/^\[[^\]]*\d{4}\] /, '[date] '), requests: resourceRequests?.length };
    };
    // one application in each state, and everything that can be asked of it and done to it
    const limit = (expiryTime, type = 'LIFETIME') => ({ timeout: { type, expiryTime } });
    const life = await submit(
      c,
      'life',
      { ...sleeping(900, 512), 'application-type': 'LIFE', 'application-tags': { tag: ['t1', 't2'] } },
      'ada',
    );
    await launched(c, life);
    const over = await submit(c, 'over', { ...command('exit 3'), 'application-type': 'LIFE' }, 'ada');
    await ended(c, over);
    const gone = await submit(c, 'gone', { ...sleeping(900, 256), 'application-type': 'LIFE' }, 'bob');
    await launched(c, gone);
    await kill(c, gone);
    const lost = await submit(c, 'lost', { ...sleeping(900, 256), queue: 'nowhere', 'application-type': 'LIFE' }, 'bob');
    await ended(c, lost);
    const big = await submit(c, 'big', { ...sleeping(900, 2048), queue: 'reports', 'application-type': 'LIFE' }, 'bob');
    await launched(c, big);
    const held = await submit(c, 'held', { ...sleeping(900, 2048), queue: 'reports', 'application-type': 'LIFE' }, 'zoe');
    await waiting(c, held);
    const own = await submit(c, 'own', { ...unmanaged, 'application-type': 'LIFE' }, 'ada');
    await launched(c, own);
    const all = { life, over, gone, lost, held, own };
    for (const [name, id] of Object.entries(all)) {
      for (const path of [
        '',
        '/state',
        '/queue',
        '/priority',
        '/timeouts',
        '/timeouts/LIFETIME',
        '/appattempts',
        `/appattempts/${attempt(id)}`,
        `/appattempts/${attempt(id, 2)}`,
        `/appattempts/${attempt(id)}/containers`,
        `/appattempts/${attempt(id)}/containers/${container(id)}`,
      ])
        for (const user of ['ada', 'eve', undefined])
          await c.record(
            `${name}${path.replace(/\/(appattempt|container)_[^/]*/g, (t) => `/${t.slice(1, 5)}${t.slice(-1)}`).replaceAll('/', '-')}.${user}`,
            'rm',
            'GET',
            `${RM}/apps/${id}${path}`,
            { user, ...(user === 'eve' && path === '' ? { xml: true } : {}) },
          );
    }
    const put = (name, id, path, body, options = {}) =>
      c.record(name, 'rm', 'PUT', `${RM}/apps/${id}${path}`, { user: 'root', body, ...options, ...(path === '/state' ? moment : {}) });
    const bodies = {
      '/state': [
        {},
        null,
        [],
        'x',
        '5',
        '"KILLED"',
        '',
        { state: null },
        { state: '' },
        { state: 'FINISHED' },
        { state: 'NEW' },
        { state: 'x' },
        { state: ' KILLED' },
        { state: ['KILLED', 'x'] },
        { state: {} },
        { state: 5 },
        { appstate: { state: 'KILLED' } },
        { State: 'KILLED' },
      ],
      '/queue': [
        {},
        null,
        [],
        'x',
        '"default"',
        { queue: null },
        { queue: '' },
        { queue: ' ' },
        { queue: 5 },
        { queue: [] },
        { queue: 'root' },
        { queue: 'root.default.x' },
        { queue: 'a..b' },
        { queue: 'operations' },
        { queue: 'root.operations.operations-default' },
        { queue: 'Default' },
        { appqueue: { queue: 'default' } },
        { queue: 'default', more: 1 },
      ],
      '/priority': [
        {},
        null,
        [],
        'x',
        '5',
        { priority: null },
        { priority: '' },
        { priority: 1.7 },
        { priority: 99999999999 },
        { priority: true },
        { priority: [] },
        { priority: {} },
        { priority: ' 3' },
        { applicationpriority: { priority: 3 } },
        { priority: 0 },
        { priority: 10 },
        { priority: 3, more: 1 },
      ],
      '/timeout': [
        {},
        null,
        [],
        'x',
        { timeout: null },
        { timeout: {} },
        { timeout: [] },
        { timeout: 'x' },
        limit(''),
        limit(null),
        limit(5),
        limit('2036-01-01'),
        limit('2036-01-01T00:00:00'),
        limit('2036-01-01T00:00:00.000'),
        limit('2036-13-45T00:00:00.000+0000'),
        limit('2036-01-01T00:00:00.000+000'),
        limit('2036-01-01T00:00:00.000-0800'),
        limit('2036-1-1T0:0:0.0+0000'),
        limit(' 2036-01-01T00:00:00.000+0000'),
        limit('2036-01-01T00:00:00.000 +0000'),
        limit('2036-01-01T00:00:00.000GMT'),
        limit('2036-01-01T00:00:00.000PST'),
        limit('2036-01-01T24:00:00.000+0000'),
        limit('36-01-01T00:00:00.000+0000'),
        limit('9999-12-31T23:59:59.999+0000'),
        limit('UNLIMITED'),
        limit('unlimited'),
        limit('-1'),
        limit('2036-01-01T00:00:00.000+0000', null),
        limit('2036-01-01T00:00:00.000+0000', 'lifetime'),
        limit('2036-01-01T00:00:00.000+0000', ''),
        { timeout: { type: 'LIFETIME', expiryTime: '2036-01-01T00:00:00.000+0000', remainingTimeInSeconds: 5 } },
        { timeouts: { timeout: [] } },
        { timeout: { type: 'LIFETIME', remainingTimeInSeconds: 500 } },
      ],
    };
    for (const [path, list] of Object.entries(bodies))
      for (const [n, body] of list.entries()) {
        await put(`life${path}.${n}`, life, path, body, path === '/timeout' ? { loose: ['remainingTimeInSeconds'], exact: true } : {});
        if (path === '/timeout')
          await c.record(`life${path}.${n}.get`, 'rm', 'GET', `${RM}/apps/${life}/timeouts`, {
            user: 'root',
            loose: ['remainingTimeInSeconds'],
            exact: true,
          });
        else await c.record(`life${path}.${n}.get`, 'rm', 'GET', `${RM}/apps/${life}${path}`, { user: 'root' });
      }
    for (const [name, id] of Object.entries(all))
      for (const user of ['eve', undefined, 'ada', 'root']) {
        if (name === 'life' || name === 'held' || name === 'own') {
          if (user === 'ada' || user === 'root') continue;
        }
        await put(`${name}.kill.${user}`, id, '/state', { state: 'KILLED' }, { user });
        await put(`${name}.same.${user}`, id, '/state', { state: 'ACCEPTED' }, { user });
        await put(`${name}.failed.${user}`, id, '/state', { state: 'FAILED' }, { user });
        await put(`${name}.move.${user}`, id, '/queue', { queue: 'models' }, { user });
        await put(`${name}.move-unknown.${user}`, id, '/queue', { queue: 'nowhere' }, { user });
        await put(`${name}.priority.${user}`, id, '/priority', { priority: 3 }, { user });
        await put(`${name}.timeout.${user}`, id, '/timeout', limit('2036-01-01T00:00:00.000+0000'), {
          user,
          loose: ['remainingTimeInSeconds'],
          exact: true,
        });
      }
    await put('held.move', held, '/queue', { queue: 'root.default' });
    await c.sleep(3000);
    await c.record('held.moved', 'rm', 'GET', `${RM}/apps/${held}`, { user: 'root', pick: view });
    await put('life.move-away', life, '/queue', { queue: 'models' });
    await c.record('life.moved', 'rm', 'GET', `${RM}/apps/${life}`, { user: 'root', pick: view, loose: ['remainingTimeInSeconds'] });
    await put('life.move-not-allowed', own, '/queue', { queue: 'models' }, { user: 'bob' });
    await put('own.move', own, '/queue', { queue: 'models' });
    await put('own.priority', own, '/priority', { priority: 9 });
    await c.record('own.changed', 'rm', 'GET', `${RM}/apps/${own}`, { user: 'root', pick: view });
    for (const [path, body] of [
      ['/state', '<appstate><state>x</state></appstate>'],
      ['/state', '<appstate/>'],
      ['/state', '<x/>'],
      ['/state', ''],
      ['/queue', '<appqueue/>'],
      ['/queue', '<appqueue><queue/></appqueue>'],
      ['/queue', '<appqueue><queue>nowhere</queue></appqueue>'],
      ['/priority', '<applicationpriority/>'],
      ['/priority', '<applicationpriority><priority>x</priority></applicationpriority>'],
      ['/timeout', '<timeout/>'],
      ['/timeout', '<timeout><type>LIFETIME</type><expiryTime>x</expiryTime></timeout>'],
      ['/timeout', '<timeout><type>LIFETIME</type><expiryTime>2036-01-01T00:00:00.000+0000</expiryTime></timeout>'],
    ]
      .entries()
      .map(([n, pair]) => [pair[0], [n, pair[1]]]))
      for (const accept of ['application/json', 'application/xml'])
        await put(`xml.${body[0]}.${accept.slice(-4)}`, life, path, body[1], {
          headers: { 'content-type': 'application/xml' },
          accept,
          loose: ['remainingTimeInSeconds'],
          exact: true,
        });

    // lists
    const rows = ({ apps, ...j }) => (apps ? (apps.app ?? []).map((a) => [a.id, a.state, a.queue]).sort() : j);
    for (const query of [
      'states=ALL',
      'states=FINISHED,FAILED,KILLED',
      'states=ACCEPTED%2CKILLED',
      'states=%09ACCEPTED',
      'state=',
      'state=KILLED,FAILED',
      'state=killed',
      'state=KILLED&state=FAILED',
      'finalStatus=KILLED',
      'finalStatus=ENDED',
      'finalStatus=KILLED,FAILED',
      'finalStatus=%20KILLED',
      'finalStatus=KILLED&finalStatus=FAILED',
      'user=ADA',
      'user=%20ada',
      'user=ada,bob',
      'user=ada&states=KILLED',
      'queue=default,reports',
      'queue=Default',
      'queue=root.default&queue=reports',
      'queue=%20default',
      'queue=.default',
      'queue=root.',
      'queue=operations',
      'limit=1',
      'limit=01',
      'limit=%201',
      'limit=1%20',
      'limit=%2B1',
      'limit=1e1',
      'limit=99999999999999999999',
      'limit=0x1',
      'limit=-1',
      'limit=2&limit=1',
      'startedTimeBegin=',
      'startedTimeBegin=0',
      'startedTimeBegin=1e3',
      'startedTimeBegin=%201',
      'startedTimeBegin=99999999999999999999',
      'startedTimeEnd=0',
      'startedTimeEnd=',
      'finishedTimeBegin=',
      'finishedTimeBegin=0',
      'finishedTimeEnd=0',
      'finishedTimeEnd=1',
      'finishedTimeBegin=1&finishedTimeEnd=9999999999999',
      'startedTimeBegin=5&startedTimeEnd=5',
      'applicationTypes=life',
      'applicationTypes=LIFE,%20x',
      'applicationTypes=LIFE%2CYARN',
      'applicationTypes=,,',
      'applicationTypes=%20',
      'applicationTags=t1',
      'applicationTags=T1,t2',
      'applicationTags=t1&applicationTags=t2',
      'applicationTags=t1%20',
      'applicationTags=,',
      'name=held',
      'name=held,big',
      'name=%20held',
      'name=held&name=big',
      'name=h*',
      'deSelects=',
      'deSelects=resourceRequests',
      'deSelects=RESOURCEREQUESTS',
      'deSelects=resourceRequests,',
      'deSelects=,',
      'deSelects=resourceInfo&deSelects=timeouts',
      'deSelects=x',
      'deSelects=resourceRequests%20',
      'unknown=1',
      'States=KILLED',
      'states=KILLED;user=bob',
      'states=KILLED%26user=bob',
      '&&',
      '=',
      '%',
      'user=%zz',
      'user=%C3%BC',
      'user=%FF',
      'user=a+b',
      'user',
      'states',
      'limit',
      'queue',
      'states=ACCEPTED&limit=1',
      'states=RUNNING,ACCEPTED,FINISHED&finalStatus=UNDEFINED&user=ada',
      'applicationTypes=LIFE&states=KILLED&limit=5',
    ])
      for (const scope of ['', `&startedTimeBegin=${begin}`]) {
        if (scope && /startedTime/.test(query)) continue;
        await c.record(`list${scope ? '.scoped' : ''}.${query}`, 'rm', 'GET', `${RM}/apps?${query}${scope}`, {
          user: 'root',
          pick:
            scope || /life|LIFE|name|limit=1$/.test(query)
              ? /limit/.test(query)
                ? ({ apps, ...j }) => (apps ? (apps.app?.length ?? 0) : j)
                : /deSelects/.test(query)
                  ? ({ apps, ...j }) => (apps ? Object.keys(apps.app?.[0] ?? {}) : j)
                  : rows
              : ({ apps, ...j }) => (apps ? 'a list' : j),
        });
      }
    for (const user of ['ada', 'bob', undefined])
      await c.record(`list-of.${user}`, 'rm', 'GET', `${RM}/apps?applicationTypes=LIFE&startedTimeBegin=${begin}`, {
        user,
        pick: ({ apps }) => (apps.app ?? []).map(view).sort((a, b) => (a.id < b.id ? -1 : 1)),
      });
    await c.record('list-of.xml', 'rm', 'GET', `${RM}/apps?applicationTypes=LIFE&user=bob`, { user: 'ada', accept: 'application/xml' });
    for (const query of [
      '',
      'states=',
      'states=ALL',
      'states=accepted',
      'states=ACCEPTED,ACCEPTED',
      'states=%20ACCEPTED',
      'states=ACCEPTED&applicationTypes=LIFE',
      'applicationTypes=life',
      'applicationTypes=LIFE,',
      'applicationTypes=LIFE&applicationTypes=x',
      'applicationTypes=*',
      'applicationTypes=%20LIFE%20',
      'states=x',
      'states=FAILED&states=x',
      'states=KILLED&applicationTypes=a,b',
      'user=ada',
      'states=FAILED,KILLED&applicationTypes=none',
      'applicationtypes=LIFE',
      'states=,',
    ])
      await c.record(`statistics.${query}`, 'rm', 'GET', `${RM}/appstatistics?${query}`, {
        user: 'root',
        ...(/LIFE|life|none/.test(query)
          ? {}
          : { pick: (j) => (j.appStatInfo ? j.appStatInfo.statItem.map((s) => [s.state, s.type]).sort() : j) }),
        ...(query === 'states=x' ? { xml: true } : {}),
      });
    await kill(c, life, own, held, big);
  },
};
