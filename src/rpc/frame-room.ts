// How much memory unfinished frames of a port hold. One client may send one long frame, but many that never finish theirs would take all there is.

/** What the connections of a port hold together. What is usual counts for nothing, so that whoever sends no more never stands back for others. */
export class FrameRoom {
  readonly #limitBytes: number;
  readonly #usualBytes: number;
  readonly #held = new Map<object, number>();
  #heldBytes = 0;

  /** `usualBytes`: what each connection may hold in any case. */
  constructor(limitBytes: number, usualBytes: number) {
    this.#limitBytes = limitBytes;
    this.#usualBytes = usualBytes;
  }

  /** Whether the connection may hold so many bytes; where it may not it holds what it did. */
  holds(connection: object, bytes: number): boolean {
    const counted = bytes > this.#usualBytes ? bytes : 0;
    const before = this.#held.get(connection) ?? 0;
    if (counted > before && this.#heldBytes - before + counted > this.#limitBytes) return false;
    this.#heldBytes += counted - before;
    if (counted > 0) this.#held.set(connection, counted);
    else this.#held.delete(connection);
    return true;
  }

  /** The connection holds nothing any more. */
  leave(connection: object): void {
    this.holds(connection, 0);
  }
}
