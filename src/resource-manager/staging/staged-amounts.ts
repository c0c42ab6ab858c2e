// What lies in the staging area, of each user and of all: counted once, then kept in step with every file that is put there or taken away.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Files and their bytes. */
export interface Amount {
  readonly bytes: number;
  readonly files: number;
}

const nothing: Amount = { bytes: 0, files: 0 };
const sum = (a: Amount, b: Amount): Amount => ({ bytes: a.bytes + b.bytes, files: a.files + b.files });

/** What lies in a folder and below it. */
export async function amountBelow(folder: string): Promise<Amount> {
  let found = nothing;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const facts = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    found = sum(found, { bytes: facts?.size ?? 0, files: 1 });
  }
  return found;
}

/** The amounts of one area. */
export class StagedAmounts {
  readonly #folder: string;
  readonly #isCounted: (name: string) => boolean;
  /** By the name of a user's folder; undefined: it has to be counted. */
  #byUser: Map<string, Amount> | undefined;
  #total = nothing;
  #turn: Promise<unknown> = Promise.resolve();

  /** `isCounted`: whether a folder of that name is a user's. */
  constructor(folder: string, isCounted: (name: string) => boolean) {
    this.#folder = folder;
    this.#isCounted = isCounted;
  }

  /** Runs what puts or takes files away, one after the other, so that what is counted is what lies there. */
  inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(run);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Resolves when it is known what lies here: `of` and `total` hold until the caller waits for something. */
  async known(): Promise<void> {
    while (!this.#byUser) await this.inTurn(() => this.#count());
  }

  of(userFolder: string): Amount {
    return this.#byUser?.get(userFolder) ?? nothing;
  }

  get total(): Amount {
    return this.#total;
  }

  /** Something came, or went (below 0). Within a turn, right after it did. */
  add(userFolder: string, change: Amount): void {
    if (!this.#byUser) return;
    this.#byUser.set(userFolder, sum(this.of(userFolder), change));
    this.#total = sum(this.#total, change);
  }

  /** Counts again before the next file: another process may have removed something. */
  forget(): void {
    this.#byUser = undefined;
  }

  async #count(): Promise<void> {
    if (this.#byUser) return;
    const found = new Map<string, Amount>();
    for (const name of await readdir(this.#folder).catch((): string[] => []))
      if (this.#isCounted(name)) found.set(name, await amountBelow(join(this.#folder, name)));
    this.#byUser = found;
    this.#total = [...found.values()].reduce(sum, nothing);
  }
}
