import { begin, end, flowApp, T, V2, v2jobs } from '../kit-timeline.mjs';
import { configFilters, eventFilters, infoFilters, metricFilters, relationFilters } from './filters.mjs';

export default {
  name: 'timeline-v2-more',
  cluster: 'timeline-v2',
  about: 'timeline v2: odd values, filters, limits, fields, formats, uids',
  async run(c) {
    const { type, user } = begin(c),
      ann = user('ann'),
      flow = type('flow');
    const app = await flowApp(c, 'app', ann, flow, T),
      context = `userid=${ann}&flowname=${flow}&flowrunid=${T}`,
      uid = `yarn_cluster!${ann}!${flow}!${T}!${app}`;
    const versions = [
      'timeline-service-version',
      'timeline-service-build-version',
      'timeline-service-version-built-on',
      'hadoop-version',
      'hadoop-build-version',
      'hadoop-version-built-on',
    ];
    const get = (id, path, options) =>
      c.record(id, 'reader', 'GET', `${V2}${path}`, {
        user: ann,
        exact: true,
        loose: versions,
        unordered: ['metrics', 'STEP', 'PLAN', 'A'],
        ...options,
      });
    const write = async (entities, query = '') => {
      const a = await c.http('collector', 'PUT', `${V2}/entities?appid=${app}${query}`, { user: ann, body: { entities } });
      if (a.status !== 200) throw new Error(a.text);
    };
    const put = (id, body, { query = `appid=${app}`, ...options } = {}) =>
      c.record(id, 'collector', 'PUT', `${V2}/entities?${query}`, { user: ann, body, ...options });
    const odd = async (id, e, options) => {
      await put(`put-${id}`, { entities: [{ type: 'ODD', id, idprefix: 1, createdtime: T + 1, ...e }] }, { loose: ['message'] });
      await get(`odd-${id}`, `/apps/${app}/entities/ODD/${encodeURIComponent(id)}?${context}&fields=ALL&metricslimit=10`, options);
    };
    await write(v2jobs);
    await write([
      {
        type: 'MANY',
        id: 'm1',
        idprefix: 5,
        createdtime: T + 1,
        metrics: [
          { id: 'neg', type: 'SINGLE_VALUE', values: { [T]: -5 } },
          { id: 'zero', type: 'SINGLE_VALUE', values: { [T]: 0 } },
          { id: 'big', type: 'SINGLE_VALUE', values: { [T]: 9007199254740992 } },
          { id: 'series', type: 'TIME_SERIES', values: { [T + 1]: 1, [T + 2]: 5, [T + 3]: 3 } },
        ],
        events: [
          { id: 'A', timestamp: T + 1 },
          { id: 'A', timestamp: T + 2, info: { n: 1 } },
          { id: 'B', timestamp: T + 2, info: { x: { y: [1] } } },
        ],
        configs: { 'a.b.c': '1', 'a.b.d': '2', 'a.c': '3', b: '' },
        info: { s: 'text', i: 5, d: 1.5, t: true, f: false, l: [1, 'a'], o: { a: 1, b: { c: 2 } }, num: '5', yes: 'true', blank: '' },
        relatesto: { A: ['1', '2', '3'], B: ['1'] },
        isrelatedto: { C: ['1'] },
      },
      {
        type: 'MANY',
        id: 'm2',
        idprefix: 4,
        createdtime: T + 2,
        metrics: [{ id: 'zero', type: 'SINGLE_VALUE', values: { [T]: 1 } }],
        events: [{ id: 'B', timestamp: T + 9 }],
        configs: { 'a.b.c': '2' },
        info: { i: 6, s: 'text' },
        relatesto: { A: ['1'] },
      },
      { type: 'MANY', id: 'm3', idprefix: 3 },
      ...['a b', 'a/b', 'a!b', 'a*b', 'a:b', 'a,b', 'ä€', 'a%b', 'a=b', 'a(b)'].map((id, i) => ({
        type: 'SPECIAL',
        id,
        idprefix: 20 - i,
        createdtime: T + i,
        info: { n: i },
      })),
      { type: 'TY/PE', id: 'x', createdtime: T },
      { type: 'TY!PE', id: 'x', createdtime: T },
      { type: 'TY PE', id: 'x', createdtime: T },
      ...Array.from({ length: 120 }, (_, i) => ({
        type: 'CROWD',
        id: `c${String(i).padStart(3, '0')}`,
        idprefix: 1000 - i,
        createdtime: T + i,
      })),
      { type: 'PRE', id: 'same', idprefix: 1, createdtime: T, info: { p: 1 } },
      { type: 'PRE', id: 'neg', idprefix: -1, createdtime: T },
      { type: 'PRE', id: 'max', idprefix: '9223372036854775807', createdtime: T },
    ]);
    const many = (id, query = '', options) => get(`many-${id}`, `/apps/${app}/entities/MANY?${context}${query}`, options);

    // what can be written
    await odd('plain', {});
    await odd('nulls', { info: null, configs: null, metrics: null, events: null, relatesto: null, isrelatedto: null });
    await odd('infos', {
      info: {
        a: 1.0,
        b: 1e3,
        c: 9007199254740992,
        d: -0.5,
        e: [],
        g: {},
        h: [null, { z: null }],
        i: 'ä"\\',
        j: '',
        k: Number('12345678901234567890'),
      },
    });
    await odd('infoblank', { info: { 'a b': 1, '': 2, 'a=b': 3, 'a!b': 4, 'a.b': 5, ä: 6 } }, { loose: ['message', ...versions] });
    await odd('configs', { configs: { 'a b': 'x y', e: '', 'a=b': 'c', n: 5, t: true } });
    await odd('confignull', { configs: { n: null, m: 'x' } });
    await odd('metricfloat', { metrics: [{ id: 'm', type: 'SINGLE_VALUE', values: { [T]: 1.5 } }] });
    await odd('metricstring', { metrics: [{ id: 'm', type: 'SINGLE_VALUE', values: { [T]: '5' } }] });
    await odd('metricop', {
      metrics: [
        { id: 'm', type: 'SINGLE_VALUE', aggregationOp: 'SUM', values: { [T]: 5 } },
        { id: 'n', aggregationOp: 'MAX', values: { [T]: 5 } },
      ],
    });
    await odd('metricbadop', { metrics: [{ id: 'm', aggregationOp: 'NOSUCH', values: { [T]: 5 } }] });
    await odd('metricbadtype', { metrics: [{ id: 'm', type: 'nosuch', values: { [T]: 5 } }] });
    await odd('metricempty', { metrics: [{ id: 'm', values: {} }] });
    await odd('metricnull', { metrics: [{ id: 'm', values: { [T]: null } }] });
    await odd('metrictext', { metrics: [{ id: 'm', values: { soon: 5 } }] });
    await odd('metricid', {
      metrics: [
        { id: 'a b', values: { [T]: 5 } },
        { id: 'a!b', values: { [T]: 5 } },
      ],
    });
    await odd('metricorder', { metrics: [{ id: 'm', type: 'TIME_SERIES', values: { [T + 2]: 2, [T + 1]: 1, [T + 3]: 3 } }] });
    await odd('eventsame', {
      events: [
        { id: 'E', timestamp: T, info: { a: 1 } },
        { id: 'E', timestamp: T, info: { b: 2 } },
        { id: 'D', timestamp: T },
      ],
    });
    await odd('eventnotime', { events: [{ id: 'E' }] }, { loose: ['timestamp'] });
    await odd('eventnoid', { events: [{ timestamp: T }] });
    await odd('eventinfo', { events: [{ id: 'E E', timestamp: T, info: { 'k k': 'v', n: null, d: 1.5, o: { a: [1] } } }] });
    await odd('eventnull', { events: [{ id: 'E', timestamp: T, info: null }] });
    await odd('relations', { relatesto: { A: ['x y', 'a=b', 'a!b', ''], 'T T': ['1'] } });
    await odd('relationscalar', { relatesto: { A: 'x' } });
    await odd('createdzero', { createdtime: 0 });
    await odd('creatednegative', { createdtime: -5 });
    await odd('createdstring', { createdtime: String(T) });
    await odd('createdtext', { createdtime: 'soon' });
    await odd('creatednull', { createdtime: null });
    await odd('prefixstring', { idprefix: '7' });
    await odd('prefixtext', { idprefix: 'x' });
    await odd('prefixnegative', { idprefix: -3 });
    await odd('unknownmember', { colour: 5 });
    await put('put-notype', { entities: [{ id: 'x' }] });
    await put('put-nullentity', { entities: [null] }, { loose: ['message'] });
    await put('put-object', { entities: {} }, { loose: ['message'] });
    await put('put-null', { entities: null });
    await put('put-array', '[]', { loose: ['message'] });
    await put('put-nothing', '{}');
    await put('put-slash', { entities: [] }, { query: `appid=${app}&x=y` });
    await put('put-blank-app', { entities: [] }, { query: 'appid=' });
    await put('put-blanks-app', { entities: [] }, { query: `appid=%20${app}%20` });
    await put('put-async-odd', { entities: [] }, { query: `appid=${app}&async=maybe` });
    await put('put-sub-odd', { entities: [] }, { query: `appid=${app}&subappwrite=maybe` });
    await put('put-text', '{}', { headers: { 'content-type': 'text/plain' } });
    await put('put-accept-xml', { entities: [] }, { accept: 'application/xml' });
    await put('put-accept-bad', '{"entities":[', { accept: 'application/xml', loose: ['message'] });
    await c.record('collector-get-entities', 'collector', 'GET', `${V2}/entities?appid=${app}`, { user: ann });
    await c.record('collector-head', 'collector', 'HEAD', V2);
    await c.record('collector-unknown', 'collector', 'GET', `${V2}/nothing`);
    await c.record('collector-xml', 'collector', 'GET', V2, { accept: 'application/xml' });
    await c.record('collector-health', 'collector', 'GET', `${V2}/health`);
    for (const [id, body] of [
      ['empty', ''],
      ['broken', '{"id":'],
      ['unknown', { colour: 1 }],
      ['plain', { id: type('d') }],
    ])
      await c.record(`domain-${id}`, 'collector', 'PUT', `${V2}/domain?appid=${app}`, { user: ann, body, loose: ['message'] });
    await c.record('domain-no-app', 'collector', 'PUT', `${V2}/domain`, { user: ann, body: { id: 'x' } });
    await c.record('domain-nobody', 'collector', 'PUT', `${V2}/domain?appid=${app}`, { body: { id: 'x' } });
    await c.record('domain-get', 'collector', 'GET', `${V2}/domain?appid=${app}`, { user: ann });

    await get('odd-list', `/apps/${app}/entities/ODD?${context}&limit=1000`);
    await get('types', `/apps/${app}/entity-types?${context}`, { pick: (list) => list.filter((t) => !t.startsWith('YARN_')).sort() });

    // lists
    await many('all', '&fields=ALL');
    for (const n of [0, 1, 2, 3, -1, '%2B2', '2147483648', '99999999999'])
      await many(`metricslimit-${n}`, `&fields=METRICS&metricslimit=${n}`, { loose: ['message', ...versions] });
    for (const [id, query] of [
      ['limit-zero', 'limit=0'],
      ['limit-plus', 'limit=%2B1'],
      ['limit-blanks', 'limit=%201%20'],
      ['limit-empty', 'limit='],
      ['limit-huge', 'limit=99999999999999999999'],
      ['limit-max', 'limit=9223372036854775807'],
      ['limit-float', 'limit=1.0'],
      ['limit-twice', 'limit=1&limit=3'],
      ['created-start', `createdtimestart=${T + 2}`],
      ['created-end', `createdtimeend=${T + 1}`],
      ['created-both', `createdtimestart=${T + 1}&createdtimeend=${T + 1}`],
      ['created-reverse', `createdtimestart=${T + 2}&createdtimeend=${T + 1}`],
      ['created-negative', 'createdtimestart=-5&createdtimeend=-1'],
      ['created-zero', 'createdtimestart=0'],
      ['created-end-zero', 'createdtimeend=0'],
      ['created-empty', 'createdtimestart='],
      ['fields-empty', 'fields='],
      ['fields-comma', 'fields=,'],
      ['fields-comma-end', 'fields=INFO,'],
      ['fields-blanks', 'fields=%20INFO%20,%20CONFIGS'],
      ['fields-dup', 'fields=INFO,INFO'],
      ['fields-all-more', 'fields=ALL,INFO'],
      ['fields-mixed-bad', 'fields=INFO,x'],
      ['fields-twice', 'fields=INFO&fields=CONFIGS'],
      ['fields-lower', 'fields=all'],
      ['fields-nounderscore', 'fields=RELATESTO'],
      ['fields-semicolon', 'fields=INFO;CONFIGS'],
      ['metric-time', `fields=METRICS&metricslimit=10&metricstimestart=${T + 2}`],
      ['metric-time-end', `fields=METRICS&metricslimit=10&metricstimeend=${T + 2}`],
      ['metric-time-both', `fields=METRICS&metricslimit=10&metricstimestart=${T + 2}&metricstimeend=${T + 2}`],
      ['metric-time-none', `fields=METRICS&metricstimestart=${T + 99}`],
      ['metric-time-negative', 'fields=METRICS&metricstimestart=-1&metricstimeend=-1'],
      ['metric-time-nofields', `metricstimestart=${T + 2}`],
      ['metric-time-one', `fields=METRICS&metricstimeend=${T + 2}`],
      ['metric-time-text', 'metricstimeend=x'],
      ['metricslimit-nofields', 'metricslimit=5'],
      ['metricslimit-prefix', 'metricstoretrieve=ser&metricslimit=2'],
      ['metricslimit-text', 'metricslimit=5x'],
      ['metrics-two', 'metricstoretrieve=ze,ne'],
      ['metrics-brackets', 'metricstoretrieve=(ze,ne)'],
      ['metrics-not', 'metricstoretrieve=!(ze,ne)'],
      ['metrics-not-one', 'metricstoretrieve=!(ser)'],
      ['metrics-not-plain', 'metricstoretrieve=!ser'],
      ['metrics-empty', 'metricstoretrieve='],
      ['metrics-empty-brackets', 'metricstoretrieve=()'],
      ['metrics-not-empty', 'metricstoretrieve=!()'],
      ['metrics-open', 'metricstoretrieve=(ze'],
      ['metrics-not-open', 'metricstoretrieve=!(ze'],
      ['metrics-comma', 'metricstoretrieve=ze,'],
      ['metrics-blanks', 'metricstoretrieve=%20ze%20,%20ne'],
      ['metrics-other-fields', 'metricstoretrieve=ze&fields=INFO'],
      ['metrics-all', 'metricstoretrieve=ze&fields=ALL'],
      ['metrics-case', 'metricstoretrieve=ZE'],
      ['metrics-nested', 'metricstoretrieve=((ze))'],
      ['metrics-close', 'metricstoretrieve=ze)'],
      ['confs-two', 'confstoretrieve=a.b.,b'],
      ['confs-not', 'confstoretrieve=!(a.b.)'],
      ['confs-exact', 'confstoretrieve=a.b.c'],
      ['confs-none', 'confstoretrieve=zz'],
      ['confs-not-none', 'confstoretrieve=!(zz)'],
      ['confs-fields', 'confstoretrieve=a.&fields=EVENTS'],
      ['confs-both', 'confstoretrieve=a.&metricstoretrieve=z'],
      ['confs-not-double', 'confstoretrieve=!!(a)'],
      ['from-none', 'fromid='],
      ['from-junk', 'fromid=x'],
      ['from-seven', `fromid=${uid}!MANY!4`],
      ['from-nine', `fromid=${uid}!MANY!4!m2!x`],
      ['from-text-prefix', `fromid=${uid}!MANY!x!m2`],
      ['from-second', `fromid=${uid}!MANY!4!m2`],
      ['from-unknown', `fromid=${uid}!MANY!4!zzz`],
      ['from-wrong-run', `fromid=yarn_cluster!${ann}!${flow}!5!${app}!MANY!4!m2`],
      ['from-bad-run', `fromid=yarn_cluster!${ann}!${flow}!x!${app}!MANY!4!m2`],
      ['from-limit', `fromid=${uid}!MANY!4!m2&limit=1`],
      ['from-filter', `fromid=${uid}!MANY!4!m2&infofilters=i%20eq%205`],
      ['from-bad-app', `fromid=yarn_cluster!${ann}!${flow}!${T}!x!MANY!4!m2`],
    ])
      await many(id, `&${query}`, { loose: ['message', ...versions].slice(/seven|nine|text|bad|huge|max/.test(id) ? 0 : 1) });
    const q = encodeURIComponent;
    for (const [i, filter] of infoFilters.entries()) await many(`info-${i}`, `&infofilters=${q(filter)}`, { note: filter });
    for (const [i, filter] of configFilters.entries()) await many(`conf-${i}`, `&conffilters=${q(filter)}`, { note: filter });
    for (const [i, filter] of metricFilters.entries()) await many(`metric-${i}`, `&metricfilters=${q(filter)}`, { note: filter });
    for (const [i, filter] of eventFilters.entries()) await many(`event-${i}`, `&eventfilters=${q(filter)}`, { note: filter });
    for (const [i, filter] of relationFilters.entries()) {
      await many(`to-${i}`, `&relatesto=${q(filter)}`, { note: filter });
      if (i % 3 === 0) await many(`by-${i}`, `&isrelatedto=${q(filter.replaceAll('A', 'C'))}`, { note: filter });
    }
    await many(
      'filters-together',
      `&infofilters=${q('i eq 5')}&conffilters=${q('a.b.c eq 1')}&metricfilters=${q('zero eq 0')}&eventfilters=A&relatesto=${q('A:1')}&isrelatedto=${q('C:1')}&fields=INFO&limit=1`,
    );
    await many('filters-together-none', `&infofilters=${q('i eq 5')}&conffilters=${q('a.b.c eq 2')}`);
    await many('two-bad', '&limit=x&fields=x');
    await many('two-bad-filters', '&infofilters=x&fields=x');
    await many('unknown', '&nothing=1');
    await get('crowd-default', `/apps/${app}/entities/CROWD?${context}`);
    await get('crowd-limit', `/apps/${app}/entities/CROWD?${context}&limit=110`);
    await get('crowd-created', `/apps/${app}/entities/CROWD?${context}&createdtimestart=${T + 115}`);
    await get('crowd-from', `/apps/${app}/entities/CROWD?${context}&fromid=${uid}!CROWD!995!c005&limit=2`);
    await get('pre-list', `/apps/${app}/entities/PRE?${context}&fields=INFO`);
    for (const prefix of ['1', '2', '3', '-1', '+1', '01', '', '9223372036854775807', '9223372036854775808', '1.0', '%201'])
      await get(`pre-${prefix}`, `/apps/${app}/entities/PRE/same?${context}&fields=INFO&entityidprefix=${prefix}`, {
        loose: ['message', ...versions],
      });
    await get('pre-max', `/apps/${app}/entities/PRE/max?${context}`);
    await get('pre-neg', `/apps/${app}/entities/PRE/neg?${context}&entityidprefix=-1`);
    await get('special-list', `/apps/${app}/entities/SPECIAL?${context}`);
    for (const [n, id] of ['a b', 'a/b', 'a!b', 'a*b', 'a:b', 'a,b', 'ä€', 'a%b', 'a=b', 'a(b)'].entries()) {
      await get(`special-${n}`, `/apps/${app}/entities/SPECIAL/${encodeURIComponent(id)}?${context}`);
      const escaped = id.replaceAll('*', '**').replaceAll('!', '*!');
      await get(`special-uid-${n}`, `/entity-uid/${encodeURIComponent(`${uid}!SPECIAL!${20 - n}!${escaped}`)}`);
      await get(
        `special-from-${n}`,
        `/apps/${app}/entities/SPECIAL?${context}&limit=1&fromid=${encodeURIComponent(`${uid}!SPECIAL!${20 - n}!${escaped}`)}`,
      );
    }
    for (const t of ['TY/PE', 'TY!PE', 'TY PE']) {
      await get(`type-${t}`, `/apps/${app}/entities/${encodeURIComponent(t)}?${context}`);
      await get(`type-one-${t}`, `/apps/${app}/entities/${encodeURIComponent(t)}/x?${context}`);
    }

    // paths and formats
    for (const [id, path] of [
      ['slash', `/apps/${app}/entities/JOB/?${context}`],
      ['case', `/apps/${app}/entities/job?${context}`],
      ['blanks', `/apps/${app}/entities/%20JOB%20?${context}`],
      ['blank-type', `/apps/${app}/entities/%20?${context}`],
      ['blank-id', `/apps/${app}/entities/JOB/%20?${context}`],
      ['id-blanks', `/apps/${app}/entities/JOB/%20one%20?${context}`],
      ['matrix', `/apps/${app}/entities/JOB;a=b?${context}`],
      ['no-type', `/apps/${app}/entities?${context}`],
      ['no-type-slash', `/apps/${app}/entities/?${context}`],
      ['deeper', `/apps/${app}/entities/JOB/one/x?${context}`],
      ['apps', '/apps'],
      ['apps-slash', '/apps/'],
      ['users', '/users'],
      ['user', `/users/${ann}`],
      ['user-flows', `/users/${ann}/flows`],
      ['flow', `/users/${ann}/flows/${flow}`],
      ['clusters', '/clusters'],
      ['cluster', '/clusters/yarn_cluster'],
      ['cluster-slash', '/clusters/yarn_cluster/'],
      ['entity-uid', '/entity-uid'],
      ['app-uid', '/app-uid/'],
      ['cluster-health', '/clusters/yarn_cluster/health'],
      ['health-slash', '/health/'],
      ['cluster-blank', `/clusters/%20/apps/${app}/entities/STEP?${context}`],
      ['cluster-uid', `/clusters/yarn_cluster/app-uid/${uid}`],
      ['types-slash', `/apps/${app}/entity-types/?${context}`],
      ['double', `//apps/${app}`],
      ['upper', `/APPS/${app}`],
    ])
      await get(
        `path-${id}`,
        path,
        id.startsWith('types') ? { pick: (list) => list.filter((t) => !t.startsWith('YARN_')).sort() } : { cut: 200 },
      );
    for (const [id, query] of [
      ['no-run', `userid=${ann}&flowname=${flow}`],
      ['no-user', `flowname=${flow}&flowrunid=${T}`],
      ['wrong-run', `userid=${ann}&flowname=${flow}&flowrunid=5`],
      ['wrong-user', `userid=zoe&flowname=${flow}&flowrunid=${T}`],
      ['empty-run', `userid=${ann}&flowname=${flow}&flowrunid=`],
      ['blank-user', `userid=%20&flowname=${flow}&flowrunid=${T}`],
      ['run-plus', `userid=${ann}&flowname=${flow}&flowrunid=%2B${T}`],
      ['run-blanks', `userid=${ann}&flowname=${flow}&flowrunid=%20${T}%20`],
      ['run-negative', `userid=${ann}&flowname=${flow}&flowrunid=-1`],
      ['run-huge', `userid=${ann}&flowname=${flow}&flowrunid=99999999999999999999`],
      ['blanks', `userid=%20${ann}%20&flowname=%20${flow}%20&flowrunid=${T}`],
      ['case', `userId=${ann}&flowName=${flow}&flowRunId=${T}`],
    ]) {
      await get(`context-${id}`, `/apps/${app}/entities/STEP?${query}`, {
        loose: ['message', ...versions].slice(id === 'run-huge' ? 0 : 1),
      });
      await get(`context-one-${id}`, `/apps/${app}/entities/JOB/one?${query}&entityidprefix=40`, {
        loose: ['message', ...versions].slice(id === 'run-huge' ? 0 : 1),
      });
    }
    for (const [id, accept] of [
      ['any', '*/*'],
      ['html', 'text/html'],
      ['text', 'text/plain'],
      ['two', 'application/xml, application/json'],
      ['quality', 'application/json;q=0.1, application/xml;q=0.9'],
      ['browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
      ['wild', 'application/*'],
      ['broken', 'json'],
    ]) {
      for (const [name, path] of [
        ['list', `/apps/${app}/entities/JOB?${context}&limit=1`],
        ['one', `/apps/${app}/entities/JOB/two?${context}`],
        ['unknown', `/apps/${app}/entities/JOB/nine?${context}`],
        ['bad', `/apps/${app}/entities/JOB?${context}&limit=x`],
        ['about', ''],
        ['health', '/health'],
        ['attempts', `/apps/${app}/appattempts/none?${context}`],
      ])
        await get(`accept-${name}-${id}`, path, { headers: { accept } });
    }
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
      for (const [name, path] of [
        ['list', `/apps/${app}/entities/JOB?${context}`],
        ['one', `/apps/${app}/entities/JOB/two?${context}`],
        ['about', ''],
        ['flows', '/flows'],
      ])
        await c.record(`${name}-${method.toLowerCase()}`, 'reader', method, `${V2}${path}`, {
          user: ann,
          ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
        });
    await get('gzip', `/apps/${app}/entities/JOB?${context}`, { headers: { 'accept-encoding': 'gzip' } });

    // uids
    for (const [id, path] of [
      ['app-short', `/app-uid/yarn_cluster!${app}/entities/JOB?limit=1`],
      ['app-one', `/app-uid/${uid}?fields=NONE`],
      ['app-empty-part', `/app-uid/!${app}`],
      ['app-bad-run', `/app-uid/yarn_cluster!${ann}!${flow}!x!${app}`],
      ['app-bad-id', `/app-uid/yarn_cluster!${ann}!${flow}!${T}!x`],
      ['app-short-bad-id', '/app-uid/yarn_cluster!x'],
      ['app-three', `/app-uid/yarn_cluster!${ann}!${app}`],
      ['entity-bad-prefix', `/entity-uid/${uid}!JOB!x!one`],
      ['entity-no-prefix', `/entity-uid/${uid}!JOB!!one`],
      ['entity-wrong-prefix', `/entity-uid/${uid}!JOB!41!one`],
      ['entity-short-unknown', `/entity-uid/yarn_cluster!application_1_0001!JOB!40!one`],
      ['entity-metricslimit', `/entity-uid/${uid}!JOB!40!one?fields=METRICS&metricslimit=2`],
      ['entity-bad-metricslimit', `/entity-uid/${uid}!JOB!40!one?metricslimit=x`],
      ['entity-fields', `/entity-uid/${uid}!JOB!40!one?fields=ALL`],
      ['entity-bad-fields', `/entity-uid/${uid}!JOB!40!one?fields=x`],
      ['entity-escape', `/entity-uid/${uid}!JOB!40!on*e`],
      ['entity-escape-end', `/entity-uid/${uid}!JOB!40!one*`],
      ['entity-slash', `/entity-uid/${uid}!JOB!40!one/`],
      ['app-entities-bad', `/app-uid/${uid}/entities/JOB?limit=x`],
      ['app-entities-flowrun', `/app-uid/${uid}/entities/JOB?flowrunid=x&limit=1`],
      ['app-metricslimit', `/app-uid/${uid}?metricslimit=x`],
      ['blank', '/app-uid/%20'],
      ['entity-blank', '/entity-uid/%20'],
      ['run-entities', `/run-uid/yarn_cluster!${ann}!${flow}!${T}/apps?limit=x`],
      ['run-bad-fields', `/run-uid/yarn_cluster!${ann}!${flow}!${T}?fields=x`],
      ['flow-runs-limit', `/flow-uid/yarn_cluster!${ann}!${flow}/runs?limit=x`],
      ['flow-slash', `/flow-uid/yarn_cluster!${ann}!${flow}/runs/`],
      ['flow-four', `/flow-uid/yarn_cluster!${ann}!${flow}!x/runs`],
    ])
      await get(`uid-${id}`, path, {
        pick: (j) => (Array.isArray(j) && /^(flow-slash)$/.test(id) ? j.map((r) => r.id) : j),
        loose: ['message', ...versions, 'createdtime', 'timestamp'].slice(/bad|app-one/.test(id) ? 0 : 1),
      });
    // single entity options
    for (const [id, query] of [
      ['metricslimit', 'fields=METRICS&metricslimit=2'],
      ['metricslimit-bad', 'metricslimit=x'],
      ['metrics-time', `fields=METRICS&metricslimit=5&metricstimestart=${T + 2000}`],
      ['metrics-time-bad', `fields=METRICS&metricstimestart=${T + 5}&metricstimeend=${T}`],
      ['confs', 'confstoretrieve=io'],
      ['confs-bad', 'confstoretrieve=!(io'],
      ['fields-bad', 'fields=x'],
      ['prefix-wrong', 'entityidprefix=41'],
      ['limit-ignored', 'limit=x'],
      ['filters-ignored', 'infofilters=x'],
      ['flowrun-bad', 'flowrunid=x'],
    ])
      await get(`one-${id}`, `/apps/${app}/entities/JOB/one?${id === 'flowrun-bad' ? '' : `${context}&`}${query}`);
    await end(c, app, ann);
  },
};
