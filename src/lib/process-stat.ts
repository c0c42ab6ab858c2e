// What /proc tells of one process (Linux).
import { closeSync, openSync, readSync } from 'node:fs';
import { fileText } from './file-text.ts';

/** Length of a clock tick in ms: 100 Hz on every Linux that Node supports. */
const tickMs = 10;

/** One process. */
export interface ProcessStat {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  readonly name: string;
  readonly userTimeMs: number;
  readonly systemTimeMs: number;
  /** What those of its children took, with theirs, that have ended and of which it has taken note. */
  readonly endedChildrenTimeMs: number;
  readonly virtualMemoryBytes: number;
  readonly residentPages: number;
  /** When it started, in clock ticks since boot: tells it from another one with its number. */
  readonly startTicks: number;
  /** It has ended, and its parent has not taken note. */
  readonly zombie: boolean;
}

/** Parses a line of /proc/PID/stat; undefined when it is none. */
export function parseStat(line: string): ProcessStat | undefined {
  const open = line.indexOf('(');
  const close = line.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const fields = line.slice(close + 2).split(' ');
  const at = (index: number) => Number(fields[index - 3]);
  return {
    pid: Number(line.slice(0, open)),
    name: line.slice(open + 1, close),
    zombie: fields[0] === 'Z' || fields[0] === 'X',
    parentPid: at(4),
    groupId: at(5),
    sessionId: at(6),
    userTimeMs: at(14) * tickMs,
    systemTimeMs: at(15) * tickMs,
    endedChildrenTimeMs: (at(16) + at(17)) * tickMs,
    startTicks: at(22),
    virtualMemoryBytes: at(23),
    residentPages: at(24),
  };
}

/** The stat of a process that lives now, or undefined. */
export function readStat(pid: number): ProcessStat | undefined {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/stat`, 'r');
    return parseStat(statBuffer.toString('latin1', 0, readSync(file, statBuffer, 0, statBuffer.length, 0)));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
/** Thousands are read in a row: into one place, without asking for a size that /proc does not know. */
const statBuffer = Buffer.alloc(4096);

/**
 * Whether a process is just executing another program: for that moment it has no environment (/proc/PID/environ is empty), and nothing may tell
 * whose it is. False for what the system does not let be looked at, and for threads of the kernel, which never have one (proc(5), env_end, PF_KTHREAD).
 */
export function isExecuting(pid: number): boolean {
  const { state, flags, environmentEnd } = programFacts(pid);
  return environmentEnd === '0' && state !== 'Z' && state !== 'X' && (Number(flags) & kernelThread) === 0;
}

/** Where the arguments and the environment of a process stand in its memory: mostly another place for each program that it executes. */
export function programPlace(pid: number): string {
  const { argumentsStart, environmentEnd } = programFacts(pid);
  return `${argumentsStart} ${environmentEnd}`;
}

function programFacts(pid: number) {
  const line = fileText(`/proc/${pid}/stat`);
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], flags: fields[9 - 3], argumentsStart: fields[48 - 3], environmentEnd: fields[51 - 3] };
}
const kernelThread = 0x200000;
