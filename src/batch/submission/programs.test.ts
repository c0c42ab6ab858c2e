// From what a user asks for to the settings, the files and the application of the job.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { cacheFileSettings, cacheFiles } from './cache-files.ts';
import { mapredDefaults } from './mapred-defaults.ts';
import { jobSettings, type ProgramRequest, programNames } from './programs.ts';
import { readStagedJob, runningHistoryPath, stageJob } from './staging.ts';
import { BadJob, prepareJob, withdrawJob } from './submission.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const home = mkdtempSync(join(tmpdir(), 'heddle-programs-'));
after(() => rmSync(home, { recursive: true }));
mkdirSync(join(home, 'in'));
writeFileSync(join(home, 'in/a,b.txt'), 'one two\n');
let serial = 0;

const sourced = (values: Record<string, string>, source: string) =>
  Object.entries(values).map(([name, value]) => ({ name, value, source }));
const sleep: ProgramRequest = { program: 'sleep', maps: 2, reduces: 1, mapMs: 10, reduceMs: 20 };
const wordCount: ProgramRequest = { program: 'wordcount', input: 'in', output: 'out' };
const streaming: ProgramRequest = { program: 'streaming', input: 'in', output: 'out', mapper: 'cat', reducer: 'sort' };

/** The settings that count in the end, by name. */
function settingsOf(request: ProgramRequest, own: Record<string, string> = {}, cluster: Record<string, string> = {}) {
  const all = jobSettings(request, sourced(cluster, 'mapred-site.xml'), sourced(own, 'from command line'));
  return { all, settings: new JobConfiguration(all.map(({ name, value }) => [name, value] as const)) };
}

function prepare(request: ProgramRequest, own: Record<string, string> = {}) {
  const settings = settingsOf(request, own, { 'yarn.app.mapreduce.am.staging-dir': join(home, 'staging') }).all;
  return prepareJob({
    applicationId: `application_1700000000000_${String(++serial).padStart(4, '0')}`,
    user: 'ann',
    settings,
    workingFolder: home,
  });
}

/** What a job's folder is called that was prepared last. */
const lastFolder = () => join(home, 'staging/ann/.staging', `job_1700000000000_${String(serial).padStart(4, '0')}`);

describe('forms of a streaming job’s records', () => {
  const forms = (own: Record<string, string>, change: Partial<ProgramRequest> = {}) =>
    prepare({ ...streaming, output: `forms${serial}`, ...change } as ProgramRequest, own);
  const refused = (own: Record<string, string>, why: RegExp, change: Partial<ProgramRequest> = {}) =>
    assert.throws(() => forms(own, change), why);

  test('stand in its settings as Hadoop’s classes', () => {
    const { settings } = settingsOf(streaming, { 'stream.map.output': 'typedbytes', 'stream.reduce.input': 'rawbytes' });
    assert.equal(settings.get('stream.map.input.writer.class'), 'org.apache.hadoop.streaming.io.TextInputWriter');
    assert.equal(settings.get('stream.map.output.reader.class'), 'org.apache.hadoop.streaming.io.TypedBytesOutputReader');
    assert.equal(settings.get('stream.reduce.input.writer.class'), 'org.apache.hadoop.streaming.io.RawBytesInputWriter');
    assert.equal(settings.get('mapreduce.map.output.value.class'), 'org.apache.hadoop.typedbytes.TypedBytesWritable');
    assert.equal(settings.get('mapreduce.job.output.key.class'), 'org.apache.hadoop.io.Text');
    const direct = settingsOf({ ...streaming, reducer: 'NONE' }, { 'stream.map.output': 'keyonlytext' }).settings;
    assert.equal(direct.get('mapreduce.job.output.value.class'), 'org.apache.hadoop.io.NullWritable');
  });

  test('that do not go together, or have no meaning, are refused before the start', () => {
    refused({ 'stream.map.input': 'typedbyte' }, /give text or rawbytes or typedbytes or keyonlytext/);
    refused({ 'stream.map.output': 'rawbytes' }, /without a mapper records are passed on as text/, { mapper: '' });
    refused({ 'stream.map.output': 'rawbytes' }, /aggregate needs text/, { reducer: 'aggregate' });
    refused({ 'stream.map.output': 'rawbytes' }, /what the combiner writes has to be as what the mapper writes/, { combiner: 'cat' });
    refused(
      { 'stream.map.output': 'typedbytes', 'mapred.partitioner.class': 'org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner' },
      /have no fields/,
    );
    refused(
      { 'stream.map.output': 'rawbytes', 'mapred.partitioner.class': 'org.apache.hadoop.mapred.lib.TotalOrderPartitioner' },
      /cannot be sampled/,
    );
    assert.ok(existsSync(forms({ 'stream.map.output': 'rawbytes', 'stream.reduce.output': 'rawbytes' }, { combiner: 'cat' }).folder));
  });

  test('of sequence files are text, whatever their classes', () => {
    const sequences = (name: string, form: string) => ({
      'mapred.input.format.class': `org.apache.hadoop.mapred.${name}`,
      'stream.map.input': form,
    });
    for (const form of ['rawbytes', 'typedbytes']) {
      refused(sequences('SequenceFileInputFormat', form), /handed on as text; with SequenceFileAsTextInputFormat they are so in any form/);
      assert.ok(existsSync(forms(sequences('SequenceFileAsTextInputFormat', form)).folder));
    }
    assert.ok(existsSync(forms(sequences('SequenceFileInputFormat', 'keyonlytext')).folder));
    refused(sequences('SequenceFileInputFormat', 'text'), /only streaming jobs follow it/, { program: 'wordcount' });
  });

  test('of keys are refused where their options are none', () => {
    const lib = 'org.apache.hadoop.mapred.lib';
    for (const [name, options] of [
      ['mapreduce.partition.keypartitioner.options', '-k0'],
      ['mapreduce.partition.keypartitioner.options', '-kx,2'],
      ['mapreduce.partition.keycomparator.options', '-k2,2z'],
      ['mapreduce.partition.keycomparator.options', '-k'],
    ] as const) {
      const classes = {
        'mapred.partitioner.class': `${lib}.KeyFieldBasedPartitioner`,
        'mapreduce.job.output.key.comparator.class': `${lib}.KeyFieldBasedComparator`,
      };
      refused({ ...classes, [name]: options }, new RegExp(`${name.replaceAll('.', '\\.')}: '`));
    }
  });

  test('of marked records need both marks; what would read them otherwise is refused', () => {
    const marked = {
      'mapred.input.format.class': 'org.apache.hadoop.streaming.StreamInputFormat',
      'stream.recordreader.class': 'org.apache.hadoop.streaming.StreamXmlRecordReader',
      'stream.recordreader.begin': '<a>',
    };
    refused(marked, /JobConf: missing required property: stream\.recordreader\.end/);
    refused({ ...marked, 'stream.recordreader.end': '</a>', 'stream.recordreader.slowmatch': 'true' }, /marks are texts, not expressions/);
    refused({ ...marked, 'stream.recordreader.class': 'a.B' }, /give org\.apache\.hadoop\.streaming\.StreamXmlRecordReader/);
    assert.ok(existsSync(forms({ ...marked, 'stream.recordreader.end': '</a>' }).folder));
  });
});

describe('the settings of a job', () => {
  test('come from the defaults, the cluster, the user and the program, the later ones over the earlier', () => {
    const { settings, all } = settingsOf(
      sleep,
      { 'mapreduce.task.timeout': '1', 'mapreduce.job.maps': '99' },
      { 'mapreduce.task.timeout': '2', 'mapreduce.map.maxattempts': '7' },
    );
    assert.equal(settings.get('mapreduce.task.io.sort.mb'), '100');
    assert.equal(settings.get('mapreduce.map.maxattempts'), '7');
    assert.equal(settings.get('mapreduce.task.timeout'), '1');
    assert.equal(settings.get('mapreduce.job.maps'), '2', 'what makes the program is not the user’s to change');
    assert.deepEqual(
      [...new Set(all.map(({ source }) => source))],
      ['mapred-default.xml', 'mapred-site.xml', 'from command line', 'programmatically'],
    );
  });

  test('name the kind of the program, its classes as Hadoop’s examples have them, and its name', () => {
    assert.equal(settingsOf(wordCount).settings.get('heddle.batch.program'), 'wordcount');
    assert.equal(settingsOf(wordCount).settings.get('mapreduce.job.combine.class'), 'org.apache.hadoop.examples.WordCount$IntSumReducer');
    assert.equal(settingsOf(wordCount).settings.get('mapreduce.job.name'), 'word count');
    assert.equal(settingsOf(sleep).settings.get('mapreduce.job.name'), 'Sleep job');
    assert.equal(
      settingsOf({ program: 'module', module: '/x/count.ts', input: 'in', output: 'out' }).settings.get('mapreduce.job.name'),
      'count.ts',
    );
    assert.match(settingsOf(streaming).settings.get('mapreduce.job.name')!, /^streamjob\d+\.jar$/);
    for (const request of [streaming, wordCount, sleep])
      assert.equal(settingsOf(request, { 'mapreduce.job.name': 'mine' }).settings.get('mapreduce.job.name'), 'mine');
    assert.deepEqual(Object.keys(programNames).sort(), ['module', 'sleep', 'streaming', 'wordcount']);
  });

  test('of streaming hold its commands encoded; a combiner and a reducer only where there are some', () => {
    const { settings } = settingsOf({ ...streaming, mapper: `awk '{print $1}'`, combiner: 'uniq -c' });
    assert.equal(settings.raw('stream.map.streamprocessor'), 'awk+%27%7Bprint+%241%7D%27');
    assert.equal(settings.raw('stream.combine.streamprocessor'), 'uniq+-c');
    assert.equal(settings.raw('stream.reduce.streamprocessor'), 'sort');
    const none = settingsOf({ ...streaming, reducer: 'NONE' }).settings;
    assert.equal(none.get('mapreduce.job.reduces'), '0');
    assert.equal(none.get('stream.reduce.streamprocessor'), undefined);
    assert.equal(none.get('mapred.reducer.class'), undefined);
    assert.equal(none.get('stream.combine.streamprocessor'), undefined);
  });

  test('of streaming give any command back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (mapper) => {
        const encoded = settingsOf({ ...streaming, mapper }).settings.raw('stream.map.streamprocessor')!;
        assert.match(encoded, /^[A-Za-z0-9.*_%+-]*$/, 'nothing that settings would expand or XML would change');
        assert.equal(decodeURIComponent(encoded.replaceAll('+', ' ')), mapper);
      }),
    );
  });

  test('of streaming name the reducer: none, the built-in one, or records as they come', () => {
    const reducerOf = (reducer: string) => settingsOf({ ...streaming, reducer }).settings;
    assert.equal(reducerOf('none').get('mapreduce.job.reduces'), '0');
    assert.match(reducerOf('aggregate').get('mapred.combiner.class')!, /ValueAggregatorCombiner$/);
    assert.equal(reducerOf('').get('stream.reduce.streamprocessor'), undefined);
    assert.equal(settingsOf({ ...streaming, mapper: '' }).settings.get('stream.map.streamprocessor'), undefined);
  });

  test('have defaults whose references end in settings of the cluster alone', () => {
    const names = Object.values(mapredDefaults).flatMap((value) => [...value.matchAll(/\$\{([^}]+)\}/g)].map((found) => found[1]!));
    for (const name of names) assert.ok(name in mapredDefaults || /^(fs|yarn|hadoop|user|env|io)\b/.test(name), name);
  });
});

describe('the application of a job', () => {
  test('asks for what its settings say', () => {
    const { context, folder } = prepare(sleep, {
      'mapreduce.job.queuename': 'root.a',
      'mapreduce.am.max-attempts': '5',
      'yarn.app.mapreduce.am.resource.mb': '2048',
      'yarn.app.mapreduce.am.resource.cpu-vcores': '3',
      'mapreduce.job.node-label-expression': 'gpu',
      'mapreduce.job.am.node-label-expression': 'big',
      'mapreduce.job.acl-view-job': 'bob',
    });
    assert.equal(context['application-type'], 'MAPREDUCE');
    assert.equal(context.queue, 'root.a');
    assert.equal(context['max-app-attempts'], 5);
    assert.deepEqual({ ...context.resource }, { memory: 2048, vCores: 3 });
    assert.equal(context['app-node-label-expression'], 'gpu');
    const spec = JSON.parse(JSON.stringify(context))['am-container-spec'];
    assert.match(
      spec.commands.command,
      new RegExp(`^exec .*batch/application-master/main.* '${folder}' 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr$`),
    );
    assert.deepEqual(spec['application-acls'].entry, [
      { key: 'VIEW_APP', value: 'bob' },
      { key: 'MODIFY_APP', value: ' ' },
    ]);
    withdrawJob(folder);
  });

  test('has a priority by name or by number', () => {
    for (const [text, priority] of [
      ['VERY_HIGH', 5],
      ['LOW', 2],
      ['DEFAULT', 0],
      ['17', 17],
      ['', 0],
    ] as const) {
      const { context, folder } = prepare(sleep, { 'mapreduce.job.priority': text });
      assert.equal(context.priority, priority, text);
      withdrawJob(folder);
    }
  });

  test('that cannot be made is refused, and leaves nothing behind', () => {
    for (const [own, message] of [
      [{ 'mapreduce.job.priority': 'urgent' }, /^mapreduce\.job\.priority: 'urgent' is no priority: give VERY_HIGH, .* or a whole number$/],
      [{ 'mapreduce.job.priority': '1.5' }, /is no priority/],
      [{ 'mapreduce.job.priority': 'toString' }, /is no priority/],
      [{ 'mapreduce.am.max-attempts': 'two' }, /mapreduce\.am\.max-attempts=two: it has to be a whole number from 0 on$/],
      [{ 'mapreduce.job.reduces': 'two' }, /mapreduce\.job\.reduces=two: it has to be a whole number from 0 on$/],
      [{ 'mapreduce.job.reduces': '${how.many}', 'how.many': 'two' }, /^mapreduce\.job\.reduces: 'two' is not a number$/],
      [{ 'mapreduce.fileoutputcommitter.algorithm.version': '3' }, /algorithm\.version=3: this value is not supported; give 1 or 2$/],
      [{ 'yarn.app.mapreduce.am.resource.mb': 'x' }, /resource\.mb=x: it has to be a whole number from 0 on$/],
    ] as const) {
      assert.throws(() => prepare({ ...wordCount }, { ...own }), { message });
      assert.ok(!existsSync(lastFolder()), JSON.stringify(own));
    }
    const roomy = { 'yarn.app.mapreduce.am.resource.mb': '2048' };
    assert.throws(
      () => prepare(wordCount, { ...roomy, 'mapreduce.job.reduces': '2000000000' }),
      (error: Error) => /^the job has 2000000000 tasks; a master of 2048 MiB \(yarn.*\) has room for 262144$/.test(error.message),
    );
    assert.throws(() => prepare({ ...sleep, maps: 999_999_999 }, roomy), /^BadJob: the job has \d+ tasks; /);
    assert.throws(() => prepare({ ...wordCount, output: '' }), new BadJob('Output directory not set.', 3));
    assert.throws(() => prepare({ ...wordCount, output: 'hdfs://host/out' }), new BadJob('No FileSystem for scheme "hdfs"', 3));
    assert.throws(() => prepare({ ...wordCount, input: 'hdfs://host/in' }), { message: 'No FileSystem for scheme "hdfs"' });
    assert.ok(!existsSync(lastFolder()));
  });

  test('of a sleeping job needs no input and no output', () => {
    const { folder, output } = prepare(sleep);
    const staged = readStagedJob(folder);
    assert.equal(output, undefined);
    assert.deepEqual(staged.splits, [undefined, undefined]);
    assert.equal(staged.settings.get('mapreduce.input.fileinputformat.numinputfiles'), undefined);
    withdrawJob(folder);
  });

  test('has its paths written down whole, commas in names among them', () => {
    const { folder, output } = prepare({ ...wordCount, input: 'in/a\\,b.txt,in' });
    const { settings, splits } = readStagedJob(folder);
    assert.equal(settings.get('mapreduce.input.fileinputformat.inputdir'), `file:${home}/in/a\\,b.txt,file:${home}/in`);
    assert.equal(settings.get('mapreduce.input.fileinputformat.numinputfiles'), '2');
    assert.equal(output, join(home, 'out'));
    assert.deepEqual(
      splits.map((split) => split?.path),
      [join(home, 'in/a,b.txt'), join(home, 'in/a,b.txt')],
    );
    withdrawJob(folder);
  });
});

describe('a staged job', () => {
  test('is read as it was written', () => {
    const folder = join(home, `staged${++serial}`);
    const token = Buffer.from('the secret of the job');
    const splits = [{ path: '/a', start: 3, length: 7, hosts: ['h'] }, undefined];
    stageJob(folder, {
      properties: [
        { name: 'a', value: '<&>"${b}', final: true, sources: ['x', 'job.xml'] },
        { name: 'b', value: 'two', sources: ['job.xml'] },
      ],
      splits,
      token,
    });
    const staged = readStagedJob(folder);
    assert.deepEqual(staged.splits, splits);
    assert.deepEqual(staged.token, token);
    assert.equal(staged.settings.get('a'), '<&>"two');
    assert.deepEqual(
      staged.properties.map(({ name, value, final }) => [name, value, final ?? false]),
      [
        ['a', '<&>"${b}', true],
        ['b', 'two', false],
      ],
    );
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
    assert.equal(runningHistoryPath(folder, 'job_1', 2), join(folder, 'job_1_2.jhist'));
  });

  test('that cannot be written wholly is not there', () => {
    const folder = join(home, `staged${++serial}`);
    const circular: { path: string; start: number; length: number; hosts: string[]; self?: unknown } = {
      path: '/a',
      start: 0,
      length: 1,
      hosts: [],
    };
    circular.self = circular;
    assert.throws(() => stageJob(folder, { properties: [], splits: [circular], token: Buffer.from('t') }), TypeError);
    assert.ok(!existsSync(folder));
  });

  test('is not written over one that is there', () => {
    const { folder } = prepare(sleep);
    const before = readFileSync(join(folder, 'job.token'));
    assert.throws(() => stageJob(folder, { properties: [], splits: [], token: Buffer.from('other') }), { code: 'EEXIST' });
    assert.deepEqual(readFileSync(join(folder, 'job.token')), before);
    withdrawJob(folder);
    withdrawJob(folder);
  });
});

describe('files that a job brings along', () => {
  const resource = fc.record<LocalResource>({
    resource: fc.constantFrom('file:/a/b', 'http://host/x.zip', 's3a://bucket/key'),
    type: fc.constantFrom('FILE', 'ARCHIVE'),
    visibility: fc.constantFrom('PUBLIC', 'PRIVATE'),
    size: fc.nat(),
    timestamp: fc.nat(),
  });

  test('go through the settings and come out the same', () => {
    const name = fc
      .string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', 'B', '1', ' ', ',', '#', '%', 'ä') })
      .filter((text) => text !== '__proto__');
    fc.assert(
      fc.property(fc.dictionary(name, resource, { noNullPrototype: true, maxKeys: 5 }), (files) => {
        const settings = new JobConfiguration(cacheFileSettings(files).map((one) => [one.name, one.value] as const));
        assert.deepEqual(cacheFiles(settings), Object.fromEntries(Object.entries(files).map(([key, value]) => [key, { ...value }])));
      }),
    );
  });

  test('without a name of their own have that of the file; what is not said is not compared', () => {
    const settings = new JobConfiguration({
      'mapreduce.job.cache.files': 'file:/a/b.txt, file:/c/d.txt#data',
      'mapreduce.job.cache.archives': 'http://host/x.zip',
      'mapreduce.job.cache.archives.visibilities': 'true',
    });
    assert.deepEqual(cacheFiles(settings), {
      'b.txt': { resource: 'file:/a/b.txt', type: 'FILE', visibility: 'PRIVATE', size: -1, timestamp: -1 },
      data: { resource: 'file:/c/d.txt', type: 'FILE', visibility: 'PRIVATE', size: -1, timestamp: -1 },
      'x.zip': { resource: 'http://host/x.zip', type: 'ARCHIVE', visibility: 'PUBLIC', size: -1, timestamp: -1 },
    });
  });

  test('of a job without any are no settings', () => {
    assert.deepEqual(cacheFileSettings({}), []);
    assert.deepEqual(cacheFiles(new JobConfiguration({})), {});
  });
});
