// What streaming makes of commands, lines, environments and what children say of themselves.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Counters } from '../../counters/counters.ts';
import { JobConfiguration } from '../job-configuration.ts';
import type { ProgramContext } from '../program.ts';
import { findProgram, splitCommand, streamingEnvironment } from './command-line.ts';
import { LineSplitter } from './line-splitter.ts';
import { Pipe, SubprocessFailed } from './pipe.ts';
import { Scribe } from './scribe.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const scratch = mkdtempSync(join(tmpdir(), 'heddle-streaming-'));
after(() => rmSync(scratch, { recursive: true }));

describe('a command', () => {
  test('is split at blanks; quotes group words and vanish', () => {
    for (const [command, words] of [
      ['cat', ['cat']],
      ['  sort   -k  2 ', ['sort', '-k', '2']],
      [`bash -c "a 'b' c"`, ['bash', '-c', `a 'b' c`]],
      [`awk '{ print $1 "x" }'`, ['awk', '{ print $1 "x" }']],
      [`a"b c"d`, ['a', 'b c', 'd']],
      [`a "" b`, ['a', 'b']],
      ['back\\ slash', ['back\\', 'slash']],
      [`"not closed`, ['not closed']],
      ['', []],
    ] as const)
      assert.deepEqual(splitCommand(command), words, command);
  });

  test('is found in the working folder, then in the path, else left as it is', () => {
    const [work, one, two] = ['work', 'one', 'two'].map((name) => join(scratch, name)) as [string, string, string];
    for (const folder of [work, one, two]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(work, 'shipped.sh'), '', { mode: 0o644 });
    writeFileSync(join(one, 'tool'), '', { mode: 0o644 });
    writeFileSync(join(two, 'tool'), '', { mode: 0o755 });
    const path = `${one}:${two}`;
    assert.equal(findProgram('shipped.sh', work, path), join(work, 'shipped.sh'));
    assert.equal(statSync(join(work, 'shipped.sh')).mode & 0o777, 0o755, 'a shipped program is made executable');
    assert.equal(findProgram('/bin/cat', work, path), '/bin/cat');
    assert.equal(findProgram('none', work, path), 'none');
    if (process.getuid?.() !== 0) assert.equal(findProgram('tool', work, path), join(two, 'tool'), 'the first that can be run');
    chmodSync(join(one, 'tool'), 0o755);
    assert.equal(findProgram('tool', work, path), join(one, 'tool'));
  });
});

describe('the environment of a command', () => {
  const environment = (settings: Record<string, string>, own: NodeJS.ProcessEnv = {}) =>
    streamingEnvironment(new JobConfiguration(settings), own, '/work');

  test('has the settings of the job, expanded, under names that a shell takes; under old names, too', () => {
    const given = environment({ 'mapreduce.job.id': 'job_1', 'a.b-c/d': '${mapreduce.job.id}!' });
    assert.equal(given['mapreduce_job_id'], 'job_1');
    assert.equal(given['mapred_job_id'], 'job_1');
    assert.equal(given['a_b_c_d'], 'job_1!');
  });

  test('has that of the task, but for its secrets', () => {
    const given = environment(
      {},
      { HOME: '/data/ann', HEDDLE_JOB_TOKEN: 's', HEDDLE_ATTEMPT_TOKEN: 's', NODE_COMPILE_CACHE: 'c', EMPTY: undefined },
    );
    assert.deepEqual(given, { HOME: '/data/ann' });
  });

  test('has what the user adds; entries without a name are left out', () => {
    const given = environment({ 'stream.addenvironment': 'A=1 B=x=y =z C D=' });
    assert.deepEqual([given['A'], given['B'], given['C'], given['D'], given['']], ['1', 'x=y', undefined, '', undefined]);
  });

  test('cuts values where the job says so, and never holds a zero byte', () => {
    assert.equal(environment({ 'stream.jobconf.truncate.limit': '3', long: 'abcdef' })['long'], 'abc');
    assert.equal(environment({ long: 'abc\0def' })['long'], 'abcdef');
  });
});

describe('lines that arrive in pieces', () => {
  function split(pieces: readonly string[]): string[] {
    const lines: string[] = [];
    const splitter = new LineSplitter((buffer, start, end) => lines.push(buffer.toString('latin1', start, end)));
    for (const piece of pieces) splitter.push(Buffer.from(piece, 'latin1'));
    splitter.end();
    return lines;
  }

  test('are the same however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'bc', '\n', '\r', '\r\n'), { maxLength: 30, size: 'max' }),
        fc.array(fc.nat(5), { minLength: 1, maxLength: 10 }),
        (words, cuts) => {
          const text = words.join('');
          const pieces: string[] = [];
          for (let at = 0, i = 0; at < text.length; i++) {
            const size = cuts[i % cuts.length]!;
            pieces.push(text.slice(at, at + size));
            at += size;
            if (size === 0) at += pieces.push(text.slice(at, at + 1)) > 0 ? 1 : 0;
          }
          const expected = text.split(/\r\n|\n|\r/);
          if (expected.at(-1) === '') expected.pop();
          assert.deepEqual(split(pieces), expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('are cut where they are longer than wanted', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter((buffer, start, end) => lines.push(buffer.toString('latin1', start, end)), 4);
    for (const piece of ['ab', 'cdefghij', 'k\n', 'xyz\n']) splitter.push(Buffer.from(piece));
    splitter.end();
    assert.deepEqual(lines, ['abcd', 'efgh', 'ijk', 'xyz']);
  });

  test('are refused where they are longer than wanted and may not be cut, however they come', () => {
    for (const pieces of [['abcde\n'], ['ab', 'cd', 'e'], ['abcde']]) {
      const splitter = new LineSplitter(
        () => assert.fail('no line'),
        4,
        () => new RangeError('too long'),
      );
      assert.throws(() => {
        for (const piece of pieces) splitter.push(Buffer.from(piece));
      }, /too long/);
    }
  });

  test('end with the stream, also without a line end', () => {
    assert.deepEqual(split(['a\nb']), ['a', 'b']);
    assert.deepEqual(split([]), []);
    assert.deepEqual(split(['', '\n']), ['']);
  });
});

/** What a program is given, with everything that it says noted down. */
function aContext(t: TestContext, settings: Record<string, string> = {}) {
  const statuses: string[] = [];
  const counters = new Counters();
  const abort = new AbortController();
  t.after(() => abort.abort());
  const context: ProgramContext = {
    configuration: new JobConfiguration(settings),
    counters,
    attemptId: 'attempt_1',
    index: 0,
    maps: 1,
    reduces: 1,
    workFolder: undefined,
    setStatus: (text) => statuses.push(text),
    setProgress: () => {},
    waitsFor: () => {},
    touch: () => {},
    signal: abort.signal,
  };
  return { context, statuses, counters, abort };
}

describe('what a child says of itself on its standard error', () => {
  async function said(t: TestContext, text: string, settings: Record<string, string> = {}) {
    const { context, statuses, counters } = aContext(t, settings);
    const scribe = new Scribe(context);
    const stderr = new PassThrough();
    const copied: string[] = [];
    t.mock.method(process.stderr, 'write', (piece: string | Uint8Array) => copied.push(Buffer.from(piece).toString()) > 0);
    scribe.follow(stderr);
    stderr.end(text);
    stderr.on('end', () => stderr.destroy());
    await scribe.ended;
    t.mock.restoreAll();
    return { statuses, counters, copied, scribe };
  }

  test('counts and sets the status; other lines are copied', async (t) => {
    const { statuses, counters, copied } = await said(
      t,
      'hello\nreporter:counter:mine,seen,5\nreporter:counter:mine,seen,+2\nreporter:counter:mine,lost,-1\nreporter:status: half way \nbye',
    );
    assert.equal(counters.get('mine', 'seen'), 7);
    assert.equal(counters.get('mine', 'lost'), -1);
    assert.deepEqual(statuses, ['half way']);
    assert.deepEqual(copied, ['hello\n', 'bye\n']);
  });

  test('counts up to the largest number of 64 bits, and from its other end on behind it', async (t) => {
    const lines = ['large,9223372036854775806', 'over,9223372036854775806', 'over,5', 'none,9223372036854775808'];
    const { counters } = await said(t, lines.map((line) => `reporter:counter:mine,${line}\n`).join(''));
    assert.deepEqual(counters.data(), { mine: { large: '9223372036854775806', over: '-9223372036854775805' } });
  });

  test('what cannot be read is told to the task’s log, and counts nothing', async (t) => {
    const bad = ['counter:a,b', 'counter:a,b,c,d', 'counter:a,b,many', 'counter:a,b,1.5', 'counter:a,b,99999999999999999999', 'other:x'];
    const { counters, copied } = await said(t, bad.map((line) => `reporter:${line}\n`).join(''));
    assert.deepEqual(counters.data(), {});
    assert.deepEqual(
      copied,
      bad.map((line) => `streaming: cannot read 'reporter:${line}'\n`),
    );
  });

  test('is copied up to a limit, long lines in pieces; of the rest the last lines', async (t) => {
    const text = `${'x'.repeat(70_000)}\nlast\n`;
    const { copied } = await said(t, text, { 'mapreduce.task.userlog.limit.kb': '65' });
    assert.deepEqual(
      copied.map((piece) => piece.slice(0, 60)),
      ['x'.repeat(60), 'streaming: more than 66560 bytes of standard error: the rest', 'x'.repeat(60)],
    );
    assert.equal(copied[0]!.length, 65_537);
    assert.ok(copied[2]!.endsWith('\nlast\n'));
  });

  test('is written in large pieces, however short its lines are, and in its order', async (t) => {
    const lines = Array.from({ length: 60_000 }, (_, index) => (index === 30_000 ? 'reporter:odd' : `line ${index}`));
    const { copied, scribe } = await said(t, `${lines.join('\n')}\n`);
    assert.equal(
      copied.join(''),
      lines.map((line) => (line === 'reporter:odd' ? `streaming: cannot read '${line}'\n` : `${line}\n`)).join(''),
    );
    assert.ok(copied.length < 20, `${copied.length} pieces`);
    assert.deepEqual(scribe.lastLines, lines.slice(-20));
  });

  test('keeps of long last lines what comes first', async (t) => {
    const { scribe } = await said(t, `${'é'.repeat(3000)}\n${'😀'.repeat(3000)}\nshort\n`);
    assert.deepEqual(scribe.lastLines, ['é'.repeat(500), '😀'.repeat(250), 'short']);
  });

  test('begins with the word that the job chooses', async (t) => {
    const { counters, copied } = await said(t, 'me>counter:a,b,1\nreporter:counter:a,b,1\n', { 'stream.stderr.reporter.prefix': 'me>' });
    assert.equal(counters.get('a', 'b'), 1);
    assert.deepEqual(copied, ['reporter:counter:a,b,1\n']);
  });

  test('is the number of records until the child sets a status of its own', async (t) => {
    const { context, statuses } = aContext(t);
    const scribe = new Scribe(context);
    scribe.afterOutput(3, 1);
    scribe.afterOutput(4, 2);
    assert.deepEqual(statuses, ['Records R/W=3/1'], 'at most every ten seconds');
    const silent = await said(t, 'reporter:status:mine\n');
    silent.scribe.afterOutput(3, 1);
    assert.deepEqual(silent.statuses, ['mine']);
  });
});

describe('a child process', () => {
  /** Runs a command over lines; gives what it wrote as records. */
  async function run(
    t: TestContext,
    command: string,
    lines: readonly string[],
    options: { readonly settings?: Record<string, string>; readonly keyFields?: number; readonly separator?: string } = {},
  ) {
    const { context, abort } = aContext(t, options.settings);
    const records: [string, string][] = [];
    let drained = 0;
    const pipe = await Pipe.start({
      command,
      context,
      sink: {
        collect: (key, keyStart, keyEnd, value, valueStart, valueEnd) =>
          records.push([key.toString('utf8', keyStart, keyEnd), value.toString('utf8', valueStart, valueEnd)]),
        get full() {
          return records.length % 2 === 1;
        },
        drain: async () => {
          drained++;
        },
      },
      outputForm: 'text',
      outputSeparator: Buffer.from(options.separator ?? '\t'),
      outputKeyFields: options.keyFields ?? 1,
      workingFolder: scratch,
    });
    const write = async () => {
      for (const line of lines) {
        const bytes = Buffer.from(line);
        pipe.writeLines(bytes, 0, bytes.length, 1);
        if (pipe.buffered) await pipe.flush();
      }
    };
    return { pipe, records, write, abort, drained: () => drained };
  }

  test('gets each record as a line, and gives each line as a record', async (t) => {
    const { pipe, records, write } = await run(t, 'cat', ['a\t1', 'b', 'c\t2\t3', '']);
    await write();
    await pipe.finish();
    assert.deepEqual(records, [
      ['a', '1'],
      ['b', ''],
      ['c', '2\t3'],
      ['', ''],
    ]);
    assert.deepEqual([pipe.recordsIn, pipe.recordsOut], [4, 4]);
  });

  test('may have keys of several fields, between separators of several bytes', async (t) => {
    const { pipe, records, write } = await run(t, 'cat', ['a::b::c', 'a::b', 'a'], { keyFields: 2, separator: '::' });
    await write();
    await pipe.finish();
    assert.deepEqual(records, [
      ['a::b', 'c'],
      ['a::b', ''],
      ['a', ''],
    ]);
  });

  test('takes more than fits into a pipe, while it writes', async (t) => {
    const lines = Array.from({ length: 3000 }, (_, i) => `${i}\t${'x'.repeat(300)}`);
    const { pipe, records, write } = await run(t, 'cat', lines);
    await write();
    await pipe.finish();
    assert.equal(records.length, 3000);
    assert.deepEqual(records[2999], ['2999', 'x'.repeat(300)]);
  });

  test('that ends with another code than 0 fails, where the job does not forgive it', async (t) => {
    const failing = await run(t, 'bash -c "cat; exit 3"', ['a']);
    await failing.write();
    await assert.rejects(failing.pipe.finish(), new SubprocessFailed(3, []));
    const forgiven = await run(t, 'bash -c "cat; exit 3"', ['a'], { settings: { 'stream.non.zero.exit.is.failure': 'false' } });
    await forgiven.write();
    await forgiven.pipe.finish();
    assert.deepEqual(forgiven.records, [['a', '']]);
  });

  test('that is killed has the code of its signal', async (t) => {
    const { pipe } = await run(t, 'bash -c "kill -TERM $$"', []);
    await assert.rejects(pipe.finish(), /subprocess failed with code 143$/);
  });

  test('that reads no further is explained by its own end, not by the broken pipe', async (t) => {
    const lines = Array.from({ length: 5000 }, () => 'x'.repeat(100));
    const { pipe, write } = await run(t, 'bash -c "exit 5"', lines);
    const written = write().then(() => pipe.finish());
    await assert.rejects(
      written.catch((error: unknown) => pipe.explain(error)),
      /subprocess failed with code 5$/,
    );
  });

  test('that reads nothing of its input, or stops early, has done its work where it ends well', async (t) => {
    const lines = Array.from({ length: 20_000 }, () => 'x'.repeat(100));
    for (const command of ['echo done', 'bash -c "exec 0<&-; sleep 0.1; echo done"', 'bash -c "head -1 >/dev/null; echo done"']) {
      const { pipe, records, write } = await run(t, command, lines);
      await write();
      await pipe.finish();
      assert.deepEqual(records, [['done', '']], command);
    }
  });

  test('that fails is told with the last lines that it wrote for people', async (t) => {
    const { pipe } = await run(t, `bash -c "echo reporter:status:x >&2; seq 30 >&2; exit 4"`, []);
    t.mock.method(process.stderr, 'write', () => true);
    const expected = Array.from({ length: 20 }, (_, i) => String(i + 11));
    await assert.rejects(pipe.finish(), (error: SubprocessFailed) => {
      assert.deepEqual(error.details.split('\n'), ['The last lines of its standard error:', ...expected]);
      return true;
    });
  });

  test('ends when its task is to end', async (t) => {
    const { pipe, abort } = await run(t, 'sleep 600', []);
    const finished = pipe.finish();
    abort.abort();
    await assert.rejects(finished, /subprocess failed with code 137$/);
  });

  test('that cannot be started, or is no command at all, is an error of the configuration', async (t) => {
    await assert.rejects(
      run(t, 'no-such-program -x', []),
      /^Error: configuration exception: Cannot run program "no-such-program" \(in directory ".*"\): there is no such program, or not /,
    );
    await assert.rejects(run(t, '/ -x', []), /Cannot run program "\/" .*: it is no file that may be run$/);
    await assert.rejects(
      run(t, `cat ${'x'.repeat(200_000)}`, []),
      /Cannot run program "cat" .*; stream\.jobconf\.truncate\.limit shortens /,
    );
    await assert.rejects(run(t, '  ', []), /^Error: configuration exception: the command is empty$/);
  });

  test('whose output cannot be kept is killed, and the reason is told', async (t) => {
    const { context } = aContext(t);
    const pipe = await Pipe.start({
      command: 'yes',
      context,
      sink: {
        collect: () => {
          throw new Error('disk full');
        },
        full: false,
        drain: async () => {},
      },
      outputForm: 'text',
      outputSeparator: Buffer.from('\t'),
      outputKeyFields: 1,
      workingFolder: scratch,
    });
    await assert.rejects(pipe.finish(), /disk full/);
  });
});
