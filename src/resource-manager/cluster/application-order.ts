// Applications sorted by something of theirs that never changes, so that a list begins anywhere in their order and costs what it shows.
import type { Application } from '../applications/application.ts';

/** Where an application stands: its value, then its id. */
export type ApplicationPlace = readonly [value: string | number, id: string];

/** Applications copied between two looks at the order: it may change while a list is made. */
const pieceSize = 256;

/** Compares places by value, then by id (both of ASCII). */
export const comparePlaces = (a: ApplicationPlace, b: ApplicationPlace): number => compare(a[0], b[0]) || compare(a[1], b[1]);

const compare = (a: string | number, b: string | number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Applications in one order. */
export class ApplicationOrder {
  readonly #valueOf: (application: Application) => string | number;
  readonly #sorted: Application[] = [];

  /** `value` of an application is always the same. */
  constructor(value: (application: Application) => string | number) {
    this.#valueOf = value;
  }

  get size(): number {
    return this.#sorted.length;
  }

  add(application: Application): void {
    const last = this.#sorted.at(-1);
    // What comes is the latest, as a rule.
    if (!last || this.#compare(last, this.#valueOf(application), application.id) <= 0) this.#sorted.push(application);
    else this.#sorted.splice(this.#countUpTo(this.#placeOf(application), true), 0, application);
  }

  /** Whether it was there. */
  remove(application: Application): boolean {
    const at = this.#countUpTo(this.#placeOf(application), false);
    if (this.#sorted[at] !== application) return false;
    this.#sorted.splice(at, 1);
    return true;
  }

  /** How many have a value from the one to the other, both included. */
  countBetween(from: string | number, to: string | number): number {
    return Math.max(0, this.#countUpTo([to, lastId], true) - this.#countUpTo([from, ''], false));
  }

  /** Sorts some of them as they stand here. */
  sort(applications: Application[]): Application[] {
    return applications.sort((a, b) => comparePlaces(this.#placeOf(a), this.#placeOf(b)));
  }

  /** Those behind a place, to the end of the order. What comes and goes meanwhile neither repeats nor hides another. */
  *after(place: ApplicationPlace | undefined, descending = false): Generator<Application, undefined> {
    for (let last = place; ; ) {
      const piece = descending ? this.#pieceBefore(last) : this.#pieceAfter(last);
      const end = piece.at(-1);
      if (!end) return;
      yield* piece;
      last = this.#placeOf(end);
    }
  }

  /** Those with a value from the one to the other, both included. */
  *between(from: string | number, to: string | number): Generator<Application, undefined> {
    for (const application of this.after([from, ''])) {
      if (compare(this.#valueOf(application), to) > 0) return;
      yield application;
    }
  }

  #pieceAfter(place: ApplicationPlace | undefined): Application[] {
    const begin = place ? this.#countUpTo(place, true) : 0;
    return this.#sorted.slice(begin, begin + pieceSize);
  }

  #pieceBefore(place: ApplicationPlace | undefined): Application[] {
    const end = place ? this.#countUpTo(place, false) : this.#sorted.length;
    return this.#sorted.slice(Math.max(0, end - pieceSize), end).reverse();
  }

  #placeOf(application: Application): ApplicationPlace {
    return [this.#valueOf(application), application.id];
  }

  #compare(application: Application, value: string | number, id: string): number {
    return compare(this.#valueOf(application), value) || compare(application.id, id);
  }

  /** How many stand before a place, or at it where that is `included`. */
  #countUpTo([value, id]: ApplicationPlace, included: boolean): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(this.#sorted[middle]!, value, id);
      if (order < 0 || (order === 0 && included)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Behind every id. */
const lastId = '\uffff';
