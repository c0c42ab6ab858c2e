import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../model/errors.ts';
import { any, boolean, double, float, holder, int, list, long, map, object, record, rooted, text } from './describe.ts';
import { bodyFormat, readBody, readStrictBody } from './read.ts';

const bare = record(
  'thing',
  {
    text: text(),
    int: int(),
    long: long(),
    float: float(),
    double: double(),
    on: boolean(),
    texts: list(text()),
    numbers: list(int()),
    things: list(object({ n: int() })),
    map: map(text()),
    held: holder('one', int()),
    inner: object({ a: text(), b: object({ c: int() }) }),
    any: any(),
  },
  { json: 'natural', wrapped: false },
);
const wrapped = record('app', { id: text() }, { json: 'natural' });

const read = (value: unknown) => readBody(bare, Buffer.from(JSON.stringify(value)), 'json');
const refusalOf = (action: () => unknown): Failure => {
  try {
    action();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  return assert.fail('it was taken');
};

describe('what Hadoop fails at', () => {
  it('is an entry without a key, in maps that say so', () => {
    const strictMap = record('thing', { map: map(text(), { needsKeys: true }) }, { json: 'natural', wrapped: false });
    const readKeyed = (value: unknown) => readBody(strictMap, Buffer.from(JSON.stringify(value)), 'json');
    assert.deepEqual(readKeyed({ map: { entry: [{ key: 'a' }, { key: '', value: 1 }] } }), {
      map: [
        ['a', undefined],
        ['', '1'],
      ],
    });
    for (const entry of [{ value: 1 }, 'x', 5, [{}, { key: 'a' }]])
      assert.equal(refusalOf(() => readKeyed({ map: { entry } })).code, 'BAD_REQUEST', JSON.stringify(entry));
    const inXml = '<thing><map><entry/></map></thing>';
    assert.equal(refusalOf(() => readBody(strictMap, Buffer.from(inXml), 'xml')).code, 'BAD_REQUEST');
    assert.equal(refusalOf(() => readKeyed({ map: { entry: { key: [], value: 1 } } })).code, 'BAD_REQUEST');
    const ofTwo = '<thing><map><entry><key>a</key><key>b</key><value>1</value></entry></map></thing>';
    for (const taken of [readKeyed({ map: { entry: { key: ['a', 'b'], value: [0, 1] } } }), readBody(strictMap, Buffer.from(ofTwo), 'xml')])
      assert.deepEqual(taken, { map: [['b', '1']] });
  });

  it('is a list in a list, in members that nobody knows, too', () => {
    const plain = record('thing', { texts: list(any()) }, { json: 'plain', wrapped: false });
    for (const body of [{ texts: [['a']] }, { text: [[]] }, { unknown: { deep: [{ deeper: [[], 5] }] } }, { things: [[{ n: 1 }]] }])
      assert.equal(refusalOf(() => read(body)).code, 'BODY_NOT_PARSABLE', JSON.stringify(body));
    assert.deepEqual(read({ texts: ['a'], unknown: [{ list: [{ list: [] }] }] }), { texts: ['a'] });
    assert.deepEqual(readBody(plain, Buffer.from('{"texts":[["a"]]}'), 'json'), { texts: [['a']] });
  });
});

describe('the format of a body', () => {
  it('is told by its content type, whatever the parameters and capitals', () => {
    const cases: [string | undefined, string | undefined][] = [
      ['application/json', 'json'],
      ['application/json; charset=UTF-8', 'json'],
      ['Application/XML ;charset=utf-8', 'xml'],
      ['text/xml', undefined],
      ['application/json-patch+json', undefined],
      ['application/x-www-form-urlencoded', undefined],
      ['', undefined],
      [undefined, undefined],
    ];
    for (const [type, format] of cases) assert.equal(bodyFormat(type), format, String(type));
  });

  it('goes by any name where that is asked for', () => {
    const xml = ['text/xml', 'TEXT/XML; charset=utf-8', 'application/atom+xml', 'image/svg+xml', 'application/xml'];
    for (const type of xml) assert.equal(bodyFormat(type, true), 'xml', type);
    const json = ['text/json', 'application/vnd.api+json', 'Application/X-JSON; a=b', 'text/javascript', 'application/json'];
    for (const type of json) assert.equal(bodyFormat(type, true), 'json', type);
    for (const type of ['text/html', 'json', 'xml', 'a/b/c+xml', 'a/b/c+json', '', undefined])
      assert.equal(bodyFormat(type, true), undefined, String(type));
  });
});

describe('JSON bodies of YARN', () => {
  it('have texts and numbers in each other’s place', () => {
    assert.deepEqual(read({ text: 5, int: '7', long: ' 12 ', float: '1.5', double: '-2e3' }), {
      text: '5',
      int: 7,
      long: 12,
      float: 1.5,
      double: -2000,
    });
    assert.deepEqual(read({ text: true, on: 'true' }), { text: 'true', on: true });
    assert.deepEqual(read({ text: { a: [1] } }), { text: '' });
    assert.deepEqual(read({ text: [] }), {});
  });

  it('have 0 where a number cannot be read, and false where it is not true', () => {
    for (const bad of ['high', '', '1.5', '0x10', 1.5, true, {}])
      assert.deepEqual(read({ int: bad, long: bad }), { int: 0, long: 0 }, JSON.stringify(bad));
    for (const bad of ['high', '', ' ', true, {}, 'NaN']) assert.deepEqual(read({ double: bad }), { double: 0 }, JSON.stringify(bad));
    for (const no of ['yes', 'TRUE', '0', 0, {}, 'false']) assert.deepEqual(read({ on: no }), { on: false }, JSON.stringify(no));
    assert.deepEqual(read({ on: '1' }), { on: true });
  });

  it('have blanks of XML around numbers and words passed over, signs and blanks among the digits of 32 bits too, as JAXB does', () => {
    assert.deepEqual(read({ int: '\n3\t', long: ' 12\r', double: '\t1.5 ', on: ' true\n' }), { int: 3, long: 12, double: 1.5, on: true });
    const cases: [given: string, value: number][] = [
      ['1 2', 12],
      ['1-2', -12],
      ['- 3', -3],
      ['3-', -3],
      ['+-3', -3],
      ['1+1', 11],
      ['+', 0],
      ['-', 0],
    ];
    for (const [int, value] of cases) assert.equal(read({ int })['int'] ?? 0, value, int);
    for (const other of ['3\u00a0', '3\u2003', '\u000b3', '\u0663'])
      assert.deepEqual(read({ int: other, long: other, double: other }), { int: 0, long: 0, double: 0 }, JSON.stringify(other));
    for (const long of ['1 2', '1-2', '- 3']) assert.deepEqual(read({ long }), { long: 0 }, long);
    assert.deepEqual(read({ on: 'true\u00a0' }), { on: false });
  });

  it('have numbers of 32 bits that begin again at their other end, as JAXB reads them; those of 64 bits do not', () => {
    const cases: [given: unknown, value: number][] = [
      [2_147_483_647, 2_147_483_647],
      [2_147_483_648, -2_147_483_648],
      ['-2147483649', 2_147_483_647],
      [4_294_967_301, 5],
      [2 ** 53, 0],
      ['9'.repeat(400), 0],
    ];
    for (const [int, value] of cases) assert.deepEqual(read({ int }), { int: value }, String(int));
    assert.deepEqual(read({ long: 2 ** 53 }), { long: 2 ** 53 });
    assert.deepEqual(read({ long: 2 ** 63 }), { long: 2 ** 63 });
    for (const long of [2 ** 64, -(2 ** 64), '9'.repeat(400)]) assert.deepEqual(read({ long }), { long: 0 }, String(long));
  });

  it('have the last of several values where one is due', () => {
    assert.deepEqual(read({ text: ['a', 'b'], int: [1, '2'], on: [false, 'true'] }), { text: 'b', int: 2, on: true });
    assert.deepEqual(read({ text: [], int: [], on: [], inner: [], held: [], map: [] }), {}, 'an empty list is no element');
    assert.deepEqual(read({ held: [{ one: 1 }, { one: [2, 3] }], inner: [{ a: 'x' }, { b: { c: 4 } }] }), {
      held: [2, 3],
      inner: { b: { c: 4 } },
    });
  });

  it('have one value for a list of one', () => {
    assert.deepEqual(read({ texts: 'a', numbers: '3', things: { n: 1 }, held: { one: 4 } }), {
      texts: ['a'],
      numbers: [3],
      things: [{ n: 1 }],
      held: [4],
    });
    assert.deepEqual(read({ texts: ['a', null, 1], numbers: [1, null, 'x'], things: [null, { n: 2 }, 'odd'] }), {
      texts: ['a', '', '1'],
      numbers: [1, 0],
      things: [{}, { n: 2 }, {}],
    });
  });

  it('have maps as an entry or a list of entries; what is no entry is passed over', () => {
    assert.deepEqual(read({ map: { entry: { key: 'a', value: 1 } } }), { map: [['a', '1']] });
    assert.deepEqual(read({ map: { entry: [{ value: 1 }, 'x'] } }), { map: [] });
    assert.deepEqual(
      read({ map: { entry: [{ key: 1, value: 'x' }, { key: 'b' }, { key: 'c', value: null }, 'odd', null, { value: 1 }] } }),
      {
        map: [
          ['1', 'x'],
          ['b', undefined],
          ['c', undefined],
        ],
      },
    );
    for (const none of [{}, { entry: null }, 'x', 3]) assert.deepEqual(read({ map: none }), { map: [] }, JSON.stringify(none));
  });

  it('have empty holders and objects where something else stands', () => {
    for (const none of ['x', 3, {}, { one: null }]) assert.deepEqual(read({ held: none }), { held: [] }, JSON.stringify(none));
    for (const none of ['x', 3, true]) assert.deepEqual(read({ inner: none }), { inner: {} }, JSON.stringify(none));
    assert.deepEqual(read({ inner: { a: 1, b: { c: '2', d: 3 }, e: 4 } }), { inner: { a: '1', b: { c: 2 } } });
  });

  it('lose members that are unknown, null, or come from the prototype', () => {
    assert.deepEqual(read({ other: 1, text: null, inner: { constructor: 'x' } }), { inner: {} });
    const odd = readBody(bare, Buffer.from('{"toString":"y"}'), 'json');
    assert.deepEqual(odd, {});
    assert.equal(Object.getPrototypeOf(odd), Object.prototype);
  });

  it('are refused with a member that no program means, as in XML', () => {
    for (const body of ['{"__proto__":{"text":"x"}}', '{"inner":{"a":{"\\u005f_proto__":1}}}', '{"list":[{"__proto__":null}]}'])
      assert.throws(() => readBody(bare, Buffer.from(body), 'json'), /a member of the JSON is called __proto__/, body);
    assert.deepEqual(read({ text: '__proto__ \\u005f' }), { text: '__proto__ \\u005f' });
  });

  it('keep any value as it is', () => {
    assert.deepEqual(read({ any: { a: [1, null, 'x'] } }), { any: { a: [1, null, 'x'] } });
  });

  it('are empty where nothing but blanks stands, unless the record has a root', () => {
    assert.deepEqual(readBody(bare, Buffer.from('  \n'), 'json'), {});
    assert.match(refusalOf(() => readBody(bare, Buffer.alloc(0), 'json')).message, /JSON expression can not be empty!/);
    assert.match(refusalOf(() => readBody(wrapped, Buffer.from(' '), 'json')).message, /JSON expression can not be empty!/);
  });

  it('are refused as a whole where they are a list or null; a bare scalar says nothing', () => {
    for (const body of ['null', '[]', '[{"text":"a"}]'])
      assert.match(
        refusalOf(() => readBody(bare, Buffer.from(body), 'json')).message,
        /Cannot read field "name" because "pi" is null/,
        body,
      );
    for (const body of ['"text"', '5', 'true']) assert.deepEqual(readBody(bare, Buffer.from(body), 'json'), {}, body);
  });

  it('are refused before they are parsed where they nest too deep', () => {
    for (const body of ['['.repeat(5_000_000), '{"any":'.repeat(1000) + '}'.repeat(1000)]) {
      const { code, entry, message } = refusalOf(() => readBody(bare, Buffer.from(body), 'json'));
      assert.deepEqual([code, entry.status], ['BODY_NOT_PARSABLE', 400]);
      assert.match(message, /nests deeper than 500 levels/);
    }
  });

  it('that have a root are refused by what Hadoop’s reader trips over', () => {
    const message = (body: string) => refusalOf(() => readBody(wrapped, Buffer.from(body), 'json')).message;
    assert.match(message('[]'), /java\.util\.EmptyStackException/);
    for (const body of ['null', '3', '"x"']) assert.match(message(body), /Cannot read field "isFirstElement" because "pi" is null/, body);
    for (const body of ['{}', '{"app":null}', '{"app":[]}'])
      assert.match(message(body), /Cannot read field "name" because "pi" is null/, body);
    assert.match(
      message('{"other":1,"more":2}'),
      /columnNumber: 11; unexpected element \(uri:"", local:"other"\)\. Expected elements are <\{\}app>/,
    );
    for (const [body, place] of [
      ['{"app":null,"none":[],"other":-7}', 'lineNumber: 1; columnNumber: 33'],
      ['{ "other" : true , "app":{}}', 'lineNumber: 1; columnNumber: 17'],
      ['{\n"other":\n[1],"app":{}}', 'lineNumber: 3; columnNumber: 2'],
      ['{"other": "text"}', 'lineNumber: 1; columnNumber: 12'],
      ['{"other":{}}', 'lineNumber: 1; columnNumber: 11'],
    ] as const)
      assert.ok(message(body).includes(`${place}; unexpected element (uri:"", local:"other")`), message(body));
    assert.match(message('{"app":{"id":"a"},"more":1}'), /XMLStreamException: java\.lang\.RuntimeException: Unexpected token: more\]/);
    assert.match(message('{"app":{},"app":{"id":"a"}}'), /Unexpected token: app\]/);
    assert.deepEqual(readBody(wrapped, Buffer.from('{"none":null,"app":{"id":"a"}}'), 'json'), { id: 'a' });
    assert.deepEqual(readBody(wrapped, Buffer.from('{"app":"odd"}'), 'json'), {});
  });

  it('name all roots that the same reader knows, in order and once', () => {
    const error = refusalOf(() => readBody(wrapped, Buffer.from('{"x":1}'), 'json', ['node', 'app', 'apps']));
    assert.match(error.message, /Expected elements are <\{\}app>,<\{\}apps>,<\{\}node>/);
    assert.deepEqual([error.code, error.entry.status], ['BODY_NOT_PARSABLE', 400]);
  });

  it('that are no UTF-8 are read with the replacement character', () => {
    assert.deepEqual(readBody(bare, Buffer.from([0x7b, 0x22, 0x74, 0x65, 0x78, 0x74, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), 'json'), {
      text: '\ufffd',
    });
  });
});

describe('XML bodies of YARN', () => {
  const xml = (inside: string) => readBody(bare, Buffer.from(`<thing>${inside}</thing>`), 'xml');

  it('are read with the same leniency', () => {
    assert.deepEqual(
      xml(
        '<int> 7 </int><long>x</long><on>true</on><texts>a</texts><texts/><things><n>1</n></things><things><n>2</n></things><unknown>1</unknown>',
      ),
      { int: 7, long: 0, on: true, texts: ['a', ''], things: [{ n: 1 }, { n: 2 }] },
    );
    assert.deepEqual(xml('<map><entry><key>a</key><value>1</value></entry><entry><key>b</key></entry></map>'), {
      map: [
        ['a', '1'],
        ['b', undefined],
      ],
    });
    assert.deepEqual(xml('<map/><held/><inner/>'), { map: [], held: [], inner: {} });
    assert.deepEqual(xml(''), {});
  });

  it('have the last of several elements where one is due', () => {
    assert.deepEqual(xml('<held><one>1</one></held><held><one>2</one></held><inner><a>x</a></inner><inner><a>y</a></inner>'), {
      held: [2],
      inner: { a: 'y' },
    });
  });

  it('are in the encoding that they declare, else in UTF-8', () => {
    const document = (declared: string, encoding: 'utf8' | 'latin1' | 'utf16le' = 'utf8') =>
      readBody(bare, Buffer.from(`${declared}<thing><text>ü</text></thing>`, encoding), 'xml');
    assert.deepEqual(document(''), { text: 'ü' });
    assert.deepEqual(document('<?xml version="1.0"?>'), { text: 'ü' });
    assert.deepEqual(document("<?xml version='1.1' encoding='utf-8' standalone='yes'?>"), { text: 'ü' });
    assert.deepEqual(document('<?xml version="1.0" encoding="ISO-8859-1"?>', 'latin1'), { text: 'ü' });
    assert.deepEqual(document('<?xml version="1.0" encoding="windows-1252"?>', 'latin1'), { text: 'ü' });
  });

  it('are refused in an encoding or a version of XML that is not known', () => {
    const refusal = (declared: string) => refusalOf(() => readBody(bare, Buffer.from(`${declared}<thing/>`), 'xml')).message;
    assert.match(refusal('<?xml version="1.0" encoding="nothing"?>'), /UnsupportedEncodingException: nothing\]$/);
    assert.match(
      refusal('<?xml version="2.0"?>'),
      /columnNumber: 20; XML version "2\.0" is not supported, only XML 1\.0 is supported\.\]$/,
    );
  });

  it('keep the blanks of texts, and lose those between elements', () => {
    assert.deepEqual(xml('\n  <text> a\n b </text>\n  <inner>\n <a/> </inner>\n'), { text: ' a\n b ', inner: { a: '' } });
  });

  it('have a content of their own where a record is written under another root', () => {
    const other = rooted('other', object({ n: int() }), { json: 'natural' });
    assert.deepEqual(readBody(other, Buffer.from('<other><n>4</n></other>'), 'xml'), { n: 4 });
  });
});

describe("JSON bodies of Heddle's own interface", () => {
  const strict = (value: unknown) => readStrictBody(bare, Buffer.from(JSON.stringify(value)));
  const reason = (value: unknown): unknown => {
    const failure = refusalOf(() => strict(value));
    assert.deepEqual([failure.code, failure.entry.status], ['BAD_REQUEST', 400]);
    return failure.parameters['reason'];
  };

  it('are taken where every member is known and of its type', () => {
    const value = {
      text: 'a',
      int: 1,
      long: '12',
      float: 1.5,
      on: 'false',
      texts: ['x'],
      map: { k: 'v' },
      held: [1],
      inner: { b: { c: 2 } },
      any: [1],
    };
    assert.deepEqual(strict(value), { ...value, long: 12, on: false, map: [['k', 'v']] });
    assert.deepEqual(strict({ held: { one: [2] }, things: { n: 1 } }), { held: [2], things: [{ n: 1 }] });
    assert.deepEqual(strict({ text: null, map: null }), {});
  });

  it('are refused by the path of the first member that is wrong', () => {
    assert.equal(reason([]), 'the body must be an object');
    assert.equal(reason({ txt: 1 }), 'txt is not known here');
    assert.equal(reason({ inner: { b: { d: 1 } } }), 'inner.b.d is not known here');
    assert.equal(reason({ inner: { b: [] } }), 'inner.b must be an object');
    assert.equal(reason({ int: 1.5 }), 'int must be a whole number of 32 bits');
    assert.equal(reason({ int: 2 ** 31 }), 'int must be a whole number of 32 bits');
    assert.equal(reason({ int: -(2 ** 31) - 1 }), 'int must be a whole number of 32 bits');
    assert.equal(reason({ int: '' }), 'int must be a whole number of 32 bits');
    assert.equal(reason({ long: '1e3' }), 'long must be a whole number');
    assert.equal(reason({ numbers: [1, 'x'] }), 'numbers[1] must be a whole number of 32 bits');
    assert.equal(reason({ things: [{ n: 1 }, { n: {} }] }), 'things[1].n must be a whole number of 32 bits');
    assert.equal(reason({ double: ' ' }), 'double must be a number');
    assert.equal(reason({ double: 'x' }), 'double must be a number');
    assert.equal(reason({ on: 1 }), 'on must be true or false');
    assert.equal(reason({ text: {} }), 'text must be a text');
    assert.equal(reason({ texts: [[]] }), 'texts[0] must be a text');
    assert.equal(reason({ map: [] }), 'map must be an object');
    assert.equal(reason({ map: { a: {} } }), 'map.a must be a text');
    assert.equal(reason({ held: { two: 1 } }), 'held.two is not known here');
  });

  it('have maps in both forms, and an entry that is none is a key of its own', () => {
    assert.deepEqual(strict({ map: { entry: [{ key: 'a', value: 'b' }] } }), { map: [['a', 'b']] });
    assert.deepEqual(strict({ map: { entry: 'x' } }), { map: [['entry', 'x']] });
    assert.deepEqual(strict({ map: { entry: 'x', other: 'y' } }), {
      map: [
        ['entry', 'x'],
        ['other', 'y'],
      ],
    });
  });

  it('that are no JSON are refused with the place of the fault', () => {
    const failure = refusalOf(() => readStrictBody(bare, Buffer.from('{"int": }')));
    assert.equal(failure.code, 'BODY_NOT_PARSABLE');
    assert.match(failure.message, /line: 1, column: 10\]/);
  });
});
