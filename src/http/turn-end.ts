// Answers that are made in one turn of the event loop leave at its end, one behind the other. To write to a connection whose client sleeps
// wakes the client, which costs the server more than the write does; one that is answered at once and asks again is asleep before the next
// answer is made, and is woken for each. Behind the first of several it is awake.
import type { ServerResponse } from 'node:http';
import { TurnEnd } from '../lib/turn-end.ts';

interface Leaving {
  readonly response: ServerResponse;
  readonly body: string | Buffer;
  readonly sent: (() => void) | undefined;
}

const leaving = new TurnEnd<Leaving>(({ response, body, sent }) => {
  try {
    if (response.destroyed) return;
    if (typeof body === 'string') response.end(body, 'latin1', sent);
    else response.end(body, sent);
  } catch (error) {
    response.destroy(error as Error);
  }
});

/**
 * Ends a response at the end of this turn; its head is written. Text is of Latin-1 alone. `sent` is called once the system has the body; never
 * where the client has left before. What cannot be sent closes the connection.
 */
export function endWithTurn(response: ServerResponse, body: string | Buffer, sent?: () => void): void {
  leaving.add({ response, body, sent });
}
