import assert from 'node:assert/strict';
import { constants } from 'node:perf_hooks';
import { it } from 'node:test';
import { ProcessWatch } from './process-watch.ts';

it('collections are counted by what they collect', () => {
  const watch = new ProcessWatch();
  const { minor, major } = watch;
  const before = [minor.count, major.count];
  watch.collected(2, constants.NODE_PERFORMANCE_GC_MINOR);
  watch.collected(30, constants.NODE_PERFORMANCE_GC_MAJOR);
  watch.collected(4, constants.NODE_PERFORMANCE_GC_INCREMENTAL);
  assert.deepEqual([minor.count, major.count], [before[0]! + 1, before[1]! + 2]);
  assert.ok(minor.totalMs >= 2 && major.totalMs >= 34);
});

it('loads are parts of all processors, the process a part of the machine', () => {
  const watch = new ProcessWatch();
  for (const { process, machine } of [watch.load(), watch.load()]) for (const part of [process, machine]) assert.ok(part >= 0 && part <= 1);
});

it('every thread is in one state', () => {
  const watch = new ProcessWatch();
  const { ids, running, waiting, blocked } = watch.threads();
  assert.ok(ids.length >= 1 && running >= 1);
  assert.ok(running + waiting + blocked <= ids.length);
  assert.ok(watch.mostThreads >= 1);
});
