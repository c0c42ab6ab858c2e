// A shell in a container, over the web socket of the node whose pages these are: what `heddle container exec` speaks.
import type { mostInputBytes, ShellAnswer, ShellRequest, shellProtocol } from '../../wire/node/shell.ts';
import { serverAddress } from './base.ts';

const protocol: typeof shellProtocol = 'heddle.shell.v1';
const credit: typeof mostInputBytes = 262_144;
/** Bytes of a message, at most. */
const pieceBytes = 32_768;

/** How many characters there is room for. */
export interface ShellSize {
  readonly rows: number;
  readonly columns: number;
}

/** What is told of a shell. */
export interface ShellListener {
  started(): void;
  wrote(text: string): void;
  /** It is over. `exitCode` undefined: it broke off, or was refused. */
  ended(end: { readonly exitCode: number | undefined; readonly reason: string }): void;
}

/** A shell that is open. */
export interface OpenShell {
  send(text: string): void;
  resize(size: ShellSize): void;
  close(): void;
}

/** Opens one. `command` empty: a shell. */
export function openShell(containerId: string, command: readonly string[], size: ShellSize, listener: ShellListener): OpenShell {
  const url = new URL(serverAddress(`container/${encodeURIComponent(containerId)}`));
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(url, protocol);
  socket.binaryType = 'arraybuffer';
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let mayBeSent: number = credit;
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let exitCode: number | undefined;
  const say = (message: ShellRequest) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const flush = () => {
    while (waiting[0] && mayBeSent >= waiting[0].length && socket.readyState === WebSocket.OPEN) {
      const piece = waiting.shift()!;
      mayBeSent -= piece.length;
      socket.send(piece);
    }
  };
  socket.addEventListener('open', () => say({ type: 'start', command: [...command], terminal: { ...size, type: 'dumb' } }));
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data !== 'string') return listener.wrote(decoder.decode(new Uint8Array(data, 1), { stream: true }));
    const answer = JSON.parse(data) as ShellAnswer;
    if (answer.type === 'started') listener.started();
    else if (answer.type === 'exit') exitCode = answer.exitCode;
    else {
      mayBeSent += answer.bytes;
      flush();
    }
  });
  socket.addEventListener('close', ({ reason }) => {
    waiting = [];
    listener.ended({ exitCode, reason });
  });
  return {
    send(text) {
      const bytes = encoder.encode(text);
      for (let at = 0; at < bytes.length; at += pieceBytes) waiting.push(bytes.slice(at, at + pieceBytes));
      flush();
    },
    resize: (next) => say({ type: 'resize', ...next }),
    close: () => socket.close(),
  };
}
