// Requests as they stand: paths are not tidied, any method and header goes out, wrong ones too.
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';

const agent = new Agent({ keepAlive: true, maxSockets: 4 });
export const closeConnections = (): void => agent.destroy();

/** A request to one server. */
export interface RawRequest {
  readonly method: string;
  /** Path and query, sent as given. */
  readonly target: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer | undefined;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

const longestAnswerMs = 120_000;
const streamedMs = 300;

/** Sends a request; a connection that the server closed without an answer gives status 0, with `cut` one that goes on answering is cut short. */
export function send(port: number, { method, target, headers = {}, body }: RawRequest, cut = false): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = httpRequest({ port, host: '127.0.0.1', method, path: target, headers: { ...length, ...headers }, agent });
    const tooLong = setTimeout(() => request.destroy(new Error(`no answer to ${method} ${target.slice(0, 120)}`)), longestAnswerMs);
    request.on('response', (response) => {
      const pieces: Buffer[] = [];
      const done = () => {
        clearTimeout(tooLong);
        clearTimeout(streamed);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(pieces).toString('utf8') });
      };
      const streamed = setTimeout(() => {
        if (cut && response.headers['content-length'] === undefined) {
          done();
          request.destroy();
        }
      }, streamedMs);
      // Events go on for ever: that they began is the answer.
      if (cut && response.headers['content-type']?.startsWith('text/event-stream')) {
        done();
        request.destroy();
        return;
      }
      response.on('data', (piece) => pieces.push(piece)).on('end', done);
      response.on('error', done);
    });
    request.on('upgrade', ({ statusCode = 0, headers }, socket) => {
      clearTimeout(tooLong);
      socket.destroy();
      resolve({ status: statusCode, headers, text: '' });
    });
    request.on('error', (error: Error & { code?: string }) => {
      clearTimeout(tooLong);
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve({ status: 0, headers: {}, text: '' });
      else reject(error);
    });
    request.end(body);
  });
}

/** Writes bytes to a connection and gives what comes back until the server closes it or `limitMs` is over. */
export function sendBytes(port: number, bytes: string | Buffer, limitMs = 60_000): Promise<{ text: string; closed: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const end = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, closed });
    };
    const timer = setTimeout(() => end(false), limitMs);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (piece) => (text += piece.toString('latin1')));
    socket.on('error', () => end(true));
    socket.on('close', () => end(true));
  });
}
