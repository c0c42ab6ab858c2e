import { begin, jobs, T, V1 } from '../kit-timeline.mjs';

export default {
  name: 'timeline-v1-more',
  cluster: 'timeline',
  about: 'timeline v1: odd values, formats, parameters, methods',
  async run(c) {
    const own = begin(c),
      { job, secret, ann, bob, carl, dan } = await jobs(c, own);
    const odd = own.type('odd');
    const get = (id, path, options) => c.record(id, 'ats', 'GET', `${V1}${path}`, { user: ann, exact: true, ...options });
    const post = (id, body, options) => c.record(id, 'ats', 'POST', V1, { user: ann, body, exact: true, ...options });
    const put1 = async (id, e, options) => {
      await post(id, { entities: [{ entity: id, entitytype: odd, starttime: T + 1, ...e }] }, options);
      await get(`${id}-after`, `/${odd}/${encodeURIComponent(id)}`, { unordered: ['user', 'k', 'a', 'b'] });
    };
    const versions = [
      'timeline-service-version',
      'timeline-service-build-version',
      'timeline-service-version-built-on',
      'hadoop-version',
      'hadoop-build-version',
      'hadoop-version-built-on',
    ];

    // what can be put
    await put1('numbers', {
      otherinfo: {
        one: 1,
        dbl: 1.0,
        exp: 1e3,
        neg: -5,
        big: 9007199254740992,
        long: 2 ** 63,
        small: 0.1,
        negd: -0.5,
        zero: 0,
        tiny: 1e-7,
        huge: 1e300,
        i32: 2147483648,
      },
    });
    await post(
      'numbers-raw',
      `{"entities":[{"entity":"raw","entitytype":"${odd}","starttime":${T},"otherinfo":{"a":1.0,"b":9007199254740993,"c":9223372036854775807,"d":9223372036854775808,"e":1e2,"f":1.50,"g":-0,"h":0.00001,"i":123456789.123,"j":1E10,"k":12345678901234567890123}}]}`,
    );
    await get('numbers-raw-after', `/${odd}/raw`);
    await put1('strings', {
      otherinfo: { uni: 'äöü €𝄞', quote: 'a"b\\c/d', ctl: 'a\tb\nc', empty: '', html: '<b>&amp;</b>', ls: '\u2028', nul: '\u0001' },
    });
    await put1('nested', { otherinfo: { m: { b: 1, a: [{}, [], null, { z: null }] }, l: [], e: {}, n: [[1], [2.5, 'x']] } });
    await put1('nullmembers', { events: [], primaryfilters: null, otherinfo: null, relatedentities: null });
    await put1('nulldomain', { domain: null });
    await put1('emptydomain', { domain: '' });
    await put1('scalarfilter', { primaryfilters: { k: 'v' } }, { loose: ['message'] });
    await put1('nullfilter', { primaryfilters: { k: null } }, { loose: ['message'] });
    await put1('nullinfilter', { primaryfilters: { k: ['v', null] } }, { loose: ['message'] });
    await put1('emptyfilter', { primaryfilters: { k: [] } });
    await put1('objectfilter', { primaryfilters: { k: [{ a: 1, b: [2] }], l: [[1, 2]] } });
    await put1('emptyfiltername', { primaryfilters: { '': ['x'] }, otherinfo: { '': 'y' } });
    await put1('dupfilter', { primaryfilters: { k: ['v', 'v', 1, '1', 1.0] } });
    await put1('samestamp', {
      events: [
        { timestamp: T, eventtype: 'B' },
        { timestamp: T, eventtype: 'A' },
        { timestamp: T, eventtype: 'C', eventinfo: { x: 1 } },
        { timestamp: T, eventtype: 'A', eventinfo: { y: 2 } },
      ],
    });
    await put1('eventnotime', { events: [{ eventtype: 'B' }] });
    await put1('eventnotype', { events: [{ timestamp: T }] }, { loose: ['message'] });
    await put1('eventnull', { events: [{ timestamp: T, eventtype: 'A', eventinfo: null }] });
    await put1('eventnegative', {
      events: [
        { timestamp: -5, eventtype: 'A' },
        { timestamp: 0, eventtype: 'Z' },
      ],
    });
    await put1('eventinfovalues', { events: [{ timestamp: T + 5, eventtype: 'A', eventinfo: { n: null, d: 1.0, l: [null, {}], s: '' } }] });
    await put1('startzero', { starttime: 0 });
    await put1('startnegative', { starttime: -1000 });
    await put1('startstring', { starttime: String(T) });
    await put1('startfloat', { starttime: 1234567.9 });
    await put1('startnull', { starttime: null, events: [{ timestamp: T + 77, eventtype: 'X' }] });
    await put1('startbool', { starttime: true }, { loose: ['message'] });
    await put1('startbig', { starttime: '9223372036854775808' }, { loose: ['message'] });
    await put1('selfrelated', { relatedentities: { [odd]: ['selfrelated', 'other1'] } });
    await get('other1', `/${odd}/other1`);
    await put1('relatedscalar', { relatedentities: { [odd]: 'x' } }, { loose: ['message'] });
    await put1('relatedempty', { relatedentities: { [odd]: [] } });
    await put1('relatednull', { relatedentities: { [odd]: null } }, { loose: ['message'] });
    await put1('relatedblank', { relatedentities: { '': ['x'], [odd]: [''] } });
    await put1('unknownmember', { colour: 1 }, { loose: ['message'] });
    await put1('wrongtypes', { otherinfo: 'x' }, { loose: ['message'] });
    await put1('eventsobject', { events: {} }, { loose: ['message'] });
    await put1('numberid', {});
    await post('id-number', { entities: [{ entity: 5, entitytype: odd, starttime: T }] });
    await get('id-number-after', `/${odd}/5`);
    await post('id-object', { entities: [{ entity: {}, entitytype: odd, starttime: T }] }, { loose: ['message'] });
    await post('entities-null', { entities: null });
    await post('entities-object', { entities: {} }, { loose: ['message'] });
    await post('entities-nulls', { entities: [null] }, { loose: ['message'] });
    await post('body-null', 'null', { loose: ['message'] });
    await post('body-number', '5', { loose: ['message'] });
    await post('body-string', '"x"', { loose: ['message'] });
    await post('body-blank', '   ', { loose: ['message'] });
    await post('body-trailing', '{"entities":[]} x', { loose: ['message'] });
    await post('body-two', '{"entities":[]}{"entities":[]}', { loose: ['message'] });
    await post('body-dup', `{"entities":[],"entities":[{"entity":"dup","entitytype":"${odd}","starttime":1}]}`, { loose: ['message'] });
    await get('body-dup-after', `/${odd}/dup`);
    await post('body-comment', '/* x */{"entities":[]}', { loose: ['message'] });
    await post('body-single', "{'entities':[]}", { loose: ['message'] });
    await post('body-nan', `{"entities":[{"entity":"nan","entitytype":"${odd}","starttime":NaN}]}`, { loose: ['message'] });
    await post('body-charset', { entities: [] }, { headers: { 'content-type': 'application/json; charset=utf-8' } });
    await post('body-upper', { entities: [] }, { headers: { 'content-type': 'Application/JSON' } });
    await post('body-textjson', { entities: [] }, { headers: { 'content-type': 'text/json' } });
    await post('body-form', 'a=b', { headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    await post('body-octets', { entities: [] }, { headers: { 'content-type': 'application/octet-stream' } });
    await post('accept-xml', { entities: [] }, { accept: 'application/xml' });
    await post('accept-html', { entities: [] }, { accept: 'text/html' });
    await post('accept-any', { entities: [] }, { accept: '*/*' });
    await c.record('post-slash', 'ats', 'POST', `${V1}/`, { user: ann, body: { entities: [] } });
    await c.record('put-root', 'ats', 'PUT', V1, { user: ann, body: { entities: [] } });
    await c.record('delete-root', 'ats', 'DELETE', V1, { user: ann });
    await c.record('post-type', 'ats', 'POST', `${V1}/${job}`, { user: ann, body: { entities: [] } });
    await c.record('delete-entity', 'ats', 'DELETE', `${V1}/${job}/j1`, { user: ann });
    await c.record('put-entity', 'ats', 'PUT', `${V1}/${job}/j1`, { user: ann, body: {} });
    await c.record('head-root', 'ats', 'HEAD', V1, { user: ann });
    await c.record('head-entity', 'ats', 'HEAD', `${V1}/${job}/j1`, { user: ann });
    await c.record('head-unknown', 'ats', 'HEAD', `${V1}/${job}/j99`, { user: ann });
    await c.record('head-list', 'ats', 'HEAD', `${V1}/${job}`, { user: ann });
    await c.record('options-root', 'ats', 'OPTIONS', V1, { user: ann });
    await c.record('options-entity', 'ats', 'OPTIONS', `${V1}/${job}/j1`, { user: ann });

    // many at a time
    await post('batch-same', {
      entities: [
        { entity: 'same', entitytype: odd, starttime: T + 5, otherinfo: { a: 1, b: 1 } },
        { entity: 'same', entitytype: odd, starttime: T + 6, otherinfo: { a: 2 }, primaryfilters: { k: ['x'] } },
      ],
    });
    await get('batch-same-after', `/${odd}/same`);
    await get('batch-same-filter', `/${odd}?primaryFilter=k:x`);
    await post('batch-errors', {
      entities: [
        { entity: 'e1', entitytype: odd, events: null },
        { entity: 'e2', entitytype: odd, starttime: T, domain: own.type('nodomain') },
        { entity: 'e3', entitytype: odd, starttime: T, relatedentities: { [job]: ['p1'] } },
      ],
    });
    await get('batch-errors-after', `/${odd}/e3`);
    await post('blank-id', { entities: [{ entity: ' ', entitytype: odd, starttime: T }] });
    await post('empty-id', { entities: [{ entity: '', entitytype: odd, starttime: T }] });
    await post('empty-type', { entities: [{ entity: 'x', entitytype: '', starttime: T }] });
    await post('special-ids', {
      entities: ['a b', 'a/b', 'a:b', 'a,b', 'a+b', 'a%b', 'ä', 'a;b', 'a?b', 'a#b', 'a!b', 'a"b', "a'b", 'a\\b', 'a&b', '.', 'events'].map(
        (entity, i) => ({ entity, entitytype: own.type('sp'), starttime: T + i }),
      ),
    });
    for (const [n, id] of [
      'a b',
      'a/b',
      'a:b',
      'a,b',
      'a+b',
      'a%b',
      'ä',
      'a;b',
      'a?b',
      'a#b',
      'a!b',
      'a"b',
      'a\\b',
      'a&b',
      'events',
    ].entries())
      await get(`special-${n}`, `/${own.type('sp')}/${encodeURIComponent(id)}`);
    await get('special-list', `/${own.type('sp')}`);
    await get('special-from', `/${own.type('sp')}?fromId=a%20b`);
    await get('special-events', `/${own.type('sp')}/events?entityId=a%20b,a:b`);
    await get('special-plus', `/${own.type('sp')}/a+b`);
    await get('special-matrix', `/${job}/j1;x=y`);
    await get('special-matrix-type', `/${job};x=y/j1`);
    await get('blank-entity', `/${job}/%20`);
    await get('blank-type', '/%20');
    await get('trimmed', `/%20${job}%20/%20j1%20`);
    await get('deep', `/${job}/j1/x`);
    await get('deeper', `/${job}/j1/x/y`);
    await get('double', `//${job}`);
    await get('double-entity', `/${job}//j1`);
    await get('type-slash', `/${job}/`);
    await get('upper', `/${job}/J1`);

    // lists
    for (const [id, query] of [
      ['limit-plus', 'limit=%2B2'],
      ['limit-blanks', 'limit=%202%20'],
      ['limit-zeros', 'limit=002'],
      ['limit-negative', 'limit=-3'],
      ['limit-huge', 'limit=99999999999999999999'],
      ['limit-max', 'limit=9223372036854775807'],
      ['limit-suffix', 'limit=2L'],
      ['limit-hex', 'limit=0x2'],
      ['limit-float', 'limit=2.0'],
      ['limit-twice', 'limit=1&limit=2'],
      ['limit-case', 'LIMIT=1'],
      ['window-same', `windowStart=${T + 2000}&windowEnd=${T + 2000}`],
      ['window-reverse', `windowStart=${T + 3000}&windowEnd=${T + 1000}`],
      ['window-negative', 'windowStart=-1'],
      ['window-end-zero', 'windowEnd=0'],
      ['window-end-negative', 'windowEnd=-1'],
      ['window-blank', 'windowStart='],
      ['window-text', 'windowStart=now'],
      ['window-end-text', 'windowEnd=x'],
      ['from-ts-text', 'fromTs=x'],
      ['from-ts-negative', 'fromTs=-1'],
      ['from-ts-zero', 'fromTs=0'],
      ['from-ts-blank', 'fromTs='],
      ['from-id-blank', 'fromId='],
      ['from-id-window', `fromId=j2&windowEnd=${T + 1000}`],
      ['from-id-window-start', `fromId=j2&windowStart=${T + 1000}`],
      ['from-id-filter', 'fromId=j2&primaryFilter=user:ann'],
      ['from-id-not-in-filter', 'fromId=j2b&primaryFilter=user:ann'],
      ['from-id-case', 'fromId=J2'],
      ['primary-blank', 'primaryFilter='],
      ['primary-no-value', 'primaryFilter=user:'],
      ['primary-no-name', 'primaryFilter=:ann'],
      ['primary-colons', 'primaryFilter=user:ann:x'],
      ['primary-blanks', 'primaryFilter=%20user%20:%20ann%20'],
      ['primary-double', 'primaryFilter=ratio:1.5'],
      ['primary-double-more', 'primaryFilter=ratio:1.50'],
      ['primary-int-double', 'primaryFilter=priority:5.0'],
      ['primary-null', 'primaryFilter=user:null'],
      ['primary-broken-json', 'primaryFilter=user:%7B%22a'],
      ['primary-exp', 'primaryFilter=priority:5e0'],
      ['primary-twice', 'primaryFilter=user:bob&primaryFilter=user:ann'],
      ['primary-two', 'primaryFilter=user:ann,priority:5'],
      ['primary-quote', 'primaryFilter=%22user%22:ann'],
      ['primary-leading-zero', 'primaryFilter=priority:05'],
      ['secondary-blank', 'secondaryFilter='],
      ['secondary-no-value', 'secondaryFilter=status:'],
      ['secondary-comma-end', 'secondaryFilter=status:ok,'],
      ['secondary-comma-start', 'secondaryFilter=,status:ok'],
      ['secondary-colons', 'secondaryFilter=text:a:b'],
      ['secondary-big', 'secondaryFilter=big:12345678901234'],
      ['secondary-object', 'secondaryFilter=deep:%7B%22a%22:1%7D'],
      ['secondary-same', 'secondaryFilter=status:ok,status:failed'],
      ['secondary-null', 'secondaryFilter=status:null'],
      ['secondary-bool', 'secondaryFilter=flag:true'],
      ['secondary-blanks', 'secondaryFilter=%20status:ok%20,%20code:7'],
      ['secondary-twice', 'secondaryFilter=status:ok&secondaryFilter=code:8'],
      ['secondary-unknown', 'secondaryFilter=nothing:x'],
      ['fields-comma', 'fields=,'],
      ['fields-comma-end', 'fields=events,'],
      ['fields-blanks', 'fields=%20events%20,%20otherinfo%20'],
      ['fields-all', 'fields=all'],
      ['fields-dup', 'fields=events,events'],
      ['fields-both-events', 'fields=events,lasteventonly'],
      ['fields-twice', 'fields=events&fields=otherinfo'],
      ['fields-every', 'fields=EVENTS,RELATEDENTITIES,PRIMARYFILTERS,OTHERINFO'],
      ['fields-mixed-bad', 'fields=events,foo'],
      ['fields-underscore', 'fields=PRIMARY_FILTERS'],
      ['unknown', 'nothing=1'],
      ['two-bad', 'limit=x&fields=x'],
      ['bad-both', 'windowStart=x&secondaryFilter=a'],
      ['together', `primaryFilter=user:ann&secondaryFilter=code:7&windowStart=${T}&windowEnd=${T + 3000}&limit=1&fields=otherinfo`],
      ['percent', 'primaryFilter=user%3Aann'],
      ['bad-percent', 'primaryFilter=user:%25zz'],
    ])
      await get(`list-${id}`, `/${job}?${query}`, { loose: /two-bad|secondary-(no|comma)|primary-no/.test(id) ? ['message'] : undefined });
    for (const [id, accept] of [
      ['any', '*/*'],
      ['html', 'text/html'],
      ['text', 'text/plain'],
      ['two', 'application/xml, application/json'],
      ['quality', 'application/json;q=0.1, application/xml;q=0.9'],
      ['browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
      ['wild', 'application/*'],
      ['charset', 'application/json;charset=iso-8859-1'],
      ['upper', 'APPLICATION/JSON'],
      ['broken', 'json'],
      ['empty', ''],
    ]) {
      await get(`accept-list-${id}`, `/${job}?limit=1`, { headers: { accept } });
      await get(`accept-unknown-${id}`, `/${job}/j99`, { headers: { accept } });
      await get(`accept-about-${id}`, '', { headers: { accept }, loose: versions });
    }
    await get('gzip', `/${job}?limit=1`, { headers: { 'accept-encoding': 'gzip' } });
    await get('content-type-get', `/${job}?limit=1`, { headers: { 'content-type': 'text/plain' } });

    // events
    for (const [id, query] of [
      ['blank-id', 'entityId='],
      ['empties', 'entityId=j1,,j2'],
      ['blanks', 'entityId=%20j1%20,%20j2'],
      ['dups', 'entityId=j1,j1'],
      ['twice', 'entityId=j1&entityId=j2'],
      ['type-blank', 'entityId=j1&eventType='],
      ['type-blanks', 'entityId=j1&eventType=%20START%20,END'],
      ['type-case', 'entityId=j1&eventType=start'],
      ['limit-zero', 'entityId=j1&limit=0'],
      ['limit-negative', 'entityId=j1&limit=-1'],
      ['limit-blank', 'entityId=j1&limit='],
      ['limit-two', 'entityId=j1&limit=2'],
      ['window-end', `entityId=j1&windowEnd=${T + 1000}`],
      ['window-start', `entityId=j1&windowStart=${T + 1000}`],
      ['window-text', 'entityId=j1&windowStart=x'],
      ['window-blank', 'entityId=j1&windowEnd='],
      ['window-none', `entityId=j1&windowStart=${T + 99999}`],
      ['order', 'entityId=j4,j3,j2b,j2,j1'],
      ['limit-type', 'entityId=j1&eventType=START&limit=1'],
      ['no-events', 'entityId=j3'],
      ['fields', 'entityId=j1&fields=x'],
      ['both', 'entityId=nothing'],
    ])
      await get(`events-${id}`, `/${job}/events?${query}`, { loose: ['message'] });
    await get('events-slash', `/${job}/events/?entityId=j1`);
    await get('events-unknown-type', `/${own.type('zip')}/events?entityId=j1`);
    await get('events-deeper', `/${job}/events/x`);
    await get('events-nobody', `/${job}/events?entityId=j1`, { user: undefined });
    await get('events-reader', `/${job}/events?entityId=p1,j2`, { user: bob });
    await get('events-writer', `/${job}/events?entityId=p1,j2`, { user: carl });
    await get('events-xml', `/${job}/events?entityId=j1`, { accept: 'application/xml' });
    await c.record('events-post', 'ats', 'POST', `${V1}/${job}/events`, { user: ann, body: {} });

    // one
    for (const [id, query] of [
      ['fields-blank', 'fields='],
      ['fields-comma', 'fields=,'],
      ['fields-blanks', 'fields=%20events%20'],
      ['fields-all', 'fields=ALL'],
      ['fields-primary', 'fields=primaryfilters'],
      ['fields-related', 'fields=relatedentities'],
      ['fields-last-other', 'fields=lasteventonly,otherinfo'],
      ['limit', 'limit=x'],
      ['fields-twice', 'fields=events&fields=x'],
      ['domain', 'fields=domain'],
    ])
      await get(`one-${id}`, `/${job}/j1?${query}`, { loose: ['message'] });
    await get('one-secret-list-nobody', `/${secret}`, { user: undefined });
    await get('one-empty-user', `/${job}/j1?user.name=`, { user: undefined });
    await get('one-two-users', `/${job}/p1?user.name=${dan}&user.name=${ann}`, { user: undefined });
    await get('one-proxy', `/${job}/p1?doAs=${ann}`, { user: dan });

    // domains
    const domains = (id, method, path, options) => c.record(id, 'ats', method, `${V1}/domain${path}`, { user: ann, ...options });
    const d2 = own.type('d2'),
      d3 = own.type('d3');
    await domains('domain-put-plain', 'PUT', '', { body: { id: d2 } });
    await domains('domain-put-plain-after', 'GET', `/${d2}`);
    await domains('domain-put-full', 'PUT', '', {
      body: {
        id: d3,
        description: 'ä "x"',
        owner: bob,
        readers: `${bob},${dan} staff`,
        writers: ' wheel',
        createdtime: 5,
        modifiedtime: 6,
      },
    });
    await domains('domain-put-full-after', 'GET', `/${d3}`);
    await domains('domain-put-slash', 'PUT', '/', { body: { id: d3, description: 'again', readers: 'x', writers: 'y' } });
    await domains('domain-put-after', 'GET', `/${d3}/`);
    await domains('domain-put-unknown', 'PUT', '', { body: { id: d3, colour: 1 }, loose: ['message'] });
    await domains('domain-put-array', 'PUT', '', { body: '[]', loose: ['message'] });
    await domains('domain-put-broken', 'PUT', '', { body: '{"id":', loose: ['message'] });
    await domains('domain-put-null', 'PUT', '', { body: 'null', loose: ['message'] });
    await domains('domain-put-number', 'PUT', '', { body: { id: 5, readers: 'a', writers: 'b' }, loose: ['message'] });
    await domains('domain-put-list', 'PUT', '', { body: { id: d3, readers: ['a'], writers: 'b' }, loose: ['message'] });
    await domains('domain-put-time', 'PUT', '', { body: { id: d3, createdtime: 'x', readers: 'a', writers: 'b' }, loose: ['message'] });
    await domains('domain-put-empty-id', 'PUT', '', { body: { id: '', readers: 'a', writers: 'b' }, loose: ['message'] });
    await domains('domain-put-blank-id', 'PUT', '', { body: { id: ' ', readers: 'a', writers: 'b' }, loose: ['message'] });
    await domains('domain-put-default', 'PUT', '', { body: { id: 'DEFAULT', readers: 'a', writers: 'b' } });
    await domains('domain-put-xml', 'PUT', '', { body: '<domain/>', headers: { 'content-type': 'application/xml' } });
    await domains('domain-put-text', 'PUT', '', { body: '{}', headers: { 'content-type': 'text/plain' } });
    await domains('domain-put-id', 'PUT', `/${d3}`, { body: { id: d3, readers: 'a', writers: 'b' } });
    await domains('domain-delete', 'DELETE', `/${d3}`);
    await domains('domain-head', 'HEAD', `/${d3}`);
    await domains('domain-xml', 'GET', `/${d3}`, { accept: 'application/xml' });
    await domains('domain-html', 'GET', `/${d3}`, { accept: 'text/html' });
    await domains('domain-blank', 'GET', '/%20');
    await domains('domain-trimmed', 'GET', `/%20${d3}%20`);
    await domains('domain-deeper', 'GET', `/${d3}/x`);
    await domains('domains-slash', 'GET', '/');
    await domains('domains-owner-blank', 'GET', '?owner=');
    await domains('domains-owner-blanks', 'GET', `?owner=%20${ann}%20`);
    await domains('domains-owner-twice', 'GET', `?owner=${bob}&owner=${ann}`);
    await domains('domains-root', 'GET', '?owner=root', {
      user: 'root',
      pick: (j) => ({ ...j, domains: j.domains.filter((d) => d.id === 'DEFAULT').map(({ owner, ...d }) => d) }),
    });
    await domains('domains-xml', 'GET', '', { accept: 'application/xml' });
    await domains('domains-nobody-owner', 'GET', `?owner=${ann}`, { user: undefined });
    await domains('domains-unknown-query', 'GET', '?limit=x');

    await domains('domain-put-accept-xml', 'PUT', '', { body: { id: d2, readers: 'a', writers: 'b' }, accept: 'application/xml' });

    // tokens' operations without security
    await get('op-blank', '?op=', { loose: versions });
    await get('op-unknown', '?op=NOTHING', { loose: versions });
    await get('ws', '/../');
    await c.record('ws-v1', 'ats', 'GET', '/ws/v1');
    await c.record('ws-v1-slash', 'ats', 'GET', '/ws/v1/');
    await c.record('ws-v3', 'ats', 'GET', '/ws/v3/timeline');
    await c.record('ws-case', 'ats', 'GET', '/ws/v1/Timeline');
  },
};
