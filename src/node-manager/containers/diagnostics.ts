// The diagnostics of containers: Hadoop's sentences, each with the time in front (ContainerImpl.addDiagnostics, ContainerLaunch,
// DefaultContainerExecutor, ContainersMonitorImpl).
import type { ProcessFacts } from '../../engines/engine.ts';

/** `2025-10-13 09:14:05.123` in local time. */
export function dateText(timeMs: number): string {
  const date = new Date(timeMs);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** `diagnostics` with `text` added; the oldest text goes where it becomes longer than `maximumLength`. */
export function addDiagnostics(diagnostics: string, text: string, nowMs: number, maximumLength: number): string {
  const longer = `${diagnostics}[${dateText(nowMs)}]${text}`;
  return longer.length > maximumLength ? longer.slice(longer.length - maximumLength) : longer;
}

/** The executor's words for a process that ended by itself with a code other than 0. */
export const launchException = (containerId: string, exitCode: number): string =>
  `Exception from container-launch.\nContainer id: ${containerId}\nExit code: ${exitCode}\n\n`;

/** The executor's words for a process that a signal ended. */
export const killedOnRequest = (exitCode: number): string => `Container killed on request. Exit code is ${exitCode}\n`;

/** Where the machine was started anew while a container ran: it counts as the loss of its node, not as a failure of its own. */
export const lostWithMachine = 'The machine of the node was started anew while the container ran.\n';

/** First words on any code other than 0. */
export const nonZeroExit = (exitCode: number): string => `Container exited with a non-zero exit code ${exitCode}. `;

/** The end of a standard error file that is shown. */
export interface ErrorTail {
  readonly name: string;
  readonly text: string;
}

/** What a failed container left in its error files. `names` are all files that match the pattern for standard error. */
export function errorFiles(
  tailBytes: number,
  prelaunch: string | undefined,
  names: readonly string[],
  newest: ErrorTail | undefined,
): string {
  let text = '';
  if (prelaunch !== undefined) text += `Error file: prelaunch.err.\nLast ${tailBytes} bytes of prelaunch.err :\n${prelaunch}`;
  if (names.length > 1) text += `Error files: ${names.join(', ')}.\n`;
  if (newest) text += `Last ${tailBytes} bytes of ${newest.name} :\n${newest.text}\n`;
  return text;
}

/** A number of bytes as Hadoop's TraditionalBinaryPrefix writes it: `1 GB`, `1.5 GB`, `512 B`. */
export function byteText(bytes: number, decimals: number): string {
  const prefixes = ['K', 'M', 'G', 'T', 'P', 'E'];
  if (bytes < 1024) return `${bytes} B`;
  let index = Math.min(Math.floor(Math.log2(bytes) / 10), prefixes.length);
  let text = bytes % 2 ** (10 * index) === 0 ? String(bytes / 2 ** (10 * index)) : (bytes / 2 ** (10 * index)).toFixed(decimals);
  if (text.startsWith('1024') && index < prefixes.length) text = (bytes / 2 ** (10 * ++index)).toFixed(decimals);
  return `${text} ${prefixes[index - 1]}B`;
}

/** What a container is told whose control group had no memory left, so that the kernel ended processes of it. */
export const memoryRanOut = (containerId: string, limitBytes: number): string =>
  `Container [containerID=${containerId}] reached its limit of ${byteText(limitBytes, 1)} physical memory, and the kernel ended processes of it.\n`;

/** What a container above its memory is told. */
export function memoryExceeded(facts: {
  readonly kind: 'PHYSICAL' | 'VIRTUAL';
  readonly pid: number;
  readonly containerId: string;
  readonly physicalBytes: number;
  readonly physicalLimitBytes: number;
  readonly virtualBytes: number;
  readonly virtualLimitBytes: number;
  readonly processes: readonly ProcessFacts[];
}): string {
  const excess = facts.kind === 'PHYSICAL' ? facts.physicalBytes - facts.physicalLimitBytes : facts.virtualBytes - facts.virtualLimitBytes;
  const dump = facts.processes.map(
    (process) =>
      `\t|- ${process.pid} ${process.parentPid} ${process.groupId} ${process.sessionId} (${process.name}) ${process.userTimeMs / 10} ${process.systemTimeMs / 10} ${process.virtualMemoryBytes} ${process.residentPages} ${process.commandLine} \n`,
  );
  return (
    `Container [pid=${facts.pid},containerID=${facts.containerId}] is running ${excess}B beyond the '${facts.kind}' memory limit. ` +
    `Current usage: ${byteText(facts.physicalBytes, 1)} of ${byteText(facts.physicalLimitBytes, 1)} physical memory used; ` +
    `${byteText(facts.virtualBytes, 1)} of ${byteText(facts.virtualLimitBytes, 1)} virtual memory used. Killing container.\n` +
    `Dump of the process-tree for ${facts.containerId} :\n` +
    '\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n' +
    dump.join('')
  );
}
