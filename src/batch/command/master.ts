// The master of `heddle run`: asks for a container for each instance, tries failed ones again, tells the client how far it is.

import { MasterRefused } from '../../client/master-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { endPhrase } from '../../model/exit-status.ts';
import { coresText } from '../../model/resource.ts';
import { type CommandJob, commandLine, commandMaster } from '../../wire/cluster/command-job.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';
import { Instances, indexOfAsk } from './instances.ts';
import type { Given, MasterCalls } from './master-calls.ts';
import { ViewServer } from './view-server.ts';

/** What the master works with. */
export interface CommandMasterOptions {
  readonly job: CommandJob;
  /** Secrets of the command, by name. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly calls: MasterCalls;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Host that the proxy reaches this process at. */
  readonly host: string;
}

const longPollMs = 10_000;
/** Each with what its instance is started with: the resource manager reads no more than so many values at a time. */
const mostAsksOfCall = 250;
/** How long a finished master waits for the client to come (back) and read the rest of the logs. */
const absentClientMs = 10_000;
const longestDrainMs = 120_000;

/** The launch of one try of an instance. */
export function launchOf(job: CommandJob, index: number, tryNumber: number, wanted = job.instances): LaunchContext {
  return {
    commands: [commandLine(job.command)],
    environment: {
      ...job.environment,
      HEDDLE_INSTANCE: String(index),
      HEDDLE_INSTANCES: String(wanted),
      HEDDLE_TRY: String(tryNumber),
    },
    localResources: job.files,
    serviceData: {},
  };
}

/** The cluster has given up to place a container. */
class NotPlaced extends Error {}

/** Runs the job to its end. Resolves with the exit code of the command. */
export async function runCommandMaster(options: CommandMasterOptions): Promise<number> {
  const { job, calls, clock, logger, host } = options;
  const instances = new Instances(job);
  const server = new ViewServer(clock, () => instances.view());
  const port = await server.listen(host);
  try {
    const {
      maximumResource,
      runningContainers,
      notes,
      instances: wanted = job.instances,
    } = await calls.register({
      host,
      rpcPort: -1,
      trackingUrl: `http://${host}:${port}/`,
    });
    const tooLarge = job.memoryMiB > maximumResource.memoryMiB || job.vcores > maximumResource.vcores;
    if (tooLarge) {
      const diagnostics = `A container of ${job.memoryMiB} MiB and ${coresText(job.vcores)} is more than the largest allowed (${maximumResource.memoryMiB} MiB, ${coresText(maximumResource.vcores)})`;
      await calls.finish({ finalStatus: 'FAILED', diagnostics, trackingUrl: '' });
      return 1;
    }
    instances.replay(notes);
    instances.resize(wanted);
    await allocateUntilOver(options, instances, server, runningContainers);
    const { state, exitCode } = instances.view();
    if (job.attached) await clientHasRead(server, clock, logger);
    await calls.finish({
      finalStatus: state === 'SUCCEEDED' ? 'SUCCEEDED' : 'FAILED',
      diagnostics: diagnosticsOf(instances),
      trackingUrl: '',
    });
    logger.info({ state, exitCode }, 'the command is over');
    return exitCode ?? 1;
  } catch (error) {
    // What is wrong with the asks stays wrong: another attempt would not help.
    const reason =
      error instanceof NotPlaced ? error.message : error instanceof MasterRefused && error.status === 400 ? error.reason : undefined;
    if (reason === undefined) throw error;
    await calls.finish({ finalStatus: 'FAILED', diagnostics: reason, trackingUrl: '' });
    return 1;
  } finally {
    await server.close();
  }
}

/** `adopted` runs since an earlier master. */
async function allocateUntilOver(
  { job, secrets, calls, clock, logger }: CommandMasterOptions,
  instances: Instances,
  server: ViewServer,
  adopted: readonly Given[],
): Promise<void> {
  const open = new Set<string>();
  /** Since when containers run, as far as this master knows, and from when on instances may be tried again; by the steady clock. */
  const since = new Map<string, number>();
  const notBefore = new Map<number, number>();
  let releases: string[] = [];
  let notes: string[] = [];
  const given = ({ containerId, askId, nodeHttpAddress }: Given) => {
    const index = indexOfAsk(askId);
    open.delete(askId);
    since.set(containerId, clock.steadyMs());
    if (!instances.started(index, containerId, nodeHttpAddress)) releases.push(containerId);
    else logger.info({ instance: index, containerId, nodeHttpAddress }, 'an instance got its container');
  };
  adopted.forEach(given);
  // What ended while there was no master is heard before anything is asked for.
  let mayAsk = false;
  while (!instances.isOver || instances.running.length > 0) {
    if (instances.isOver) releases = [...new Set([...releases, ...instances.running])];
    const now = clock.steadyMs();
    const later = instances.isOver || !mayAsk ? [] : instances.waiting.filter((index) => !open.has(instances.nextAsk(index)));
    const unasked = later.filter((index) => (notBefore.get(index) ?? now) <= now);
    const pauses = later.map((index) => (notBefore.get(index) ?? now) - now).filter((pauseMs) => pauseMs > 0);
    const fresh = unasked.slice(0, mostAsksOfCall);
    const asks = fresh.map((index) => {
      const askId = instances.nextAsk(index);
      open.add(askId);
      return {
        askId,
        priority: commandMaster.priority,
        resource: { ...job.resources, memoryMiB: job.memoryMiB, vcores: job.vcores },
        count: 1,
        ...(job.opportunistic ? { executionType: 'OPPORTUNISTIC' as const } : {}),
        ...(job.placement ? { allocationTags: job.placement.tags, placementConstraint: job.placement.constraint } : {}),
        launch: {
          ...launchOf(job, index, instances.nextTry(index), instances.wanted),
          ...(secrets === undefined ? {} : { secretEnvironment: secrets }),
        },
      };
    });
    const cancels = [...open].filter((askId) => instances.isOver || indexOfAsk(askId) >= instances.wanted);
    for (const askId of cancels) open.delete(askId);
    const answer = await calls.allocate(
      { progress: instances.progress, asks, cancels, releases, notes },
      mayAsk && fresh.length === unasked.length ? Math.ceil(Math.min(longPollMs, ...pauses)) : 0,
    );
    mayAsk = true;
    releases = [];
    notes = [];
    const [rejected] = answer.rejected ?? [];
    if (rejected)
      throw new NotPlaced(
        `No node takes instance ${indexOfAsk(rejected.askId)} under its placement constraint ${job.placement?.constraint ?? ''} (${rejected.reason}).`,
      );
    if (answer.command === 'shutdown') throw new Error('the cluster told this master to end');
    answer.allocations.forEach(given);
    for (const { containerId, askId, nodeHttpAddress, exitCode, diagnostics } of answer.completed) {
      if (askId !== undefined && !instances.knows(containerId)) instances.started(indexOfAsk(askId), containerId, nodeHttpAddress);
      const ranMs = clock.steadyMs() - (since.get(containerId) ?? clock.steadyMs());
      since.delete(containerId);
      const outcome = instances.ended(containerId, exitCode, diagnostics, ranMs);
      const pauseMs = outcome.kind === 'failed' && outcome.triesLeft > 0 ? outcome.pauseMs : undefined;
      logger.info({ containerId, exitCode, outcome: outcome.kind, pauseMs }, 'a container ended');
      const note = instances.noteOf(containerId);
      if (note !== undefined) notes.push(note);
      if (outcome.kind !== 'failed' && outcome.kind !== 'lost') continue;
      notBefore.set(outcome.index, clock.steadyMs() + (pauseMs ?? 0));
    }
    const { instances: wanted = instances.wanted } = answer;
    const isResized = wanted !== instances.wanted;
    if (isResized) {
      logger.info({ before: instances.wanted, instances: wanted }, 'its user wants another number of instances');
      releases.push(...instances.resize(wanted));
    }
    if (isResized || answer.allocations.length > 0 || answer.completed.length > 0) server.changed();
  }
}

/** Waits until the client has read everything, or does not come (back). */
async function clientHasRead(server: ViewServer, clock: Clock, logger: Logger): Promise<void> {
  const began = clock.steadyMs();
  let drained = false;
  void server.drained.then(() => {
    drained = true;
  });
  server.changed();
  while (!drained) {
    const now = clock.steadyMs();
    if (now - began > longestDrainMs || now - Math.max(began, server.lastAskedAt ?? 0) > absentClientMs) {
      logger.info('nobody says that the output was read: this master waits no longer; "heddle app logs" has it');
      return;
    }
    await Promise.race([server.drained, new Promise<void>((resolve) => clock.setTimer(250, resolve))]);
  }
}

function diagnosticsOf(instances: Instances): string {
  const failed = instances.view().instances.find(({ state }) => state === 'FAILED');
  const last = failed?.tries.at(-1);
  if (!failed || last?.exitCode === undefined) return '';
  const tries = failed.tries.length + (failed.earlierTries ?? 0);
  return `Instance ${failed.index} ${endPhrase(last.exitCode, 'failed')} after ${tries} ${tries === 1 ? 'try' : 'tries'}. ${last.diagnostics}`.trim();
}
