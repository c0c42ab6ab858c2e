import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createEventEncoder, type HistoryEvent, historyHeader } from '../../wire/files/job-history.ts';
import { parseHistoryFileName } from '../../wire/files/job-history-names.ts';
import { readJobTotals } from './job-totals.ts';

const recorded = fileURLToPath(new URL('../../../test/compatibility/files/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'job-totals-'));
after(() => rmSync(folder, { recursive: true }));

function file(events: readonly HistoryEvent[], format: 'binary' | 'json' = 'binary'): string {
  const path = join(folder, 'x.jhist');
  writeFileSync(path, Buffer.concat([Buffer.from(historyHeader(format)), ...events.map(createEventEncoder(format))]));
  return path;
}
const submitted = (list: string): HistoryEvent => ({
  type: 'JOB_SUBMITTED',
  event: { jobid: 'job_1_1', jobName: 'n', userName: 'u', submitTime: 1, jobConfPath: '', acls: { view: list }, jobQueueName: 'q' },
});
const inited: HistoryEvent = {
  type: 'JOB_INITED',
  event: { jobid: 'job_1_1', launchTime: 1, totalMaps: 7, totalReduces: 3, jobStatus: 'INITED', uberized: false },
};

describe('the number of tasks of a job', () => {
  it("is that of Hadoop's history server for one job, also of jobs that failed or were killed", async () => {
    const names = readdirSync(recorded).filter((name) => name.endsWith('.jhist'));
    assert.equal(names.length, 3);
    for (const name of names) {
      const { jobId } = parseHistoryFileName(name)!;
      const { job } = JSON.parse(readFileSync(join(recorded, `${jobId}.answers.json`), 'utf8'))['/'];
      assert.deepEqual(await readJobTotals(join(recorded, name)), { maps: job.mapsTotal, reduces: job.reducesTotal }, name);
    }
  });

  it('is found behind a long submission in both formats, in half a file, and is not known where none is told', async () => {
    for (const format of ['binary', 'json'] as const)
      assert.deepEqual(await readJobTotals(file([submitted('u'.repeat(100_000)), inited], format)), { maps: 7, reduces: 3 });
    assert.equal(await readJobTotals(file([submitted('u'.repeat(600_000)), inited])), undefined);
    assert.equal(await readJobTotals(file([submitted('u')])), undefined);
    writeFileSync(join(folder, 'y'), 'no history');
    assert.equal(await readJobTotals(join(folder, 'y')), undefined);
    assert.equal(await readJobTotals(join(folder, 'absent')), undefined);
  });
});
