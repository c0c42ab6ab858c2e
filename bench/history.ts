// How long does the history server take to open a job with a hundred thousand attempts, and what memory does that cost?
// `HEDDLE_BENCH_ATTEMPTS` sets another number of attempts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { taskCounterGroup } from '../src/batch/counters/names.ts';
import { aJob, jobId, map, statusReport } from '../src/batch/test-support/a-job.ts';
import { createHistoryWriter } from '../src/wire/files/job-history.ts';
import { publishJob } from '../src/wire/files/job-publication.ts';
import { startProcesses } from '../test/support/processes.ts';
import { answered, type Measure, percentile, residentMiB } from './measure.ts';

const attempts = Number(process.env['HEDDLE_BENCH_ATTEMPTS'] ?? 100_000);
/** As many counters as a map of a usual job has. */
const counters = {
  [taskCounterGroup]: Object.fromEntries(
    [
      'MAP_INPUT_RECORDS',
      'MAP_OUTPUT_RECORDS',
      'MAP_OUTPUT_BYTES',
      'SPLIT_RAW_BYTES',
      'SPILLED_RECORDS',
      'CPU_MILLISECONDS',
      'GC_TIME_MILLIS',
    ].map((name, index) => [name, 1000 * (index + 1)]),
  ),
};

/** Publishes a job of so many maps, each of which ran once, as its master does. */
async function publish(folder: string): Promise<void> {
  const history = await createHistoryWriter(join(folder, 'written.jhist'));
  const { job, launch } = aJob({ maps: attempts, reduces: 0, ports: { history: (event) => history.write(event) } });
  for (let index = 0; index < attempts; index++) {
    const containerId = launch(map(index));
    job.attempts.done({ ...statusReport(map(index), 1, counters) });
    job.attempts.containerCompleted(containerId, 0, '');
    if (index % 1000 === 0) await history.flush();
  }
  await history.close();
  await publishJob({
    intermediateFolder: join(folder, 'intermediate'),
    index: {
      jobId,
      user: job.user,
      queue: job.queue,
      jobName: job.name,
      status: 'SUCCEEDED',
      submitTime: job.submitTimeMs,
      startTime: job.startTimeMs,
      finishTime: job.finishTimeMs,
      maps: attempts,
      reduces: 0,
    },
    historyPath: history.path,
    configurationXml: '<configuration/>',
  });
}

async function secondsOf(url: string): Promise<number> {
  const begin = performance.now();
  await answered('GET', url);
  return (performance.now() - begin) / 1000;
}

export async function history(): Promise<Measure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-history-'));
  try {
    await publish(folder);
    return await measured(join(folder, 'intermediate'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(intermediate: string): Promise<Measure[]> {
  await using server = await startProcesses({ mode: 'none', settings: { 'mapreduce.jobhistory.intermediate-done-dir': intermediate } });
  await server.start('history');
  const base = server.urls.history;
  const rest = `${base}/ws/v1/history/mapreduce/jobs`;
  const pid = server.pids.get('history') ?? 0;
  const listed = await secondsOf(rest);
  const before = residentMiB(pid);
  const opened = await secondsOf(`${rest}/${jobId}`);
  const again: number[] = [];
  for (let round = 0; round < 20; round++) again.push(1000 * (await secondsOf(`${base}/api/v1/jobs/${jobId}`)));
  const measures: Measure[] = [
    { name: `a list with a job of ${attempts} attempts`, value: listed, unit: 's' },
    { name: 'the job, opened for the first time', value: opened, unit: 's' },
    { name: 'the job again, p99', value: percentile(again, 0.99), unit: 'ms' },
    { name: 'its counters', value: await secondsOf(`${rest}/${jobId}/counters`), unit: 's' },
    { name: 'the first page of its tasks', value: await secondsOf(`${base}/api/v1/jobs/${jobId}/tasks`), unit: 's' },
    { name: 'all its tasks', value: await secondsOf(`${rest}/${jobId}/tasks`), unit: 's' },
  ];
  return [
    ...measures,
    { name: 'resident before', value: before, unit: 'MiB' },
    { name: 'resident after', value: residentMiB(pid), unit: 'MiB' },
  ];
}
