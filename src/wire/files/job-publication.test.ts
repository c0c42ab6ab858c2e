import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fromModifiedUtf8 } from './java-data.ts';
import type { JobIndex } from './job-history-names.ts';
import { publishJob } from './job-publication.ts';
import type { JobSummary } from './job-summary.ts';

const index: JobIndex = {
  jobId: 'job_1_0001',
  submitTime: 1,
  user: 'ann',
  jobName: 'a, b=c\\d',
  finishTime: 3,
  maps: 4,
  reduces: 5,
  status: 'SUCCEEDED',
  queue: 'root.default',
  startTime: 2,
};
const summary: JobSummary = {
  ...{
    jobId: 'job_1_0001',
    submitTime: 1,
    launchTime: 2,
    firstMapTaskLaunchTime: 2,
    firstReduceTaskLaunchTime: 0,
    finishTime: 3,
    resourcesPerMap: 1024,
    resourcesPerReduce: 1024,
  },
  ...{
    succeededMaps: 4,
    succeededReduces: 5,
    failedMaps: 1,
    failedReduces: 0,
    killedMaps: 1,
    killedReduces: 0,
    user: 'ann',
    queue: 'root.default',
    status: 'SUCCEEDED',
    mapSlotSeconds: 7,
    reduceSlotSeconds: 8,
    jobName: 'a, b=c\\d\nx',
  },
};

test('a job is published as three files that appear under their final names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'publication-'));
  try {
    writeFileSync(join(folder, 'history'), 'Avro-Binary');
    const publication = {
      intermediateFolder: join(folder, 'done'),
      index,
      historyPath: join(folder, 'history'),
      configurationXml: '<configuration/>',
      summary,
    };
    const path = await publishJob(publication);
    assert.equal(path, join(folder, 'done', 'ann', 'job_1_0001-1-ann-a%2C+b%3Dc%5Cd-3-4-5-SUCCEEDED-root.default-2.jhist'));
    assert.equal(await publishJob(publication), path, 'again');
    const names = readdirSync(join(folder, 'done', 'ann')).sort();
    assert.deepEqual(names, [path.slice(path.lastIndexOf('/') + 1), 'job_1_0001.summary', 'job_1_0001_conf.xml']);
    assert.deepEqual([statSync(join(folder, 'done', 'ann')).mode & 0o777, statSync(path).mode & 0o777], [0o770, 0o660]);
    const bytes = readFileSync(join(folder, 'done', 'ann', 'job_1_0001.summary'));
    assert.equal(bytes.readUInt16BE(0), bytes.length - 2);
    assert.equal(
      fromModifiedUtf8(bytes.subarray(2)),
      'jobId=job_1_0001,submitTime=1,launchTime=2,firstMapTaskLaunchTime=2,firstReduceTaskLaunchTime=0,finishTime=3,resourcesPerMap=1024,resourcesPerReduce=1024,numMaps=6,numReduces=5,succededMaps=4,succeededReduces=5,failedMaps=1,failedReduces=0,killedMaps=1,killedReduces=0,user=ann,queue=root.default,status=SUCCEEDED,mapSlotSeconds=7,reduceSlotSeconds=8,jobName=a\\, b\\=c\\\\d\\nx',
    );
    for (const user of ['..', 'a/b', '']) await assert.rejects(publishJob({ ...publication, index: { ...index, user } }));
    await assert.rejects(publishJob({ ...publication, historyPath: join(folder, 'none') }));
    assert.equal(readdirSync(join(folder, 'done', 'ann')).length, 3);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
