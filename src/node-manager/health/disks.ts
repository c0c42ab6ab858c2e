// Whether the folders of a node can be used (LocalDirsHandlerService, DirectoryCollection): each is listed good, broken or full.
import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, rmdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** When a folder counts as full. */
export interface DiskLimits {
  /** Percent of the disk in use above which a good folder is full; one that is not good has to come below `lowUtilizationPercent`. */
  readonly maximumUtilizationPercent: number;
  readonly lowUtilizationPercent: number;
  /** Free MiB below which a good folder is full; one that is not good has to come above `highFreeMiB`. */
  readonly minimumFreeMiB: number;
  readonly highFreeMiB: number;
}

/** What monitors see of the folders of a kind. */
export interface DiskFigures {
  readonly bad: number;
  readonly usedPercent: number;
}

/** The folders of one kind and what was found out about them. */
export class FolderGroup {
  readonly #kind: 'local' | 'log';
  readonly #folders: readonly string[];
  readonly #limits: DiskLimits;
  #broken = new Map<string, string>();
  #full = new Map<string, string>();
  /** Blocks of the good ones and how many of them are taken, at the last look. */
  #space = { used: 0, all: 0 };

  constructor(kind: 'local' | 'log', folders: readonly string[], limits: DiskLimits) {
    this.#kind = kind;
    this.#folders = folders;
    this.#limits = limits;
  }

  /** Looks at all of them now. */
  async check(): Promise<void> {
    const broken = new Map<string, string>();
    const full = new Map<string, string>();
    const space = { used: 0, all: 0 };
    for (const folder of this.#folders) {
      const fault = await this.#faultOf(folder, space);
      if (fault) (fault.isFull ? full : broken).set(folder, fault.text);
    }
    this.#broken = broken;
    this.#full = full;
    this.#space = space;
  }

  /** How many are bad, and how full the disks of the good ones are. */
  get figures(): DiskFigures {
    const { used, all } = this.#space;
    return { bad: this.bad.length, usedPercent: all === 0 ? 0 : Math.floor((100 * used) / all) };
  }

  /** Folders not to be used for anything new. */
  get bad(): readonly string[] {
    return [...this.#broken.keys(), ...this.#full.keys()];
  }

  /** Whether at least this part of them is good. */
  isHealthy(minimumFraction: number): boolean {
    return (this.#folders.length - this.bad.length) / this.#folders.length >= minimumFraction;
  }

  /** The sentences about broken and about full folders. */
  reports(): string[] {
    const texts: string[] = [];
    const all = this.#folders.length;
    if (this.#broken.size > 0) texts.push(`${this.#broken.size}/${all} ${this.#kind}-dirs have errors: ${listed(this.#broken)}`);
    if (this.#full.size > 0)
      texts.push(
        `${this.#full.size}/${all} ${this.#kind}-dirs usable space is below configured utilization percentage/no more usable space ${listed(this.#full)}`,
      );
    return texts;
  }

  /** What is wrong with a folder; where nothing is, its space is added to `space`. */
  async #faultOf(
    folder: string,
    space: { used: number; all: number },
  ): Promise<{ readonly isFull: boolean; readonly text: string } | undefined> {
    const wasGood = !this.#broken.has(folder) && !this.#full.has(folder);
    const limits = this.#limits;
    try {
      await mkdir(folder, { recursive: true, mode: 0o755 });
      if (!(await stat(folder)).isDirectory()) return { isFull: false, text: `Not a directory: ${folder}` };
    } catch (error) {
      const isFile = (error as NodeJS.ErrnoException).code === 'EEXIST' || (error as NodeJS.ErrnoException).code === 'ENOTDIR';
      return { isFull: false, text: `${isFile ? 'Not a directory' : 'Cannot create directory'}: ${folder}` };
    }
    for (const [mode, word] of [
      [constants.R_OK, 'readable'],
      [constants.W_OK, 'writable'],
      [constants.X_OK, 'executable'],
    ] as const) {
      const allowed = await access(folder, mode).then(
        () => true,
        () => false,
      );
      if (!allowed) return { isFull: false, text: `Directory is not ${word}: ${folder}` };
    }
    const disk = await statfs(folder);
    const usedPercent = disk.blocks === 0 ? 0 : (100 * (disk.blocks - disk.bavail)) / disk.blocks;
    const limitPercent = wasGood ? limits.maximumUtilizationPercent : limits.lowUtilizationPercent;
    if (usedPercent > limitPercent || usedPercent >= 100)
      return {
        isFull: true,
        text: `used space above threshold of ${Number.isInteger(limitPercent) ? limitPercent.toFixed(1) : limitPercent}%`,
      };
    const limitMiB = wasGood ? limits.minimumFreeMiB : limits.highFreeMiB;
    if ((disk.bavail * disk.bsize) / 2 ** 20 < limitMiB) return { isFull: true, text: `free space below limit of ${limitMiB}MB` };
    // What the numbers do not tell, such as a disk without room for another file.
    const probe = join(folder, randomUUID());
    try {
      await mkdir(probe, { mode: 0o700 });
      await rmdir(probe);
    } catch {
      return { isFull: false, text: `Cannot create directory: ${probe}` };
    }
    space.used += (disk.blocks - disk.bavail) * disk.bsize;
    space.all += disk.blocks * disk.bsize;
    return undefined;
  }
}

const listed = (faults: ReadonlyMap<string, string>): string =>
  ` [ ${[...faults].map(([folder, text]) => `${folder} : ${text}`).join(', ')} ] `;
