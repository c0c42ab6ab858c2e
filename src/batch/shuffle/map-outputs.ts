// The map outputs that lie on a node's disks: where each is, what its index says, its parts as streams. What was looked up is remembered.

import { once } from 'node:events';
import { closeSync, createReadStream, fstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { openInside } from '../../lib/open-inside.ts';
import type { SegmentPlace } from '../tasks/segment.ts';
import { CorruptSegment } from '../tasks/segment-bytes.ts';
import { countInIndex, placeInIndex } from '../tasks/segment-index.ts';

/** How much is remembered of outputs. */
export interface MapOutputLimits {
  /** Letters of all paths. */
  readonly pathWeight: number;
  /** Bytes of all indices. */
  readonly indexBytes: number;
  /** How long an output that nobody asks for is remembered. */
  readonly idleMs: number;
}

/** Hadoop's defaults. */
export const usualOutputLimits: MapOutputLimits = { pathWeight: 10_485_760, indexBytes: 10_485_760, idleMs: 300_000 };

/** Largest index that is read: a million partitions. */
const largestIndexBytes = 24 * 1_048_576 + 8;

/** The output of one map. */
export class MapOutput {
  /** Folder of the application on the disk that has it. */
  readonly folder: string;
  readonly file: string;
  readonly partitions: number;
  readonly #index: Buffer;

  /** @throws CorruptSegment for an index that was not written so */
  constructor(folder: string, file: string, index: Buffer) {
    this.folder = folder;
    this.file = file;
    this.partitions = countInIndex(index);
    this.#index = index;
  }

  get indexBytes(): number {
    return this.#index.length;
  }

  /** Where a partition lies; undefined where there is no such partition. */
  place(partition: number): SegmentPlace | undefined {
    return Number.isInteger(partition) && partition >= 0 && partition < this.partitions ? placeInIndex(this.#index, partition) : undefined;
  }

  /** Opens the file to be read. @throws Error where it is none, or leads out of the application's folder */
  open(): number {
    return openInside(this.folder, this.file);
  }
}

/** One part of a map's output, with the header that is sent before it. */
export interface Slice {
  readonly header: Buffer;
  readonly output: Pick<MapOutput, 'file' | 'open'>;
  readonly place: SegmentPlace;
}

/** Whether a name is one component of a path, as the ids of attempts are, so that nothing is found outside its folder by it. */
export const isOutputName = (name: string): boolean => /^\w[\w.-]{0,254}$/.test(name);

interface Remembered {
  readonly output: MapOutput;
  readonly weight: number;
  usedMs: number;
}

/** Finds outputs by application and name. */
export class MapOutputs {
  readonly #applicationFolders: (user: string, applicationId: string) => readonly string[];
  readonly #limits: MapOutputLimits;
  readonly #clock: Clock;
  /** Least recently used first. */
  readonly #remembered = new Map<string, Remembered>();
  #weight = 0;
  #indexBytes = 0;

  constructor(
    applicationFolders: (user: string, applicationId: string) => readonly string[],
    clock: Clock,
    limits: MapOutputLimits = usualOutputLimits,
  ) {
    this.#applicationFolders = applicationFolders;
    this.#clock = clock;
    this.#limits = limits;
  }

  /** How many outputs are remembered. */
  get size(): number {
    return this.#remembered.size;
  }

  /**
   * The output `output/NAME/file.out` of an application, in whichever of its folders has it; undefined where none has.
   * @throws CorruptSegment where its index is not what was written, Error where it leads out of its folder
   */
  find(application: { readonly id: string; readonly user: string }, name: string): MapOutput | undefined {
    if (!isOutputName(name)) return undefined;
    const key = `${application.id}/${name}`;
    const known = this.#remembered.get(key);
    const nowMs = this.#clock.steadyMs();
    if (known !== undefined && nowMs - known.usedMs <= this.#limits.idleMs) {
      known.usedMs = nowMs;
      this.#remembered.delete(key);
      this.#remembered.set(key, known);
      return known.output;
    }
    if (known !== undefined) this.#forget(key, known);
    const output = readMapOutput(this.#applicationFolders(application.user, application.id), name);
    if (output !== undefined) this.#remember(key, { output, weight: key.length + 2 * output.file.length, usedMs: nowMs });
    return output;
  }

  /** Forgets an application's outputs. */
  forget(applicationId: string): void {
    for (const [key, known] of this.#remembered) if (key.startsWith(`${applicationId}/`)) this.#forget(key, known);
  }

  #remember(key: string, remembered: Remembered): void {
    const { pathWeight, indexBytes, idleMs } = this.#limits;
    if (remembered.weight > pathWeight || remembered.output.indexBytes > indexBytes) return;
    this.#remembered.set(key, remembered);
    this.#weight += remembered.weight;
    this.#indexBytes += remembered.output.indexBytes;
    for (const [oldest, known] of this.#remembered) {
      const isOver = this.#weight > pathWeight || this.#indexBytes > indexBytes || remembered.usedMs - known.usedMs > idleMs;
      if (!isOver) break;
      this.#forget(oldest, known);
    }
  }

  #forget(key: string, known: Remembered): void {
    if (!this.#remembered.delete(key)) return;
    this.#weight -= known.weight;
    this.#indexBytes -= known.output.indexBytes;
  }
}

/**
 * The output of a map that lies in one of an application's folders; undefined where none has it.
 * @throws CorruptSegment where its index is not what was written, Error where it leads out of its folder
 */
export function readMapOutput(applicationFolders: readonly string[], name: string): MapOutput | undefined {
  for (const folder of applicationFolders) {
    const file = join(folder, 'output', name, 'file.out');
    if (statOf(`${file}.index`) === undefined) continue;
    const index = openInside(folder, `${file}.index`);
    try {
      if (fstatSync(index).size > largestIndexBytes) throw new CorruptSegment('index of a map output is too long');
      return new MapOutput(folder, file, readFileSync(index));
    } finally {
      closeSync(index);
    }
  }
  return undefined;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A folder on the way that is a file, or may not be entered.
    return undefined;
  }
}

/** Why a slice cannot be sent as its index says; undefined where it can. Opens the file. */
export function faultOf({ output, place }: Pick<Slice, 'output' | 'place'>): string | undefined {
  const { offset, rawLength, partLength } = place;
  for (const number of [offset, rawLength, partLength])
    if (!Number.isSafeInteger(number) || number < 0) return 'its index names an impossible place';
  let file: number;
  try {
    file = output.open();
  } catch (error) {
    return (error as Error).message;
  }
  const { size } = fstatSync(file);
  closeSync(file);
  return offset + partLength > size ? `its index names bytes up to ${offset + partLength}, and it has ${size}` : undefined;
}

/** Bytes that the slices are together, headers included. */
export const lengthOf = (slices: readonly Slice[]): number =>
  slices.reduce((sum, { header, place }) => sum + header.length + place.partLength, 0);

/**
 * Sends slices one after the other, in pieces of `bufferBytes`, no faster than they are read; the caller ends the answer. Ends early where the
 * connection is gone; resolves to whether everything left. */
export async function sendSlices(response: ServerResponse, slices: readonly Slice[], bufferBytes: number): Promise<boolean> {
  // Who has everything may leave before this goes on: what counts is what left, and not whether the connection is still there.
  let waiting = 0;
  const write = (bytes: Buffer): boolean => {
    waiting++;
    return response.write(bytes, (error) => {
      if (!error) waiting--;
    });
  };
  const closed = once(response, 'close');
  closed.catch(() => undefined);
  for (const { header, output, place } of slices) {
    write(header);
    if (place.partLength === 0) continue;
    const bytes = createReadStream('', {
      fd: output.open(),
      start: place.offset,
      end: place.offset + place.partLength - 1,
      highWaterMark: bufferBytes,
    });
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      if (!write(chunk)) await Promise.race([once(response, 'drain'), closed]);
      if (response.destroyed && waiting > 0) return false;
    }
    if (bytes.bytesRead < place.partLength) throw new Error(`${output.file} was cut while it was sent`);
  }
  return waiting === 0 || !response.destroyed;
}
