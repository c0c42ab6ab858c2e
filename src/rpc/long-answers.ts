// Answers that are long, of all connections of a port: they are made one at a time, in turn for each connection, and none while clients leave much of
// them unread. So what they take of memory has a bound, however many clients ask for long lists and do not read them.
import type { Socket } from 'node:net';
import { javaClasses, RpcException } from './exceptions.ts';

/** From this length on an answer is long. */
export const longBytes = 256 * 1024;
/** So much of long answers may be unread when another one is made. */
const unreadLimitBytes = 64 * 1024 * 1024;

/** What is looked at of a connection. */
export interface AnsweredSocket extends Pick<Socket, 'writableLength' | 'destroyed'> {
  once(event: 'drain' | 'close', hear: () => void): unknown;
  off(event: 'drain' | 'close', hear: () => void): unknown;
}

/** Somebody who waits. */
interface Waiter {
  readonly goOn: () => void;
  readonly giveUp: (problem: RpcException) => void;
}

/** Gives long answers their turns. */
export class LongAnswers {
  readonly #limitBytes: number;
  readonly #unread = new Set<AnsweredSocket>();
  /** By their connections, the one whose turn is next at first. */
  readonly #waiting = new Map<AnsweredSocket, Waiter[]>();
  #isMade = false;

  /** `limitBytes`: how much may be unread when another one is made. */
  constructor(limitBytes = unreadLimitBytes) {
    this.#limitBytes = limitBytes;
  }

  /**
   * Resolves when an answer that grows long may grow on, to what has to be called when it is made.
   * @throws RpcException where the client is gone by then
   */
  async begin(socket: AnsweredSocket): Promise<() => void> {
    await new Promise<void>((goOn, giveUp) => {
      const others = this.#waiting.get(socket);
      if (others) others.push({ goOn, giveUp });
      else this.#waiting.set(socket, [{ goOn, giveUp }]);
      this.#next();
    });
    return () => {
      this.#isMade = false;
      // It counts as unread from the turn on in which it leaves.
      setImmediate(() => this.#next());
    };
  }

  /** A long answer is on its way. */
  wrote(socket: AnsweredSocket): void {
    if (socket.destroyed || this.#unread.has(socket)) return;
    this.#unread.add(socket);
    const wasRead = (): void => {
      for (const event of ['drain', 'close'] as const) socket.off(event, wasRead);
      this.#unread.delete(socket);
      this.#next();
    };
    for (const event of ['drain', 'close'] as const) socket.once(event, wasRead);
  }

  #next(): void {
    if (this.#isMade) return;
    let unreadBytes = 0;
    for (const { writableLength } of this.#unread) unreadBytes += writableLength;
    if (unreadBytes > this.#limitBytes) return;
    for (const [socket, [first, ...others]] of this.#waiting) {
      this.#waiting.delete(socket);
      if (socket.destroyed) {
        for (const { giveUp } of [first!, ...others]) giveUp(new RpcException(javaClasses.IOException, 'The connection was closed.'));
        continue;
      }
      if (others.length > 0) this.#waiting.set(socket, others);
      this.#isMade = true;
      return first!.goOn();
    }
  }
}
