import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Format, negotiate } from './negotiate.ts';
import { parameterRead, Query } from './query.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const both: readonly Format[] = ['json', 'xml'];

describe('the format of an answer', () => {
  it('is the best that both sides know, the first where the caller does not mind', () => {
    const cases: [accept: string | undefined, format: Format | undefined][] = [
      [undefined, 'json'],
      ['', 'json'],
      [' ', 'json'],
      ['*/*', 'json'],
      ['application/*', 'json'],
      ['application/json', 'json'],
      ['application/xml', 'xml'],
      ['APPLICATION/XML', 'xml'],
      ['application/xml;charset=utf-8', 'xml'],
      ['application/xml, application/json', 'xml'],
      ['application/xml;q=0.5, application/json', 'json'],
      ['application/json;q=0.1,application/xml;q=0.2', 'xml'],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'xml'],
      ['text/plain, */*;q=0.1', 'json'],
      ['application/xml;q=0', 'xml'],
      ['*', 'json'],
      ['application', 'json'],
      ['*/*, application/xml', 'xml'],
      ['application/*, application/xml', 'xml'],
      ['application/xml,', 'xml'],
      [',application/xml', undefined],
      ['application/xml;q=0, application/json', 'json'],
      ['text/xml', undefined],
      ['text/html', undefined],
      ['application/yaml', undefined],
      ['xml', undefined],
      ['/', undefined],
    ];
    for (const [accept, format] of cases) assert.equal(negotiate(accept, both), format, String(accept));
  });

  it('is one that the route can produce', () => {
    assert.equal(negotiate('application/xml, */*', ['json']), 'json');
    assert.equal(negotiate('application/xml', ['json']), undefined);
    assert.equal(negotiate('*/*', ['xml', 'json']), 'xml');
    assert.equal(negotiate(undefined, ['xml']), 'xml');
  });

  it('is one of the two or none, whatever is asked for', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '/', '*', ';', 'q', '=', ',', '0', '.', ' ', 'application/json', 'application/xml') }),
        (accept) => {
          assert.ok([undefined, 'json', 'xml'].includes(negotiate(accept, both)));
        },
      ),
    );
  });
});

describe('the query of a request', () => {
  const query = new Query('a=1&b=x%20y+z&a=2&c&%zz=%zz&=empty');

  it('has the first value of a name, all of them, and those without a value', () => {
    assert.deepEqual([query.first('a'), query.first('b'), query.first('c'), query.first('d')], ['1', 'x y z', '', undefined]);
    assert.deepEqual([query.all('a'), query.all('d')], [['1', '2'], []]);
    assert.deepEqual([query.has('c'), query.has('d'), query.has('constructor')], [true, false, false]);
    assert.equal(query.entries().length, 6);
  });

  it('holds no credential where there is not even a sign of equality', () => {
    const bare = new Query('user.name&a=1&doAs&doAs=eve&op=');
    assert.deepEqual([bare.credential('user.name'), bare.credential('doAs'), bare.credential('op')], [undefined, undefined, '']);
    assert.deepEqual([bare.first('user.name'), bare.first('doAs'), bare.credential('a')], ['', '', '1']);
  });

  it('holds credentials that end at a semicolon, unlike what routes read', () => {
    const parted = new Query('x=1;user.name=ada;b');
    assert.deepEqual(
      [parted.credential('user.name'), parted.first('user.name'), parted.first('x')],
      ['ada', undefined, '1;user.name=ada;b'],
    );
  });

  it('is decoded with leniency', () => {
    assert.deepEqual([query.first('%zz'), query.first('')], ['%zz', 'empty']);
    assert.equal(new Query('a=%C3%A9%ff').first('a'), 'é\ufffd');
  });

  it('that is empty has nothing', () => {
    const none = new Query('');
    assert.deepEqual(
      [none.first('a'), none.all('a'), none.has('a'), none.entries(), none.credential('user.name')],
      [undefined, [], false, [], undefined],
    );
  });

  it('tells which parameters a route reads, but not who calls', () => {
    const told: unknown[] = [];
    const listen = (message: unknown) => void told.push(message);
    parameterRead.subscribe(listen);
    try {
      const ofRoute = new Query('user.name=ada&states=NEW', '/ws/apps');
      ofRoute.credential('user.name');
      ofRoute.first('states');
      ofRoute.all('queue');
      ofRoute.has('limit');
      new Query('a=1').first('a');
    } finally {
      parameterRead.unsubscribe(listen);
    }
    assert.deepEqual(told, [
      { path: '/ws/apps', name: 'states' },
      { path: '/ws/apps', name: 'queue' },
      { path: '/ws/apps', name: 'limit' },
    ]);
  });
});
