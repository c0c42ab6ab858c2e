// Histories of jobs that their users made of nothing: files that are all hole take no room on a disk, nor memory or time of the history server.
import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { historyHeader } from '../../src/wire/files/job-history.ts';
import { historyFileName } from '../../src/wire/files/job-history-names.ts';
import type { ClusterProcesses } from '../support/processes.ts';
import { makeUser, otherUsersNeeded, send, startCluster } from './harness.ts';

const mebibyte = 2 ** 20;
/** By what they begin with: those that are read, and one that is too long for it. */
const beginnings: Readonly<Record<string, readonly [string, number]>> = {
  nothing: ['', 500 * mebibyte],
  'a version': ['Avro-Binary\n', 500 * mebibyte],
  'a version in text': ['Avro-Json\n', 500 * mebibyte],
  'events in bytes': [historyHeader('binary'), 500 * mebibyte],
  'events in text': [historyHeader('json'), 500 * mebibyte],
  'more than is read': [historyHeader('json'), 2 ** 42],
};

describe('a history that is mostly hole', { skip: otherUsersNeeded }, () => {
  let cluster: ClusterProcesses;
  let pid = 0;
  before(async () => {
    const staging = { 'mapreduce.jobhistory.move.interval-ms': '1000' };
    cluster = await startCluster({ settings: staging });
    pid = cluster.pids.get('up')!;
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  /** The most memory that the cluster has had, in MiB. */
  const mostMiB = (): number => Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

  it('fills no memory, and is answered in words; other jobs are listed meanwhile', async () => {
    using ann = makeUser('ann');
    const intermediate = /<name>mapreduce\.jobhistory\.intermediate-done-dir<\/name><value>([^<]*)</.exec(
      (await send(`${cluster.urls.history}/conf`)).body,
    )?.[1];
    assert.ok(intermediate, 'where histories are left');
    const folder = join(intermediate, ann.name);
    mkdirSync(folder, { recursive: true });
    chownSync(folder, ann.uid, ann.gid);
    const ids = Object.keys(beginnings).map((_, index) => `job_1700000000000_070${index}`);
    for (const [index, [text, bytes]] of Object.values(beginnings).entries()) {
      const named = { jobId: ids[index]!, user: ann.name, jobName: 'n', status: 'FAILED', queue: 'q', maps: 0, reduces: 0 };
      const path = join(folder, historyFileName({ ...named, submitTime: 1, startTime: 1, finishTime: 2 }));
      for (const [file, begin] of [
        [path, text],
        [join(folder, `${ids[index]}_conf.xml`), '<configuration>'],
        [join(folder, `${ids[index]}.summary`), ''],
      ] as const) {
        writeFileSync(file, begin);
        truncateSync(file, bytes);
        chownSync(file, ann.uid, ann.gid);
      }
    }
    const jobs = `${cluster.urls.history}/ws/v1/history/mapreduce/jobs`;
    assert.equal((await send(jobs)).status, 200);
    const before = mostMiB();
    const answers = await Promise.all(
      ids.flatMap((id) => ['', '/conf', '/counters', '/tasks'].map((part) => send(`${jobs}/${id}${part}`))).concat(send(jobs)),
    );
    for (const { status, body } of answers) assert.ok([200, 404, 503].includes(status), `${status} ${body.slice(0, 200)}`);
    assert.ok(
      answers.some(({ body }) => body.includes(`it has ${2 ** 42} bytes`)),
      answers.map(({ body }) => body.slice(0, 300)).join('\n'),
    );
    assert.ok(mostMiB() - before < 200, `${before} MiB before, ${mostMiB()} MiB then`);
    assert.match((await send(jobs)).body, /job_1700000000000_0700/);
  });
});
