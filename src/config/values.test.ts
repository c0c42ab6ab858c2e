import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { boundAddress, parseAddress, parseBytes, parseDuration, parsePath, splitList } from './values.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

describe('addresses', () => {
  it('are a host and a port, IPv6 in brackets', () => {
    const cases: [text: string, host: string, port: number][] = [
      ['host:80', 'host', 80],
      [' 127.0.0.1:0 ', '127.0.0.1', 0],
      ['[::1]:8088', '::1', 8088],
      ['[fe80::1.2.3.4]:1', 'fe80::1.2.3.4', 1],
      ['node-1.example.org:65535', 'node-1.example.org', 65_535],
    ];
    for (const [text, host, port] of cases) assert.deepEqual(parseAddress(text), { host, port }, text);
  });

  it('need a port unless there is one to fall back on', () => {
    assert.equal(parseAddress('host'), undefined);
    assert.deepEqual(parseAddress('host', 8088), { host: 'host', port: 8088 });
    assert.deepEqual(parseAddress('[::1]', 0), { host: '::1', port: 0 });
  });

  it('are nothing else', () => {
    for (const text of [
      '',
      ':80',
      'host:',
      'host:65536',
      'host:-1',
      'host:x',
      '::1:80',
      'a b:80',
      'http://host:80',
      'host:80/',
      '[::1',
      '[x]:80',
      'host:080000',
    ])
      assert.equal(parseAddress(text), undefined, text);
  });

  it('to listen on have the bind host where one is set, and keep their port', () => {
    assert.equal(boundAddress('127.0.0.1:8088', undefined), '127.0.0.1:8088');
    assert.equal(boundAddress('127.0.0.1:8088', ''), '127.0.0.1:8088');
    assert.equal(boundAddress('127.0.0.1:8088', '0.0.0.0'), '0.0.0.0:8088');
    assert.equal(boundAddress('[::1]:8088', '::'), '[::]:8088');
  });
});

describe('times', () => {
  it("have Hadoop's suffixes, in any case and with a blank before them", () => {
    const cases: [text: string, ms: number][] = [
      ['500', 500],
      ['30s', 30_000],
      ['5 M', 300_000],
      ['1.5h', 5_400_000],
      ['2D', 172_800_000],
      ['-1', -1],
      ['10ms', 10],
      ['1500us', 1.5],
      ['2000000ns', 2],
    ];
    for (const [text, ms] of cases) assert.equal(parseDuration(text), ms, text);
  });

  it('without a suffix count in the unit that is asked for; with one they do not', () => {
    assert.deepEqual(
      (['ms', 's', 'm', 'h', 'd'] as const).map((unit) => [parseDuration('2', unit), parseDuration('2s', unit)]),
      [
        [2, 2000],
        [2000, 2000],
        [120_000, 2000],
        [7_200_000, 2000],
        [172_800_000, 2000],
      ],
    );
  });

  it('are nothing else', () => {
    for (const text of ['', ' ', 's', '5x', '5 min', '1s2', '.5s', '5.s', '1e3', 'Infinity', '--1'])
      assert.equal(parseDuration(text), undefined, text);
  });
});

describe('sizes', () => {
  it('count in powers of 1024', () => {
    const cases: [text: string, bytes: number][] = [
      ['0', 0],
      ['65536', 65_536],
      ['64k', 65_536],
      ['64KB', 65_536],
      ['1m', 2 ** 20],
      ['4G', 2 ** 32],
      ['1tb', 2 ** 40],
      ['1p', 2 ** 50],
      ['12b', 12],
      ['-1', -1],
    ];
    for (const [text, bytes] of cases) assert.equal(parseBytes(text), bytes, text);
    for (const text of ['', 'k', '1.5k', '1 k', '1ki', '1kk', '0x10', '1e3']) assert.equal(parseBytes(text), undefined, text);
  });

  it('never are no number', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const value of [parseBytes(text), parseDuration(text)]) assert.ok(value === undefined || Number.isFinite(value), text);
      }),
    );
  });
});

describe('paths', () => {
  it('are absolute; relative ones lie in the data folder', () => {
    const cases: [text: string, path: string][] = [
      ['/a/b', '/a/b'],
      [' /a ', '/a'],
      ['a/b', '/data/a/b'],
      ['../a', '/a'],
      ['.', '/data'],
      ['file:///a/b', '/a/b'],
      ['FILE:/a/b', '/a/b'],
      ['file://a/b', '/a/b'],
      ['file:///with%20blank', '/with blank'],
      ['/not%20decoded', '/not%20decoded'],
    ];
    for (const [text, path] of cases) assert.equal(parsePath(text, '/data'), path, text);
  });

  it('of other file systems and broken addresses are none', () => {
    for (const text of ['hdfs://host/a', 's3a://bucket/a', 'http://host/', 'file:///%zz', 'file:///a%2Fb'])
      assert.equal(parsePath(text, '/data'), undefined, text);
  });
});

describe('lists', () => {
  it('are parts between commas without blanks, empty ones left out', () => {
    assert.deepEqual(splitList(' a, b c ,,d\n,\t'), ['a', 'b c', 'd']);
    assert.deepEqual(splitList(''), []);
    assert.deepEqual(splitList(' , '), []);
  });
});
