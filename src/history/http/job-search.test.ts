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
