// Cuts off clients that never end a request. Node.js knows one time for all requests of a server; where some bodies are as long as files,
// what counts for these is that something comes.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How long the body of a request may take. */
export interface BodyLimits {
  /** Longest time in which nothing of it comes, ms. */
  readonly stallMs: number;
  /** Longest time for all of it, ms. */
  readonly totalMs: number;
}

/** Whether a request announces a body. */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Answers 408 and ends the connection when the body of `request` takes too long. */
export function watchBody(request: IncomingMessage, { stallMs, totalMs }: BodyLimits): void {
  const { socket } = request;
  let seenBytes = socket.bytesRead;
  let leftMs = totalMs;
  const stepMs = Math.min(stallMs, totalMs);
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer);
    leftMs -= stepMs;
    if (leftMs > 0 && socket.bytesRead > seenBytes) {
      seenBytes = socket.bytesRead;
      return;
    }
    clearInterval(timer);
    refuseConnection(socket, 408, 'Request Timeout');
    request.destroy();
  }, stepMs);
  timer.unref();
  request.once('close', () => clearInterval(timer));
}

/** How a connection is refused. */
interface Refusal {
  readonly retrySeconds?: number | undefined;
  /** Nothing follows the headers: what could not be read was a request for them alone. */
  readonly isHead?: boolean | undefined;
}

/** Says on a connection what is wrong with it, and ends it. */
export function refuseConnection(socket: Socket, status: number, reason: string, { retrySeconds, isHead }: Refusal = {}): void {
  if (!socket.writable) return void socket.destroy();
  const retry = retrySeconds === undefined ? '' : `Retry-After: ${retrySeconds}\r\n`;
  const head = `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${retry}Content-Type: text/html;charset=iso-8859-1\r\n\r\n`;
  socket.end(isHead ? head : `${head}<h1>Bad Message ${status}</h1><pre>reason: ${reason}</pre>`);
}
