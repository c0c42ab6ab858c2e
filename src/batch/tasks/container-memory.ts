// How much of its container's memory a task's own buffers may take. The program, its processes and the runtime need the rest.
import type { JobConfiguration } from './job-configuration.ts';
import type { TaskKind } from './umbilical.ts';

const defaultMemoryMiB = 1024;
/** A record lies in several buffers at a time on its way: where it is read, sorted, sent, merged and written. */
const recordShare = 1 / 8;

/** Memory of the container of a task of this kind, bytes (`mapreduce.{map,reduce}.memory.mb`). */
export function containerBytes(configuration: JobConfiguration, kind: TaskKind): number {
  const memoryMiB = configuration.number(`mapreduce.${kind.toLowerCase()}.memory.mb`, defaultMemoryMiB);
  return (memoryMiB > 0 ? memoryMiB : defaultMemoryMiB) * 1048576;
}

/** What a task's process takes before it has done anything, with room for its collector of garbage. */
const runtimeBytes = 128 * 1048576;
/** Of the rest; sorting many small records takes as much again as the buffer has. */
const sortBufferShare = 0.35;
const smallestSortBufferBytes = 4 * 1048576;

/** Hadoop's defaults, which are made for its default heap of 200 MB. */
const usualSortMiB = 100;
const usualSpillShare = 0.8;

/**
 * Bytes of output that a map may collect before they go to disk: no more than its container has, whatever its job says of that, and as much
 * where the job says nothing, for the fewer spills there are, the less is merged.
 */
export function sortBufferBytes(configuration: JobConfiguration): number {
  const most = Math.max(smallestSortBufferBytes, Math.floor((containerBytes(configuration, 'MAP') - runtimeBytes) * sortBufferShare));
  const sortMiB = configuration.number('mapreduce.task.io.sort.mb', usualSortMiB);
  const share = configuration.number('mapreduce.map.sort.spill.percent', usualSpillShare);
  return sortMiB === usualSortMiB && share === usualSpillShare ? most : Math.min(sortMiB * share * 1048576, most);
}

const garbageShare = 1 / 8;
const mostGarbageMiB = 128;

/**
 * What a task's process may have on its heap and in buffers before old objects are collected for the first time, MiB. Its heap is small and
 * every read makes a buffer: a collector that measures its work by the heap alone would run dozens of times a second.
 */
export const uncollectedMiB = (configuration: JobConfiguration, kind: TaskKind): number =>
  Math.max(1, Math.floor(Math.min(mostGarbageMiB, (containerBytes(configuration, kind) / 1048576) * garbageShare)));

const smallMiB = 1024;
const youngShare = 1 / 64;

/**
 * How large each of the two or three parts may be in which objects lie that have just been made, MiB; undefined: as the runtime has it, which would
 * be a fifth of a small container.
 */
export function youngPartMiB(configuration: JobConfiguration, kind: TaskKind): number | undefined {
  const containerMiB = containerBytes(configuration, kind) / 1048576;
  return containerMiB < smallMiB ? Math.max(1, Math.floor(containerMiB * youngShare)) : undefined;
}

/** Longest line or record that a task of this kind takes, bytes. */
export const longestRecordBytes = (configuration: JobConfiguration, kind: TaskKind): number =>
  Math.floor(containerBytes(configuration, kind) * recordShare);

/**
 * Longest line that goes through the task as it is, bytes: it lies about twice at a time, for the command reads and writes it while the task
 * has it in pieces, and a third one may be on its way.
 */
export const longestPassedBytes = (configuration: JobConfiguration, kind: TaskKind): number =>
  Math.max(longestRecordBytes(configuration, kind), Math.floor((containerBytes(configuration, kind) - runtimeBytes) / 3));

/** Thrown for a line that would take more memory than the container has; says what helps. */
export class RecordTooLong extends Error {
  override readonly name = 'java.io.IOException';
  constructor(what: string, longestBytes: number, kind: TaskKind) {
    super(
      `${what} is longer than ${longestBytes} bytes, for which its container has the memory: give it more by mapreduce.${kind.toLowerCase()}.memory.mb`,
    );
  }
}
