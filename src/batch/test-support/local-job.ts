// Runs a whole job inside one process, without a cluster: every map, then every reduce. There is no retry.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { Counters, sumCounters } from '../counters/counters.ts';
import { ShuffleService } from '../shuffle/shuffle-service.ts';
import type { InputSplit } from '../tasks/input/input-split.ts';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { committerOf, runTask } from '../tasks/run-task.ts';
import { formatAttemptId, formatTaskId } from '../tasks/task-ids.ts';
import type { FailureReport, MapEvent, StatusReport, TaskKind } from '../tasks/umbilical.ts';
import type { Umbilical } from '../tasks/umbilical-client.ts';

export interface LocalJobResult {
  readonly counters: Counters;
  readonly finals: readonly StatusReport[];
  readonly failures: readonly FailureReport[];
  /** Lines of all output files, in the order of the files. */
  readonly output: readonly string[];
}

/** Runs the job in `folder` (scratch space) and answers what came of it. */
export async function runLocalJob(options: {
  folder: string;
  configuration: Record<string, string>;
  splits: readonly (InputSplit | undefined)[];
  reduces: number;
  onFailed?: (diagnostic: string) => void;
  /** Hears what tasks report while they run. */
  onStatus?: (report: StatusReport) => void;
}): Promise<LocalJobResult> {
  const { folder, splits, reduces } = options;
  const jobId = 'job_1700000000000_0001';
  const applicationId = 'application_1700000000000_0001';
  const configuration: Record<string, string> = {
    ...options.configuration,
    'mapreduce.job.maps': String(splits.length),
    'mapreduce.job.reduces': String(reduces),
  };
  const token = randomBytes(32);
  const applicationFolder = join(folder, 'usercache/someone/appcache', applicationId);
  const shuffle = new ShuffleService({
    applicationFolders: () => [applicationFolder],
    stateFolder: join(folder, 'shuffle'),
    clock: systemClock,
    logger: silentLogger,
  });
  shuffle.start();
  const server = createServer((request, response) => shuffle.handle(request, response, request.url!));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  shuffle.initializeApplication(applicationId, 'someone', token);
  const finals: StatusReport[] = [];
  const failures: FailureReport[] = [];
  const events: MapEvent[] = [];
  const umbilical: Umbilical = {
    task: async () => undefined,
    status: async (report) => {
      options.onStatus?.(report);
      return { known: true };
    },
    commitPending: async () => ({ known: true }),
    canCommit: async () => ({ known: true, permitted: true }),
    done: async (report) => {
      finals.push(report);
      return { known: true };
    },
    failed: async (report) => {
      failures.push(report);
      return { known: true };
    },
    events: async ({ from }) => {
      if (from >= events.length) await new Promise((wake) => setTimeout(wake, 10));
      return { known: true, events: events.slice(from) };
    },
  };
  const committer = committerOf(new JobConfiguration(configuration), 1);
  committer.setupJob();
  const run = async (kind: TaskKind, index: number, split: InputSplit | undefined) => {
    const attemptId = formatAttemptId(formatTaskId(jobId, kind, index), 0);
    const succeeded = await runTask({
      ...(options.onFailed ? { onFailed: options.onFailed } : {}),
      jobId,
      assignment: { attemptId, kind, index, generation: 1, maps: splits.length, reduces, split, configuration, user: 'someone' },
      umbilical,
      token,
      clock: systemClock,
      localFolder: applicationFolder,
    });
    if (kind === 'MAP' && succeeded) events.push({ attemptId, status: 'SUCCEEDED', shuffleUrl: `http://127.0.0.1:${port}` });
    return succeeded;
  };
  try {
    for (const [index, split] of splits.entries())
      if (!(await run('MAP', index, split))) return { counters: new Counters(), finals, failures, output: [] };
    await Promise.all(Array.from({ length: reduces }, (_, index) => run('REDUCE', index, undefined)));
    await committer.commitJob();
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const outputFolder = configuration['mapreduce.output.fileoutputformat.outputdir'];
  const files =
    outputFolder === undefined
      ? []
      : readdirSync(outputFolder)
          .filter((name) => name.startsWith('part-'))
          .sort();
  return {
    counters: sumCounters(finals.map((report) => new Counters(report.counters))),
    finals,
    failures,
    output: files.flatMap((name) => readFileSync(join(outputFolder!, name), 'utf8').split('\n').slice(0, -1)),
  };
}
