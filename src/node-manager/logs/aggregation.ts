// Gathers containers' logs in the remote log folder (AppLogAggregatorImpl; docs/protocol.md, P13): at the end of an application into one file of this node,
// and, where the application asks for it, what it rolled away while it runs into further ones. Then the local files go. Of a file that
// grows on only what is new is taken: read one after the other, the pieces are the whole file.
import { readdir, readlink, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LogStore } from '../../client/log-store.ts';
import { boundedPattern } from '../../lib/bounded-pattern.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import type { LogAggregationStatus } from '../../wire/cluster/node-channel.ts';
import { applicationLogFolder, nodeFileName } from '../../wire/files/aggregated-log-folder.ts';
import type { Application } from '../applications/application.ts';
import { folderOfUser, type NodeFolders } from '../folders.ts';
import { aggregationPolicy } from './aggregation-policy.ts';
import { gatheredAmounts } from './amounts.ts';
import { type LogFile, listLogs } from './container-logs.ts';
import { type Piece, rolledFiles, settleUpload, upload } from './uploads.ts';

/** What aggregation needs. */
export interface AggregationOptions {
  readonly enabled: boolean;
  readonly store: LogStore;
  /** Class and parameters for applications that name none. */
  readonly policy: string;
  readonly policyParameters: string;
  /** Time between uploads of applications that roll their logs; 0: at their end only. */
  readonly rollIntervalMs: number;
  /** Most files of this node that an application keeps; the oldest go. */
  readonly maximumRolledFiles: number;
  /** How long local logs stay after they were gathered; -1: for ever. */
  readonly deleteDelayMs: number;
  readonly nodeId: () => string;
  readonly folders: NodeFolders;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Process ids of running containers by container. */
  readonly processes: () => Promise<ReadonlyMap<string, readonly number[]>>;
  /** Remembers how much of its logs was taken; resolves when that is durable. */
  readonly save: (application: Application) => Promise<void>;
  readonly report: (applicationId: string, status: LogAggregationStatus, diagnostics: string) => void;
  /** Most that is gathered at a time. */
  readonly maximumBytes: number;
  /** How long it is tried again to gather the logs of an ended application. */
  readonly retryForMs: number;
  /** Logs that could not be gathered at first now are (`gathered`), or never will be. */
  readonly settled: (application: Application, gathered: boolean) => void;
}

/** Time until the first further try; each next one takes twice as long, up to the longest. */
const firstRetryMs = 10_000;
const longestRetryMs = 600_000;

/** Gathers the logs of one node. */
export class LogAggregator {
  readonly #options: AggregationOptions;
  /** What goes on for an application: a cycle must not meet the end. */
  readonly #running = new Map<string, Promise<boolean>>();
  /** Ended applications whose logs could not be gathered yet. */
  readonly #waiting = new Map<string, { readonly application: Application; readonly timer: Timer }>();
  #rolls: Repetition | undefined;
  #stopped = false;

  constructor(options: AggregationOptions) {
    this.#options = options;
  }

  /** Begins to gather what running applications roll away. `applications`: those of the node, in their present number. */
  begin(applications: Pick<ReadonlyMap<string, Application>, 'values'>): void {
    const { clock, logger, rollIntervalMs, enabled } = this.#options;
    if (!enabled || rollIntervalMs <= 0 || this.#stopped) return;
    this.#rolls = repeat({
      clock,
      intervalMs: rollIntervalMs,
      run: () => this.roll(applications.values()),
      failed: (error) => logger.warn({ err: error }, 'rolled logs could not be gathered'),
    });
  }

  /** Where the logs lie that a running application rolls away; undefined for one that does not. @throws Failure UNAVAILABLE */
  async rolledFolder({ id, user, logAggregation }: Application): Promise<string | undefined> {
    const { enabled, rollIntervalMs, store } = this.#options;
    if (!enabled || rollIntervalMs <= 0 || !logAggregation?.rolledLogsIncludePattern) return undefined;
    // In the middle of a cycle it cannot be told what was taken and what was not.
    await this.#running.get(id);
    await store.tree.bring?.(id, folderOfUser(user));
    return applicationLogFolder(store.tree, folderOfUser(user), id);
  }

  stop(): void {
    this.#stopped = true;
    void this.#rolls?.close();
    for (const { timer } of this.#waiting.values()) timer.cancel();
  }

  /** An ended application whose logs still lie here because they could not be gathered. */
  waiting(applicationId: string): Application | undefined {
    return this.#waiting.get(applicationId)?.application;
  }

  /** One cycle over those of the applications that roll their logs; never rejects. */
  async roll(applications: Iterable<Application>): Promise<void> {
    for (const application of applications) {
      if (!application.logAggregation?.rolledLogsIncludePattern || application.finishing) continue;
      await this.#next(application, async () => {
        if (application.finishing) return;
        if (await this.#gather(application, false)) this.#options.report(application.id, 'RUNNING', '');
      });
    }
  }

  /**
   * Deals with the logs of an ended application; never rejects. False: they could not be gathered, stay here, and are tried again. Where
   * logs are not aggregated, retention.ts deletes them after their time.
   */
  async finish(application: Application): Promise<boolean> {
    if (!this.#options.enabled) return true;
    const gathered = await this.#end(application);
    if (!gathered) this.#wait(application, this.#options.clock.steadyMs(), firstRetryMs);
    return gathered;
  }

  async #end(application: Application): Promise<boolean> {
    const gathered = await this.#next(application, async () => {
      if (!application.logsGathered) {
        await this.#gather(application, true);
        // The local files go only when it is durable that nothing is to be gathered from what is left of them.
        if (!application.logsGathered) {
          application.logsGathered = true;
          await this.#options.save(application);
        }
      }
      this.#options.report(application.id, 'SUCCEEDED', '');
      const { folders } = this.#options;
      await this.#remove(folders.logs.map((log) => folders.applicationLogs(log, application.id)));
    });
    this.#running.delete(application.id);
    return gathered;
  }

  /** Tries again after `delayMs`, and again, as long as it is worth it. */
  #wait(application: Application, sinceMs: number, delayMs: number): void {
    if (this.#stopped) return;
    const { clock, retryForMs, settled } = this.#options;
    const again = async () => {
      const gathered = await this.#end(application);
      if (!gathered && clock.steadyMs() - sinceMs < retryForMs) {
        this.#wait(application, sinceMs, Math.min(2 * delayMs, longestRetryMs));
        return;
      }
      this.#waiting.delete(application.id);
      settled(application, gathered);
    };
    this.#waiting.set(application.id, { application, timer: clock.setTimer(delayMs, () => void again()) });
  }

  /** Does what comes next for an application; false when it failed, which is logged and told. */
  #next(application: Application, work: () => Promise<void>): Promise<boolean> {
    const { logger, report } = this.#options;
    const done = (this.#running.get(application.id) ?? Promise.resolve(true))
      .then(work)
      .then(() => true)
      .catch((error: unknown) => {
        logger.error({ err: error, application: application.id }, 'the logs of an application could not be aggregated');
        const reason = error instanceof Error ? error.message : String(error);
        report(application.id, application.finishing ? 'FAILED' : 'RUNNING_WITH_FAILURE', reason);
        return false;
      });
    this.#running.set(application.id, done);
    return done;
  }

  /** Writes what is new into a file of this node; false where nothing is. Resolves when what was taken is durable. */
  async #gather(application: Application, ended: boolean): Promise<boolean> {
    const { store, nodeId, clock, save } = this.#options;
    const name = nodeFileName(nodeId());
    const options = { store, name, now: () => clock.now(), save };
    await settleUpload(application, options);
    if (application.logsGathered) return false;
    const pieces = await this.#pieces(application, ended);
    const { kept: fresh, leftOutBytes } = gatheredAmounts(
      pieces.filter(({ file, start }) => file.bytes > start || (start === 0 && !isTaken(application, file))),
      this.#options.maximumBytes,
    );
    if (leftOutBytes > 0)
      this.#options.logger.warn(
        { application: application.id, leftOutBytes },
        'logs are longer than is gathered: their beginnings are left out',
      );
    if (fresh.length > 0) await upload(application, fresh, ended, options);
    if (!ended) {
      if (fresh.length > 0)
        await this.#removeOldest(applicationLogFolder(store.tree, folderOfUser(application.user), application.id), name);
      await this.#removeRolled(application, pieces);
    }
    return fresh.length > 0;
  }

  /** The files that the application wants to be kept, of the containers that its policy keeps. */
  async #pieces(application: Application, ended: boolean): Promise<Piece[]> {
    const { policy, policyParameters, folders } = this.#options;
    const context = application.logAggregation;
    const isKept = aggregationPolicy(
      context?.policyClassName ?? policy,
      context?.policyClassName ? context.policyParameters : policyParameters,
    );
    const regular = filter(context?.includePattern, context?.excludePattern);
    const rolled = filter(context?.rolledLogsIncludePattern, context?.rolledLogsExcludePattern);
    const pieces: Piece[] = [];
    for (const containerId of await this.#containersOf(application)) {
      const container = application.containers.get(containerId);
      const final = container === undefined || container.ended;
      const { isMaster = false, exitCode = 0 } = application.startedContainers.get(containerId) ?? {};
      if (!isKept({ containerId, isMaster, exitCode: final ? exitCode : 0 })) continue;
      for (const file of await listLogs(folders, application.id, containerId)) {
        const wanted = ended ? regular(file.name) : rolled(file.name) || (final && regular(file.name));
        if (file.folder || !wanted) continue;
        const taken = application.rolledLogs.get(file.path);
        const start = taken?.identity === file.identity && taken.bytes <= file.bytes ? taken.bytes : 0;
        pieces.push({ containerId, file, start, final });
      }
    }
    return pieces;
  }

  /** Containers of which the node knows, and those of which only logs are left after a restart. */
  async #containersOf({ id, startedContainers }: Application): Promise<Iterable<string>> {
    const { folders } = this.#options;
    const found = new Set(startedContainers.keys());
    for (const log of folders.logs)
      for (const name of await readdir(folders.applicationLogs(log, id)).catch((): string[] => []))
        if (/^container_(e\d+_)?\d+_\d+_\d+_\d+$/.test(name)) found.add(name);
    return found;
  }

  /** Deletes local files that were taken whole and are closed: those of ended containers, and those that no process has open. */
  async #removeRolled(application: Application, pieces: readonly Piece[]): Promise<void> {
    if (this.#options.deleteDelayMs !== 0) return;
    const processes = await this.#options.processes();
    let any = false;
    for (const [containerId, own] of Map.groupBy(pieces, (piece) => piece.containerId)) {
      const open = own[0]!.final ? new Set<string>() : await openFiles(processes.get(containerId) ?? []);
      // Where it cannot be seen who has what open, files stay until their container has ended.
      if (!open) continue;
      for (const { file } of own) {
        if (open.has(file.path) || !isTaken(application, file)) continue;
        await this.#removeFile(file.path);
        application.rolledLogs.delete(file.path);
        any = true;
      }
    }
    if (any) await this.#options.save(application);
  }

  /** No link that stands in the place of a folder by now leads to another file. */
  async #removeFile(path: string): Promise<void> {
    using held = await this.#options.folders.hold(dirname(path)).catch(() => undefined);
    if (held) await rm(join(held.path, basename(path)), { force: true });
  }

  async #removeOldest(folder: string, name: string): Promise<void> {
    const { store } = this.#options;
    const own = await rolledFiles(store, folder, name);
    for (const file of own.slice(0, Math.max(0, own.length - this.#options.maximumRolledFiles))) await store.remove(join(folder, file));
  }

  async #remove(paths: readonly string[]): Promise<void> {
    const { deleteDelayMs, clock, logger, folders } = this.#options;
    if (deleteDelayMs < 0) return;
    const remove = () =>
      Promise.all(paths.map((path) => folders.remove(path))).catch((error: unknown) =>
        logger.warn({ err: error }, 'local logs could not be deleted'),
      );
    if (deleteDelayMs === 0) await remove();
    else clock.setTimer(deleteDelayMs, () => void remove());
  }
}

const isTaken = ({ rolledLogs }: Application, { path, identity, bytes }: LogFile): boolean => {
  const taken = rolledLogs.get(path);
  return taken?.identity === identity && taken.bytes === bytes;
};

/** The files that processes have open; undefined where the system does not tell. */
async function openFiles(pids: readonly number[]): Promise<Set<string> | undefined> {
  const open = new Set<string>();
  if (pids.length === 0) return undefined;
  for (const pid of pids) {
    let descriptors: string[];
    try {
      descriptors = await readdir(`/proc/${pid}/fd`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform === 'linux') continue;
      return undefined;
    }
    for (const descriptor of descriptors) open.add(await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ''));
  }
  return open;
}

/** Java patterns looked for anywhere in a file's name; empty, broken and slow ones count as absent. */
function filter(include: string | undefined, exclude: string | undefined): (name: string) => boolean {
  const wanted = pattern(include);
  const unwanted = pattern(exclude);
  return (name) => (wanted?.(name) ?? true) && !(unwanted?.(name) ?? false);
}

function pattern(text: string | undefined): ((name: string) => boolean | undefined) | undefined {
  if (!text) return undefined;
  try {
    const bounded = boundedPattern(`.*(?:${text}).*`);
    return (name) => {
      try {
        return bounded.matches(name);
      } catch {
        return undefined;
      }
    };
  } catch {
    return undefined;
  }
}
