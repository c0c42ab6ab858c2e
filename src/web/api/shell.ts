// A shell in a container, over the web socket of the node whose pages these are: what `heddle container exec` speaks.
import type { mostInputBytes, ShellAnswer, ShellRequest, shellProtocol } from '../../wire/node/shell.ts';
import { serverAddress } from './base.ts';

const protocol: typeof shellProtocol = 'heddle.shell.v1';
const credit: typeof mostInputBytes = 262_144;
/** Bytes of a message, at most. */
const pieceBytes = 32_768;
/** Bytes of output that may be on their way: more would be shown long after Ctrl C was pressed. */
const mostOutputBytes = 262_144;
/** Bytes of output after which the node is told that they were taken. */
const toldBytes = 32_768;
/** What the page draws (terminal.ts). */
const terminalType = 'xterm-256color';

/** How many characters there is room for. */
export interface ShellSize {
  readonly rows: number;
  readonly columns: number;
}

/** What is told of a shell. */
export interface ShellListener {
  started(): void;
  /** Calls `taken` when the bytes were taken: until then not much more comes. */
  wrote(bytes: Uint8Array, taken: () => void): void;
  /** It is over. `exitCode` undefined: it broke off, or was refused. */
  ended(end: { readonly exitCode: number | undefined; readonly reason: string }): void;
}

/** A shell that is open. */
export interface OpenShell {
  send(input: string | Uint8Array<ArrayBuffer>): void;
  resize(size: ShellSize): void;
  close(): void;
}

/** Opens one. `command` empty: a shell. */
export function openShell(containerId: string, command: readonly string[], size: ShellSize, listener: ShellListener): OpenShell {
  const url = new URL(serverAddress(`container/${encodeURIComponent(containerId)}`));
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(url, protocol);
  socket.binaryType = 'arraybuffer';
  const encoder = new TextEncoder();
  let mayBeSent: number = credit;
  let takenBytes = 0;
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
  const taken = (bytes: number) => {
    takenBytes += bytes;
    if (takenBytes < toldBytes) return;
    say({ type: 'taken', bytes: takenBytes });
    takenBytes = 0;
  };
  socket.addEventListener('open', () =>
    say({ type: 'start', command: [...command], terminal: { ...size, type: terminalType }, mostOutputBytes }),
  );
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data !== 'string') {
      const bytes = new Uint8Array(data, 1);
      return listener.wrote(bytes, () => taken(bytes.length));
    }
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
    send(input) {
      const bytes = typeof input === 'string' ? encoder.encode(input) : input;
      for (let at = 0; at < bytes.length; at += pieceBytes) waiting.push(bytes.slice(at, at + pieceBytes));
      flush();
    },
    resize: (next) => say({ type: 'resize', ...next }),
    close: () => socket.close(),
  };
}
