// Lists of applications that are asked for again while nothing changed: the bytes are as they were, but for the times that went by since.
import type { Clock, Timer } from '../../lib/clock.ts';
import type { ElapsedPlace } from '../../lib/text-batch.ts';
import { Moment, type MomentPorts } from './moment.ts';

/** What is needed. */
export interface KeptListsPorts extends MomentPorts {
  readonly clock: Clock;
  /** How much is kept of all lists together; of one that was sent to several at once there are copies besides, 16 at most. */
  readonly mostBytes: number;
}

/** A part of a list. */
interface Piece {
  readonly bytes: Buffer;
  readonly places: readonly ElapsedPlace[];
}

/** Copies of a list that are kept while nobody sends them. */
const mostFreeCopies = 16;

/** A list as it was made. */
export class KeptList {
  readonly #bytes: Buffer<ArrayBuffer>;
  readonly #places: readonly ElapsedPlace[];
  /** At these times each elapsed time has as many digits as it has here. */
  readonly #fromMs: number;
  readonly #untilMs: number;
  readonly #free: Buffer<ArrayBuffer>[] = [];

  constructor(pieces: readonly Piece[]) {
    this.#bytes = Buffer.concat(pieces.map(({ bytes }) => bytes));
    const places: ElapsedPlace[] = [];
    let before = 0;
    for (const piece of pieces) {
      for (const place of piece.places) places.push({ ...place, at: before + place.at });
      before += piece.bytes.length;
    }
    this.#places = places;
    this.#fromMs = places.reduce((most, { sinceMs, digits }) => Math.max(most, sinceMs + (digits === 1 ? 0 : 10 ** (digits - 1))), 0);
    this.#untilMs = places.reduce((least, { sinceMs, digits }) => Math.min(least, sinceMs + 10 ** digits), Number.POSITIVE_INFINITY);
  }

  /** Whether it can be given at that time. */
  fits(nowMs: number): boolean {
    return nowMs >= this.#fromMs && nowMs < this.#untilMs;
  }

  /** The list at a time that fits; to be given back when nobody reads it any more. */
  lend(nowMs: number): Buffer<ArrayBuffer> {
    const bytes = this.#free.pop() ?? Buffer.from(this.#bytes);
    for (const { at, sinceMs, digits } of this.#places) writeDigits(bytes, at, digits, nowMs - sinceMs);
    return bytes;
  }

  giveBack(bytes: Buffer<ArrayBuffer>): void {
    if (this.#free.length < mostFreeCopies) this.#free.push(bytes);
  }
}

const zero = '0'.charCodeAt(0);

/** Writes a whole number that has so many digits. */
function writeDigits(bytes: Buffer, at: number, digits: number, value: number): void {
  let rest = value;
  for (let i = at + digits - 1; i >= at; i--) {
    const higher = Math.floor(rest / 10);
    bytes[i] = zero + rest - higher * 10;
    rest = higher;
  }
}

/** A list that is being made, to be kept. */
export interface ListToKeep {
  /** Takes the next piece. `places` undefined: it would not be the same the next time; then nothing of the list is kept. */
  add(bytes: Buffer, places: readonly ElapsedPlace[] | undefined): void;
  /** The list is complete. */
  done(): void;
}

/** The lists of one moment: as soon as anything changed none of them is given any more. */
export class KeptLists {
  readonly #ports: KeptListsPorts;
  /** By what was asked; undefined: asked for once, so that who asks for something else each time costs nothing. */
  #lists = new Map<string, KeptList | undefined>();
  #bytes = 0;
  readonly #moment: Moment;
  #forgetting: Timer | undefined;

  constructor(ports: KeptListsPorts) {
    this.#ports = ports;
    this.#moment = new Moment(ports);
  }

  /** The list for what is asked, as it would be made at that time. */
  find(asked: string, nowMs: number): KeptList | undefined {
    this.#forgetWhatChanged(nowMs);
    const list = this.#lists.get(asked);
    return list?.fits(nowMs) ? list : undefined;
  }

  /** A list is about to be made; undefined: it is not to be kept. */
  begin(asked: string, nowMs: number): ListToKeep | undefined {
    this.#forgetWhatChanged(nowMs);
    const lists = this.#lists;
    if (!lists.has(asked)) {
      if (lists.size < mostAsked) lists.set(asked, undefined);
      return undefined;
    }
    const pieces: Piece[] = [];
    let own = 0;
    let lasts = true;
    return {
      add: (bytes, places) => {
        own += bytes.length;
        lasts &&= places !== undefined && this.#bytes + own <= this.#ports.mostBytes;
        if (lasts) pieces.push({ bytes: Buffer.from(bytes), places: places! });
        else pieces.length = 0;
      },
      done: () => {
        this.#forgetWhatChanged(this.#ports.clock.now());
        if (!lasts || lists !== this.#lists || this.#bytes + own > this.#ports.mostBytes) return;
        if (lists.get(asked) === undefined) this.#bytes += own;
        lists.set(asked, new KeptList(pieces));
        this.#forgetInTime();
      },
    };
  }

  /** Nobody may ask again: what is kept goes all the same. */
  #forgetInTime(): void {
    this.#forgetting ??= this.#ports.clock.setTimer(this.#ports.longestMs, () => {
      this.#forgetting = undefined;
      this.#forget();
    });
  }

  #forgetWhatChanged(nowMs: number): void {
    if (!this.#moment.goesOn(nowMs)) this.#forget();
  }

  /** Lists that are being made find that theirs is another map, and are not kept. */
  #forget(): void {
    if (this.#lists.size > 0) this.#lists = new Map();
    this.#bytes = 0;
  }
}

/** So many questions of one moment are told apart. */
const mostAsked = 64;
