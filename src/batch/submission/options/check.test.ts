import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { deprecatedNames } from '../../tasks/programs/deprecated-names.ts';
import { mapredDefaults } from '../mapred-defaults.ts';
import { checkOptions, optionChapters, optionOf, todaysName } from './check.ts';
import { olderNames } from './older-names.ts';
import type { JobOption } from './option.ts';

const sourceFolder = join(import.meta.dirname, '../../..');
/** Names of mapred-default.xml of Hadoop 3.4 that have no value there. */
const withoutDefault = [
  'mapreduce.job.am.node-label-expression',
  'mapreduce.job.end-notification.custom-notifier-class',
  'mapreduce.job.end-notification.url',
  'mapreduce.job.node-label-expression',
  'mapreduce.map.env',
  'mapreduce.map.java.opts',
  'mapreduce.map.node-label-expression',
  'mapreduce.reduce.env',
  'mapreduce.reduce.java.opts',
  'mapreduce.reduce.node-label-expression',
  'mapreduce.task.files.preserve.filepattern',
];
const given = (settings: Readonly<Record<string, string>>, source = 'from command line') =>
  checkOptions(
    Object.entries(settings).map(([name, value]) => ({ name, value, source })),
    'streaming',
  );

/** Followed, and read by names that are put together from pieces, or by the settings of the cluster. */
const readOtherwise = (name: string) => name.startsWith('mapreduce.job.cache.') || name === 'mapreduce.framework.name';
/** Named in the source without having an effect on a job. */
const mentioned = new Set([
  'mapred.reducer.class',
  'mapreduce.task.max.status.length',
  'mapreduce.task.stuck.timeout-ms',
  'mapreduce.cluster.local.dir',
]);
const isWritten = (option: JobOption | undefined) => option?.effect === 'nothing' && option.why === 'the engine writes it';

/** Names of settings that the source reads, `${…}` in them as `*`. */
function namesRead(): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of globSync(['batch/**/*.ts', 'cli/batch*.ts', 'wire/files/job-configuration.ts'], { cwd: sourceFolder })) {
    if (/test|submission\/(options|mapred-defaults|programs)|deprecated-names|counters\/names/.test(path)) continue;
    const text = readFileSync(join(sourceFolder, path), 'utf8');
    for (const [, , name] of text.matchAll(
      /(['`])((?:mapreduce|mapred|stream|yarn\.app\.mapreduce|textinputformat|num\.key)\.[^'`\s]*)\1/g,
    ))
      found.set(name!.replace(/\$\{[^}]*\}/g, '*'), path);
  }
  return found;
}
const matches = (pattern: string, name: string) => {
  const [head, ...rest] = pattern.split('*');
  return rest.length === 0 ? pattern === name : name.startsWith(head!) && name.endsWith(rest.at(-1)!) && name.length > pattern.length;
};

describe('options of batch jobs', () => {
  it('have every setting of mapred-default.xml', () => {
    for (const name of [...Object.keys(mapredDefaults), ...withoutDefault]) assert.ok(optionOf(name), name);
  });

  it('stand in one chapter each', () => {
    const names = Object.values(optionChapters).flatMap((options) => Object.keys(options));
    assert.equal(new Set(names).size, names.length);
  });

  it('say of no setting that it is followed unless it is read', () => {
    const read = [...namesRead().keys()];
    const followed = Object.values(optionChapters)
      .flatMap((options) => Object.entries(options))
      .filter(([, { effect }]) => effect === 'works');
    assert.ok(followed.length > 80, 'the table is not empty');
    const unread = followed
      .map(([name]) => name)
      .filter(
        (name) => !readOtherwise(name) && !read.some((pattern) => matches(pattern, name.replace(/\.$/, '')) || matches(pattern, name)),
      );
    assert.deepEqual(unread, [], 'nothing reads these');
  });

  it('have every setting that is read as one that is followed', () => {
    const wrong = [...namesRead()]
      .filter(([name]) => !name.includes('*'))
      .filter(([name]) => !mentioned.has(name) && !name.endsWith('.') && !isWritten(optionOf(name)))
      .filter(([name]) => !['works', undefined].includes(optionOf(name)?.effect));
    assert.deepEqual(wrong, []);
  });

  it('refuse what would change the result, with the reason', () => {
    const { refusals, notes } = given({
      'mapreduce.job.encrypted-intermediate-data': 'true',
      'mapreduce.fileoutputcommitter.algorithm.version': '3',
    });
    assert.deepEqual(refusals, [
      'mapreduce.job.encrypted-intermediate-data=true: what maps leave on disks is not encrypted; give false',
      'mapreduce.fileoutputcommitter.algorithm.version=3: this value is not supported; give 1 or 2',
    ]);
    assert.deepEqual(notes, []);
  });

  it('name what changes nothing, and pass over defaults and what is no job’s', () => {
    const { refusals, notes } = given({
      'mapreduce.map.java.opts': '-Xmx1g',
      'mapreduce.map.output.compress': 'false',
      'mapreduce.job.my-own': 'x',
      'mapreduce.jobhistory.done-dir': '/x',
      'my.own': 'x',
      'mapreduce.job.reduces': '3',
    });
    assert.deepEqual(refusals, []);
    assert.deepEqual(notes, [
      'mapreduce.map.java.opts changes nothing here: no Java runs in tasks',
      'mapreduce.job.my-own: Hadoop 3.4 reads no such setting; tasks find it among their settings',
      'mapreduce.jobhistory.done-dir changes nothing here: servers read it from the cluster’s own settings',
    ]);
  });

  it('name the setting that was perhaps meant', () => {
    assert.deepEqual(given({ 'mapreduce.job.reduce': '2' }).notes, [
      'mapreduce.job.reduce: Hadoop 3.4 reads no such setting; tasks find it among their settings. Did you mean mapreduce.job.reduces?',
    ]);
  });

  it('do not speak of servers’ settings in the cluster’s files', () => {
    assert.deepEqual(given({ 'mapreduce.jobhistory.done-dir': '/x', 'mapreduce.shuffle.max.threads': '3' }, 'mapred-site.xml').notes, []);
  });

  it('speak of all in a file that was given for the job', () => {
    const settings = { 'mapreduce.jobhistory.done-dir': '/x', 'mapreduce.job.my-own': 'x' };
    const ofFile = Object.entries(settings).map(([name, value]) => ({ name, value, source: 'job.xml', ofJob: true as const }));
    assert.equal(checkOptions(ofFile, 'streaming').notes.length, 2);
  });

  it('name what jobs of another kind alone follow', () => {
    const notesOf = (settings: Readonly<Record<string, string>>, program: string, source = 'from command line') =>
      checkOptions(
        Object.entries(settings).map(([name, value]) => ({ name, value, source })),
        program,
      ).notes;
    const size = { 'mapreduce.input.fileinputformat.split.maxsize': '1000' };
    const combine = { 'mapred.input.format.class': 'org.apache.hadoop.mapred.lib.CombineTextInputFormat' };
    assert.match(notesOf(size, 'streaming')[0] ?? '', /split\.maxsize changes nothing here: only modules, word count and CombineText/);
    assert.deepEqual([notesOf({ ...size, ...combine }, 'streaming'), notesOf(size, 'module')], [[], []]);
    assert.deepEqual(notesOf({ 'stream.num.map.output.key.fields': '2', 'mapred.map.tasks': '3' }, 'wordcount'), [
      'stream.num.map.output.key.fields changes nothing here: only streaming jobs follow it',
      'mapreduce.job.maps changes nothing here: only streaming and sleep jobs follow it',
    ]);
    assert.deepEqual(notesOf({ 'stream.num.map.output.key.fields': '2' }, 'wordcount', 'mapred-site.xml'), [], 'of the cluster’s files');
  });

  it('name what belongs to a class or switch that was not chosen', () => {
    for (const [name, value, [chooser, chosen]] of [
      [
        'mapreduce.partition.keypartitioner.options',
        '-k1',
        ['mapreduce.job.partitioner.class', 'org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner'],
      ],
      ['num.key.fields.for.partition', '1', ['mapred.partitioner.class', 'org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner']],
      [
        'mapreduce.partition.keycomparator.options',
        '-k1',
        ['mapred.output.key.comparator.class', 'org.apache.hadoop.mapred.lib.KeyFieldBasedComparator'],
      ],
      [
        'mapreduce.map.output.key.field.separator',
        '.',
        ['mapred.output.key.comparator.class', 'org.apache.hadoop.mapred.lib.KeyFieldBasedComparator'],
      ],
      ['mapreduce.totalorderpartitioner.path', '/x', ['mapred.partitioner.class', 'org.apache.hadoop.mapred.lib.TotalOrderPartitioner']],
      ['mapreduce.input.lineinputformat.linespermap', '3', ['mapred.input.format.class', 'org.apache.hadoop.mapred.lib.NLineInputFormat']],
      [
        'mapreduce.input.keyvaluelinerecordreader.key.value.separator',
        ',',
        ['mapred.input.format.class', 'org.apache.hadoop.mapred.KeyValueTextInputFormat'],
      ],
      [
        'mapreduce.output.fileoutputformat.compress.codec',
        'org.apache.hadoop.io.compress.GzipCodec',
        ['mapreduce.output.fileoutputformat.compress', 'true'],
      ],
      ['mapreduce.map.output.compress.codec', 'org.apache.hadoop.io.compress.GzipCodec', ['mapreduce.map.output.compress', 'true']],
    ] as const) {
      assert.match(given({ [name]: value }).notes[0] ?? '', /changes nothing here: only jobs with .* follow it$/, name);
      assert.deepEqual(given({ [name]: value, [chooser]: chosen }), { refusals: [], notes: [] }, name);
      assert.deepEqual(given({ [name]: value }, 'mapred-site.xml').notes, [], `${name} of the cluster’s files`);
    }
  });

  it('names settings of the command line that have no value: as in job.xml of Hadoop they count as not set', () => {
    const empty = { 'mapreduce.output.textoutputformat.separator': '', 'mapreduce.job.reduces': '' };
    assert.deepEqual(given(empty), {
      refusals: [],
      notes: Object.keys(empty).map((name) => `${name} has no value, and counts as not set`),
    });
    assert.deepEqual(given(empty, 'mapred-site.xml').notes, []);
  });

  it('say which values only streaming jobs follow', () => {
    const refusalsOf = (value: string, program: string) =>
      checkOptions([{ name: 'mapreduce.job.inputformat.class', value, source: 'from command line' }], program).refusals;
    const keyValue = 'org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat';
    assert.deepEqual(refusalsOf(keyValue, 'module'), [`mapreduce.job.inputformat.class=${keyValue}: only streaming jobs follow it`]);
    assert.deepEqual(refusalsOf(keyValue, 'streaming'), []);
    assert.deepEqual(refusalsOf('org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat', 'wordcount'), []);
    assert.match(refusalsOf('a.B', 'module')[0]!, /this value is not supported; give org\.apache/);
  });

  it('let the last value of a name count, whichever of its names it has', () => {
    assert.equal(todaysName('mapred.reduce.tasks'), 'mapreduce.job.reduces');
    const { refusals } = given({ 'mapred.mapoutput.key.class': 'A', 'mapreduce.map.output.key.class': 'org.apache.hadoop.io.Text' });
    assert.deepEqual(refusals, []);
    assert.equal(given({ 'mapred.output.key.class': 'A' }).refusals.length, 1);
  });

  it('know the names under which commands find settings as older names', () => {
    for (const [name, olders] of Object.entries(deprecatedNames)) for (const older of olders) assert.equal(olderNames[older], name, older);
  });

  /** Any text may be their value, or the cluster judges it (queues, partitions, reservations), or who reads it says more (paths, key options). */
  const anyText =
    /^(mapreduce\.(job\.(name|skip\.outdir|queuename|priority|tags|(am\.)?node-label-expression|acl-(view|modify)-job|redacted-properties|cache\.|reservation\.id)|(map|reduce)\.(node-label-expression|env\.)|(cluster\.administrators|workflow\.|partition\.key|totalorderpartitioner\.path|task\.tmp\.dir|jobhistory\.(intermediate-done-dir|webapp))|input\.(fileinputformat\.inputdir|keyvaluelinerecordreader\.)|map\.output\.key\.field\.separator|output\.(basename|fileoutputformat\.outputdir|textoutputformat\.separator))|stream\.(map|reduce)\.(in|out)put\.field\.separator|stream\.(stderr\.reporter\.prefix|recordreader\.(begin|end))|textinputformat\.record\.delimiter|yarn\.app\.mapreduce\.am\.(env\.|staging-dir))/;
  const followed = Object.values(optionChapters).flatMap((options) =>
    Object.entries(options).filter(([, { effect }]) => effect === 'works'),
  );

  it('that are followed are refused with a sentence where the value is none, each of them', () => {
    for (const [name, option] of followed) {
      assert.ok(option.effect === 'works');
      const { refusals } = given({ [name]: 'no such value' });
      if (anyText.test(name)) assert.deepEqual([refusals, option.kind ?? 'fileName', option.values], [[], 'fileName', undefined], name);
      else {
        assert.equal(refusals.length, 1, name);
        assert.match(refusals[0]!, new RegExp(`^${name.replaceAll('.', '\\.')}=no such value: .`), name);
      }
    }
  });

  it('take the values of their kind and range, and no others', () => {
    const kinds = {
      whole: [
        ['3', '0x10', ' 7 '],
        ['1.5', 'x', '3 4'],
      ],
      number: [
        ['3', '0.5', '1e3', '0.5f'],
        ['x', '1,5'],
      ],
      size: [
        ['3', '10m', '2G'],
        ['10 apples', 'm'],
      ],
      truth: [
        ['true', 'FALSE', ' true '],
        ['yes', '1'],
      ],
      address: [
        ['http://host/x?$jobId', 'https://host:8/$jobStatus'],
        ['host/x', 'ftp://host/x', 'http://'],
      ],
      variables: [
        ['A=b', 'A=b,C=d=e', ' A=b , C=', 'A='],
        ['A', 'A=b,c', '=b', 'a-b=c'],
      ],
      commandVariables: [
        ['A=b', 'HADOOP_ROOT_LOGGER= A=b  my.own=c'],
        ['A=b c', '=b'],
      ],
      rights: [
        ['770', '1777', '0700'],
        ['789', 'rwx', '77', '7777'],
      ],
      fileName: [
        ['words', 'a/b', '..x'],
        ['../x', 'a/../../x', '/x', 'a/./b', '..'],
      ],
    } as const;
    for (const [name, option] of followed) {
      if (option.effect !== 'works' || option.kind === undefined) continue;
      const [right, wrong] = kinds[option.kind];
      assert.equal(option.range !== undefined, ['whole', 'number', 'size'].includes(option.kind), name);
      const [least, most] = option.range ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
      for (const value of right)
        if (option.range === undefined || (Number.parseFloat(value) >= least && Number.parseFloat(value) <= most))
          assert.deepEqual(given({ [name]: value }).refusals, [], `${name}=${value}`);
      for (const value of wrong) assert.equal(given({ [name]: value }).refusals.length, 1, `${name}=${value}`);
      if (option.range === undefined) continue;
      for (const value of [least - 1, ...(most >= Number.MAX_SAFE_INTEGER ? [] : [most + 1])])
        assert.match(
          given({ [name]: String(value) }).refusals[0] ?? '',
          /it has to be a (whole number|number|size in bytes)/,
          `${name}=${value}`,
        );
      for (const value of [least, ...(most >= Number.MAX_SAFE_INTEGER ? [] : [most])])
        assert.deepEqual(given({ [name]: String(value) }).refusals, [], `${name}=${value}`);
    }
  });

  it('are too large where Java’s int has no room for them', () => {
    assert.deepEqual(given({ 'mapreduce.job.reduces': '2147483648' }).refusals, [
      'mapreduce.job.reduces=2147483648: it has to be a whole number from 0 to 2147483647',
    ]);
  });

  it('are not judged before what they refer to is known', () => {
    assert.deepEqual(given({ 'mapreduce.job.reduces': '${my.reduces}' }).refusals, []);
  });
});
