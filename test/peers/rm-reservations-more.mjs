// Reservations with definitions of every kind, in several users' names.
import { clear, RM } from '../kit-scheduler.mjs';

export default {
  name: 'rm-reservations-more',
  cluster: 'capacity',
  fresh: true,
  about: 'the reservation endpoints with odd bodies, interpreters, recurrences, windows',
  async run(c) {
    await clear(c);
    c.mask(/The size of the contract \[\d+/g, 'The size of the contract [N');
    const post = (id, what, body, options = {}) =>
      c.record(id, 'rm', 'POST', `${RM}/reservation/${what}`, { user: 'root', body, ...options });
    const list = (id, query, options = {}) => c.record(id, 'rm', 'GET', `${RM}/reservation/list?${query}`, { user: 'root', ...options });
    const t0 = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
    const time = (name, ms) => c.name(name, String(t0 + ms));
    const [from, to, late, later] = [time('from', 0), time('to', 60_000), time('late', 120_000), time('later', 180_000)];
    const past = time('past', -7_200_000);
    const request = (more = {}) => ({
      capability: { memory: 512, vCores: 1 },
      'min-concurrency': 1,
      'num-containers': 1,
      duration: 60_000,
      ...more,
    });
    const requests = (interpreter, ...all) => ({ 'reservation-request-interpreter': interpreter, 'reservation-request': all });
    const definition = (more = {}) => ({
      arrival: from,
      deadline: to,
      'reservation-name': 'nightly',
      'reservation-requests': requests(0, request()),
      ...more,
    });
    await c.sleep(4000);
    const first = await c.http('rm', 'POST', `${RM}/reservation/new-reservation`, { user: 'root' });
    c.name('stamp', first.json['reservation-id'].split('_')[1]);
    const fresh = async (name) => {
      const { json } = await c.http('rm', 'POST', `${RM}/reservation/new-reservation`, { user: 'root' });
      return c.name(name, json['reservation-id']);
    };
    c.mask(/timestamp="?\d+/g, 'timestamp=N');
    const dates = {
      mask: [
        [/\d{13}/g, 'N'],
        [/\w{3} \w{3} \d\d \d\d:\d\d:\d\d \w+ \d{4}/g, 'date'],
      ],
    };
    let n = 0;
    const attempt = async (body, options = {}) => {
      const k = n++,
        id = await fresh(`r${k}`);
      const sent = typeof body === 'function' ? body(id) : { queue: 'operations', 'reservation-id': id, 'reservation-definition': body };
      const { status } = await post(`submit.${k}`, 'submit', sent === '' ? sent : JSON.stringify(sent), { ...dates, ...options });
      if (status >= 300) return;
      await list(`submit.${k}.list`, `queue=operations&reservation-id=${id}&include-resource-allocations=true`, {
        loose: ['acceptance-time'],
        exact: true,
      });
      await post(`submit.${k}.delete`, 'delete', { 'reservation-id': id });
    };
    // An arrival of 0 is left out: real Hadoop then plans second by second from 1970 on and answers nobody meanwhile.
    for (const more of [
      {},
      { arrival: Number(from) },
      { deadline: Number(to) },
      { deadline: undefined },
      { deadline: 'x' },
      { arrival: past },
      { arrival: to, deadline: from },
      { arrival: from, deadline: later },
      { 'reservation-name': null },
      { 'reservation-name': '' },
      { 'reservation-name': 5 },
      { 'reservation-name': 'ü<>&"' },
      { 'reservation-name': undefined },
      { priority: 5 },
      { priority: -1 },
      { priority: 'x' },
      { priority: { priority: 3 } },
      { 'recurrence-expression': '' },
      { 'recurrence-expression': '0' },
      { 'recurrence-expression': '60000' },
      { 'recurrence-expression': '86400000' },
      { 'recurrence-expression': '3600001' },
      { 'recurrence-expression': '99999999999999999999' },
      { 'recurrence-expression': 3600000 },
      { 'recurrence-expression': null },
      { 'recurrence-expression': ' 86400000' },
      { 'recurrence-expression': '1.5' },
      { 'reservation-requests': null },
      { 'reservation-requests': {} },
      { 'reservation-requests': [] },
      { 'reservation-requests': requests(0) },
      { 'reservation-requests': requests(null, request()) },
      { 'reservation-requests': requests('0', request()) },
      { 'reservation-requests': requests('x', request()) },
      { 'reservation-requests': requests(-1, request()) },
      { 'reservation-requests': { 'reservation-request': request() } },
      { 'reservation-requests': { 'reservation-request-interpreter': 0, 'reservation-request': 'x' } },
      { 'reservation-requests': requests(0, null) },
      { 'reservation-requests': requests(0, {}) },
      ...[1, 2, 3].map((i) => ({ deadline: later, 'reservation-requests': requests(i, request(), request({ duration: 30_000 })) })),
      { deadline: later, 'reservation-requests': requests(0, request(), request()) },
      { 'reservation-requests': requests(1, request(), request()) },
      { 'reservation-requests': requests(2, request(), request()) },
      { deadline: later, 'reservation-requests': requests(3, request({ duration: 60_000 }), request({ duration: 60_000 })) },
      { deadline: late, 'reservation-requests': requests(2, request({ duration: 60_000 }), request({ duration: 60_000 })) },
      { 'reservation-requests': requests(0, request({ capability: null })) },
      { 'reservation-requests': requests(0, request({ capability: {} })) },
      { 'reservation-requests': requests(0, request({ capability: { memory: 512 } })) },
      { 'reservation-requests': requests(0, request({ capability: { memory: -1, vCores: 1 } })) },
      { 'reservation-requests': requests(0, request({ capability: { memory: 0, vCores: 0 } })) },
      { 'reservation-requests': requests(0, request({ capability: { memory: 'x', vCores: 1 } })) },
      { 'reservation-requests': requests(0, request({ capability: { memory: 513, vCores: 2 } })) },
      { 'reservation-requests': requests(0, request({ 'num-containers': 0 })) },
      { 'reservation-requests': requests(0, request({ 'num-containers': -1 })) },
      { 'reservation-requests': requests(0, request({ 'num-containers': 2 })) },
      { 'reservation-requests': requests(0, request({ 'num-containers': 3, 'min-concurrency': 2 })) },
      { 'reservation-requests': requests(0, request({ 'num-containers': 1, 'min-concurrency': 2 })) },
      { 'reservation-requests': requests(0, request({ 'min-concurrency': 0 })) },
      { 'reservation-requests': requests(0, request({ 'min-concurrency': -1 })) },
      { 'reservation-requests': requests(0, request({ 'num-containers': 'x' })) },
      { 'reservation-requests': requests(0, request({ duration: 0 })) },
      { 'reservation-requests': requests(0, request({ duration: -1 })) },
      { 'reservation-requests': requests(0, request({ duration: 1 })) },
      { 'reservation-requests': requests(0, request({ duration: 999 })) },
      { 'reservation-requests': requests(0, request({ duration: 60_001 })) },
      { 'reservation-requests': requests(0, request({ duration: 'x' })) },
      { 'reservation-requests': requests(0, request({ duration: '60000' })) },
      { deadline: later, 'reservation-requests': requests(0, request({ duration: 1500 })) },
      { deadline: later, 'reservation-requests': requests(0, request({ 'num-containers': 3 })) },
      null,
      [],
      'x',
      {},
      5,
    ])
      await attempt(
        more && typeof more === 'object' && !Array.isArray(more) && Object.keys(more).length + 1 && more !== null ? definition(more) : more,
      );
    for (const body of [
      (id) => ({ queue: null, 'reservation-id': id, 'reservation-definition': definition() }),
      (id) => ({ queue: '', 'reservation-id': id, 'reservation-definition': definition() }),
      (id) => ({ queue: 'root.operations', 'reservation-id': id, 'reservation-definition': definition() }),
      (id) => ({ queue: 'nowhere', 'reservation-id': id, 'reservation-definition': definition() }),
      (id) => ({ queue: 'research', 'reservation-id': id, 'reservation-definition': definition() }),
      (id) => ({ queue: ' operations', 'reservation-id': id, 'reservation-definition': definition() }),
      (id) => ({ queue: 5, 'reservation-id': id, 'reservation-definition': definition() }),
      () => ({ queue: 'operations', 'reservation-id': null, 'reservation-definition': definition() }),
      () => ({ queue: 'operations', 'reservation-id': '', 'reservation-definition': definition() }),
      () => ({ queue: 'operations', 'reservation-id': 'reservation_1_1_1', 'reservation-definition': definition() }),
      () => ({ queue: 'operations', 'reservation-id': 'application_1_1', 'reservation-definition': definition() }),
      () => ({ queue: 'operations', 'reservation-id': 'reservation_1_-1', 'reservation-definition': definition() }),
      () => ({ queue: 'operations', 'reservation-id': 5, 'reservation-definition': definition() }),
      () => ({ queue: 'operations', 'reservation-id': ' reservation_1_5', 'reservation-definition': definition() }),
      (id) => ({ queue: 'operations', 'reservation-id': id, definition: definition() }),
      () => ({}),
      () => [],
      () => 'x',
      () => '',
      () => null,
      () => '{"queue":',
      (id) => ({ 'reservation-submission-context': { queue: 'operations', 'reservation-id': id } }),
    ])
      await attempt(body);
    for (const user of ['ada', 'admin', undefined]) {
      const id = await fresh(`by-${user}`);
      await post(`by.${user}`, 'submit', { queue: 'operations', 'reservation-id': id, 'reservation-definition': definition() }, { user });
      await post(`by.${user}.update-by-root`, 'update', {
        'reservation-id': id,
        'reservation-definition': definition({ 'reservation-name': 'changed' }),
      });
      await list(`by.${user}.list`, 'queue=operations', { loose: ['acceptance-time'], exact: true });
      await post(`by.${user}.delete-by-bob`, 'delete', { 'reservation-id': id }, { user: 'bob' });
      await post(`by.${user}.delete`, 'delete', { 'reservation-id': id }, { user });
      await post(`by.${user}.delete-by-root`, 'delete', { 'reservation-id': id });
    }

    const one = await fresh('one');
    await post('one', 'submit', { queue: 'operations', 'reservation-id': one, 'reservation-definition': definition({ deadline: later }) });
    for (const [k, body] of [
      { 'reservation-id': one },
      { 'reservation-id': one, 'reservation-definition': null },
      { 'reservation-id': one, 'reservation-definition': {} },
      { 'reservation-id': one, 'reservation-definition': definition({ arrival: to, deadline: late }) },
      {
        'reservation-id': one,
        'reservation-definition': definition({ 'reservation-requests': requests(0, request({ duration: 30_000 })) }),
      },
      { 'reservation-id': one, 'reservation-definition': definition({ 'recurrence-expression': '86400000' }) },
      { 'reservation-id': one, 'reservation-definition': definition({ deadline: past, arrival: past }) },
      { 'reservation-id': one, 'reservation-definition': definition({ 'reservation-requests': requests(0) }) },
      { 'reservation-id': '', 'reservation-definition': definition() },
      { 'reservation-id': 'x', 'reservation-definition': definition() },
      {},
      null,
      'x',
      [],
      { queue: 'default', 'reservation-id': one, 'reservation-definition': definition() },
      { 'reservation-id': one, 'reservation-definition': definition({ deadline: later, priority: 7 }) },
    ].entries()) {
      await post(`update.${k}`, 'update', body, dates);
      await list(`update.${k}.list`, `queue=operations&reservation-id=${one}`, { loose: ['acceptance-time'], exact: true });
    }
    for (const [k, query] of [
      'queue=operations&reservation-id=',
      'queue=operations&reservation-id=x',
      'queue=operations&reservation-id=reservation_1_1',
      'queue=&reservation-id=',
      `queue=default&reservation-id=${one}`,
      'queue=operations&start-time=-1',
      'queue=operations&start-time=',
      'queue=operations&end-time=',
      'queue=operations&end-time=-1',
      'queue=operations&end-time=0',
      'queue=operations&start-time=0&end-time=1',
      `queue=operations&start-time=${from}&end-time=${from}`,
      `queue=operations&start-time=${later}`,
      `queue=operations&end-time=${from}`,
      'queue=operations&end-time=x',
      'queue=operations&include-resource-allocations=',
      'queue=operations&include-resource-allocations=x',
      'queue=operations&include-resource-allocations=TRUE',
      'queue=operations&include-resource-allocations=false',
      'queue=operations&queue=default',
      'queue=root',
      'queue=research',
      'Queue=operations',
      'queue=%20operations',
      'queue=operations&start-time=1e3',
      'queue=operations&start-time=99999999999999999999',
    ].entries()) {
      await list(`list.${k}`, query, { loose: ['acceptance-time'], exact: true });
    }
    await list('list-xml', 'queue=operations&include-resource-allocations=true', {
      accept: 'application/xml',
      loose: ['acceptance-time'],
      exact: true,
    });
    await list('list-anonymous', 'queue=operations', { user: undefined, loose: ['acceptance-time'], exact: true });
    for (const [k, [type, body, accept]] of [
      [
        'application/xml',
        `<reservation-update-context><reservation-id>${one}</reservation-id></reservation-update-context>`,
        'application/xml',
      ],
      ['application/xml', '<x/>'],
      ['text/plain', 'x'],
      ['application/json', '{}', 'text/plain'],
      ['application/json', '{}', 'application/xml'],
    ].entries())
      for (const what of ['submit', 'update', 'delete'])
        await post(`typed.${what}.${k}`, what, body, { headers: { 'content-type': type }, ...(accept ? { accept } : {}) });
    await post(
      'submit-xml',
      'submit',
      `<reservation-submission-context><queue>operations</queue><reservation-id>${await fresh('two')}</reservation-id><reservation-definition><arrival>${from}</arrival><deadline>${later}</deadline><reservation-name>xml</reservation-name><reservation-requests><reservation-request-interpreter>0</reservation-request-interpreter><reservation-request><capability><memory>128</memory><vCores>1</vCores></capability><min-concurrency>1</min-concurrency><num-containers>1</num-containers><duration>60000</duration></reservation-request></reservation-requests></reservation-definition></reservation-submission-context>`,
      { headers: { 'content-type': 'application/xml' }, accept: 'application/xml' },
    );
    await list('after-xml', 'queue=operations', { accept: 'application/xml', loose: ['acceptance-time'], exact: true });
    for (const [k, body] of [
      { 'reservation-id': null },
      { 'reservation-id': '' },
      { 'reservation-id': 5 },
      { 'reservation-id': 'reservation_1_99' },
      [],
      'x',
      null,
      '',
      { 'reservation-id': one, more: 1 },
      { 'reservation-id': one },
    ].entries())
      await post(`delete.${k}`, 'delete', body);
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])
      for (const what of ['new-reservation', 'submit', 'update', 'delete', 'list', '', 'nothing'])
        await c.record(`method.${method}.${what}`, 'rm', method, `${RM}/reservation/${what}`, {
          user: 'root',
          cut: 60,
          ...(method === 'PUT' ? { body: {} } : {}),
        });
    void late;
  },
};
