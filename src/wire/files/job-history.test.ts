import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { BinaryDecoder } from './avro-decoder.ts';
import {
  createEventEncoder,
  createHistoryWriter,
  type HistoryEvent,
  historyHeader,
  parseComingHistory,
  parseHistory,
  readHistory,
  UnreadableHistory,
} from './job-history.ts';
import { doneFolder, historyFileName, parseHistoryFileName } from './job-history-names.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const recorded = new URL('../../../test/compatibility/files/', import.meta.url);

const taskStarted: HistoryEvent = { type: 'TASK_STARTED', event: { taskid: 't', taskType: 'MAP', startTime: 5, splitLocations: '' } };
const taskFailed: HistoryEvent = {
  type: 'TASK_FAILED',
  event: {
    taskid: 't',
    taskType: 'MAP',
    finishTime: 5,
    error: '',
    failedDueToAttempt: null,
    status: 'KILLED',
    counters: { name: 'COUNTERS', groups: [] },
  },
};
const jobKilled: HistoryEvent = {
  type: 'JOB_KILLED',
  event: { jobid: 'job_1_0001', finishTime: 2 ** 41, finishedMaps: 1, finishedReduces: 0, jobStatus: 'KILLED' },
};

test('events have the bytes of an independent Avro implementation', () => {
  const encode = createEventEncoder('binary');
  assert.equal(encode(taskStarted).toString('hex'), '1420027406 4d41500a00'.replaceAll(' ', ''));
  assert.equal(encode(taskFailed).toString('hex'), '181c02740 64d41500a00000c4b494c4c454402 10434f554e5445525300'.replaceAll(' ', ''));
});

test('a file written in either encoding is read back with defaults filled in', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  try {
    for (const format of ['binary', 'json'] as const) {
      const path = join(folder, `${format}.jhist`);
      const writer = await createHistoryWriter(path, { format });
      for (const event of [taskStarted, taskFailed, jobKilled]) writer.write(event);
      await writer.close();
      await writer.close();
      const [first, second, third] = await readHistory(path);
      assert.deepEqual(first, taskStarted);
      assert.deepEqual(second, taskFailed);
      assert.deepEqual(third?.event, {
        ...jobKilled.event,
        diagnostics: null,
        failedMaps: -1,
        failedReduces: -1,
        killedMaps: -1,
        killedReduces: -1,
      });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('what a full disk does not take is written without a hole once there is room, and told at the end where there is none', async () => {
  const full = () => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  for (const room of [0, 1, 7, 20]) {
    let [left, pieces] = [Number.POSITIVE_INFINITY, [] as Buffer[]];
    const openFile = async () => ({
      async write(bytes: Uint8Array | string, from = 0) {
        const rest = Buffer.from(typeof bytes === 'string' ? Buffer.from(bytes) : bytes).subarray(from as number);
        if (left === 0) throw full();
        const taken = rest.subarray(0, Math.min(rest.length, left));
        left -= taken.length;
        pieces.push(taken);
        return { bytesWritten: taken.length, buffer: bytes };
      },
      sync: async () => undefined,
      close: async () => undefined,
    });
    for (const isFreed of [true, false]) {
      [left, pieces] = [Number.POSITIVE_INFINITY, []];
      const writer = await createHistoryWriter('x.jhist', { openFile: openFile as never });
      writer.write(taskStarted);
      await writer.flush();
      left = room;
      writer.write(taskFailed);
      writer.write(jobKilled);
      await assert.rejects(writer.flush(), { code: 'ENOSPC', path: 'x.jhist' });
      if (isFreed) left = Number.POSITIVE_INFINITY;
      if (isFreed) await writer.close();
      else await assert.rejects(writer.close(), { code: 'ENOSPC' });
      const types = [...parseHistory(Buffer.concat(pieces))].map(({ type }) => type);
      assert.deepEqual(types, ['TASK_STARTED', 'TASK_FAILED', 'JOB_KILLED'].slice(0, isFreed ? 3 : types.length), `room for ${room}`);
    }
  }
});

test('a file that is still being read gives the same events, in whatever pieces it comes', () => {
  const long: HistoryEvent = { type: 'TASK_FAILED', event: { ...taskFailed.event, error: 'é'.repeat(3000) } };
  const events = [taskStarted, long, taskFailed, long, jobKilled, taskStarted];
  for (const format of ['binary', 'json'] as const) {
    const whole = Buffer.concat([Buffer.from(historyHeader(format)), ...events.map(createEventEncoder(format))]);
    const expected = [...parseHistory(whole)];
    assert.equal(expected.length, events.length);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9000 }), { maxLength: 40 }), fc.integer({ min: 0, max: 30 }), (pieces, lost) => {
        const end = whole.length - lost;
        let length = 0;
        let waits = 0;
        const source = {
          get bytes() {
            return whole.subarray(0, length);
          },
          isWhole: false,
        };
        const read: HistoryEvent[] = [];
        for (const event of parseComingHistory(source)) {
          if (event) {
            read.push(event);
            continue;
          }
          const piece = pieces[waits++];
          length = piece === undefined ? end : Math.min(end, length + piece);
          // The last piece may be told to be the last once it was looked at.
          source.isWhole = length === end && (lost % 2 === 0 || piece === undefined);
        }
        assert.deepEqual(read, [...parseHistory(whole.subarray(0, end))]);
      }),
    );
  }
});

test('a long record is not read from its beginning with each piece that comes', (context) => {
  const counts = Array.from({ length: 20_000 }, (_, at) => ({ name: `counter${at}`, displayName: '', value: at }));
  const counters = { name: 'COUNTERS', groups: [{ name: 'group', displayName: '', counts }] };
  const long: HistoryEvent = { type: 'TASK_FAILED', event: { ...taskFailed.event, counters } };
  const whole = Buffer.concat([Buffer.from(historyHeader('binary')), createEventEncoder('binary')(long)]);
  const reads = context.mock.method(BinaryDecoder.prototype, 'read');
  const source = { bytes: whole.subarray(0, 0), isWhole: false };
  let pieces = 0;
  for (const event of parseComingHistory(source)) {
    if (event) continue;
    pieces++;
    source.bytes = whole.subarray(0, source.bytes.length + 1000);
    source.isWhole = source.bytes.length === whole.length;
  }
  assert.ok(pieces > 300, `${pieces} pieces`);
  assert.ok(reads.mock.callCount() < 20, `read ${reads.mock.callCount()} times`);
});

test('a file cut off anywhere gives the events that are whole', () => {
  for (const format of ['binary', 'json'] as const) {
    const encode = createEventEncoder(format);
    const header = Buffer.from(historyHeader(format));
    const records = [taskStarted, taskFailed, jobKilled].map((event) => encode(event));
    const whole = Buffer.concat([header, ...records]);
    for (let length = header.length; length <= whole.length; length++) {
      let end = header.length;
      let count = 0;
      for (const record of records) {
        const needed = format === 'json' ? record.length - 1 : record.length;
        if (end + needed > length) break;
        end += record.length;
        count++;
      }
      assert.equal([...parseHistory(whole.subarray(0, length))].length, count);
    }
  }
});

test('a record with empty lines around it and an older schema is read by its own schema', () => {
  const schema = JSON.parse(historyHeader('json').split('\n')[1]!);
  const union = schema.fields[1].type as { name: string; fields: { name: string }[] }[];
  const unsuccessful = union.find((record) => record.name === 'JobUnsuccessfulCompletion')!;
  unsuccessful.fields = unsuccessful.fields.filter((field) => !/^(failed|killed|diagnostics)/.test(field.name));
  const { finishTime, ...others } = jobKilled.event as unknown as Record<string, unknown>;
  const record = JSON.stringify({
    type: 'JOB_KILLED',
    event: { 'org.apache.hadoop.mapreduce.jobhistory.JobUnsuccessfulCompletion': { ...others, finishTime } },
  });
  const [event] = parseHistory(Buffer.from(`Avro-Json\n${JSON.stringify(schema)}\n\n${record}\n\n`));
  assert.deepEqual(event?.event, {
    ...jobKilled.event,
    diagnostics: null,
    failedMaps: -1,
    failedReduces: -1,
    killedMaps: -1,
    killedReduces: -1,
  });
});

test('fields that nobody looks at are not there, but where a record is of another schema', () => {
  const bytes = Buffer.concat([taskStarted, taskFailed].map(createEventEncoder('binary')));
  const [version, schemaLine] = historyHeader('binary').split('\n');
  const read = (schema: string) => [
    ...parseHistory(Buffer.concat([Buffer.from(`${version}\n${schema}\n`), bytes]), {
      without: { TaskStarted: ['taskType', 'startTime'] },
    }),
  ];
  assert.deepEqual(read(schemaLine!), [{ type: 'TASK_STARTED', event: { taskid: 't', splitLocations: '' } }, taskFailed]);
  const renamed = schemaLine!.replace('"splitLocations"', '"places"');
  assert.throws(() => read(renamed), /TaskStarted, missing required field splitLocations/);
  const others = schemaLine!.replace(
    '"name":"TaskStarted","fields":[',
    '"name":"TaskStarted","fields":[{"name":"more","type":{"type":"array","items":"null"}},',
  );
  const withMore = Buffer.concat([Buffer.from(`${version}\n${others}\n`), bytes.subarray(0, 2), Buffer.of(0), bytes.subarray(2)]);
  assert.deepEqual([...parseHistory(withMore, { without: { TaskStarted: ['taskType', 'startTime'] } })], [taskStarted, taskFailed]);
});

test('what is no history file is refused', () => {
  for (const text of [
    '',
    'Avro-Yaml\n{}\n',
    'Avro-Binary\n',
    'Avro-Binary\n{"type":"record"}\n',
    'Avro-Json\n"nowhere"\n{}',
    `${historyHeader('json')}{"type":1}`,
    `${historyHeader('json')}x`,
  ]) {
    assert.throws(() => [...parseHistory(Buffer.from(text))], UnreadableHistory, text);
  }
});

test('a schema under which counters, or members of events, would be something else is refused before its records are read', () => {
  const [version, schemaLine] = historyHeader('binary').split('\n');
  for (const [from, to, fault] of [
    ['"name":"counts"', '"name":"coWnts"', /JhCounterGroup has no counts/],
    ['{"name":"value","type":"long"}', '{"name":"value","type":"string"}', /JhCounter\.value is of the kind string, not long/],
    [
      '{"name":"finishTime","type":"long"}',
      '{"name":"finishTime","type":"boolean"}',
      /JobFinished\.finishTime is of the kind boolean, not long/,
    ],
    [
      '"acls","type":{"type":"map","values":"string"}',
      '"acls","type":{"type":"map","values":"int"}',
      /what JobSubmitted\.acls holds is of the kind int/,
    ],
    [
      '"workflowId","type":["null","string"]',
      '"workflowId","type":["null","string","int"]',
      /JobSubmitted\.workflowId holds 2 kinds of values/,
    ],
    [schemaLine!, '"string"', /the schema is of the kind string, not record/],
  ] as const) {
    assert.ok(schemaLine!.includes(from), from);
    const bytes = Buffer.from(`${version}\n${schemaLine!.replace(from, to)}\n`);
    assert.throws(
      () => [...parseHistory(bytes)],
      (error: Error) => error instanceof UnreadableHistory && fault.test(error.message),
      to,
    );
  }
  const wider = schemaLine!.replace('{"name":"value","type":"long"}', '{"name":"value","type":"int"},{"name":"more","type":"string"}');
  assert.deepEqual([...parseHistory(Buffer.from(`${version}\n${wider}\n`))], [], 'what is known is there');
});

test('arbitrary bytes behind the header end the events or are refused, never more', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom('binary' as const, 'json' as const), (bytes, format) => {
      try {
        return [...parseHistory(Buffer.concat([Buffer.from(historyHeader(format)), bytes]))].length >= 0;
      } catch (error) {
        return error instanceof UnreadableHistory;
      }
    }),
  );
});

test('every name survives its file name', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((value) => !value.includes('%2D') && value.isWellFormed());
  fc.assert(
    fc.property(text, text, text, fc.nat(), (user, jobName, queue, number) => {
      const index = {
        jobId: `job_1_${String(number).padStart(4, '0')}`,
        submitTime: 1,
        user,
        jobName,
        finishTime: 3,
        maps: 4,
        reduces: 5,
        status: 'FAILED',
        queue,
        startTime: 2,
      };
      const parsed = parseHistoryFileName(historyFileName(index, 1000));
      assert.deepEqual(parsed && { ...parsed, jobName: '', user: '', queue: '' }, { ...index, jobName: '', user: '', queue: '' });
      if (historyFileName(index, 1000).length < 255) assert.deepEqual(parsed, index);
    }),
  );
});

test('file names are encoded and cut as Hadoop does', () => {
  const index = {
    jobId: 'job_1_0001',
    submitTime: 1,
    user: 'a-b',
    jobName: 'r+d %41',
    finishTime: 3,
    maps: 0,
    reduces: 0,
    status: 'FAILED',
    queue: 'root.a',
    startTime: 2,
  };
  assert.equal(historyFileName(index), 'job_1_0001-1-a%2Db-r%2Bd+%2541-3-0-0-FAILED-root.a-2.jhist');
  assert.equal(historyFileName({ ...index, jobName: '' }).split('-')[3], 'NA');
  assert.equal(historyFileName({ ...index, jobName: 'ab€cd' }, 10).split('-')[3], 'ab', 'a character of several bytes is dropped whole');
  assert.equal(
    historyFileName({ ...index, jobName: 'a failing job, with a name of more than fifty characters' }).split('-')[3],
    'a+failing+job%2C+with+a+name+of+more+than+fifty+ch',
  );
  assert.ok(historyFileName({ ...index, jobName: 'x'.repeat(60), queue: 'root.'.padEnd(180, 'q') }).length <= 255);
  assert.equal(parseHistoryFileName('job_1_0001-x-u-n-y-z-1-ODD-q.jhist')?.status, 'KILLED');
  assert.equal(parseHistoryFileName('job_1_0001-7-u-n-y-z-1-FAILED-q.jhist')?.startTime, 7);
  assert.equal(parseHistoryFileName('../x.jhist'), undefined);
});

test('the done folder follows the finish time and the job number', () => {
  const date = new Date(2024, 1, 3, 12);
  assert.equal(doneFolder({ jobId: 'job_1_0999', finishTime: date.getTime() }, 0), '2024/02/03/000000');
  assert.equal(doneFolder({ jobId: 'job_1_123456', finishTime: 0 }, date.getTime()), '2024/02/03/000123');
});

test('a schema of the file makes no more of its bytes than they can tell', () => {
  const today = JSON.parse(historyHeader('binary').split('\n')[1]!) as { fields: object[] };
  const read = (schema: unknown, values: Buffer, format: 'Binary' | 'Json' = 'Binary', options = {}) => {
    for (const _event of parseHistory(Buffer.concat([Buffer.from(`Avro-${format}\n${JSON.stringify(schema)}\n`), values]), options));
  };
  const record = (name: string, fields: object[]) => ({ type: 'record', name, fields });
  /** Today's schema, in which events begin with another field; who reads them does not look at it. */
  const withField = (type: unknown) => ({ ...today, fields: [{ name: 'more', type }, ...today.fields] });
  const tooMany = /It has more values than its bytes can tell/;
  const nothings = { type: 'array', items: 'null' };
  // Thousands of blocks, each of nearly as many values as the file has bytes, of which none takes one.
  const block = Buffer.from([0xfe, 0xff, 0x03]);
  const manyBlocks = Buffer.concat(Array.from({ length: 30_000 }, () => block));
  assert.throws(() => read(withField(nothings), manyBlocks), tooMany);
  // The same where the values are only stepped over.
  const counters = JSON.stringify(today).replace('"name":"JhCounters","fields":[', `$&{"name":"more","type":${JSON.stringify(nothings)}},`);
  const finished = Buffer.from([0x04, 0x00, 0x00, ...Array.from({ length: 5 }, () => 0)]);
  assert.throws(() => read(JSON.parse(counters), Buffer.concat([finished, manyBlocks]), 'Binary', { deferCounters: true }), tooMany);
  // Records of a byte with thousands of fields, and records of no bytes, of which a file has no end.
  const wide = record('Wide', [
    { name: 'type', type: 'int' },
    ...Array.from({ length: 5000 }, (_, index) => ({ name: `f${index}`, type: 'null' })),
  ]);
  const wides = Buffer.concat([Buffer.from([0xc0, 0xb8, 0x02]), Buffer.alloc(30_000)]);
  assert.throws(() => read(withField({ type: 'array', items: wide }), wides), tooMany);
  assert.throws(() => read(record('Event', []), Buffer.from([0])), UnreadableHistory);
  // Without an end by itself.
  assert.throws(() => read(withField(record('Loop', [{ name: 'type', type: 'Loop' }])), Buffer.from([0])), /Maximum call stack size/);
  assert.throws(() => read(`x`.repeat(2 ** 20), Buffer.alloc(0)), /The schema line has more than 1048576 bytes/);
  const longText = Buffer.from(`{"a":"${'x'.repeat(17 * 2 ** 20)}"}`);
  assert.throws(() => read(today, longText, 'Json'), /A record has more than 16777216 bytes/);
});

test('files that Hadoop wrote are read, and written again with the same bytes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'));
  try {
    const names = readdirSync(recorded).filter((name) => name.endsWith('.jhist'));
    assert.ok(names.length > 0);
    for (const name of names) {
      const original = readFileSync(new URL(encodeURIComponent(name), recorded));
      writeFileSync(join(folder, 'in.jhist'), original);
      const events = await readHistory(join(folder, 'in.jhist'));
      const writer = await createHistoryWriter(join(folder, 'out.jhist'));
      for (const event of events) writer.write(event);
      await writer.close();
      assert.ok(readFileSync(join(folder, 'out.jhist')).equals(original), name);
      assert.equal(historyFileName(parseHistoryFileName(name)!), name);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
