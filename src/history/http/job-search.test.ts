import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Query } from '../../http/query.ts';
import { faultOf } from '../../lib/json-shape.ts';
import { finishedJobsPage } from '../../wire/batch/own-answers.ts';
import type { JobIndex } from '../../wire/files/job-history-names.ts';
import { jobOrders, jobsPage } from './job-search.ts';

const index = (number: number, more: Partial<JobIndex> = {}): JobIndex => ({
  jobId: `job_1700000000000_000${number}`,
  submitTime: 900,
  user: 'ann',
  jobName: `job ${number}`,
  finishTime: 5000 + (number % 3),
  maps: number,
  reduces: 0,
  status: 'SUCCEEDED',
  queue: 'root.default',
  startTime: 1000,
  ...more,
});
const all = [1, 2, 3, 4, 5, 6, 7].map((number) => index(number));
all.push(index(8, { jobName: 'Nightly Report', user: 'bob', status: 'FAILED', startTime: -1, submitTime: 0, maps: -1 }));
function page(query: string) {
  const found = jobsPage(all, new Query(query));
  assert.equal(faultOf(finishedJobsPage, found), undefined);
  return found;
}
const numbers = (query: string) => page(query).jobs.map(({ id }) => Number(id.slice(-1)));

describe('the search through finished jobs', () => {
  it('shows who finished last first, and in other orders every job once, page by page', () => {
    assert.deepEqual(numbers(''), [8, 5, 2, 7, 4, 1, 6, 3]);
    for (const sort of jobOrders) {
      const seen: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { jobs, total, next } = page(`sort=${sort}&limit=3&cursor=${cursor}`);
        assert.equal(total, 8);
        seen.push(...jobs.map(({ id }) => id));
        cursor = next;
      }
      assert.deepEqual(seen.toSorted(), all.map(({ jobId }) => jobId).toSorted(), sort);
      assert.deepEqual(
        seen,
        page(`sort=${sort}`).jobs.map(({ id }) => id),
      );
    }
    assert.deepEqual(numbers('sort=-maps&limit=2'), [7, 6]);
  });

  it('finds by a part of the name or the id beside the filters that lists of Hadoop have', () => {
    assert.deepEqual(numbers('name=REPORT'), [8]);
    assert.deepEqual(numbers('name=_0003'), [3]);
    assert.deepEqual(numbers('state=FAILED&user=bob'), [8]);
    assert.deepEqual([numbers('name=report&user=ann'), page('name=report&user=ann').total], [[], 0]);
  });

  it('tells what else could be chosen, with how many jobs each choice leaves, beside a search, too', () => {
    const facets = (query: string) => {
      const { states, users, queues } = page(`facets=true&limit=1&${query}`).facets!;
      const told = [states, users, queues].map(({ values, more }) => [
        values.map(({ name, count }) => `${name} ${count}`).join(', '),
        more,
      ]);
      return Object.fromEntries(['states', 'users', 'queues'].map((name, i) => [name, told[i]]));
    };
    assert.deepEqual(facets(''), {
      ...{ states: ['SUCCEEDED 7, FAILED 1', 0], users: ['ann 7, bob 1', 0], queues: ['root.default 8', 0] },
    });
    assert.deepEqual(facets('state=SUCCEEDED'), {
      ...{ states: ['SUCCEEDED 7, FAILED 1', 0], users: ['ann 7', 0], queues: ['root.default 7', 0] },
    });
    assert.deepEqual(facets('state=SUCCEEDED&user=bob'), {
      ...{ states: ['FAILED 1, SUCCEEDED 0', 0], users: ['ann 7, bob 0', 0], queues: ['', 0] },
    });
    assert.deepEqual(facets('name=report'), { states: ['FAILED 1', 0], users: ['bob 1', 0], queues: ['root.default 1', 0] });
    const many = Array.from({ length: 150 }, (_, i) => index(i, { user: `u${String(i).padStart(3, '0')}` }));
    const { users } = jobsPage(many, new Query('facets=true&user=u149')).facets!;
    assert.deepEqual([users.values.length, users.values.at(-1), users.more], [101, { name: 'u149', count: 1 }, 49]);
    assert.equal(page('').facets, undefined);
  });

  it('leaves out times that are not known', () => {
    const [job] = page('name=report').jobs;
    assert.deepEqual([job?.startTime, job?.submitTime, job?.finishTime, job?.maps], [undefined, undefined, 5002, 0]);
  });

  it('refuses orders and cursors that it does not have', () => {
    assert.throws(() => page('sort=size'), /sort must be one of finishTime, -finishTime/);
    assert.throws(() => page('cursor=job_1700000000000_0009'), /cursor is no job of this list/);
    assert.throws(() => page('user=ann&cursor=job_1700000000000_0008'), /cursor is no job of this list/);
    assert.throws(() => page('limit=0'), /limit value must be greater/);
  });
});
