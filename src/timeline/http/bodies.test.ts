// Bodies as Jackson reads them: what is taken, what counts as absent, what is refused and by which error.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf } from '../../model/test-support/failures.ts';
import { readDomain, readEntities } from './v1-bodies.ts';
import { checkDomainV2, readEntitiesV2, readSystemWrites } from './v2-bodies.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
describe('entities of version 1', () => {
  it('lose null members, and keep null events, which mean something else than none', () => {
    const [one, two] = readEntities(
      '{"entities":[{"entity":"a","entitytype":"t","starttime":null,"events":null},{"entity":"b","events":[]}]}',
    );
    assert.deepEqual(one, { entity: 'a', entitytype: 't', events: null });
    assert.deepEqual(two, { entity: 'b', events: [] });
  });

  it('lose members that are null inside of values, too, and keep such elements of lists', () => {
    const [one] = readEntities('{"entities":[{"otherinfo":{"a":[null,{"b":null,"c":{"d":null}}]}}]}');
    assert.deepEqual(one?.otherinfo, { a: [null, { c: {} }] });
    const [other] = readEntities('{"entities":[{"events":[{"eventtype":"E","eventinfo":{"a":null,"b":[null]}}]}]}');
    assert.deepEqual(other?.events?.[0]?.eventinfo, { b: [null] });
  });

  it('keep other info that is null, which takes back what was put before', () => {
    assert.deepEqual(readEntities('{"entities":[{"otherinfo":{"e":null}}]}')[0]?.otherinfo, { e: null });
  });

  it('are none for an empty body and for an empty object', () => {
    assert.deepEqual(readEntities(undefined), []);
    assert.deepEqual(readEntities('{}'), []);
  });

  it('give events a time of 0 and no information where they have none', () => {
    const [one] = readEntities(
      '{"entities":[{"entity":"a","events":[{"eventtype":"E"},{"eventtype":"F","timestamp":"7","eventinfo":{"k":1}}]}]}',
    );
    assert.deepEqual(one?.events, [
      { timestamp: 0, eventtype: 'E' },
      { timestamp: 7, eventtype: 'F', eventinfo: { k: 1 } },
    ]);
  });

  it('are refused with holes: null entities, filters, relations, ids and events', () => {
    for (const entities of [
      'null',
      '[null]',
      '[{"primaryfilters":{"user":null}}]',
      '[{"relatedentities":{"t":null}}]',
      '[{"relatedentities":{"t":["a",null]}}]',
    ])
      assert.equal(
        codeOf(() => readEntities(`{"entities":${entities}}`)),
        'TIMELINE_ENTITY_INCOMPLETE',
        entities,
      );
    for (const events of ['[null]', '[{"timestamp":1}]', '[{"eventtype":null}]'])
      assert.equal(
        codeOf(() => readEntities(`{"entities":[{"events":${events}}]}`)),
        'TIMELINE_EVENT_INCOMPLETE',
        events,
      );
  });

  it('are refused by the kind of fault that Jackson names', () => {
    assert.equal(
      codeOf(() => readEntities('{"entities":[')),
      'JSON_MAPPING',
    );
    assert.equal(
      codeOf(() => readEntities('nonsense')),
      'JSON_SYNTAX',
    );
    for (const [text, code] of [
      ['{', 'JSON_END'],
      ['{"entities":[]', 'JSON_END'],
      ['{"entities', 'JSON_END'],
      ['{"entities":[],}', 'JSON_SYNTAX'],
      ["{'entities':[]}", 'JSON_SYNTAX'],
      ['{"entities":[{"entity":"}}]]', 'JSON_MAPPING'],
      ['{"entities":[{"entity":"\\"]}",}]}', 'JSON_MAPPING'],
    ] as const)
      assert.equal(
        codeOf(() => readEntities(text)),
        code,
        text,
      );
    assert.equal(
      codeOf(() => readEntities('{"others":[]}')),
      'JSON_UNKNOWN_MEMBER',
    );
    for (const entity of ['{"starttime":"soon"}', '{"events":""}', '{"relatedentities":{"t":""}}', '""'])
      assert.equal(
        codeOf(() => readEntities(`{"entities":[${entity}]}`)),
        'JSON_INVALID_FORMAT',
        entity,
      );
    assert.equal(
      codeOf(() => readEntities('{"entities":[{"otherinfo":" "}]}')),
      'JSON_MISMATCH',
    );
    for (const malformed of [
      '{}',
      '{"applicationId":"a"}',
      '{"applicationId":"application_1_0001","context":{"user":"u"}}',
      '{"applicationId":"application_1_0001","entities":[null]}',
      'null',
    ])
      assert.equal(
        codeOf(() => readSystemWrites(bytes(`{"writes":[${malformed}]}`))),
        'SYSTEM_WRITE_MALFORMED',
        malformed,
      );
  });
});

describe('domains', () => {
  it('need a body, and lose null members', () => {
    assert.equal(
      codeOf(() => readDomain('')),
      'TIMELINE_DOMAIN_ID_MISSING',
    );
    assert.deepEqual(readDomain('{"id":"d","owner":null,"readers":"*"}'), { id: 'd', readers: '*' });
    assert.equal(
      codeOf(() => checkDomainV2(bytes(''))),
      'COLLECTOR_BODY_MISSING',
    );
    assert.equal(
      codeOf(() => checkDomainV2(bytes('{"id":"d"}'))),
      'none',
    );
  });
});

describe('entities of version 2', () => {
  it('have a type and an id, which is empty where none is given, and no null members', () => {
    const text = '{"entities":[{"type":"t","info":null},{"id":"e","type":"t","createdtime":"5","info":{"a":null,"b":1}}]}';
    assert.deepEqual(readEntitiesV2(bytes(text)), [
      { id: '', type: 't' },
      { id: 'e', type: 't', createdtime: 5, info: { b: 1 } },
    ]);
    for (const holes of ['null', '[null]', '[{"id":"e"}]', '[{"id":"e","type":null}]'])
      assert.equal(
        codeOf(() => readEntitiesV2(bytes(`{"entities":${holes}}`))),
        'TIMELINE_ENTITY_INCOMPLETE',
        holes,
      );
  });

  it('have a prefix that is a long, of which every one is kept', () => {
    const prefixOf = (written: string) => () =>
      JSON.stringify(readEntitiesV2(bytes(`{"entities":[{"type":"t","idprefix":${written}}]}`))[0]?.idprefix);
    for (const [written, read] of [
      ['"7"', '7'],
      ['-3', '-3'],
      ['1.9', '1'],
      ['9223372036854775807', '9223372036854775807'],
      ['"-9223372036854775808"', '-9223372036854775808'],
    ] as const)
      assert.equal(prefixOf(written)(), read, written);
    assert.deepEqual([codeOf(prefixOf('"x"')), codeOf(prefixOf('9223372036854775808'))], ['JSON_INVALID_FORMAT', 'JSON_MAPPING']);
  });

  it('tidy metrics and events', () => {
    const [one] = readEntitiesV2(
      bytes(
        '{"entities":[{"id":"e","type":"t","metrics":[{"id":"m","type":"TIME_SERIES","values":{"1":2}}],"events":[{"id":"E","info":null}]}]}',
      ),
    );
    assert.deepEqual(one?.metrics, [{ id: 'm', type: 'TIME_SERIES', values: { 1: 2 } }]);
    assert.deepEqual(one?.events, [{ id: 'E', timestamp: 0 }]);
  });

  it('have metrics with ids, of the same id the first', () => {
    const metricsOf = (metrics: string) => () => readEntitiesV2(bytes(`{"entities":[{"type":"t","metrics":${metrics}}]}`))[0]?.metrics;
    const twice = '[{"id":"m","values":{"1":1}},{"id":"n","values":null},{"id":"m","values":{"2":2}}]';
    assert.deepEqual(metricsOf(twice)(), [{ id: 'm', values: { 1: 1 } }, { id: 'n' }]);
    assert.deepEqual([codeOf(metricsOf('null')), codeOf(metricsOf('[null]'))], ['TIMELINE_V2_BAD_REQUEST', 'TIMELINE_V2_BAD_REQUEST']);
    assert.equal(codeOf(metricsOf('[{"values":{"1":1}}]')), 'JSON_MAPPING');
  });

  it('have events with ids, of the same id and time the first', () => {
    const eventsOf = (events: string) => () => readEntitiesV2(bytes(`{"entities":[{"type":"t","events":${events}}]}`))[0]?.events;
    assert.deepEqual(eventsOf('[{"id":"E","info":{"a":1}},{"id":"F"},{"id":"E","timestamp":1},{"id":"E","info":{"a":2}}]')(), [
      { id: 'E', timestamp: 0, info: { a: 1 } },
      { id: 'F', timestamp: 0 },
      { id: 'E', timestamp: 1 },
    ]);
    for (const events of ['[{"id":"E"},{"timestamp":1}]', '[null]']) assert.equal(codeOf(eventsOf(events)), 'JSON_MAPPING', events);
  });

  it('refuse words that are none of the enumeration, and a missing body', () => {
    assert.equal(
      codeOf(() => readEntitiesV2(bytes('{"entities":[{"metrics":[{"type":"SOMETIMES"}]}]}'))),
      'JSON_INVALID_FORMAT',
    );
    assert.equal(
      codeOf(() => readEntitiesV2(bytes(''))),
      'COLLECTOR_BODY_MISSING',
    );
  });

  it('come in writes of the resource manager with what they belong to', () => {
    const text =
      '{"writes":[{"applicationId":"application_1_0001","collector":"start","finishedTimeMs":null,"context":{"user":"u","flow":"f","version":"1","run":7}},{"applicationId":"application_1_0002","entities":[{}]}]}';
    assert.deepEqual(readSystemWrites(bytes(text)), [
      { applicationId: 'application_1_0001', collector: 'start', context: { user: 'u', flow: 'f', version: '1', run: 7 }, entities: [] },
      { applicationId: 'application_1_0002', entities: [{ id: '', type: '' }] },
    ]);
    assert.equal(
      codeOf(() => readSystemWrites(bytes('{"writes":[{"collector":"pause"}]}'))),
      'JSON_INVALID_FORMAT',
    );
  });
});

describe('series of metrics', () => {
  const values = (text: string) =>
    readEntitiesV2(bytes(`{"entities":[{"id":"e","type":"t","metrics":[{"id":"m","values":${text}}]}]}`))[0]?.metrics?.[0]?.values;

  it('have times that are longs, whichever way they are written; of the same time the last value counts', () => {
    assert.deepEqual(values('{"5":1,"05":2,"+6":3,"-7":4,"5":9}'), { 5: 2, 6: 3, '-7': 4 });
    assert.deepEqual(values('{"9223372036854775807":1}'), { [Number.MAX_SAFE_INTEGER]: 1 });
    for (const [time, code] of [
      ['soon', 'JSON_MAP_KEY'],
      ['', 'JSON_MAP_KEY'],
      ['1.5', 'JSON_MAP_KEY'],
      ['9223372036854775808', 'JSON_MAP_KEY'],
      ['9007199254740993', 'JSON_LONG_NOT_KEPT'],
    ] as const)
      assert.equal(
        codeOf(() => values(`{"${time}":1}`)),
        code,
        time,
      );
  });

  it('have numbers for values, and keep all digits of those', () => {
    assert.equal(JSON.stringify(values('{"1":5,"2":"6","4":"-1.5e2","5":null}')), '{"1":5,"2":6,"4":-150,"5":null}');
    assert.equal(
      JSON.stringify(values('{"1":9223372036854775807,"2":"-9223372036854775808"}')),
      '{"1":9223372036854775807,"2":-9223372036854775808}',
    );
    for (const [value, code] of [
      ['"many"', 'JSON_INVALID_FORMAT'],
      ['"1e999"', 'JSON_INVALID_FORMAT'],
      ['true', 'JSON_MISMATCH'],
      ['[1]', 'JSON_MISMATCH'],
      ['{}', 'JSON_MISMATCH'],
      ['1.5', 'TIMELINE_V2_BAD_REQUEST'],
      ['1.0', 'TIMELINE_V2_BAD_REQUEST'],
      ['9223372036854775808', 'TIMELINE_V2_BAD_REQUEST'],
    ] as const)
      assert.equal(
        codeOf(() => values(`{"1":${value}}`)),
        code,
        value,
      );
    assert.equal(
      codeOf(() => values('[1]')),
      'JSON_MISMATCH',
    );
  });
});

it('where a map, a list or a bean is due, empty text and blanks are refused as by Jackson', () => {
  for (const [members, code] of [
    ['"otherinfo":""', 'JSON_MISMATCH'],
    ['"otherinfo":" "', 'JSON_MISMATCH'],
    ['"otherinfo":"x"', 'JSON_MISMATCH'],
    ['"primaryfilters":""', 'JSON_MISMATCH'],
    ['"relatedentities":""', 'JSON_MISMATCH'],
    ['"events":""', 'JSON_INVALID_FORMAT'],
    ['"events":" "', 'JSON_INVALID_FORMAT'],
    ['"events":"x"', 'JSON_MISMATCH'],
    ['"events":[""]', 'JSON_INVALID_FORMAT'],
    ['"events":["x"]', 'JSON_MISMATCH'],
    ['"primaryfilters":{"k":" "}', 'JSON_INVALID_FORMAT'],
  ] as const)
    assert.equal(
      codeOf(() => readEntities(`{"entities":[{"entity":"e","entitytype":"t",${members}}]}`)),
      code,
      members,
    );
});

describe('numbers of times', () => {
  const put = (starttime: string) => () =>
    readEntities(`{"entities":[{"entity":"e","entitytype":"t","starttime":${starttime}}]}`)[0]?.starttime;

  it('are taken as they are, truncated as Java does, and from texts', () => {
    for (const [written, read] of [
      ['5', 5],
      ['-5', -5],
      ['5.9', 5],
      ['"17"', 17],
      ['9007199254740991', Number.MAX_SAFE_INTEGER],
      ['9223372036854775807', Number.MAX_SAFE_INTEGER],
      ['-9223372036854775808', Number.MIN_SAFE_INTEGER],
      ['""', undefined],
      ['"null"', undefined],
    ] as const)
      assert.equal(put(written)(), read, written);
  });

  it('beyond a long are refused as by Jackson, and none is made another in silence', () => {
    for (const [written, code] of [
      ['9223372036854775808', 'JSON_MAPPING'],
      ['1e30', 'JSON_MAPPING'],
      ['-1e300', 'JSON_MAPPING'],
      ['"9223372036854775808"', 'JSON_INVALID_FORMAT'],
      ['9007199254740993', 'JSON_LONG_NOT_KEPT'],
      ['-9223372036854775807', 'JSON_LONG_NOT_KEPT'],
      ['"9007199254740994"', 'JSON_LONG_NOT_KEPT'],
      ['" "', 'JSON_INVALID_FORMAT'],
      ['"1.5"', 'JSON_INVALID_FORMAT'],
      ['"1e3"', 'JSON_INVALID_FORMAT'],
    ] as const)
      assert.equal(codeOf(put(written)), code, written);
  });
});
