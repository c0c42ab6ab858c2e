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

/** An application as it is listed in the end. */
export interface ShownApplication {
  readonly name: string;
  /** State and final status. */
  readonly end: string;
}

/** Keeps account. */
export class Account {
  /** Ends that a webhook was told of. */
  readonly #heard = new Set<string>();
  /** Key → application that it made. */
  readonly #byKey = new Map<string, string>();
  /** Ends whose answer its master may have lost with itself. */
  readonly #forgotten = new Set<string>();
  /** Application → how it must be shown at its end; undefined: ended in any way. */
  readonly applications = new Map<string, string | undefined>();
  /** That the timeline took. */
  readonly entities = new Set<string>();
  readonly #notes = new Map<string, Set<string>>();
  readonly #noteFindings: string[] = [];
  readonly #keyFindings: string[] = [];
  readonly #containersOf = new Map<string, Set<string>>();
  readonly #ends = new Map<string, number[]>();

  /** The submission was answered with 202. */
  accepted(applicationId: string): void {
    if (!this.applications.has(applicationId)) this.applications.set(applicationId, undefined);
  }

  /** A submission under a key was answered with 202: the same application each time. */
  keyed(key: string, applicationId: string): void {
    this.accepted(applicationId);
    const before = this.#byKey.get(key);
    if (before !== undefined && before !== applicationId)
      this.#keyFindings.push(`${before} and ${applicationId} were made under the key ${key}`);
    this.#byKey.set(key, applicationId);
  }

  /** A webhook was told of the end of an application. */
  heardEnd(applicationId: string): void {
    this.#heard.add(applicationId);
  }

  /** Those whose end no webhook was told of. */
  get unheard(): string[] {
    return [...this.applications.keys()].filter((id) => !this.#heard.has(id));
  }

  /** A master died that was told of these ends last: it may be told of them once more. */
  forgotten(containerIds: readonly string[]): void {
    for (const id of containerIds) this.#forgotten.add(id);
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
    shown: ReadonlyMap<string, ShownApplication>,
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
      return end !== undefined && found.end !== end ? [`${id} is ${found.end}, acknowledged was ${end}`] : [];
    });
    const byName = new Map<string, string[]>();
    for (const [id, { name }] of shown) if (this.#byKey.has(name)) byName.set(name, [...(byName.get(name) ?? []), id]);
    const twice = [
      ...[...byContainer].filter(([, starts]) => starts > 1).map(([id, starts]) => `${id} started ${starts} times`),
      // An application's own attempts note no request.
      ...[...byAsk].filter(([askId, ran]) => askId !== '-' && ran.size > 1).map(([askId, ran]) => `${askId} ran in ${[...ran].join(', ')}`),
      ...[...byName].filter(([, ids]) => ids.length > 1).map(([key, ids]) => `${ids.join(', ')} were made under the key ${key}`),
      ...this.#keyFindings,
    ];
    const toldAgain = [...this.#ends]
      .filter(([id, codes]) => codes.length > (this.#forgotten.has(id) ? 2 : 1))
      .map(([id, codes]) => `${id}: ${codes.join(', ')}`);
    const untold = [...this.#containersOf].flatMap(([askId, ids]) =>
      [...ids].filter((id) => !this.#ends.has(id)).map((id) => `the end of ${id} (${askId}) was not told`),
    );
    return { lost: [...lost, ...this.#noteFindings], twice, toldAgain, waiting: [...waiting, ...untold], starts: byContainer.size };
  }
}
