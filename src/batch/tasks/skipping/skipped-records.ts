// Where records that a task left out are kept for its user: a sequence file for each attempt (SkipBadRecords.getSkipOutputPath, Task.writeSkippedRec).
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../../lib/make-folder.ts';
import { withoutTrailing } from '../../../lib/trailing.ts';
import { SequenceWriter } from '../../../wire/files/sequence-writer.ts';
import { recordInputOf } from '../input/formats.ts';
import type { JobConfiguration } from '../job-configuration.ts';
import { localPath } from '../paths.ts';
import type { Program } from '../program.ts';
import { readerOf } from '../remote/reader.ts';
import { isRemote, openWriter, remoteParts } from '../remote/store.ts';
import type { TaskKind } from '../umbilical.ts';
import { prefixSize, type WritableKind, writePrefix } from '../writables.ts';

export const skipFolderSetting = 'mapreduce.job.skip.outdir';
const outputSetting = 'mapreduce.output.fileoutputformat.outputdir';
const io = 'org.apache.hadoop.io';
const classOfKind: Readonly<Record<WritableKind, string>> = {
  text: `${io}.Text`,
  bytes: `${io}.BytesWritable`,
  int: `${io}.IntWritable`,
  null: `${io}.NullWritable`,
};

/** What the records of a task are: the position of a line is eight bytes. */
interface RecordKinds {
  readonly key: WritableKind | 'long';
  readonly value: WritableKind;
}

/** The folder of what a job leaves out, as its settings name it; undefined where nothing is to be kept. */
export function skipFolderOf(settings: JobConfiguration): string | undefined {
  const named = settings.text(skipFolderSetting, '').trim();
  if (named === 'none') return undefined;
  if (named !== '') return named;
  const output = settings.text(outputSetting, '');
  return output === '' ? undefined : `${withoutTrailing(output, '/')}/_logs/skip`;
}

function kindsOf(settings: JobConfiguration, program: Program, kind: TaskKind): RecordKinds {
  if (kind === 'REDUCE') return { key: program.keyKind, value: program.valueKind };
  return { key: recordInputOf(settings) === 'positions' ? 'long' : 'text', value: 'text' };
}

function serialized(kind: WritableKind | 'long', bytes: Buffer): Buffer {
  if (kind === 'long') return bytes;
  const head = Buffer.allocUnsafe(prefixSize(kind, bytes.length));
  writePrefix(head, 0, kind, bytes.length);
  return Buffer.concat([head, bytes]);
}

/** The records that one attempt left out: on a local disk first, brought to their folder when the attempt has done its work. */
export class SkippedRecords {
  readonly #folder: string;
  readonly #file: string;
  readonly #attemptId: string;
  readonly #kinds: RecordKinds;
  readonly #settings: JobConfiguration;
  #writer: SequenceWriter | undefined;

  /** `localFolder`: of this job's on a local disk. */
  constructor(
    folder: string,
    task: {
      readonly attemptId: string;
      readonly kind: TaskKind;
      readonly configuration: JobConfiguration;
      readonly program: Program;
      readonly localFolder: string;
    },
  ) {
    this.#folder = folder;
    this.#attemptId = task.attemptId;
    this.#settings = task.configuration;
    this.#kinds = kindsOf(task.configuration, task.program, task.kind);
    this.#file = join(task.localFolder, 'skipped', task.attemptId);
  }

  /** Adds a record by its raw bytes; the key of a line is its position, as eight bytes. */
  add(key: Buffer, value: Buffer): void {
    const { key: keyKind, value: valueKind } = this.#kinds;
    if (this.#writer === undefined) {
      makeFolder(dirname(this.#file));
      this.#writer = new SequenceWriter(this.#file, {
        keyClass: keyKind === 'long' ? `${io}.LongWritable` : classOfKind[keyKind],
        valueClass: classOfKind[valueKind],
        mark: randomBytes(16),
      });
    }
    this.#writer.append(serialized(keyKind, key), serialized(valueKind, value));
  }

  /** Brings the file, where there is one, to the folder of all that the job left out; its name is the attempt’s. */
  async publish(): Promise<void> {
    if (this.#writer === undefined) return;
    this.#writer.close();
    this.#writer = undefined;
    if (isRemote(this.#folder)) await this.#upload();
    else {
      const folder = localPath(this.#folder, localPath(this.#settings.text('mapreduce.job.working.dir', '/')));
      makeFolder(folder);
      const unseen = join(folder, `.${this.#attemptId}`);
      copyFileSync(this.#file, unseen);
      renameSync(unseen, join(folder, this.#attemptId));
    }
    this.discard();
  }

  async #upload(): Promise<void> {
    const { root, path } = remoteParts(this.#folder);
    const writer = await openWriter(root, path, readerOf(this.#settings));
    await writer.complete(await writer.upload(this.#file, `${withoutTrailing(path, '/')}/${this.#attemptId}`));
  }

  /** Forgets what was left out: the attempt has failed. */
  discard(): void {
    this.#writer?.close();
    this.#writer = undefined;
    if (existsSync(this.#file)) rmSync(this.#file);
  }
}
