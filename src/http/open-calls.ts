// The calls that a service is answering now. When it ends they are told, so that each is answered while there still is a connection for it.
import type { ServerResponse } from 'node:http';
import { turnsAreOver } from '../lib/turn-end.ts';
import { failure } from '../model/errors.ts';

/** How long the end of a service waits for answers, ms. */
const answersWithinMs = 1000;

/**
 * What the signals of calls fire with when their server ends. A call that waits answers with what there is, or throws this; an answer that
 * goes on as long as something else does throws it where its reader would take an end for the end of that.
 */
export const serverEnd = failure('UNAVAILABLE', { what: 'This server, which is being stopped,', seconds: 1 });

/** @throws Failure `serverEnd`, where that is what the signal fired with */
export function throwAtServerEnd({ reason }: AbortSignal): void {
  if (reason === serverEnd) throw serverEnd;
}

/** The open calls of one service. */
export class OpenCalls {
  /** Calls whose handlers have not answered. */
  #unanswered = 0;
  /** Of calls that listen for their end, until all of their answer has left. */
  readonly #listening = new Set<AbortController>();
  #isEnding = false;
  #answered = (): void => undefined;

  /** Connections are not to be used again. */
  get areEnding(): boolean {
    return this.#isEnding;
  }

  /** A call has come. */
  begin(): void {
    this.#unanswered++;
  }

  /** The handler of a call has answered. */
  answer(): void {
    this.#unanswered--;
    this.#look();
  }

  /** Fires when the client goes away, and with `serverEnd` when the service ends. */
  signalOf(response: ServerResponse): AbortSignal {
    const controller = new AbortController();
    if (this.#isEnding) controller.abort(serverEnd);
    if (response.closed) {
      controller.abort();
      return controller.signal;
    }
    this.#listening.add(controller);
    // The response's own event: the connection lives on for further requests.
    response.once('close', () => {
      this.#listening.delete(controller);
      controller.abort();
      this.#look();
    });
    return controller.signal;
  }

  /** Tells all that listen, and resolves when everything is answered; at the latest after a second. */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const controller of this.#listening) controller.abort(serverEnd);
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, answersWithinMs);
      this.#answered = () => {
        clearTimeout(late);
        resolve();
      };
      this.#look();
    });
    await turnsAreOver();
  }

  #look(): void {
    if (this.#isEnding && this.#unanswered === 0 && this.#listening.size === 0) this.#answered();
  }
}
