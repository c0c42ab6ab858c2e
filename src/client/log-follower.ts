// Reads a growing log file piece by piece through an interface that only knows "the last n bytes".
import type { LogClient } from './node-client.ts';

const slackBytes = 65_536;

/** Remembers how much of one file was read. */
export class LogFollower {
  readonly #client: LogClient;
  readonly #containerId: string;
  readonly #file: string;
  #seenBytes = 0;

  constructor(client: LogClient, containerId: string, file: string) {
    this.#client = client;
    this.#containerId = containerId;
    this.#file = file;
  }

  /** Bytes read so far; another follower may go on from here. */
  get seenBytes(): number {
    return this.#seenBytes;
  }

  /** What was written since the last call; empty when nothing was, or the file is not there. @throws Unreachable */
  async next(): Promise<Buffer> {
    const none = Buffer.alloc(0);
    if (this.#seenBytes === 0) {
      const all = await this.#client.tail(this.#containerId, this.#file);
      this.#seenBytes = all?.content.length ?? 0;
      return all?.content ?? none;
    }
    for (let wantedBytes = slackBytes; ; wantedBytes *= 8) {
      const piece = await this.#client.tail(this.#containerId, this.#file, wantedBytes);
      if (!piece || piece.lengthBytes === undefined || piece.lengthBytes <= this.#seenBytes) return none;
      const firstByte = piece.lengthBytes - piece.content.length;
      if (firstByte > this.#seenBytes) continue;
      const fresh = piece.content.subarray(this.#seenBytes - firstByte);
      this.#seenBytes += fresh.length;
      return fresh;
    }
  }
}
