// Joins the parts of a batch job's master: staged job, history, umbilical, web interface, resource manager.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { groupMapping } from '../../auth/groups.ts';
import { type MasterClient, newRegistrationId } from '../../client/master-client.ts';
import type { Service } from '../../http/service.ts';
import { Changes } from '../../lib/changes.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { applicationIdOfAttempt } from '../../model/ids.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';
import type { RegisterRequest } from '../../wire/cluster/master-protocol.ts';
import { ownProgram } from '../../wire/cluster/own-programs.ts';
import { createHistoryWriter, type HistoryEvent, type HistoryWriter, readHistory } from '../../wire/files/job-history.ts';
import { createMasterService } from '../http/service.ts';
import { encodeServiceData, shuffleService } from '../shuffle/protocol.ts';
import { cacheFiles } from '../submission/cache-files.ts';
import { readStagedJob, runningHistoryPath, type StagedJob, writingIn } from '../submission/staging.ts';
import { uncollectedMiB, youngPartMiB } from '../tasks/container-memory.ts';
import { taskVariables } from '../tasks/job-variables.ts';
import { committerOf } from '../tasks/run-task.ts';
import { jobIdOfApplication } from '../tasks/task-ids.ts';
import { CommitMarkers } from './commit-markers.ts';
import { ContainerRequests } from './container-requests.ts';
import { finishJob } from './finish.ts';
import { masterStarted } from './history-events.ts';
import { Job } from './job.ts';
import type { JobPorts } from './job-ports.ts';
import { type JobPublisher, openJobPublisher } from './job-publisher.ts';
import { startJob } from './job-start.ts';
import type { MasterGenerationView, TaskKind } from './job-view.ts';
import type { MasterEnvironment } from './master-environment.ts';
import { NodeAvoidance } from './node-avoidance.ts';
import { type Recovered, recover } from './recovery.ts';
import { shownConfiguration } from './shown-configuration.ts';
import { rememberedSkipping, rememberSkipping } from './skipping-file.ts';
import { Speculator } from './speculation.ts';
import type { SkippingState } from './task-skipping.ts';
import { isUber, UberRunner, uberSettings } from './uber.ts';
import { UmbilicalServer } from './umbilical-server.ts';

export interface MasterOptions {
  readonly environment: MasterEnvironment;
  readonly stagingFolder: string;
  readonly client: MasterClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Hears how who waits is answered and the web server closed, for a process that is to end before its job. */
  readonly serves?: (close: () => Promise<void>) => void;
}

const tickMs = 1000;
const labelSettings = { MAP: 'mapreduce.map.node-label-expression', REDUCE: 'mapreduce.reduce.node-label-expression' } as const;
/** What earlier masters left: their history, and what they knew of records that fail tasks. */
type Earlier = Recovered & { readonly skipping: ReadonlyMap<string, SkippingState> };
const nothingRecovered: Earlier = { masters: [], startTimeMs: undefined, tasks: new Map(), skipping: new Map() };

/** What earlier masters of the job left. */
async function recoverEarlier(staged: StagedJob, jobId: string, environment: MasterEnvironment, logger: Logger): Promise<Earlier> {
  for (let generation = environment.generation - 1; generation >= 1; generation--) {
    try {
      const found = recover(await readHistory(runningHistoryPath(staged.folder, jobId, generation)));
      if (found.masters.length === 0) continue;
      return staged.settings.boolean('yarn.app.mapreduce.am.job.recovery.enable', true)
        ? { ...found, skipping: rememberedSkipping(staged.folder) }
        : { ...nothingRecovered, ...found, tasks: new Map() };
    } catch (error) {
      logger.warn({ error, generation }, 'history of an earlier master cannot be read');
    }
  }
  return nothingRecovered;
}

/** Where a task's process is told everything it needs. */
function launchContext(job: { readonly id: string }, staged: StagedJob, umbilicalAddress: string, kind: TaskKind): LaunchContext {
  const youngMiB = youngPartMiB(staged.settings, kind);
  const runtimeOptions = [
    `--initial-old-space-size=${uncollectedMiB(staged.settings, kind)}`,
    ...(youngMiB === undefined ? [] : [`--max-semi-space-size=${youngMiB}`]),
  ];
  return {
    commands: [`exec ${ownProgram('batch/tasks/main', runtimeOptions)} 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr`],
    environment: {
      ...taskVariables(staged.settings, kind),
      HEDDLE_JOB_ID: job.id,
      HEDDLE_JOB_MASTER: umbilicalAddress,
      NODE_COMPILE_CACHE: join(staged.folder, '..', '.compile-cache'),
    },
    secretEnvironment: { HEDDLE_JOB_TOKEN: staged.token.toString('base64url') },
    localResources: cacheFiles(staged.settings),
    // Nodes without the shuffle can run what has nothing to fetch.
    serviceData: staged.settings.integer('mapreduce.job.reduces', 1) > 0 ? { [shuffleService]: encodeServiceData(staged.token) } : {},
  };
}

/** Where the events of a job go: its history, the timeline where the job asks for it, and who waits for a change. */
interface JobRecords {
  readonly history: HistoryWriter;
  readonly timeline: JobPublisher | undefined;
  readonly write: (event: HistoryEvent) => void;
  readonly changes: Changes;
  /** Tells of what is no event: progress, and the end once the resource manager knows it. */
  readonly changed: () => void;
}

async function openRecords(options: MasterOptions, staged: StagedJob, settings: StagedJob['settings'], jobId: string): Promise<JobRecords> {
  const history = await writingIn(staged.folder, () =>
    createHistoryWriter(runningHistoryPath(staged.folder, jobId, options.environment.generation), {
      format: settings.text('mapreduce.jobhistory.jhist.format', 'binary') === 'json' ? 'json' : 'binary',
    }),
  );
  const timeline = openJobPublisher(options, staged, settings, jobId);
  const changes = new Changes();
  const changed = () => changes.tell(jobId);
  const write = (event: HistoryEvent) => {
    history.write(event);
    timeline?.publish(event);
    changed();
  };
  return { history, timeline, write, changes, changed };
}

/** What the ports of a job lead to. The functions give parts that are made after the job, and that it asks for only once it has begun. */
interface PortTargets {
  readonly job: () => Job;
  readonly requests: () => ContainerRequests;
  readonly umbilical: () => UmbilicalServer;
  /** Present where tasks run inside the master; with the address of its shuffle service. */
  readonly uber: () => { readonly runner: UberRunner; readonly shuffleUrl: string } | undefined;
  readonly launch: (kind: TaskKind) => LaunchContext;
  readonly settings: StagedJob['settings'];
  readonly committer: ReturnType<typeof committerOf>;
  readonly markers: CommitMarkers;
  readonly write: (event: HistoryEvent) => void;
  readonly guarded: (change: () => void) => void;
  readonly ended: () => void;
  readonly rememberSkipping: JobPorts['rememberSkipping'];
  readonly nodeScheme: MasterEnvironment['nodeScheme'];
}

function jobPorts(targets: PortTargets): JobPorts {
  const { job, requests, umbilical, uber, launch, settings, committer, markers, write, guarded, ended, nodeScheme } = targets;
  /** Long work outside of the job's own changes: its result comes back as a call. */
  const later = (work: () => void | Promise<void>, done: (error?: Error) => void) =>
    setImmediate(() => {
      const outcome = Promise.try(work).then(
        () => undefined,
        (error: Error) => error,
      );
      void outcome.then((failure) => guarded(() => done(failure)));
    });
  return {
    history: write,
    ask(attempt, task) {
      const inside = uber();
      if (inside) return inside.runner.run(attempt);
      const { memoryMiB, vcores } = job().rules;
      requests().ask({
        askId: attempt.id,
        priority: attempt.priority,
        resource: { memoryMiB: memoryMiB[task.kind], vcores: vcores[task.kind] },
        count: 1,
        relaxLocality: true,
        labelExpression: settings.get(labelSettings[task.kind]) || undefined,
        launch: launch(task.kind),
      });
    },
    cancelAsk: (attemptId) => (uber()?.runner ?? requests()).cancel(attemptId),
    headroom: () => requests().headroom,
    stopContainer({ containerId }) {
      const inside = uber();
      if (inside) inside.runner.stop();
      else requests().release(containerId);
    },
    shuffleUrl: (attempt) => uber()?.shuffleUrl ?? `${nodeScheme}://${attempt.nodeHttpAddress}/api/v1/auxiliary/${shuffleService}`,
    setup: () =>
      later(
        () => committer.setupJob(),
        (error) => job().setupDone(error),
      ),
    commit: () =>
      later(
        () => markers.around(committer),
        (error) => job().commitDone(error),
      ),
    abort: () =>
      later(
        () => committer.abortJob(),
        () => job().abortDone(),
      ),
    attemptLost(attempt, how) {
      committer.abortTask(attempt.id);
      // A trial that met nothing bad says nothing against its node.
      if (how === 'FAILED' && !attempt.trialPassed && attempt.container !== undefined && uber() === undefined)
        requests().failedOn(attempt.container.nodeId);
    },
    rememberSkipping: targets.rememberSkipping,
    mapEvents: () => umbilical().changed(),
    ended,
  };
}

/** Runs the tasks of a small job inside the master; undefined for other jobs. */
async function startUber(
  { environment, clock, logger }: MasterOptions,
  staged: StagedJob,
  job: Job,
  guarded: (change: () => void) => void,
): Promise<{ readonly runner: UberRunner; readonly shuffleUrl: string } | undefined> {
  if (!isUber(staged)) return undefined;
  const { containerId, nodeId, nodeHttpAddress, localFolder, applicationId, user } = environment;
  const container = { containerId, nodeId, nodeHttpAddress, rack: '/default-rack' };
  const runner = new UberRunner({ job: () => job, token: staged.token, container, localFolder, clock, logger, guarded });
  return { runner, shuffleUrl: await runner.start(applicationId, user) };
}

/** Runs the job to its end; resolves when the resource manager knows it. */
export async function runMaster(options: MasterOptions): Promise<void> {
  const { environment, client, clock, logger } = options;
  const staged = readStagedJob(options.stagingFolder);
  const jobId = jobIdOfApplication(environment.applicationId);
  const { containerId, nodeId, nodeHttpAddress } = environment;
  const own: MasterGenerationView = { number: environment.generation, startTimeMs: clock.now(), containerId, nodeId, nodeHttpAddress };
  const earlier = environment.generation > 1 ? await recoverEarlier(staged, jobId, environment, logger) : nothingRecovered;
  const settings = isUber(staged) ? uberSettings(staged.settings) : staged.settings;
  const committer = committerOf(settings, environment.generation);
  const markers = new CommitMarkers(staged.folder);
  const { history, timeline, write, changes, changed } = await openRecords(options, staged, settings, jobId);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  /** Runs a change; a fault of the master's own ends the job in ERROR instead of the process. */
  const guarded = (change: () => void): void => {
    try {
      change();
    } catch (error) {
      logger.error({ error }, 'the job took an invalid turn');
      job.internalError(error as Error);
    }
  };
  const job: Job = new Job({
    id: jobId,
    applicationId: environment.applicationId,
    user: environment.user,
    submitTimeMs: environment.submitTimeMs,
    settings,
    configuration: shownConfiguration(staged).map((property) => ({ ...property, sources: property.sources ?? [] })),
    configurationPath: join(staged.folder, 'job.xml'),
    splits: staged.splits,
    generation: environment.generation,
    uberized: isUber(staged),
    masters: [...earlier.masters.map((master) => master.view), own],
    skipping: earlier.skipping,
    clock,
    ports: jobPorts({
      nodeScheme: environment.nodeScheme,
      job: () => job,
      requests: () => requests,
      umbilical: () => umbilical,
      uber: () => uber,
      launch: (kind) => launch[kind],
      settings,
      committer,
      markers,
      write,
      guarded,
      rememberSkipping: (taskId, state) => rememberSkipping(staged.folder, taskId, state),
      ended: end,
    }),
  });
  const uber = await startUber(options, staged, job, guarded);
  const wantsContainer = (container: string) => requests.mayCome(container);
  const umbilical = new UmbilicalServer({ job, token: staged.token, clock, logger, wantsContainer });
  const rpcPort = await umbilical.listen(environment.host);
  const launchOf = (kind: TaskKind) => launchContext(job, staged, `${environment.host}:${rpcPort}`, kind);
  const launch = { MAP: launchOf('MAP'), REDUCE: launchOf('REDUCE') };
  let proxyKey: string | undefined;
  const avoidance = new NodeAvoidance(settings);
  const { service, url: trackingUrl } = await startWeb(options, job, { settings, avoidance, changes }, () => proxyKey);
  options.serves?.(() => closeWeb(service, changes));
  const registration = { host: environment.host, rpcPort, trackingUrl };
  const leaving = new Leaving();
  const requests = createRequests(options, registration, { job, umbilical, avoidance, guarded, leaving });

  for (const master of earlier.masters) write(masterStarted(master.attemptId, master.view));
  write(masterStarted(environment.attemptId, own));
  job.init(earlier.startTimeMs ?? clock.now());
  const { queue, responseId, ...registered } = await client.register({ ...registration, registrationId: newRegistrationId() });
  proxyKey = registered.proxyKey;
  job.setQueue(queue);
  const stopTicking = tick(job, umbilical, clock, { guarded, progressed: changed });
  requests.run(responseId).catch((error: unknown) => {
    leaving.leave(1, () => logger.error({ error }, 'the resource manager refuses this master'));
  });
  startJob({ job, markers, committer, tasks: earlier.tasks });
  await ended;
  leaving.isEnding = true;
  stopTicking();
  const status = await finishJob({ job, staged, environment, client, history, logger, unregistered: changed });
  logger.info({ job: jobId, status }, 'the job is over');
  requests.stop();
  await timeline?.close(3000);
  rmSync(staged.folder, { recursive: true, force: true });
  uber?.runner.close();
  umbilical.close();
  await closeWeb(service, changes);
}

/**
 * Leaves where the resource manager does not want this master any more. A call for containers that is open when the end of the job is told is
 * answered so, too: then what is left to do is done all the same.
 */
class Leaving {
  isEnding = false;
  leave(exitCode: number, tell = () => {}): void {
    if (this.isEnding) return;
    tell();
    process.exit(exitCode);
  }
}

/** Answers who waits, and closes. */
async function closeWeb(service: Service, changes: Changes): Promise<void> {
  changes.close();
  await service.close();
}

/** The job's pages and REST interface. */
async function startWeb(
  { environment, clock, logger }: MasterOptions,
  job: Job,
  {
    settings,
    avoidance,
    changes,
  }: { readonly settings: StagedJob['settings']; readonly avoidance: NodeAvoidance; readonly changes: Changes },
  key: () => string | undefined,
) {
  const service = createMasterService({
    address: `${environment.host}:0`,
    logger,
    currentJob: () => job,
    avoidedHosts: () => avoidance.hosts,
    changes,
    clock,
    administrators: settings.get('mapreduce.cluster.administrators'),
    groupsOf: groupMapping(settings.get('hadoop.user.group.static.mapping.overrides')),
    proxyUrl: environment.proxyUrl,
    signature: { applicationId: applicationIdOfAttempt(environment.attemptId), key },
    nodeScheme: environment.nodeScheme,
  });
  const { port } = await service.listen();
  return { service, url: `http://${environment.host}:${port}` };
}

function createRequests(
  { client, logger }: MasterOptions,
  registration: RegisterRequest,
  parts: {
    readonly job: Job;
    readonly umbilical: UmbilicalServer;
    readonly avoidance: NodeAvoidance;
    readonly guarded: (change: () => void) => void;
    readonly leaving: Leaving;
  },
): ContainerRequests {
  const { job, umbilical, avoidance, guarded, leaving } = parts;
  return new ContainerRequests({
    client,
    avoidance,
    registration,
    logger,
    progress: () => job.progress,
    allocated: ({ containerId, askId, nodeId, nodeHttpAddress }) =>
      job.attempts.allocated(askId, { containerId, nodeId, nodeHttpAddress, rack: '/default-rack' }),
    completed: ({ containerId, exitCode, diagnostics }) =>
      guarded(() => job.attempts.containerCompleted(containerId, exitCode, diagnostics ?? '')),
    refused: (reason) => guarded(() => job.killJob(reason)),
    shutdown: () => leaving.leave(0),
    changed: () => umbilical.changed(),
  });
}

/** Lets time pass for the job, and looks for tasks worth a second attempt; gives what ends it. */
function tick(
  job: Job,
  umbilical: UmbilicalServer,
  clock: Clock,
  { guarded, progressed }: { readonly guarded: (change: () => void) => void; readonly progressed: () => void },
): () => void {
  const speculator = new Speculator(job, clock);
  let { progress } = job;
  const timer = setInterval(() => {
    guarded(() => job.attempts.tick());
    guarded(() => speculator.scan());
    umbilical.changed();
    if (job.progress !== progress) progressed();
    progress = job.progress;
  }, tickMs);
  return () => clearInterval(timer);
}
