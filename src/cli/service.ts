// `heddle down` and `heddle status`: the end of what runs on a data folder, and how it is.
import type { Command } from 'commander';
import { type ClusterFile, runningOn } from './cluster-file.ts';
import { askReady } from './doctor-cluster.ts';
import { setExitCode } from './exit-code.ts';
import { CommandFailure } from './failure.ts';
import { roleNames } from './host.ts';
import { type ConfigurationFlags, dataDirectory, wholeNumber, withConfigurationOptions } from './options.ts';
import { formatDuration, printJson, printTable, printText } from './output.ts';

interface DownFlags extends ConfigurationFlags {
  readonly timeout: number;
  readonly force?: boolean;
  readonly json?: boolean;
}

interface StatusFlags extends ConfigurationFlags {
  readonly wait?: number;
  readonly json?: boolean;
}

/** As `systemctl status` ends where nothing runs. */
const nothingRunsCode = 3;
const lookMs = 100;

/** Registers `heddle down` and `heddle status`. */
export function addService(program: Command): void {
  withConfigurationOptions(program.command('down'))
    .description('end what "heddle up" and "heddle start" run on a data folder, in order')
    .option('--timeout <seconds>', 'how long to wait for its end', wholeNumber(1, 86_400), 60)
    .option('--force', 'kill what has not ended by then')
    .option('--json', 'print JSON')
    .action(down);
  withConfigurationOptions(program.command('status'))
    .description('say what runs on a data folder and whether it is ready; exit code 0 ready, 1 not ready, 3 nothing runs')
    .option('--wait <seconds>', 'wait so long until all is ready', wholeNumber(1, 86_400))
    .option('--json', 'print JSON')
    .action(status);
}

/** Processes on a data folder, in the order in which they are to end: nodes first, so that the others can take note. */
function processesOn(dataDir: string): ClusterFile[] {
  const order = ['node-manager', 'proxy', 'cluster', 'resource-manager', 'history', 'timeline'];
  return runningOn(dataDir, order);
}

const pause = () => new Promise((wake) => setTimeout(wake, lookMs));

function signal(file: ClusterFile, name: NodeJS.Signals): void {
  try {
    process.kill(file.pid, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return;
    throw new CommandFailure(
      `process ${file.pid} (${file.command ?? 'heddle'}) may not be ended by you`,
      'Act as the user who started it.',
    );
  }
}

async function down(flags: DownFlags): Promise<void> {
  const dataDir = dataDirectory(flags);
  const found = processesOn(dataDir);
  const ended: { pid: number; command: string | undefined; killed: boolean }[] = [];
  for (const file of found) {
    const stillRuns = () => processesOn(dataDir).some(({ pid, processStart }) => pid === file.pid && processStart === file.processStart);
    const until = async (ms: number) => {
      for (const endMs = performance.now() + ms; stillRuns() && performance.now() < endMs; ) await pause();
      return !stillRuns();
    };
    signal(file, 'SIGTERM');
    let killed = false;
    if (!(await until(flags.timeout * 1000))) {
      if (!flags.force)
        throw new CommandFailure(
          `process ${file.pid} (${file.command ?? 'heddle'}) has not ended after ${flags.timeout} s`,
          'Wait longer with --timeout, or end it with --force.',
        );
      signal(file, 'SIGKILL');
      killed = true;
      if (!(await until(10_000)))
        throw new CommandFailure(`process ${file.pid} cannot be killed`, 'It waits for a device, such as a disk.');
    }
    ended.push({ pid: file.pid, command: file.command, killed });
    if (!flags.json) printText(`${file.command ?? 'heddle'} (process ${file.pid}) ${killed ? 'was killed' : 'has ended'}.\n`);
  }
  if (flags.json) return printJson({ data: dataDir, ended });
  if (found.length === 0) printText(`Nothing runs on ${dataDir}.\n`);
}

interface RoleStatus {
  readonly role: string;
  readonly pid: number;
  readonly url: string;
  readonly ready: boolean;
  readonly reason?: string;
  readonly startedAt: string;
}

/** Every role that runs on the folder and whether it does its work. */
async function look(dataDir: string): Promise<RoleStatus[]> {
  const roles = processesOn(dataDir).flatMap(({ pid, addresses, authorityFile, startedAt }) => {
    if (Object.keys(addresses).length === 0)
      return [Promise.resolve({ role: 'cluster', pid, url: '', ready: false, reason: 'it is starting', startedAt })];
    return Object.entries(addresses).flatMap(([role, urls]) => {
      const url = urls['web'];
      if (url === undefined || !roleNames.some((name) => role === name || role.startsWith(`${name}-`))) return [];
      return [
        askReady(url, authorityFile).then(
          ({ status: code, reason }) => ({ role, pid, url, ready: code === 200, ...(reason === undefined ? {} : { reason }), startedAt }),
          (error: Error) => ({ role, pid, url, ready: false, reason: `does not answer: ${error.message}`, startedAt }),
        ),
      ];
    });
  });
  return Promise.all(roles);
}

async function status(flags: StatusFlags): Promise<void> {
  const dataDir = dataDirectory(flags);
  const endMs = performance.now() + (flags.wait ?? 0) * 1000;
  let roles = await look(dataDir);
  while ((roles.length === 0 || roles.some(({ ready }) => !ready)) && performance.now() < endMs) {
    await pause();
    roles = await look(dataDir);
  }
  setExitCode(roles.length === 0 ? nothingRunsCode : roles.every(({ ready }) => ready) ? 0 : 1);
  if (flags.json) return printJson({ data: dataDir, roles });
  if (roles.length === 0) return printText(`Nothing runs on ${dataDir}.\n`);
  printTable(
    ['ROLE', 'STATE', 'ADDRESS', 'PROCESS', 'RUNS FOR'],
    roles.map(({ role, ready, url, pid, startedAt }) => [
      ...[role, ready ? 'ready' : 'not ready', url, pid, formatDuration(Date.now() - Date.parse(startedAt))],
    ]),
  );
  for (const { role, reason } of roles) if (reason !== undefined) printText(`${role}: ${reason}\n`);
}
