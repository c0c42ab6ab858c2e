// Small jobs inside their master: tasks run one after the other in this process, without containers of their own (Hadoop's uber mode, JobImpl.makeUberDecision).
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { createServer } from '../../lib/plain-http.ts';
import { processExitCode } from '../../model/exit-status.ts';
import { ShuffleService } from '../shuffle/shuffle-service.ts';
import type { StagedJob } from '../submission/staging.ts';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { runTask } from '../tasks/run-task.ts';
import type { Umbilical } from '../tasks/umbilical-client.ts';
import type { AssignedContainer, Attempt } from './attempt.ts';
import type { Job } from './job.ts';
import { jobRules } from './job-rules.ts';

const localBlockBytes = 33_554_432;
const defaultMasterMemoryMiB = 1536;
const longestEventsWaitMs = 20;

/** Whether the job is small enough to run in its master, and wants to. */
export function isUber({ settings, splits }: Pick<StagedJob, 'settings' | 'splits'>): boolean {
  if (!settings.boolean('mapreduce.job.ubertask.enable', false)) return false;
  const rules = jobRules(settings);
  const inputBytes = splits.reduce((sum, split) => sum + (split?.length ?? 0), 0);
  const memoryMiB = settings.integer('yarn.app.mapreduce.am.resource.mb', defaultMasterMemoryMiB);
  const vcores = settings.integer('yarn.app.mapreduce.am.resource.cpu-vcores', 1);
  const fits = (kind: 'MAP' | 'REDUCE', count: number) =>
    count === 0 || (rules.memoryMiB[kind] <= memoryMiB && rules.vcores[kind] <= vcores);
  return (
    splits.length <= settings.integer('mapreduce.job.ubertask.maxmaps', 9) &&
    rules.reduces <= Math.min(1, settings.integer('mapreduce.job.ubertask.maxreduces', 1)) &&
    inputBytes <= settings.bytes('mapreduce.job.ubertask.maxbytes', localBlockBytes) &&
    fits('MAP', splits.length) &&
    fits('REDUCE', rules.reduces)
  );
}

/** A job's settings with what uber mode changes: one attempt, no speculation, reduces after all maps. */
export function uberSettings(settings: JobConfiguration): JobConfiguration {
  return new JobConfiguration([
    ...settings.entries(),
    ['mapreduce.map.maxattempts', '1'],
    ['mapreduce.reduce.maxattempts', '1'],
    ['mapreduce.map.speculative', 'false'],
    ['mapreduce.reduce.speculative', 'false'],
    ['mapreduce.job.reduce.slowstart.completedmaps', '1.0'],
  ]);
}

export interface UberRunnerOptions {
  readonly job: () => Job;
  readonly token: Buffer;
  readonly container: AssignedContainer;
  /** The application's folder on a local disk. */
  readonly localFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Runs a change of the job. */
  readonly guarded: (change: () => void) => void;
}

/** Runs attempts one after the other in this process. */
export class UberRunner {
  readonly #options: UberRunnerOptions;
  readonly #shuffle: ShuffleService;
  readonly #server: Server;
  #queue: string[] = [];
  #running: { attemptId: string; abort: AbortController } | undefined;

  constructor(options: UberRunnerOptions) {
    this.#options = options;
    const { localFolder, clock, logger } = options;
    this.#shuffle = new ShuffleService({
      applicationFolders: () => [localFolder],
      stateFolder: join(localFolder, 'uber-shuffle'),
      clock,
      logger,
    });
    this.#server = createServer((request, response) => this.#shuffle.handle(request, response, request.url ?? '/'));
  }

  /** Serves map outputs to reduces of this process; answers the address. */
  async start(applicationId: string, user: string): Promise<string> {
    this.#shuffle.start();
    this.#shuffle.initializeApplication(applicationId, user, this.#options.token);
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#server.unref();
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Runs an attempt once those before it have ended. */
  run(attempt: Attempt): void {
    attempt.expected = this.#options.container;
    this.#queue.push(attempt.id);
    setImmediate(() => this.#next());
  }
  cancel(attemptId: string): void {
    this.#queue = this.#queue.filter((one) => one !== attemptId);
  }
  /** Ends the attempt that runs. */
  stop(): void {
    this.#running?.abort.abort(new Error('the attempt is to end'));
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const { job, container, guarded } = this.#options;
    const attemptId = this.#takeTurn(job());
    if (attemptId === undefined) return;
    if (!job().attempts.allocated(attemptId, container)) return this.#next();
    const abort = new AbortController();
    this.#running = { attemptId, abort };
    void this.#runOne(abort.signal).then((code) => {
      this.#running = undefined;
      guarded(() => job().attempts.containerCompleted(container.containerId, code, ''));
      this.#next();
    });
  }

  /** Takes the attempt out of the queue whose turn it is: a reduce only when no map is left whose output it would wait for. */
  #takeTurn(job: Job): string | undefined {
    const mapsAreDone = job.ofKind('MAP').every((task) => task.ended);
    const at = this.#queue.findIndex((attemptId) => mapsAreDone || job.attempt(attemptId)?.kind === 'MAP');
    return at < 0 ? undefined : this.#queue.splice(at, 1)[0];
  }

  /** Answers what stands for the exit code of the task's process. */
  async #runOne(signal: AbortSignal): Promise<number> {
    const { job, container, token, clock, localFolder, logger } = this.#options;
    try {
      const assignment = job().attempts.assignment(container.containerId);
      if (assignment === undefined) return 0;
      const succeeded = await runTask({
        jobId: job().id,
        assignment,
        umbilical: directUmbilical(job()),
        token,
        clock,
        localFolder,
        localFolders: [localFolder],
        signal,
      });
      return succeeded ? 0 : 1;
    } catch (error) {
      logger.info({ error, attempt: this.#running?.attemptId }, 'an attempt in the master ended early');
      return processExitCode.terminated;
    }
  }
}

/** The master spoken to without a wire. */
function directUmbilical(job: Job): Umbilical {
  const known = (value: boolean) => Promise.resolve({ known: value });
  return {
    task: () => Promise.reject(new Error('tasks in the master have their assignment')),
    status: (report) => known(job.attempts.status(report)),
    commitPending: (report) => known(job.attempts.commitPending(report)),
    canCommit: async (attemptId) => {
      const permitted = job.attempts.mayCommit(attemptId);
      return { known: permitted !== undefined, permitted: permitted ?? false };
    },
    done: (report) => known(job.attempts.done(report)),
    // Here nothing stands between a task and its master that would say that it was an error.
    failed: (report) => known(job.attempts.failed({ ...report, diagnostic: report.diagnostic.replace(/^Error: /, '') })),
    events: async ({ attemptId, from }) => {
      if (job.attempts.mapEvents.length <= from) await new Promise((wake) => setTimeout(wake, longestEventsWaitMs));
      return { known: job.attempt(attemptId)?.state === 'RUNNING', events: job.attempts.mapEvents.slice(from) };
    },
  };
}
