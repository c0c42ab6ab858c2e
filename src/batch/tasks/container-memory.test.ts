// How much of a container's memory the buffers of its task may take.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerBytes, longestRecordBytes, sortBufferBytes, uncollectedMiB, youngPartMiB } from './container-memory.ts';
import { JobConfiguration } from './job-configuration.ts';

const mebibyte = 1048576;
const job = (settings: Record<string, string> = {}) => new JobConfiguration(settings);

test('a container has what its job asks for its kind of task, else a gibibyte', () => {
  const settings = job({ 'mapreduce.map.memory.mb': '512', 'mapreduce.reduce.memory.mb': '2048' });
  assert.deepEqual([containerBytes(settings, 'MAP'), containerBytes(settings, 'REDUCE')], [512 * mebibyte, 2048 * mebibyte]);
  for (const none of [job(), job({ 'mapreduce.map.memory.mb': '-1' })]) assert.equal(containerBytes(none, 'MAP'), 1024 * mebibyte);
});

test('buffers grow with the container, leave most of it to others, and are never nothing', () => {
  for (const memory of [1, 128, 256, 1024, 8192]) {
    const settings = job({ 'mapreduce.map.memory.mb': String(memory) });
    const bytes = sortBufferBytes(settings);
    assert.ok(bytes >= 4 * mebibyte, `${memory}: ${bytes}`);
    if (memory >= 256) assert.ok(128 * mebibyte + 2 * bytes < memory * mebibyte, `${memory}: ${bytes}`);
    assert.equal(longestRecordBytes(settings, 'MAP'), Math.floor((memory * mebibyte) / 8));
    const young = youngPartMiB(settings, 'MAP');
    assert.equal(young, memory < 1024 ? Math.max(1, memory / 64) | 0 : undefined);
    // What is collected, sorted, just made and not yet collected as garbage has room beside the runtime.
    if (memory >= 256)
      assert.ok(
        85 * mebibyte + 2 * bytes + (3 * (young ?? 32) + uncollectedMiB(settings, 'MAP')) * mebibyte < memory * mebibyte,
        `${memory}`,
      );
    const uncollected = uncollectedMiB(settings, 'MAP');
    assert.ok(
      Number.isInteger(uncollected) && uncollected >= 1 && uncollected <= Math.max(1, Math.min(128, memory / 8)),
      `${memory}: ${uncollected}`,
    );
  }
});

test('a map that says nothing of it collects what its container has, another as much as it says and no more than that', () => {
  const collected = (sortMiB: string, share: string) =>
    sortBufferBytes(job({ 'mapreduce.task.io.sort.mb': sortMiB, 'mapreduce.map.sort.spill.percent': share }));
  const most = sortBufferBytes(job());
  assert.ok(most > 300 * mebibyte, `${most}`);
  assert.equal(collected('100', '0.80'), most);
  assert.equal(collected('100', '0.5'), 50 * mebibyte);
  assert.equal(collected('99', '0.80'), 99 * 0.8 * mebibyte);
  assert.equal(collected('2047', '1'), most);
});
