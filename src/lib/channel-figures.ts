// What reliable channels of one process carried, for those who watch it. What a channel sends again after a break counts again.

/** One side of a channel, as long as it is kept. */
interface Watched {
  readonly connected: boolean;
  /** Messages not acknowledged yet. */
  readonly pending: number;
}

/** Messages and their bytes, without acknowledgements and greetings. */
export class CarriedFigures {
  messages = 0;
  bytes = 0;

  add(bytes: number): void {
    this.messages++;
    this.bytes += bytes;
  }
}

/** The figures of all channels that were given them. */
export class ChannelFigures {
  readonly sent = new CarriedFigures();
  readonly received = new CarriedFigures();
  /** Connections that began a session, and those that went on with one. */
  begunSessions = 0;
  resumedSessions = 0;
  readonly #sides = new Set<Watched>();

  /** Looks at a side until the returned function is called. */
  watch(side: Watched): () => void {
    this.#sides.add(side);
    return () => this.#sides.delete(side);
  }

  /** A connection was greeted. */
  connected(isResumed: boolean): void {
    if (isResumed) this.resumedSessions++;
    else this.begunSessions++;
  }

  /** Sides whose socket is up. */
  get open(): number {
    let open = 0;
    for (const { connected } of this.#sides) if (connected) open++;
    return open;
  }

  /** Messages that the peers have not acknowledged, those of peers that are away among them. */
  get pending(): number {
    let pending = 0;
    for (const side of this.#sides) pending += side.pending;
    return pending;
  }
}
