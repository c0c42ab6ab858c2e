import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aJob, map, reduce } from '../test-support/a-job.ts';

describe('limits of running attempts', () => {
  it('ask for no more maps than may run, and for the next when one has ended', () => {
    const { asked, finish, fail } = aJob({ maps: 4, reduces: 0, settings: { 'mapreduce.job.running.map.limit': '2' } });
    assert.deepEqual(asked, [map(0), map(1)]);
    finish(map(0));
    assert.deepEqual(asked, [map(0), map(1), map(2)]);
    fail(map(1));
    assert.deepEqual(asked, [map(0), map(1), map(2), map(3)], 'the retry waits behind those that came before');
    finish(map(2));
    assert.equal(asked.at(-1), map(1, 1));
  });

  it('hold for reduces by themselves', () => {
    const { asked, finish } = aJob({ maps: 1, reduces: 3, settings: { 'mapreduce.job.running.reduce.limit': '1' } });
    finish(map(0));
    assert.deepEqual(asked, [map(0), reduce(0)]);
    finish(reduce(0));
    finish(reduce(1));
    assert.deepEqual(asked.slice(1), [reduce(0), reduce(1), reduce(2)]);
  });

  it('let reduces be that copy, however long maps are held back and however little room there is', () => {
    for (const limit of ['1', '0']) {
      let free = 100_000;
      const { job, clock, finish, launch, asked } = aJob({
        maps: 4,
        reduces: 2,
        settings: { 'mapreduce.job.running.map.limit': limit, 'mapreduce.job.reduce.slowstart.completedmaps': '0.05' },
        ports: { headroom: () => ({ memoryMiB: free, vcores: free }) },
      });
      finish(map(0));
      finish(map(1));
      if (limit === '1') launch(map(2));
      job.attempts.tick();
      assert.ok(asked.includes(reduce(0)), 'the reduce has its turn');
      launch(reduce(0));
      free = 0;
      clock.advance(10_000);
      job.attempts.tick();
      const state = job.tasks.flatMap(({ attempts }) => attempts).find(({ id }) => id === reduce(0))?.internalState;
      assert.equal(state, limit === '1' ? 'RUNNING' : 'KILL_CONTAINER_CLEANUP', `limit ${limit}`);
    }
  });

  it('leave room for as many maps as may run, and the rest to reduces', () => {
    for (const [limit, reducesAsked] of [
      ['1', 4],
      ['0', 2],
    ] as const) {
      const { job, asked, finish } = aJob({
        maps: 20,
        reduces: 10,
        settings: { 'mapreduce.job.running.map.limit': limit, 'mapreduce.job.reduce.slowstart.completedmaps': '0.5' },
        ports: { headroom: () => ({ memoryMiB: 5 * 1024, vcores: 5 }) },
      });
      for (let index = 0; index < 10; index++) finish(map(index));
      job.attempts.tick();
      assert.equal(asked.filter((id) => id.includes('_r_')).length, reducesAsked, `limit ${limit}`);
    }
  });

  it('ask for nothing more once the job is killed', () => {
    const { job, asked, cancelled } = aJob({ maps: 3, reduces: 0, settings: { 'mapreduce.job.running.map.limit': '1' } });
    job.killJob('enough');
    job.attempts.tick();
    assert.equal(job.finalState, 'KILLED');
    assert.deepEqual(asked, [map(0)]);
    assert.ok(cancelled.includes(map(0)));
  });
});
