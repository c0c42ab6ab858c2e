// A history server for tests, with a resource manager that says what a test wants.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import type { RunningRole } from '../../lib/role.ts';
import { writeJobConfiguration } from '../../wire/files/job-configuration.ts';
import { createHistoryWriter, type HistoryEvent, type JhCounters } from '../../wire/files/job-history.ts';
import { configurationFileName, historyFileName, type JobIndex, summaryFileName } from '../../wire/files/job-history-names.ts';
import { start } from '../server.ts';

/** Files that Hadoop wrote, and what it answered about them. */
export const recorded = new URL('../../../test/compatibility/files/', import.meta.url);

/** Path of the list of jobs. */
export const jobs = '/ws/v1/history/mapreduce/jobs';

/** An answer, read. */
export interface Received {
  readonly status: number;
  readonly body: string;
  readonly type: string | null;
  readonly location: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  json(): any;
}

const counters = (value: number, name = 'COUNTERS'): JhCounters => ({
  name,
  groups: [
    {
      name: 'org.apache.hadoop.mapreduce.TaskCounter',
      displayName: 'Map-Reduce Framework',
      counts: [{ name: 'MAP_INPUT_RECORDS', displayName: 'Map input records', value }],
    },
  ],
});

/** A history server with folders of its own. */
export class HistoryFixture {
  readonly data = mkdtempSync(join(tmpdir(), 'history-server-'));
  readonly intermediate = join(this.data, 'intermediate');
  readonly done = join(this.data, 'done');
  readonly logs = join(this.data, 'logs');
  /** What the resource manager says, by path below /ws/v1/cluster/apps/. */
  readonly cluster: Record<string, unknown> = {};
  readonly #resourceManager = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname.replace('/ws/v1/cluster/apps/', '');
    response
      .writeHead(this.cluster[path] ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(this.cluster[path] ?? {}));
  });
  #role: RunningRole | undefined;

  get web(): string {
    return this.#role!.addresses['web']!;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#resourceManager.listen(0, '127.0.0.1', resolve));
    this.#role = await this.startAnother();
  }

  async close(): Promise<void> {
    await this.#role?.close();
    this.#resourceManager.close();
    rmSync(this.data, { recursive: true });
  }

  /** Another server on the same folders, with settings of its own; the caller closes it. */
  startAnother(set: Record<string, string> = {}): Promise<RunningRole> {
    const configuration = loadConfiguration({
      dataDir: this.data,
      set: {
        'mapreduce.jobhistory.webapp.address': '127.0.0.1:0',
        'mapreduce.jobhistory.address': '127.0.0.1:0',
        'mapreduce.jobhistory.admin.address': '127.0.0.1:0',
        'mapreduce.jobhistory.intermediate-done-dir': this.intermediate,
        'mapreduce.jobhistory.done-dir': this.done,
        'yarn.nodemanager.remote-app-log-dir': this.logs,
        'yarn.resourcemanager.webapp.address': `127.0.0.1:${(this.#resourceManager.address() as AddressInfo).port}`,
        ...set,
      },
    });
    return start(configuration, { logger: silentLogger, clock: systemClock, random: systemRandom });
  }

  async get(path: string, headers: Record<string, string> = {}, base = this.web): Promise<Received> {
    const answer = await fetch(`${base}${path}`, { headers, redirect: 'manual' });
    const body = await answer.text();
    return {
      status: answer.status,
      body,
      type: answer.headers.get('content-type'),
      location: answer.headers.get('location'),
      json: () => JSON.parse(body),
    };
  }

  /** Status and message of a refusal. */
  async message(path: string): Promise<[number, string]> {
    const answer = await this.get(path);
    assert.ok(answer.status >= 400);
    return [answer.status, answer.json().RemoteException.message];
  }

  /** Publishes a job as a master does, with one map unless told. */
  async publish(number: number, more: Partial<JobIndex> & { acls?: Record<string, string>; tasks?: number } = {}): Promise<JobIndex> {
    const digits = String(number).padStart(4, '0');
    const index: JobIndex = {
      jobId: `job_1700000000000_${digits}`,
      submitTime: 1000,
      user: 'ann',
      jobName: 'a job',
      finishTime: 1_700_000_009_000,
      maps: 1,
      reduces: 0,
      status: 'SUCCEEDED',
      queue: 'root.default',
      startTime: 2000,
      ...more,
    };
    const { jobId } = index;
    const events: HistoryEvent[] = [
      {
        type: 'AM_STARTED',
        event: {
          applicationAttemptId: `appattempt_1700000000000_${digits}_000001`,
          startTime: 1500,
          containerId: `container_1700000000000_${digits}_01_000001`,
          nodeManagerHost: 'node',
          nodeManagerPort: 45454,
          nodeManagerHttpPort: 8042,
        },
      },
      {
        type: 'JOB_SUBMITTED',
        event: {
          jobid: jobId,
          jobName: index.jobName,
          userName: index.user,
          submitTime: 1000,
          jobConfPath: '/x',
          acls: more.acls ?? {},
          jobQueueName: 'default',
        },
      },
      { type: 'JOB_QUEUE_CHANGED', event: { jobid: jobId, jobQueueName: index.queue } },
      {
        type: 'JOB_INITED',
        event: { jobid: jobId, launchTime: 2000, totalMaps: 1, totalReduces: 0, jobStatus: 'INITED', uberized: false },
      },
      ...Array.from({ length: more.tasks ?? 1 }, (_, at) => eventsOfMap(digits, at)).flat(),
      {
        type: 'JOB_FINISHED',
        event: {
          jobid: jobId,
          finishTime: index.finishTime,
          finishedMaps: 1,
          finishedReduces: 0,
          failedMaps: 0,
          failedReduces: 0,
          killedMaps: 0,
          killedReduces: 0,
          totalCounters: counters(3, 'TOTAL_COUNTERS'),
          mapCounters: counters(3),
          reduceCounters: { name: 'REDUCE_COUNTERS', groups: [] },
        },
      },
    ];
    const folder = join(this.intermediate, index.user);
    mkdirSync(folder, { recursive: true });
    const target = join(folder, historyFileName(index));
    const writer = await createHistoryWriter(`${target}_tmp`);
    for (const event of events) writer.write(event);
    await writer.close();
    writeFileSync(join(folder, summaryFileName(jobId)), Buffer.from('\0\x07jobId=1'));
    writeFileSync(
      join(folder, configurationFileName(jobId)),
      writeJobConfiguration([
        { name: 'a', value: '1' },
        { name: 'case.secret', value: 'x' },
        { name: 'mapreduce.job.redacted-properties', value: 'case.secret' },
      ]),
    );
    renameSync(`${target}_tmp`, target);
    return index;
  }
}

/** What a map that ran once leaves in the history. */
function eventsOfMap(job: string, at: number): HistoryEvent[] {
  const part = `1700000000000_${job}_m_${String(at).padStart(6, '0')}`;
  const [taskid, attemptId] = [`task_${part}`, `attempt_${part}_0`];
  const end = { clockSplits: [], cpuUsages: [], vMemKbytes: [], physMemKbytes: [] };
  return [
    { type: 'TASK_STARTED', event: { taskid, taskType: 'MAP', startTime: 2100, splitLocations: '' } },
    {
      type: 'MAP_ATTEMPT_STARTED',
      event: {
        taskid,
        taskType: 'MAP',
        attemptId,
        startTime: 2200,
        trackerName: 'node',
        httpPort: 8042,
        shufflePort: 13562,
        containerId: `container_1700000000000_${job}_01_000002`,
      },
    },
    {
      type: 'MAP_ATTEMPT_FINISHED',
      event: {
        taskid,
        attemptId,
        taskType: 'MAP',
        taskStatus: 'SUCCEEDED',
        mapFinishTime: 3000,
        finishTime: 3200,
        hostname: 'node',
        port: 45454,
        rackname: '/default-rack',
        state: 'map',
        counters: counters(3),
        ...end,
      },
    },
    {
      type: 'TASK_FINISHED',
      event: { taskid, taskType: 'MAP', finishTime: 3200, status: 'SUCCEEDED', counters: counters(3), successfulAttemptId: attemptId },
    },
  ];
}
