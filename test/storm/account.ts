// What a storm's clients were told, what really ran, and what of both does not fit together.
import { readFileSync } from 'node:fs';

/** What a storm found, each with its names; all empty: everything held. */
export interface Findings {
  /** Accepted or acknowledged, and not there as it was. */
  readonly lost: string[];
  /** Started twice under one id, or for one request. */
  readonly twice: string[];
  /** Told more than once. */
  readonly toldAgain: string[];
  /** Not over although all is well again. */
  readonly waiting: string[];
  /** What no role and no master should do: not start, not stop, end by itself. */
  readonly troubles: string[];
}

/** Keeps account. */
export class Account {
  /** Application → how it must be shown at its end; undefined: ended in any way. */
  readonly applications = new Map<string, string | undefined>();
  /** That the timeline took. */
  readonly entities = new Set<string>();
  readonly #notes = new Map<string, Set<string>>();
  readonly #noteFindings: string[] = [];
  readonly #containersOf = new Map<string, Set<string>>();
  readonly #ends = new Map<string, number[]>();

  /** The submission was answered with 202. */
  accepted(applicationId: string): void {
    if (!this.applications.has(applicationId)) this.applications.set(applicationId, undefined);
  }

  /** The master's `finish` was answered with 200. */
  finished(applicationId: string): void {
    this.applications.set(applicationId, 'FINISHED SUCCEEDED');
  }

  /** The kill was answered with 200. */
  killed(applicationId: string): void {
    this.applications.set(applicationId, 'KILLED KILLED');
  }

  /** The timeline took an entity. */
  published(entity: string): void {
    this.entities.add(entity);
  }

  /** The call of a master that brought a note was answered. */
  noted(applicationId: string, note: string): void {
    const notes = this.#notes.get(applicationId);
    if (notes) notes.add(note);
    else this.#notes.set(applicationId, new Set([note]));
  }

  /** The notes that a registration was answered with. */
  readNotes(applicationId: string, notes: readonly string[]): void {
    const there = new Set(notes);
    if (there.size < notes.length) this.#noteFindings.push(`a note of ${applicationId} is there twice`);
    for (const note of this.#notes.get(applicationId) ?? [])
      if (!there.has(note)) this.#noteFindings.push(`the note ${note} of ${applicationId} is not there`);
  }

  given(askId: string, containerId: string): void {
    const containers = this.#containersOf.get(askId);
    if (containers) containers.add(containerId);
    else this.#containersOf.set(askId, new Set([containerId]));
  }

  isGiven(askId: string): boolean {
    return this.#containersOf.has(askId);
  }

  told(containerId: string, exitCode: number): void {
    const ends = this.#ends.get(containerId);
    if (ends) ends.push(exitCode);
    else this.#ends.set(containerId, [exitCode]);
  }

  get endsTold(): number {
    return this.#ends.size;
  }

  /** Compares with the file in which containers note their starts: `start ASK CONTAINER PID` a line. */
  findings(
    runsFile: string,
    shown: ReadonlyMap<string, string>,
    waiting: readonly string[],
  ): Omit<Findings, 'troubles'> & { readonly starts: number } {
    const byContainer = new Map<string, number>();
    const byAsk = new Map<string, Set<string>>();
    for (const line of readFileSync(runsFile, 'utf8').split('\n')) {
      const [word, askId, containerId] = line.split(' ');
      if (word !== 'start' || askId === undefined || containerId === undefined) continue;
      byContainer.set(containerId, (byContainer.get(containerId) ?? 0) + 1);
      byAsk.set(askId, (byAsk.get(askId) ?? new Set()).add(containerId));
    }
    const lost = [...this.applications].flatMap(([id, end]) => {
      const found = shown.get(id);
      if (found === undefined) return [`${id} is not there`];
      return end !== undefined && found !== end ? [`${id} is ${found}, acknowledged was ${end}`] : [];
    });
    const twice = [
      ...[...byContainer].filter(([, starts]) => starts > 1).map(([id, starts]) => `${id} started ${starts} times`),
      // An application's own attempts note no request.
      ...[...byAsk].filter(([askId, ran]) => askId !== '-' && ran.size > 1).map(([askId, ran]) => `${askId} ran in ${[...ran].join(', ')}`),
    ];
    const toldAgain = [...this.#ends].filter(([, codes]) => codes.length > 1).map(([id, codes]) => `${id}: ${codes.join(', ')}`);
    const untold = [...this.#containersOf].flatMap(([askId, ids]) =>
      [...ids].filter((id) => !this.#ends.has(id)).map((id) => `the end of ${id} (${askId}) was not told`),
    );
    return { lost: [...lost, ...this.#noteFindings], twice, toldAgain, waiting: [...waiting, ...untold], starts: byContainer.size };
  }
}
