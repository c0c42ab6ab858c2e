// What commands read and write in each form, and what becomes of it in files of text: as Hadoop Streaming 3.4.2 did with the same input, commands
// and settings.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { taskCounterGroup } from '../../counters/names.ts';
import { runLocalJob } from '../../test-support/local-job.ts';
import { readerInput, xmlReader } from '../input/formats.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-forms-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

/** Writes what it reads as hexadecimal digits. */
const hex = `bash -c "od -An -v -tx1 | tr -d ' \\n'"`;
const usual = Buffer.from('a\t1\nb\xff\t2\nlast\n', 'latin1');
interface Sides {
  readonly mapper: string;
  /** A command; '' passes records on; undefined: no reduces. */
  readonly reducer?: string;
}

async function run(forms: Record<string, string>, { mapper, reducer }: Sides, input = usual) {
  const folder = join(scratch, String(++serial));
  mkdirSync(folder);
  const path = join(folder, 'in.txt');
  writeFileSync(path, input);
  const result = await runLocalJob({
    folder,
    reduces: reducer === undefined ? 0 : 1,
    splits: [{ path, start: 0, length: input.length, hosts: [] }],
    configuration: {
      'heddle.batch.program': 'streaming',
      'mapreduce.output.fileoutputformat.outputdir': join(folder, 'out'),
      'stream.map.streamprocessor': encodeURIComponent(mapper),
      ...(reducer ? { 'stream.reduce.streamprocessor': encodeURIComponent(reducer) } : {}),
      ...Object.fromEntries(
        Object.entries(forms).map(([name, value]) => (name.includes('.class') ? [name, value] : [`stream.${name}`, value])),
      ),
    },
  });
  assert.deepEqual(
    result.failures.map(({ diagnostic }) => diagnostic),
    [],
  );
  const written = join(folder, 'out/part-00000');
  return { text: readFileSync(written, 'latin1'), counters: result.counters };
}
const keyValue = { 'mapred.input.format.class': 'org.apache.hadoop.mapred.KeyValueTextInputFormat' };
const nullAsTyped = '3200000025000000216f72672e6170616368652e6861646f6f702e696f2e4e756c6c5772697461626c65';
const allTyped = '0400000000000000000700000003610931040000000000000004070000000662efbfbd093204000000000000000907000000046c617374';

describe('forms of records', () => {
  test('towards a mapper', async () => {
    const read = async (form: string, more = {}) => (await run({ 'map.input': form, ...more }, { mapper: hex })).text.trimEnd();
    assert.equal(await read('typedbytes'), allTyped);
    const positions =
      '0000000800000000000000000000000403610931000000080000000000000004000000050462ff093200000008000000000000000900000005046c617374';
    assert.equal(await read('rawbytes'), positions);
    assert.equal(await read('rawbytes', keyValue), '000000020161000000020131000000030262ff00000002013200000005046c6173740000000100');
    assert.equal(await read('keyonlytext'), Buffer.from('0\n4\n9\n').toString('hex'));
  });

  test('from a mapper without reduces', async () => {
    const raw = await run({ 'map.input': 'rawbytes', 'map.output': 'rawbytes' }, { mapper: 'cat' });
    const shown =
      '00 00 00 00 00 00 00 00\t03 61 09 31\n00 00 00 00 00 00 00 04\t04 62 ff 09 32\n00 00 00 00 00 00 00 09\t04 6c 61 73 74\n';
    assert.equal(raw.text, shown);
    assert.equal(
      (await run({ 'map.input': 'typedbytes', 'map.output': 'typedbytes' }, { mapper: 'cat' })).text,
      '0\ta\t1\n4\tb\xef\xbf\xbd\t2\n9\tlast\n',
    );
    assert.equal((await run({ 'map.input': 'keyonlytext', 'map.output': 'keyonlytext' }, { mapper: 'cat' })).text, '0\n4\n9\n');
  });

  test('from a mapper to a reducer', async () => {
    const read = async (form: string, output: string, input: string) =>
      (await run({ 'map.input': form, 'map.output': output, 'reduce.input': input }, { mapper: 'cat', reducer: hex })).text.trimEnd();
    assert.equal(await read('typedbytes', 'typedbytes', 'typedbytes'), allTyped);
    const rawAsTyped =
      '000000000800000000000000000000000004036109310000000008000000000000000400000000050462ff0932000000000800000000000000090000000005046c617374';
    assert.equal(await read('rawbytes', 'rawbytes', 'typedbytes'), rawAsTyped);
    const typedAsRaw =
      '00000009040000000000000000000000080700000003610931000000090400000000000000040000000b070000000662efbfbd0932000000090400000000000000090000000907000000046c617374';
    assert.equal(await read('typedbytes', 'typedbytes', 'rawbytes'), typedAsRaw);
    assert.equal(await read('text', 'text', 'rawbytes'), '000000020161000000020131000000030262ff00000002013200000005046c6173740000000100');
    assert.equal(
      await read('text', 'keyonlytext', 'typedbytes'),
      ['0700000003610931', '070000000662efbfbd0932', '07000000046c617374'].map((key) => key + nullAsTyped).join(''),
    );
  });

  test('through a reduce without a command, and as text to one', async () => {
    assert.equal((await run({ 'map.output': 'keyonlytext' }, { mapper: 'cat', reducer: '' })).text, usual.toString('latin1'));
    assert.equal(
      (await run({ 'map.output': 'keyonlytext' }, { mapper: 'cat', reducer: 'cat' })).text,
      'a\t1\t(null)\nb\xff\t2\t(null)\nlast\t(null)\n',
    );
    const { text, counters } = await run({ 'map.input': 'rawbytes', 'map.output': 'rawbytes' }, { mapper: 'cat', reducer: '' });
    assert.equal(text.split('\n')[1], '00 00 00 00 00 00 00 04\t04 62 ff 09 32');
    // Lengths of byte arrays have four bytes each: three keys of eight bytes, values of 4, 5 and 5.
    assert.equal(counters.get(taskCounterGroup, 'MAP_OUTPUT_BYTES'), 3 * 8 + 14 + 6 * 4);
  });

  test('fail the attempt where what a command writes is not of them', async () => {
    const folder = join(scratch, String(++serial));
    mkdirSync(folder);
    writeFileSync(join(folder, 'in.txt'), 'x\n');
    for (const [form, mapper, why] of [
      ['rawbytes', 'printf "\\0\\0\\0\\1a\\0"', /in the midst of a record: 6 bytes are left/],
      ['rawbytes', 'printf "\\377\\0\\0\\0"', /the command wrote a length of -16777216/],
      ['typedbytes', 'printf "\\13"', /typed bytes: unknown type 11/],
    ] as const) {
      const { failures } = await runLocalJob({
        folder,
        reduces: 0,
        splits: [{ path: join(folder, 'in.txt'), start: 0, length: 2, hosts: [] }],
        configuration: {
          'heddle.batch.program': 'streaming',
          'mapreduce.output.fileoutputformat.outputdir': join(folder, 'out'),
          'stream.map.streamprocessor': encodeURIComponent(mapper),
          'stream.map.output': form,
        },
      });
      assert.match(failures[0]!.diagnostic, why);
    }
  });
});

test('records between marks come as keys without values', async () => {
  const marks = {
    'mapred.input.format.class': readerInput,
    'stream.recordreader.class': xmlReader,
    'recordreader.begin': '<p',
    'recordreader.end': '</p>',
  };
  const { text } = await run(marks, { mapper: 'cat' }, Buffer.from('noise</p><p id="1">a</p> <p>b\n</p><p>no end'));
  assert.equal(text, '<p id="1">a</p>\t\n<p>b\t\n</p>\t\n');
});
