import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { CommandFailure } from './failure.ts';
import { readAskedFiles } from './files.ts';
import { checkPlace, filesOfSettings, settingsOfFiles } from './job-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-job-settings-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, ...properties: (readonly [name: string, value: string, final?: boolean])[]): string {
  const path = join(folder, name);
  const lines = properties.map(
    ([key, value, final]) => `<property><name>${key}</name><value>${value}</value>${final ? '<final>true</final>' : ''}</property>`,
  );
  writeFileSync(path, `<configuration>${lines.join('\n')}</configuration>`);
  return path;
}
const pairsOf = ({ settings }: ReturnType<typeof settingsOfFiles>) => settings.map(({ name, value }) => `${name}=${value}`);
const none = () => false;
const refused = (action: () => unknown, exitCode: number, message: RegExp) =>
  assert.throws(action, (error) => error instanceof CommandFailure && error.exitCode === exitCode && message.test(error.message));

describe('files that settings name', () => {
  const named = (...pairs: (readonly [name: string, value: string])[]) =>
    filesOfSettings(pairs.map(([name, value]) => ({ name, value, source: 'from command line' })));

  it('are brought as those of --file, and their lists are written anew', () => {
    const path = file('brought.xml');
    const { asked, cleared } = named(
      ['my.folder', folder],
      ['mapreduce.job.cache.files', `\${my.folder}/brought.xml, ${path}#a%20b,${pathToFileURL(path).href}#own, webhdfs://h:1/x/y`],
      ['mapred.cache.archives', `${path}#un,http://h/z.zip`],
    );
    assert.deepEqual(
      readAskedFiles(asked).map(({ name, type, path: from, uri }) => [name, type, uri ?? from]),
      [
        ['brought.xml', 'FILE', path],
        ['a b', 'FILE', path],
        ['own', 'FILE', pathToFileURL(path).href],
        ['y', 'FILE', 'webhdfs://h:1/x/y'],
        ['un', 'ARCHIVE', path],
        ['z.zip', 'ARCHIVE', 'http://h/z.zip'],
      ],
    );
    assert.deepEqual(
      [cleared.length, cleared.some(({ name, value }) => name === 'mapreduce.job.cache.files.timestamps' && value === '')],
      [8, true],
    );
    assert.deepEqual(named(['mapreduce.job.cache.files', '']), { asked: [], cleared: [] });
  });

  it('are refused before the job starts where no node could read them', () => {
    const refusal = (value: string, message: RegExp) => refused(() => named(['mapred.cache.files', value]), 3, message);
    refusal('hdfs://n:8020/x#y', /^mapreduce\.job\.cache\.files=hdfs:\/\/n:8020\/x#y: nothing is read from hdfs: addresses$/);
    refusal('hdfs:/x', /: nothing is read from hdfs: addresses$/);
    refusal(join(folder, 'none'), /none: there is no such file$/);
    refusal(pathToFileURL(join(folder, 'none')).href, /none: there is no such file here$/);
    refusal(`${file('one.xml')}#x,${file('two.xml')}#x`, /: there are two files x$/);
  });
});

describe('files with settings of a job', () => {
  it('are read in order, each setting with the name of its file', () => {
    const [first, second] = [file('first.xml', ['a', '1'], ['b', '2']), file('second.xml', ['a', '3'])];
    assert.deepEqual(settingsOfFiles([first, pathToFileURL(second).href], none).settings, [
      { name: 'a', value: '1', source: first, ofJob: true },
      { name: 'b', value: '2', source: first, ofJob: true },
      { name: 'a', value: '3', source: pathToFileURL(second).href, ofJob: true },
    ]);
    assert.deepEqual(settingsOfFiles([], none), { settings: [], notes: [] });
  });

  it('do not count over what is final before them, by whichever of its names, and say so', () => {
    const first = file('final.xml', ['mapreduce.job.reduces', '3', true], ['b', '1']);
    const second = file('later.xml', ['mapred.reduce.tasks', '5'], ['b', '2'], ['c', '3']);
    const found = settingsOfFiles([first, second], (name) => name === 'c');
    assert.deepEqual(pairsOf(found), ['mapreduce.job.reduces=3', 'b=1', 'b=2']);
    assert.deepEqual(found.notes, [
      `${second}: mapred.reduce.tasks does not count: it is final in ${first}`,
      `${second}: c does not count: it is final in the cluster’s settings`,
    ]);
  });

  it('are refused where they are none', () => {
    refused(() => settingsOfFiles([join(folder, 'none.xml')], none), 2, /none\.xml: there is no such file or folder$/);
    refused(() => settingsOfFiles([folder], none), 2, /: is a folder, and no file$/);
    refused(() => settingsOfFiles(['hdfs://host/a.xml'], none), 2, /^hdfs:\/\/host\/a\.xml: is not a file of this machine$/);
    const broken = join(folder, 'broken.xml');
    writeFileSync(broken, '<configuration><property>');
    assert.throws(() => settingsOfFiles([broken], none), /broken\.xml/);
  });
});

describe('where a job goes', () => {
  const place = { url: 'http://127.0.0.1:8088', rpc: '127.0.0.1:18032' };
  const check = (name: string, value: string, at = place) => checkPlace([{ name, value, source: 'from command line' }], at);

  it('is the cluster, whose address may be said again', () => {
    for (const address of ['localhost:18032', '127.0.0.1:18032', '0.0.0.0:18032', '', '${yarn.resourcemanager.hostname}:1'])
      assert.deepEqual(check('yarn.resourcemanager.address', address), [], address);
    assert.deepEqual(check('yarn.resourcemanager.address', 'rm.example', { url: 'http://rm.example:80', rpc: '0.0.0.0:8032' }), []);
  });

  it('is no other cluster', () => {
    for (const address of ['localhost:8032', 'elsewhere:18032', 'x y'])
      refused(
        () => check('yarn.resourcemanager.address', address),
        3,
        /the job goes to the resource manager at http:\/\/127\.0\.0\.1:8088$/,
      );
  });

  it('is no process of its own, which is said', () => {
    assert.match(check('mapreduce.framework.name', 'local')[0] ?? '', /the job runs on the cluster all the same/);
    assert.deepEqual(check('mapreduce.framework.name', 'yarn'), []);
  });

  it('has its files in folders', () => {
    for (const own of ['file:///', 'file:/', 'local', '']) assert.deepEqual(check('fs.defaultFS', own), [], own);
    for (const name of ['fs.defaultFS', 'fs.default.name'])
      refused(() => check(name, 'hdfs://host:8020'), 3, /^fs\.defaultFS=hdfs:\/\/host:8020: /);
  });

  it('is judged by the last of several settings', () => {
    const settings = ['hdfs://host', 'file:///'].map((value) => ({ name: 'fs.defaultFS', value, source: 'x' }));
    assert.deepEqual(checkPlace(settings, place), []);
    refused(() => checkPlace(settings.toReversed(), place), 3, /hdfs/);
  });
});
