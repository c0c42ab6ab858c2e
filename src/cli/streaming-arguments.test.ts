import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CommandFailure } from './failure.ts';
import { checkFiles } from './files.ts';
import { streamingArguments } from './streaming-arguments.ts';

const unchecked = () => undefined;
const of = (...args: string[]) => streamingArguments(['batch', 'streaming', ...args], unchecked).slice(2);

describe('options of hadoop-streaming', () => {
  it('are said in the command’s own', () => {
    assert.deepEqual(
      of(
        ...['-D', 'a=b', '-Dc=d', '-files', 'x.py,y.py#z', '-archives', 'lib.zip', '-input', 'in1', '-input', 'in2', '-output', 'out'],
        ...['-mapper', 'x.py -v', '-reducer', 'aggregate', '-combiner', 'cat', '-numReduceTasks', '3', '-cmdenv', 'A=1', '-cmdenv', 'B=2'],
        ...['-inputformat', 'KeyValueTextInputFormat', '-partitioner', 'p.Q', '-background', '--data', '/d'],
      ),
      [
        ...['in1,in2', 'out', 'x.py -v', 'aggregate', '--combiner', 'cat', '-D', 'a=b', '-D', 'c=d', '-D', 'mapreduce.job.reduces=3'],
        ...['-D', 'mapred.partitioner.class=p.Q', '-D', 'mapred.input.format.class=org.apache.hadoop.mapred.KeyValueTextInputFormat'],
        ...['-D', 'stream.addenvironment=A=1 B=2', '--file', 'x.py', '--file', 'y.py#z', '--file', 'lib.zip#lib.zip/'],
        ...['--detach', '--data', '/d'],
      ],
    );
  });

  it('name files with settings, the file system and the cluster', () => {
    assert.deepEqual(
      of(
        '-conf',
        'a.xml',
        '-D',
        'a=b',
        '-conf',
        'b.xml',
        '-fs',
        'file:///',
        '-jt',
        'local',
        '-jt',
        'host:8032',
        '-input',
        'a',
        '-output',
        'b',
      ),
      [
        ...['a', 'b', '', '', '--job-conf', 'a.xml', '--job-conf', 'b.xml', '-D', 'a=b', '-D', 'fs.defaultFS=file:///'],
        ...['-D', 'mapreduce.framework.name=local', '-D', 'yarn.resourcemanager.address=host:8032'],
      ],
    );
  });

  it('count over settings, and the first of several that can be said once', () => {
    const twice = [
      ...['-input', 'a', '-output', 'b', '-output', 'c', '-mapper', 'cat', '-mapper', 'head', '-reducer', 'wc', '-reducer', 'tac'],
      ...['-numReduceTasks', '2', '-D', 'mapreduce.job.reduces=4', '-numReduceTasks', '3', '-io', 'text', '-io', 'rawbytes'],
      ...['-inputformat', 'NLineInputFormat', '-inputformat', 'KeyValueTextInputFormat', '-input', 'd'],
    ];
    assert.deepEqual(of(...twice), [
      ...['a,d', 'b', 'cat', 'wc', '-D', 'mapreduce.job.reduces=4', '-D', 'mapreduce.job.reduces=2'],
      ...['map.input', 'map.output', 'reduce.input', 'reduce.output'].flatMap((end) => ['-D', `stream.${end}=text`]),
      ...['-D', 'mapred.input.format.class=org.apache.hadoop.mapred.lib.NLineInputFormat'],
    ]);
  });

  it('leave the command’s own as they are', () => {
    const own = ['in', 'out', 'cat', 'NONE', '-D', 'a=b', '--file', 'x'];
    assert.deepEqual(of(...own), own);
    assert.deepEqual(streamingArguments(['batch', 'wordcount', '-input', 'x'], unchecked), ['batch', 'wordcount', '-input', 'x']);
  });

  it('let records through where there is no mapper or reducer', () => {
    assert.deepEqual(of('-input', 'a', '-output', 'b', '-mapper', 'org.apache.hadoop.mapred.lib.IdentityMapper'), ['a', 'b', '', '']);
  });

  it('name classes of Hadoop’s libraries by their short names, and files made late by two settings', () => {
    const settings = (...args: string[]) => of('-input', 'a', '-output', 'b', ...args).filter((word) => word.includes('='));
    const lazy = 'mapred.output.format.class=org.apache.hadoop.mapred.lib.LazyOutputFormat';
    assert.deepEqual(settings('-inputformat', 'CombineTextInputFormat', '-outputformat', 'TextOutputFormat'), [
      'mapred.input.format.class=org.apache.hadoop.mapred.lib.CombineTextInputFormat',
      'mapred.output.format.class=org.apache.hadoop.mapred.TextOutputFormat',
    ]);
    assert.deepEqual(settings('-lazyOutput'), [
      lazy,
      'mapreduce.output.lazyoutputformat.outputformat=org.apache.hadoop.mapred.TextOutputFormat',
    ]);
    assert.deepEqual(settings('-lazyOutput', '-outputformat', 'x.Y'), [lazy, 'mapreduce.output.lazyoutputformat.outputformat=x.Y']);
  });

  it('name the form of records at all four ends, and a record reader with its settings', () => {
    const settings = (...args: string[]) => of('-input', 'a', '-output', 'b', ...args).filter((word) => word.includes('='));
    assert.deepEqual(
      settings('-io', 'RawBytes'),
      ['map.input', 'map.output', 'reduce.input', 'reduce.output'].map((end) => `stream.${end}=rawbytes`),
    );
    const reader = [
      'stream.recordreader.class=org.apache.hadoop.streaming.StreamXmlRecordReader',
      'stream.recordreader.begin=<a b="1">',
      'stream.recordreader.end=',
    ];
    const byReader = ['mapred.input.format.class=org.apache.hadoop.streaming.StreamInputFormat', ...reader];
    const given = 'StreamXmlRecordReader,begin=<a b="1">,end';
    assert.deepEqual(settings('-inputreader', given), byReader);
    assert.deepEqual(settings('-inputreader', `org.apache.hadoop.streaming.${given}`, '-inputformat', 'KeyValueTextInputFormat'), byReader);
    assert.deepEqual(settings('-inputreader', given, '-inputformat', 'TextInputFormat'), [
      'mapred.input.format.class=org.apache.hadoop.mapred.TextInputFormat',
      ...reader,
    ]);
  });

  it('bring files that are refused as they were asked for', () => {
    const here = import.meta.filename;
    const refused = (files: readonly string[], message: string) =>
      assert.throws(
        () => streamingArguments(['batch', 'streaming', '-input', 'a', '-output', 'b', ...files], checkFiles),
        (error) => error instanceof CommandFailure && error.message === message,
      );
    refused(['-files', `${here},none.py`], '-files none.py: there is no such file');
    refused(['-file', here, '-files', here], `-files ${here}: there are two files ${here.split('/').pop()}`);
    refused(['-archives', 'none.zip'], '-archives none.zip: there is no such file');
    refused(['-cacheArchive', import.meta.dirname], `-cacheArchive ${import.meta.dirname}: is not a file`);
    const away = `file:${join(import.meta.dirname, 'none')}#x`;
    refused(['-cacheFile', away], `-cacheFile ${away}: there is no such file here`);
  });

  it('are refused in Hadoop’s words', () => {
    const refused = (args: string[], message: RegExp) =>
      assert.throws(
        () => of(...args),
        (error) => error instanceof CommandFailure && message.test(error.message),
      );
    refused(['-output', 'b'], /^Required argument: -input <name>$/);
    refused(['-input', 'a'], /^Required argument: -output /);
    refused(['-input', 'a', '-output', 'b', 'c', '-x'], /^Found 2 unexpected arguments on the command line \[c, -x\]$/);
    refused(['-input'], /^Missing argument for option: input$/);
    refused(['-input', 'a', '-mapper', 'org.apache.hadoop.mapred.lib.TokenCountMapper'], /no Java runs in tasks$/);
    refused(['-input', 'a', '-libjars', 'x.jar'], /is not taken$/);
    refused(['-input', 'a', '-cmdenv', 'A'], /not NAME=VALUE$/);
  });
});
