// `heddle down` and `heddle status`: the end of what runs on a data folder, and how it is.
import type { Command } from 'commander';
import type { ClusterFile } from './cluster-file.ts';
import { setExitCode } from './exit-code.ts';
import { CommandFailure } from './failure.ts';
import { type ConfigurationFlags, dataDirectory, wholeNumber, withConfigurationOptions } from './options.ts';
import { formatDuration, printJson, printTable, printText } from './output.ts';
import { pause, processesOn, readyRoles } from './role-status.ts';

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

async function status(flags: StatusFlags): Promise<void> {
  const dataDir = dataDirectory(flags);
  const roles = await readyRoles(dataDir, (flags.wait ?? 0) * 1000);
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
