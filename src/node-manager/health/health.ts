// The health of a node: its folders' disks (LocalDirsHandlerService) and the administrator's script (NodeHealthScriptRunner).
import { spawn } from 'node:child_process';
import { access, constants, mkdir, statfs } from 'node:fs/promises';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { HealthReport } from '../../wire/cluster/node-channel.ts';

/** What is checked. */
export interface HealthSettings {
  readonly local: readonly string[];
  readonly logs: readonly string[];
  readonly checkDisks: boolean;
  readonly diskIntervalMs: number;
  readonly maximumUtilizationPercent: number;
  readonly minimumFreeMiB: number;
  /** Part of the folders of a kind that has to be good. */
  readonly minimumHealthyFraction: number;
  readonly script: string | undefined;
  readonly scriptArguments: readonly string[];
  readonly scriptIntervalMs: number;
  readonly scriptTimeoutMs: number;
}

/** The latest word on the node's health. */
export interface NodeHealth {
  readonly current: HealthReport;
  /** Checks everything now. */
  check(): Promise<void>;
  stop(): void;
}

const longestOutput = 10_000;

/** Checks once and then again and again; `changed` hears every check. */
export async function startHealth(
  settings: HealthSettings,
  { clock, logger, changed }: { clock: Clock; logger: Logger; changed: (report: HealthReport) => void },
): Promise<NodeHealth> {
  let disks = '';
  let script = '';
  let current: HealthReport = { healthy: true, report: '', time: clock.now() };
  const timers = new Set<Timer>();
  let stopped = false;
  const settle = () => {
    const report = [script, disks].filter((text) => text !== '').join(';');
    current = { healthy: report === '', report, time: clock.now() };
    changed(current);
  };
  const checkDisks = async () => {
    if (!settings.checkDisks) return;
    const local = await folderFaults(settings.local, settings);
    const logs = await folderFaults(settings.logs, settings);
    const texts: string[] = [];
    for (const [kind, faults, all] of [
      ['local', local, settings.local],
      ['log', logs, settings.logs],
    ] as const) {
      if (all.length - faults.length >= Math.max(1, Math.ceil(all.length * settings.minimumHealthyFraction))) continue;
      texts.push(`${faults.length}/${all.length} ${kind}-dirs have errors:  [ ${faults.join(', ')} ] `);
    }
    disks = texts.join('; ');
  };
  const checkScript = async () => {
    if (settings.script !== undefined) script = await runScript(settings.script, settings.scriptArguments, settings.scriptTimeoutMs);
  };
  const repeat = (delayMs: number, run: () => Promise<void>) => {
    const timer: Timer = clock.setTimer(delayMs, () => {
      timers.delete(timer);
      run()
        .then(settle)
        .catch((error: unknown) => logger.warn({ err: error }, 'the health of the node could not be checked'))
        .finally(() => {
          if (!stopped) repeat(delayMs, run);
        });
    });
    timers.add(timer);
  };
  await checkDisks();
  settle();
  if (settings.script !== undefined)
    void checkScript()
      .then(settle)
      .catch((error: unknown) => logger.warn({ err: error }, 'the health of the node could not be checked'));
  repeat(settings.diskIntervalMs, checkDisks);
  if (settings.script !== undefined) repeat(settings.scriptIntervalMs, checkScript);
  return {
    get current() {
      return current;
    },
    async check() {
      await Promise.all([checkDisks(), checkScript()]);
      settle();
    },
    stop() {
      stopped = true;
      for (const timer of timers) timer.cancel();
    },
  };
}

async function folderFaults(folders: readonly string[], settings: HealthSettings): Promise<string[]> {
  const faults: string[] = [];
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o755 });
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
      const disk = await statfs(folder);
      const usedPercent = disk.blocks === 0 ? 0 : (100 * (disk.blocks - disk.bfree)) / Math.max(1, disk.blocks - disk.bfree + disk.bavail);
      const freeMiB = (disk.bavail * disk.bsize) / (1024 * 1024);
      if (usedPercent > settings.maximumUtilizationPercent)
        faults.push(`${folder} : used space above threshold of ${settings.maximumUtilizationPercent.toFixed(1)}%`);
      else if (freeMiB < settings.minimumFreeMiB) faults.push(`${folder} : free space below limit of ${settings.minimumFreeMiB}MB`);
    } catch (error) {
      faults.push(`${folder} : ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return faults;
}

/** Runs the script; a line that begins with ERROR makes the node unhealthy, its exit code does not. */
function runScript(path: string, parameters: readonly string[], timeoutMs: number): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(path, parameters, { stdio: ['ignore', 'pipe', 'ignore'], timeout: timeoutMs, killSignal: 'SIGKILL' });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (output.length < longestOutput) output += chunk.toString('utf8');
    });
    child.on('error', (error) => resolve(`Node health script could not be run: ${error.message}`));
    child.on('close', (_code, signal) => {
      if (signal === 'SIGKILL') resolve('Node health script timed out');
      else resolve(output.split('\n').some((line) => line.startsWith('ERROR')) ? output.trim() : '');
    });
  });
}
