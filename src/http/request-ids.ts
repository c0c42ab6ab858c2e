// Every request has an id, by which its answer, the lines of logs and audit about it, and what is asked of other servers for it are found.
import type { IncomingMessage } from 'node:http';
import type { Random } from '../lib/random.ts';

/** Names the request: in requests as their callers call it, in every answer. */
export const requestIdHeader = 'x-request-id';

/** What a log line may hold of a caller's: no blanks, nothing that another reader could take for syntax. */
const sane = /^[A-Za-z0-9._:-]{1,128}$/;

/** Gives requests their ids: the caller's own where it is sane, else one that no other request has. */
export class RequestIds {
  readonly #prefix: string;
  #given = 0;

  constructor(random: Random) {
    this.#prefix = `${random.bytes(6).toString('hex')}-`;
  }

  of({ headers }: Pick<IncomingMessage, 'headers'>): string {
    const named = headers[requestIdHeader];
    return typeof named === 'string' && sane.test(named) ? named : this.#prefix + (++this.#given).toString(36);
  }
}
