// The health of a node: its folders' disks, the administrator's scripts (NodeHealthCheckerService), and whether its own state can be saved.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { healthRemedies } from '../../model/health-remedies.ts';
import type { HealthReport } from '../../wire/cluster/node-channel.ts';
import { type DiskFigures, type DiskLimits, FolderGroup } from './disks.ts';
import { type HealthScript, isRunnable, runHealthScript } from './script.ts';

/** What is checked. */
export interface HealthSettings {
  readonly local: readonly string[];
  readonly logs: readonly string[];
  readonly checkDisks: boolean;
  readonly diskIntervalMs: number;
  readonly limits: DiskLimits;
  /** Part of the folders of a kind that has to be good. */
  readonly minimumHealthyFraction: number;
  readonly scripts: readonly HealthScript[];
}

/** Who hears of it. */
export interface HealthObserver {
  /** Every check. */
  changed(report: HealthReport): void;
  /** Folders that nothing new may use. */
  badFolders(folders: ReadonlySet<string>): void;
}

/** The latest word on the node's health. */
export interface NodeHealth {
  readonly current: HealthReport;
  /** Why no container may start here: too few folders are good; undefined when enough are. */
  readonly disksFailed: string | undefined;
  /** What monitors see of the folders. */
  readonly disks: { readonly local: DiskFigures; readonly logs: DiskFigures };
  /** Checks everything now. */
  check(): Promise<void>;
  /** What `stateTrouble` says has changed. */
  stateChanged(): void;
  stop(): void;
}

/** Checks once and then again and again. */
export async function startHealth(
  settings: HealthSettings,
  {
    clock,
    logger,
    observer,
    stateTrouble = () => undefined,
  }: {
    clock: Clock;
    logger: Logger;
    observer: HealthObserver;
    /** Why the node's own state cannot be saved, in a sentence; undefined while it can. */
    stateTrouble?: () => string | undefined;
  },
): Promise<NodeHealth> {
  const groups = [
    new FolderGroup('local', settings.local, settings.limits),
    new FolderGroup('log', settings.logs, settings.limits),
  ] as const;
  const scripts = settings.scripts.filter((script) => {
    if (isRunnable(script.path)) return true;
    logger.warn({ script: script.name, path: script.path }, 'the health script is not run: it is no executable file, or empty');
    return false;
  });
  const complaints = new Map<string, string>();
  let current: HealthReport = { healthy: true, report: '', time: clock.now() };
  const repetitions: Repetition[] = [];
  let stopped = false;
  const disksHealthy = () => groups.every((group) => group.isHealthy(settings.minimumHealthyFraction));
  const disksReport = () => groups.flatMap((group) => group.reports()).join('; ');
  const settle = () => {
    const trouble = stateTrouble() ?? '';
    const texts = [...scripts.map(({ name }) => complaints.get(name) ?? ''), disksReport(), trouble].filter((text) => text !== '');
    const healthy = disksHealthy() && trouble === '' && [...complaints.values()].every((text) => text === '');
    const report = texts.join(';');
    if (healthy !== current.healthy || report !== current.report)
      logger.warn({ healthy, report, remedies: healthRemedies(report) }, 'the health of the node changed');
    current = { healthy, report, time: clock.now() };
    observer.changed(current);
  };
  const checkDisks = async () => {
    if (!settings.checkDisks) return;
    await Promise.all(groups.map((group) => group.check()));
    observer.badFolders(new Set(groups.flatMap(({ bad }) => bad)));
  };
  const checkScript = async (script: HealthScript) => {
    complaints.set(script.name, await runHealthScript(script));
  };
  const failed = (error: unknown) => logger.warn({ err: error }, 'the health of the node could not be checked');
  const checkEach = (intervalMs: number, check: () => Promise<void>) => {
    const run = async (closing: AbortSignal) => {
      await check();
      if (!closing.aborted) settle();
    };
    repetitions.push(repeat({ clock, intervalMs, run, failed }));
  };
  await checkDisks();
  settle();
  checkEach(settings.diskIntervalMs, checkDisks);
  for (const script of scripts) {
    void checkScript(script)
      .then(() => {
        if (!stopped) settle();
      })
      .catch(failed);
    checkEach(script.intervalMs, () => checkScript(script));
  }
  return {
    get disks() {
      return { local: groups[0].figures, logs: groups[1].figures };
    },
    get current() {
      return current;
    },
    get disksFailed() {
      return disksHealthy() ? undefined : disksReport();
    },
    async check() {
      await Promise.all([checkDisks(), ...scripts.map(checkScript)]);
      settle();
    },
    stateChanged() {
      if (!stopped) settle();
    },
    stop() {
      stopped = true;
      for (const repetition of repetitions) void repetition.close();
    },
  };
}
