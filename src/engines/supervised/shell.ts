// A command that runs beside what a container runs: a shell of its owner. It is a child of this process, behind a guard, which joins the
// container's control groups and ends everything when this process dies. A terminal is made by `script` of util-linux (decision 38).
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { bash } from '../../lib/bash.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { readStat } from '../../lib/process-stat.ts';
import type { ShellOrder, ShellProcess, TerminalSize } from '../engine.ts';
import { terminalVariables } from '../terminal-variables.ts';
import { ShellProcesses } from './shell-processes.ts';

/** The way of a command into a container. */
export interface ShellEntry {
  /** Files to which the first process writes its number (control groups). */
  readonly joins: readonly string[];
  /** Command line before the command: it takes on the container's user and namespaces, and executes what follows. */
  readonly within: readonly string[];
  /** Environment of the command; never written to a file that others can read, nor to a command line. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where it stands. */
  readonly workFolder: string;
  readonly command: readonly string[];
  /** The file that takes the number of the command's own process, where what is started goes on for as long as anything of it has its output. */
  readonly numberFile?: string;
  /** Called once nothing of it is left. */
  readonly cleanUp?: () => Promise<void>;
}

/** The variable that each process of a shell has, with a value of its own. */
export const shellVariable = 'HEDDLE_SHELL';

/**
 * Streams of a child of Node are sockets, which no program can open anew (/dev/stderr), and which bash takes for a login from elsewhere: without
 * a terminal pipes stand between, outside of all that is ended with the command, so that what it wrote last comes through. They are nobody's children:
 * this process becomes the command, which knows of none (`ps` fails when it is told of one's end, others wait for it).
 */
const pump = `exec setsid sh -c 'cat <&3 3<&- &' 3<&0`;
const pipes = `exec 4>&- < <(${pump}); wait "$!"
exec > >(${pump}); wait "$!"
exec 2> >(${pump} >&2); wait "$!"`;

/**
 * Joins the groups, then watches descriptor 5: where this process is gone, the guard ends its group, and a terminal hangs up with it.
 * It is nobody's child, as `script` waits for all of its own. Descriptor 3 has the environment, 4 takes the name of the terminal.
 */
const guard = `while (($1 > 0)); do
  echo $$ >"$2" || exit 126
  set -- $(($1 - 1)) "\${@:3}"
done
shift
((read -r -u 5; kill -KILL 0) </dev/null >/dev/null 2>&1 3<&- 4>&- &)
exec 5<&-
exec "$@"`;

/** Takes the environment from descriptor 3, so that nothing of it counts before the container's rights do. */
const entry = `mapfile -d '' -t heddle_shell_variables <&3
exec 3<&-
export -- "\${heddle_shell_variables[@]}"
unset heddle_shell_variables
cd -- "$1" || exit 126
export PWD
shift
exec -- "$@"`;

/** Variables that bash does not let be set, or sets itself. */
const ownVariables: ReadonlySet<string> = new Set(['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID', '_']);

/** Starts it. Rejects when no process can be started, or no terminal be made. */
export async function startShell(
  { joins, within, environment, workFolder, command, numberFile, cleanUp }: ShellEntry,
  { terminal, mark }: ShellOrder & { readonly mark: string },
  surroundings: { readonly clock: Clock; readonly logger: Logger },
): Promise<ShellProcess> {
  const variables = { ...environment, ...terminalVariables(environment, terminal), [shellVariable]: mark };
  const line = terminal ? inTerminal(command, terminal, environment['SHELL']) : command;
  const begin = terminal ? guard : `${pipes}\n${guard}`;
  const [program, ...options] = bash;
  const words = [
    ...options,
    '-c',
    begin,
    'guard',
    String(joins.length),
    ...joins,
    ...within,
    ...bash,
    '-c',
    entry,
    'heddle',
    workFolder,
    ...line,
  ];
  const child = spawn(program, words, {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    stdio: Array.from({ length: 6 }, () => 'pipe' as const),
    detached: true,
  });
  const [input, output, errors, variablesIn, terminalName, life] = child.stdio as unknown as [
    ...[Writable, Readable, Readable, Writable, Readable, Writable],
  ];
  for (const stream of [input, variablesIn, life]) stream.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  const processes = new ShellProcesses(child.pid!, `${shellVariable}=${mark}`, surroundings);
  variablesIn.end(
    Object.entries(variables)
      .filter(([name]) => !ownVariables.has(name))
      .map(([name, value]) => `${name}=${value}`)
      .join('\0'),
  );
  if (numberFile !== undefined) endWithCommand(numberFile, child, processes, surroundings.clock);
  const resize = resizing(terminalName, within, processes);
  return {
    input,
    output,
    errors,
    ended: endOf(child, { beside: [input, terminalName, life], processes, cleanUp }),
    resize,
    end: () => processes.end(),
  };
}

const lookMs = 100;

/** Ends what is left once the command itself has ended: who runs it waits for all that have its output. */
function endWithCommand(numberFile: string, child: ChildProcess, processes: ShellProcesses, clock: Clock): void {
  let pid = 0;
  let startTicks: number | undefined;
  const look = (): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    pid ||= numberIn(numberFile);
    const stat = readStat(pid);
    startTicks ??= stat?.startTicks;
    if (pid > 0 && (!stat || stat.startTicks !== startTicks)) void processes.endBeside();
    clock.setTimer(lookMs, look);
  };
  look();
}

function numberIn(file: string): number {
  try {
    return Number(readFileSync(file, 'latin1'));
  } catch {
    return 0;
  }
}

/** Resolves when it has ended, nothing of it is left, and its output was read; `beside` are its other streams, which nobody waits for. */
async function endOf(
  child: ChildProcess,
  {
    beside,
    processes,
    cleanUp,
  }: Pick<ShellEntry, 'cleanUp'> & { readonly beside: readonly (Readable | Writable)[]; readonly processes: ShellProcesses },
): Promise<number> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  const code = await new Promise<number>((resolve) =>
    child.once('exit', (exitCode, signal) => resolve(exitCode ?? 128 + (signal === null ? 0 : signalNumber(signal)))),
  );
  await processes.end();
  for (const stream of beside) stream.destroy();
  await cleanUp?.();
  await closed;
  return code;
}

/** The command in a pseudo terminal, which tells the number of its leader and its name on descriptor 4. */
function inTerminal(command: readonly string[], { rows, columns }: TerminalSize, shell: string | undefined): string[] {
  const [script, stty, tty, env] = ['script', 'stty', 'tty', 'env'].map(program);
  const lines = [
    `${stty} rows ${rows} cols ${columns}`,
    `echo "$$ $(${tty})" >&4`,
    'exec 4>&-',
    shell === undefined ? 'unset SHELL' : `SHELL=${quoted(shell)}`,
    `exec ${command.map(quoted).join(' ')}`,
  ];
  // The command is read by the shell that SHELL names, which may be any program.
  return [env!, 'SHELL=/bin/sh', script!, '--quiet', '--return', '--flush', '--command', lines.join('\n'), '/dev/null'];
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Path of a program of this machine. @throws Error where there is none */
function program(name: string): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error(`this node has no program '${name}', which terminals need`);
  return found;
}

/** Changes the size of the terminal as the container's user; where changes come faster than they are made, the last one counts. */
function resizing(terminalName: Readable, within: readonly string[], processes: ShellProcesses): ShellProcess['resize'] {
  let name: string | undefined;
  let wanted: TerminalSize | undefined;
  let isBusy = false;
  const work = (): void => {
    if (name === undefined || !wanted || isBusy) return;
    const [head = '', ...rest] = [...within, program('stty'), '-F', name, 'rows', String(wanted.rows), 'cols', String(wanted.columns)];
    wanted = undefined;
    isBusy = true;
    const done = () => {
      isBusy = false;
      work();
    };
    spawn(head, rest, { stdio: 'ignore', cwd: '/' }).once('error', done).once('exit', done);
  };
  let said = '';
  terminalName.setEncoding('latin1').on('data', (text: string) => {
    if (said.length < longestName) said += text;
    const [, leader, path] = /^(\d{1,10}) (\/dev\/pts\/\d{1,10})\n/.exec(said) ?? [];
    if (leader === undefined || name !== undefined) return;
    name = path;
    processes.addSession(Number(leader));
    work();
  });
  return (size) => {
    wanted = size;
    work();
  };
}
const longestName = 100;

const signalNumber = (signal: NodeJS.Signals): number => constants.signals[signal];
