// Whole lists of applications in every state, with filters together, as users who may see some of them.
import { command, ended, kill, launched, masks, RM, sleeping, submit, unmanaged, waiting } from '../kit-apps.mjs';
import { clear } from '../kit-scheduler.mjs';

const entry = (map) => ({ entry: Object.entries(map).map(([key, value]) => ({ key, value })) });

export default {
  name: 'rm-lists-more',
  cluster: 'capacity',
  about: 'whole lists of applications and statistics with filters together',
  async run(c) {
    masks(c);
    await clear(c);
    const t0 = c.name('t0', Date.now());
    await c.sleep(30);
    const acls = { 'application-acls': entry({ VIEW_APP: 'carol', MODIFY_APP: 'dave' }) };
    const make = (name, type, tags, more) => ({
      ...more,
      'application-name': name,
      'application-type': type,
      ...(tags ? { 'application-tags': { tag: tags } } : {}),
    });
    const a = await submit(c, 'a', make('first', 'ALPHA', ['One', 'two'], { ...unmanaged, 'am-container-spec': acls }), 'ada');
    await launched(c, a);
    const b = await submit(c, 'b', make('second', 'beta', ['one'], { ...sleeping(900, 300), queue: 'models' }), 'bob');
    await launched(c, b);
    const t1 = c.name('t1', Date.now());
    await c.sleep(30);
    const d = await submit(c, 'd', make('first', 'Alpha', undefined, { ...command('exit 5'), queue: 'reports' }), 'ada');
    await ended(c, d);
    const e = await submit(c, 'e', make('third <&>', 'a,b', ['x,y', 'z'], { ...unmanaged, queue: 'reports', priority: 3 }), 'eve');
    await launched(c, e);
    await kill(c, e);
    const t2 = c.name('t2', Date.now());
    await c.sleep(30);
    const f = await submit(c, 'f', make('größe', 'ALPHA', ['two'], { ...unmanaged, queue: 'nowhere' }), 'bob');
    await ended(c, f);
    const g = await submit(c, 'g', make('big', 'ALPHA', ['one', 'two'], { ...sleeping(900, 2048), queue: 'default' }), 'zoe');
    await launched(c, g);
    const h = await submit(
      c,
      'h',
      make('held', 'beta', ['two'], {
        ...sleeping(900, 3000),
        queue: 'default',
        'am-container-spec': { ...sleeping()['am-container-spec'], ...acls },
      }),
      'ada',
    );
    await waiting(c, h);
    const t3 = c.name('t3', Date.now());
    const rows = ({ apps, ...j }) =>
      apps
        ? (apps.app ?? [])
            .map((x) => [x.name, x.user, x.queue, x.state, x.finalStatus, x.applicationType, x.applicationTags])
            .sort((x, y) => (JSON.stringify(x) < JSON.stringify(y) ? -1 : 1))
        : j;
    for (const user of ['root', 'ada', 'bob', 'carol', 'dave', 'admin', undefined, 'nobody'])
      await c.record(`all.${user}`, 'rm', 'GET', `${RM}/apps?startedTimeBegin=${t0}`, { user, xml: true });
    const list = (id, query, options = {}) => c.record(id, 'rm', 'GET', `${RM}/apps?${query}`, { user: 'root', pick: rows, ...options });
    const parts = {
      states: ['ACCEPTED', 'KILLED,FAILED', 'RUNNING', 'accepted&states=KILLED'],
      finalStatus: ['UNDEFINED', 'FAILED', 'KILLED', 'SUCCEEDED'],
      user: ['ada', 'bob', 'nobody'],
      queue: ['default', 'root.research.models', 'reports', 'root.default'],
      applicationTypes: ['ALPHA', 'alpha,beta', 'Alpha', 'a', 'beta&applicationTypes=ALPHA'],
      applicationTags: ['one', 'two,one', 'ONE', 'x', 'x,y', 'z'],
      name: ['first', 'third%20%3C%26%3E', 'gr%C3%B6%C3%9Fe', 'held'],
    };
    const names = Object.keys(parts);
    let n = 0;
    for (const [i, one] of names.entries())
      for (const other of names.slice(i + 1))
        for (const x of parts[one])
          for (const y of parts[other]) {
            n += 1;
            if (n % 2)
              await list(`pair.${one}.${other}.${n}`, `startedTimeBegin=${t0}&${one}=${x}&${other}=${y}`, { user: n % 7 ? 'root' : 'bob' });
          }
    for (const [i, query] of [
      `startedTimeBegin=${t1}&startedTimeEnd=${t2}`,
      `startedTimeBegin=${t1}&finishedTimeEnd=${t2}`,
      `startedTimeBegin=${t0}&finishedTimeBegin=${t1}&finishedTimeEnd=${t3}`,
      `startedTimeBegin=${t0}&finishedTimeBegin=0`,
      `startedTimeBegin=${t0}&finishedTimeBegin=1`,
      `startedTimeBegin=${t0}&finishedTimeEnd=0`,
      `startedTimeBegin=${t0}&finishedTimeBegin=0&finishedTimeEnd=0`,
      `startedTimeBegin=${t0}&limit=100&states=ACCEPTED&user=ada`,
      `startedTimeBegin=${t3}`,
      `startedTimeBegin=%20${t0}`,
      `startedTimeBegin=${t0}%20`,
      `startedTimeBegin=%2B${t0}`,
      `startedTimeBegin=${t0}.0`,
      `startedTimeBegin=0x10`,
      'startedTimeBegin=9223372036854775807',
      'startedTimeBegin=9223372036854775808',
      'startedTimeEnd=-0',
      'startedTimeEnd=0',
      `startedTimeBegin=${t0}&startedTimeBegin=x`,
      `startedTimeBegin=x&startedTimeBegin=${t0}`,
      `startedTimeBegin=&startedTimeEnd=&finishedTimeBegin=&finishedTimeEnd=&user=nobody`,
      'limit=9223372036854775808',
      'limit=9223372036854775807&user=nobody',
      'limit=%201',
      'limit=%2B1&user=nobody',
      'limit=1e1',
      'limit=0x1',
      'limit=1&limit=x&user=nobody',
      'limit=x&limit=1',
      'limit=-0',
      'limit=01&user=nobody',
    ].entries())
      await list(`time.${i}`, query, { xml: i % 6 === 0 });
    for (const [i, query] of [
      'deSelects=',
      'deSelects=timeouts&deSelects=x',
      'deSelects=TIMEOUTS',
      'deSelects=timeouts%20',
      'deSelects=,timeouts',
      'deSelects=timeouts,,',
      'deSelects=resourceRequests,timeouts&deSelects=resourceInfo',
      'deSelects=appNodeLabelExpression,amNodeLabelExpression',
      'deselects=timeouts',
      'deSelects=%3Cb%3E',
      'deSelects',
    ].entries())
      for (const name of ['held', 'first', 'nobody'])
        await c.record(`deselect.${i}.${name}`, 'rm', 'GET', `${RM}/apps?startedTimeBegin=${t0}&name=${name}&${query}`, {
          user: 'root',
          xml: i % 3 === 0,
        });
    for (const [i, query] of [
      'applicationTypes=ALPHA&states=ACCEPTED,FAILED',
      'applicationTypes=alpha&states=KILLED',
      'applicationTypes=beta&states=%20accepted%20,',
      'applicationTypes=a,b&states=KILLED',
      'applicationTypes=ALPHA,beta',
      'applicationTypes=%20ALPHA%20&states=FAILED',
      'applicationTypes=ALPHA&applicationTypes=beta&states=ACCEPTED',
      'applicationTypes=ALPHA&states=ACCEPTED&user=ada',
      'applicationTypes=none&states=NEW',
      'applicationTypes=%3Cb%3E&states=NEW',
      'applicationTypes=ALPHA&states=x',
      'applicationTypes=ALPHA&states=ACCEPTED,x',
      'applicationTypes=a,b&states=x',
      'applicationTypes=,&states=NEW',
      'applicationTypes=,ALPHA&states=NEW',
      'applicationTypes=ALPHA,&states=NEW',
      'applicationTypes=ALPHA&state=KILLED',
      'applicationtypes=ALPHA&states=NEW',
      'applicationTypes=ALPHA&states=ACCEPTED&states=ACCEPTED',
    ].entries())
      for (const user of ['root', 'carol', undefined])
        await c.record(`statistics.${i}.${user}`, 'rm', 'GET', `${RM}/appstatistics?${query}`, { user, xml: user === 'root' });
    for (const id of [g, h, b, a]) await kill(c, id);
    for (const user of ['root', 'ada', 'carol', undefined])
      await c.record(`ended.${user}`, 'rm', 'GET', `${RM}/apps?startedTimeBegin=${t0}`, { user, xml: true });
    for (const query of [
      'finalStatus=KILLED',
      'finalStatus=KILLED&states=FINISHED',
      'finalStatus=FAILED&user=ada',
      'states=KILLED&queue=root.default',
      'states=KILLED&queue=default&limit=1&name=held',
      `finishedTimeBegin=${t2}&finalStatus=KILLED`,
    ])
      await list(`ended.${query}`, `startedTimeBegin=${t0}&${query}`);
  },
};
