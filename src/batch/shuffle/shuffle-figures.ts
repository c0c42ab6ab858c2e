// What the shuffle of a node counts for monitors (ShuffleMetrics of Hadoop's ShuffleHandler), whoever asked.
import type { ServerResponse } from 'node:http';
import { type Slice, sendSlices } from './map-outputs.ts';

export class ShuffleFigures {
  #outputBytes = 0;
  #outputsFailed = 0;
  #outputsOk = 0;
  #connections = 0;

  /** Sends slices, as `sendSlices`, and counts them. */
  async send(response: ServerResponse, slices: readonly Slice[], bufferBytes: number): Promise<void> {
    this.#connections += 1;
    let isWhole = false;
    try {
      isWhole = await sendSlices(response, slices, bufferBytes);
    } finally {
      this.#connections -= 1;
      if (isWhole) {
        this.#outputsOk += slices.length;
        for (const { place } of slices) this.#outputBytes += place.partLength;
      } else this.#outputsFailed += slices.length;
    }
  }

  /** The figures as Hadoop names them. */
  get shown(): Readonly<Record<string, number>> {
    return {
      ShuffleOutputBytes: this.#outputBytes,
      ShuffleOutputsFailed: this.#outputsFailed,
      ShuffleOutputsOK: this.#outputsOk,
      ShuffleConnections: this.#connections,
    };
  }
}
