// How commands print, and what they say of failures.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ConfigurationError } from '../config/table.ts';
import { CommandFailure, describeFailure } from './failure.ts';
import { configurationOf, dataDirectory, wholeNumber } from './options.ts';
import { formatDuration, formatMemory, formatTime, printFacts, printJson, printNote, printTable, printText } from './output.ts';

describe('for people', () => {
  it('times are UTC to the second, and nothing where there is none', () => {
    assert.deepEqual(
      [formatTime(0), formatTime(undefined), formatTime(-1), formatTime(1_795_344_558_872n)],
      ['', '', '', '2026-11-22 10:49:18Z'],
    );
  });

  it('times that are no dates, as programs may publish them, stay numbers', () => {
    assert.equal(formatTime(9_223_372_036_854_775_807n), '9223372036854775807');
    assert.equal(formatTime(2 ** 63), '9223372036854776000');
  });

  it('lengths of time have two units at most', () => {
    for (const [ms, text] of [
      [undefined, ''],
      [-1, ''],
      [0, '0.0 s'],
      [1250, '1.3 s'],
      [59_900, '59.9 s'],
      [200_000, '3 min 20 s'],
      [7_500_000, '2 h 5 min'],
      [90_000n, '1 min 30 s'],
    ] as const)
      assert.equal(formatDuration(ms), text, String(ms));
  });

  it('memory is in the unit that suits it', () => {
    assert.deepEqual([undefined, 0, 1023, 1024, 1536, 1_048_576].map(formatMemory), [
      '',
      '0 MiB',
      '1023 MiB',
      '1 GiB',
      '1.5 GiB',
      '1024 GiB',
    ]);
  });
});

describe('a failure', () => {
  it('of a command has its line, remedy and exit code', () => {
    assert.deepEqual(describeFailure(new CommandFailure('no', 'Do this.', 2)), { text: 'heddle: no\n  Do this.', exitCode: 2 });
    assert.deepEqual(describeFailure(new CommandFailure('no')), { text: 'heddle: no', exitCode: 1 });
  });

  it('of a setting is told as it is, also when it comes from a thread without its class', () => {
    const error = new ConfigurationError('f.xml', 'a.key', 'is bad', 'Mend it.');
    const fromThread = Object.assign(new Error(error.message), { name: 'ConfigurationError' });
    assert.deepEqual(describeFailure(fromThread), describeFailure(error));
    assert.match(describeFailure(error).text, /^heddle: f\.xml: a\.key: is bad/);
    const secret = Object.assign(new Error('/secrets/services holds no secret: delete the file'), { name: 'SecretUnusable' });
    assert.equal(describeFailure(secret).text, 'heddle: /secrets/services holds no secret: delete the file');
  });

  it('of the system says what helps, and names the port that is taken', () => {
    const failed = (code: string, more = {}) => describeFailure(Object.assign(new Error(`${code}: it failed`), { code, ...more })).text;
    assert.match(failed('EADDRINUSE', { port: 8088, address: '127.0.0.1' }), /port 8088 on 127\.0\.0\.1 is in use\.\n {2}Stop the program/);
    assert.match(failed('EADDRINUSE'), /an address is in use/);
    assert.match(failed('EACCES'), /Choose another place with --data/);
    assert.match(failed('ENOSPC'), /Make room on the disk/);
    for (const code of ['EROFS', 'EIO', 'EDQUOT', 'ENOTEMPTY', 'ELOOP', 'EISDIR'])
      assert.match(failed(code), /^heddle: E\w+: it failed\n {2}[A-Z]/);
    assert.equal(failed('ENOENT'), 'heddle: ENOENT: it failed');
    assert.equal(failed('ENOENT', { syscall: 'open', path: '/a' }), 'heddle: /a: there is no such file or folder');
  });

  it('that is not expected keeps its stack', () => {
    assert.match(describeFailure(new TypeError('bug')).text, /TypeError: bug\n +at /);
    assert.equal(describeFailure('text').text, 'heddle: text');
  });
});

describe('options', () => {
  it('take whole numbers within their bounds only', () => {
    const number = wholeNumber(1, 10);
    assert.equal(number('10'), 10);
    for (const text of ['0', '11', '1.5', '-1', '', 'x', '1e1', ' 1'])
      assert.throws(() => number(text), /Give a whole number from 1 to 10/, text);
    assert.throws(() => wholeNumber(5)('4'), /of at least 5/);
  });

  it('name the data folder before the variable does', () => {
    assert.equal(dataDirectory({ data: '/tmp/x' }), '/tmp/x');
    assert.ok(dataDirectory({}).length > 1);
  });

  it('lie over each other: what a command wants, --set, what it insists on', () => {
    const key = 'yarn.acl.enable';
    const value = (over: object, set: object, above: object) =>
      configurationOf(
        { data: '/tmp/x', set: set as Record<string, string> },
        over as Record<string, string>,
        above as Record<string, string>,
      ).get(key);
    assert.equal(value({ [key]: 'true' }, {}, {}), 'true');
    assert.equal(value({ [key]: 'true' }, { [key]: 'false' }, {}), 'false');
    assert.equal(value({}, { [key]: 'false' }, { [key]: 'true' }), 'true');
  });
});

describe('what others wrote', () => {
  const evil = 'x\x1b]0;title\x07\u009b31m\u202eab\x1b[2J';

  /** What goes to both streams meanwhile. */
  function printed(print: () => void): string {
    let out = '';
    const streams = [process.stdout, process.stderr] as const;
    const writes = streams.map((stream) => stream.write);
    for (const stream of streams) stream.write = (chunk: unknown) => (out += String(chunk)) !== '';
    try {
      print();
    } finally {
      for (const [index, stream] of streams.entries()) stream.write = writes[index]!;
    }
    return out;
  }

  it('steers no terminal', () => {
    for (const print of [
      () => printText(`${evil}\n`),
      () => printNote(`${evil}\n`),
      () => printFacts([['name', evil]]),
      () => printTable(['NAME'], [[evil]]),
      () => printJson({ name: evil }),
    ])
      assert.doesNotMatch(printed(print).replaceAll('\n', ''), /[\p{Cc}\u202e]/u, String(print));
    assert.equal((JSON.parse(printed(() => printJson({ name: evil }))) as { name: string }).name, evil, 'JSON loses nothing');
  });

  it('is written by these functions alone', () => {
    // Completion scripts are ours, and the line that tells how far a job is goes over itself.
    const own = new Set(['output.ts', 'batch-follow.ts', 'completion.ts']);
    for (const name of readdirSync(import.meta.dirname)) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts') || own.has(name)) continue;
      assert.doesNotMatch(readFileSync(join(import.meta.dirname, name), 'utf8'), /console\.|std(?:out|err)\.write\(/, name);
    }
  });
});
