import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CounterLimitExceeded, Counters, sumCounters } from './counters.ts';
import { fileInputCounterGroup, fileSystemCounterGroup, jobCounterGroup, shuffleErrorGroup, taskCounterGroup } from './names.ts';

test('groups and counters are listed in the order of the framework', () => {
  const counters = new Counters();
  counters.increment(fileInputCounterGroup, 'BYTES_READ', 5);
  counters.increment('zoo', 'b', 1);
  counters.increment('zoo', 'a', 1);
  counters.increment(shuffleErrorGroup, 'IO_ERROR', 0);
  counters.increment(taskCounterGroup, 'SPILLED_RECORDS', 2);
  counters.increment(taskCounterGroup, 'MAP_INPUT_RECORDS', 1);
  counters.increment(jobCounterGroup, 'TOTAL_LAUNCHED_MAPS', 1);
  counters.increment(fileSystemCounterGroup, 'HDFS_BYTES_READ', 1);
  counters.increment(fileSystemCounterGroup, 'FILE_WRITE_OPS', 1);
  counters.increment(fileSystemCounterGroup, 'FILE_BYTES_READ', 1);
  assert.deepEqual(
    counters.groups().map((group) => [group.name, group.counters.map((counter) => counter.name)]),
    [
      [fileSystemCounterGroup, ['FILE_BYTES_READ', 'FILE_WRITE_OPS', 'HDFS_BYTES_READ']],
      [jobCounterGroup, ['TOTAL_LAUNCHED_MAPS']],
      [taskCounterGroup, ['MAP_INPUT_RECORDS', 'SPILLED_RECORDS']],
      [shuffleErrorGroup, ['IO_ERROR']],
      [fileInputCounterGroup, ['BYTES_READ']],
      ['zoo', ['a', 'b']],
    ],
  );
  assert.equal(counters.groups()[0]!.counters[0]!.displayName, 'FILE: Number of bytes read');
  assert.equal(counters.groups()[1]!.displayName, 'Job Counters ');
});

test('sums add, peaks take the larger value, old group names become the new ones', () => {
  const sum = sumCounters([
    new Counters({ 'org.apache.hadoop.mapred.Task$Counter': { MAP_INPUT_RECORDS: 2, MAP_PHYSICAL_MEMORY_BYTES_MAX: 10 } }),
    new Counters({ [taskCounterGroup]: { MAP_INPUT_RECORDS: 3, MAP_PHYSICAL_MEMORY_BYTES_MAX: 7 } }),
  ]);
  assert.equal(sum.get(taskCounterGroup, 'MAP_INPUT_RECORDS'), 5);
  assert.equal(sum.get(taskCounterGroup, 'MAP_PHYSICAL_MEMORY_BYTES_MAX'), 10);
});

test('names are cut and numbers of counters and groups are limited as configured', () => {
  const counters = new Counters(undefined, { counters: 2, groups: 2, counterNameLength: 64, groupNameLength: 128 });
  counters.increment('g'.repeat(200), 'c'.repeat(100));
  assert.equal(counters.groups()[0]!.name.length, 127);
  assert.equal(counters.groups()[0]!.counters[0]!.name.length, 63);
  counters.increment('two', 'x');
  assert.throws(() => counters.increment('two', 'y'), new CounterLimitExceeded('Too many counters: 3 max=2'));
  assert.throws(() => counters.increment('three', 'y'), new CounterLimitExceeded('Too many counter groups: 3 max=2'));
  counters.increment(taskCounterGroup, 'MAP_INPUT_RECORDS');
});
