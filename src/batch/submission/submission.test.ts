import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { jobSettings, type ProgramRequest } from './programs.ts';
import { readStagedJob, writingIn } from './staging.ts';
import { BadJob, prepareJob, withdrawJob } from './submission.ts';

const home = mkdtempSync(join(tmpdir(), 'heddle-submission-'));
after(() => rmSync(home, { recursive: true }));
mkdirSync(join(home, 'in'));
writeFileSync(join(home, 'in/a'), 'one two\n');
writeFileSync(join(home, 'in/b'), 'a longer file\n');

function prepare(
  request: ProgramRequest,
  own: Record<string, string> = {},
  sequence = 1,
  user = 'ann',
  largest?: { memoryMiB: number; vcores: number },
) {
  const settings = jobSettings(
    request,
    [{ name: 'yarn.app.mapreduce.am.staging-dir', value: join(home, 'staging'), source: 'mapred-site.xml' }],
    Object.entries(own).map(([name, value]) => ({ name, value, source: 'from command line' })),
  );
  return prepareJob({ applicationId: `application_1700000000000_000${sequence}`, user, settings, workingFolder: home, largest });
}
const wordCount: ProgramRequest = { program: 'wordcount', input: 'in', output: 'out' };

test('a job is staged for its owner alone, largest split first', () => {
  const { jobId, folder, context } = prepare(wordCount, { 'mapreduce.job.priority': 'HIGH', 'mapreduce.job.tags': 'x,y' });
  assert.equal(jobId, 'job_1700000000000_0001');
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, '..')).mode & 0o777, 0o700);
  for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  const staged = readStagedJob(folder);
  assert.deepEqual(
    staged.splits.map((split) => split?.path),
    [join(home, 'in/b'), join(home, 'in/a')],
  );
  assert.equal(staged.settings.get('mapreduce.job.maps'), '2');
  assert.equal(staged.settings.get('mapreduce.output.fileoutputformat.outputdir'), `file:${home}/out`);
  assert.equal(context['application-name'], 'word count');
  assert.equal(context.priority, 4);
  assert.ok(!JSON.stringify(context).includes(staged.token.toString('base64url')), 'the secret stays in the folder');
  withdrawJob(folder);
  assert.ok(!existsSync(folder));
});

test('an output with commas in its name is one folder; such an input is written with a backslash', () => {
  writeFileSync(join(home, 'in/c,d'), 'three\n');
  const { folder, output } = prepare({ ...wordCount, input: 'in/a,in/c\\,d', output: 'out,1' });
  const { settings, splits } = readStagedJob(folder);
  assert.equal(settings.get('mapreduce.output.fileoutputformat.outputdir'), `file:${home}/out,1`);
  assert.equal(output, join(home, 'out,1'));
  assert.equal(settings.get('mapreduce.input.fileinputformat.inputdir'), `file:${home}/in/a,file:${home}/in/c\\,d`);
  assert.deepEqual(splits.map((split) => split?.path).sort(), [join(home, 'in/a'), join(home, 'in/c,d')]);
  withdrawJob(folder);
  rmSync(join(home, 'in/c,d'));
});

test('what cannot run is refused before anything is left behind', () => {
  const refused = (request: ProgramRequest, message: string, exitCode: number, own = {}) =>
    assert.throws(
      () => prepare(request, own, 2),
      (error) => error instanceof BadJob && error.message === message && error.exitCode === exitCode,
    );
  refused({ ...wordCount, input: 'none' }, `Input path does not exist: file:${home}/none`, 2);
  refused({ ...wordCount, output: 'in' }, `Output directory file:${home}/in already exists`, 4);
  refused(wordCount, 'The number of map tasks 2 exceeded limit 1', 1, { 'mapreduce.job.max.map': '1' });
  assert.ok(!existsSync(join(home, 'staging/ann/.staging/job_1700000000000_0002')));
});

test('settings that would change the result stop the submission, others are named, older names count', () => {
  const refusedSettings = { 'mapreduce.job.output.group.comparator.class': 'com.example.First', 'mapreduce.job.partitioner.class': 'X' };
  assert.throws(
    () => prepare(wordCount, refusedSettings, 3),
    (error) =>
      error instanceof BadJob &&
      error.exitCode === 3 &&
      error.message.startsWith('these settings cannot be followed:\n  mapreduce.job.output.group.comparator.class=com.example.First: ') &&
      error.message.includes('\n  mapreduce.job.partitioner.class=X: '),
  );
  assert.ok(!existsSync(join(home, 'staging/ann/.staging/job_1700000000000_0003')));
  const { folder, notes } = prepare(wordCount, { 'mapred.reduce.tasks': '7', 'mapred.child.java.opts': '-Xmx1g' }, 3);
  assert.deepEqual(notes, ['mapred.child.java.opts changes nothing here: no Java runs in tasks']);
  assert.equal(readStagedJob(folder).settings.get('mapreduce.job.reduces'), '7');
  withdrawJob(folder);
});

test('a setting that is set to nothing has its default', () => {
  const { folder, context } = prepare(
    { program: 'streaming', input: 'in', output: 'out', mapper: 'cat', reducer: 'cat' },
    {
      'mapreduce.job.reduces': '',
      'mapred.textoutputformat.separator': '',
      'mapreduce.output.fileoutputformat.compress.codec': '',
      'mapreduce.job.name': '',
    },
    4,
  );
  const { settings } = readStagedJob(folder);
  assert.equal(settings.raw('mapreduce.job.reduces'), '1');
  assert.equal(settings.raw('mapreduce.output.textoutputformat.separator'), undefined);
  assert.equal(settings.raw('mapreduce.output.fileoutputformat.compress.codec'), 'org.apache.hadoop.io.compress.DefaultCodec');
  assert.match(context['application-name']!, /^streamjob/);
  withdrawJob(folder);
});

test('blanks around a word of a list mean nothing; in a text they count', () => {
  const gzip = 'org.apache.hadoop.io.compress.GzipCodec';
  const { folder } = prepare(
    { program: 'streaming', input: 'in', output: 'out', mapper: 'cat', reducer: 'cat' },
    {
      'mapred.map.output.compression.codec': ` ${gzip}\n`,
      'mapreduce.job.output.key.class': ' org.apache.hadoop.io.Text ',
      'mapreduce.output.textoutputformat.separator': ' ',
    },
    4,
  );
  const { settings } = readStagedJob(folder);
  assert.equal(settings.raw('mapreduce.map.output.compress.codec'), gzip);
  assert.equal(settings.raw('mapreduce.job.output.key.class'), 'org.apache.hadoop.io.Text');
  assert.equal(settings.raw('mapreduce.output.textoutputformat.separator'), ' ');
  withdrawJob(folder);
});

test('a job with a container that no node could ever run is refused, before anything is left behind', () => {
  const largest = { memoryMiB: 2048, vcores: 4 };
  const tooLarge = (own: Record<string, string>, message: string) =>
    assert.throws(() => prepare(wordCount, own, 5, 'ann', largest), new BadJob(message, 3));
  tooLarge(
    { 'mapreduce.map.memory.mb': '4096' },
    'a map asks for 4096 MiB (mapreduce.map.memory.mb); the largest container of the cluster has 2048 MiB',
  );
  tooLarge(
    { 'mapreduce.reduce.cpu.vcores': '5' },
    'a reduce asks for 5 virtual cores (mapreduce.reduce.cpu.vcores); the largest container of the cluster has 4',
  );
  tooLarge(
    { 'yarn.app.mapreduce.am.resource.mb': '2049' },
    'the master asks for 2049 MiB (yarn.app.mapreduce.am.resource.mb); the largest container of the cluster has 2048 MiB',
  );
  assert.ok(!existsSync(join(home, 'staging/ann/.staging/job_1700000000000_0005')));
  const { folder } = prepare(wordCount, { 'mapreduce.job.reduces': '0', 'mapreduce.reduce.memory.mb': '4096' }, 5, 'ann', largest);
  withdrawJob(folder);
});

test('a master gets the variables and the reservation that the settings name', () => {
  const { folder, context } = prepare(
    wordCount,
    {
      'yarn.app.mapreduce.am.env': 'A=b,C=d=e',
      'yarn.app.mapreduce.am.env.F': 'g,h',
      'mapreduce.job.reservation.id': 'reservation_1700000000000_0001',
    },
    4,
  );
  assert.equal(context['reservation-id'], 'reservation_1700000000000_0001');
  const environment = JSON.stringify(context['am-container-spec']);
  for (const entry of ['{"key":"A","value":"b"}', '{"key":"C","value":"d=e"}', '{"key":"F","value":"g,h"}'])
    assert.ok(environment.includes(entry), entry);
  withdrawJob(folder);
});

test('a master that does not see its job, or may not read or write there, says which of these and what to do', {
  skip: process.platform !== 'linux',
}, async () => {
  assert.throws(
    () => readStagedJob(join(home, 'nowhere')),
    /Staging dir does not exist \S+: \S+ does not see .* has to be a folder that the clients and all nodes share/,
  );
  const { folder } = prepare(wordCount, {}, 5);
  chmodSync(folder, 0o000);
  // Root may read everything: another user for a moment.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    assert.throws(
      () => readStagedJob(folder),
      /^NoStagingFolder: Staging dir \S+ cannot be read by .*, as whom this container runs: submit the job as that user/,
    );
    await assert.rejects(
      writingIn(folder, async () => writeFileSync(join(folder, 'history'), '')),
      /^NoStagingFolder: Staging dir \S+ cannot be written by .*, as whom this container runs/,
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o700);
  }
  const failing = (code: string) => writingIn(folder, () => Promise.reject(Object.assign(new Error(`${code}: no`), { code })));
  await assert.rejects(failing('EROFS'), /^NoStagingFolder: Staging dir \S+ is read-only for containers on \S+, .* with --data/);
  await assert.rejects(failing('ENOSPC'), /^Error: ENOSPC: no/);
  withdrawJob(folder);
});

test('a user name never leads out of the staging folder', () => {
  for (const user of ['..', 'a/b', '']) assert.throws(() => prepare(wordCount, {}, 3, user), { name: 'UnsafeStagingFolder' });
});

test('a staging folder that belongs to another user is refused', {
  skip: process.getuid?.() === 0 ? 'root owns everything' : false,
}, () => {
  mkdirSync(join(home, 'staging/eve'), { recursive: true });
  symlinkSync('/usr', join(home, 'staging/eve/.staging'));
  assert.throws(() => prepare(wordCount, {}, 4, 'eve'), { name: 'UnsafeStagingFolder' });
});

test('streaming commands travel encoded; NONE means no reduces; its jobs keep the name they are given', () => {
  const { folder, context } = prepare(
    { program: 'streaming', input: 'in', output: 'out', mapper: `bash -c "a b"`, reducer: 'none' },
    { 'mapreduce.job.name': 'mine' },
    5,
  );
  const { settings } = readStagedJob(folder);
  assert.equal(settings.get('stream.map.streamprocessor'), 'bash+-c+%22a+b%22');
  assert.equal(settings.get('mapreduce.job.reduces'), '0');
  assert.equal(context['application-name'], 'mine');
  withdrawJob(folder);
});
