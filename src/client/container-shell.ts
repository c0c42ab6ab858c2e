// A shell in a container over the web socket of its node.
import { StringDecoder } from 'node:string_decoder';
import { WebSocket } from 'ws';
import { checked } from '../lib/json-shape.ts';
import { mostInputBytes, type ShellAnswer, type ShellRequest, shellAnswer, shellProtocol, shellStreams } from '../wire/node/shell.ts';
import { type Authorize, sendProven } from './credentials.ts';
import { Unreachable } from './http.ts';
import { RemoteFailure } from './remote-failure.ts';

/** Where it is, and who asks. */
export interface ContainerShellOptions {
  /** Base URL of the node, `http://host:8042`. */
  readonly url: string;
  readonly containerId: string;
  readonly user: string;
  readonly authorize: Authorize | undefined;
  /** Program and parameters; none: a shell. */
  readonly command: readonly string[];
  readonly terminal?: { readonly rows: number; readonly columns: number; readonly type: string } | undefined;
  /** Takes what is written; resolves when more may come. */
  readonly write: (stream: 'output' | 'errors', bytes: Buffer) => Promise<unknown>;
}

/** A refused or broken session. */
export class ShellClosed extends Error {
  override readonly name = 'ShellClosed';
}

/** A command that runs there. */
export class ContainerShell {
  readonly #socket: WebSocket;
  readonly #ended = Promise.withResolvers<number>();
  /** Bytes that may be sent. */
  #credit = mostInputBytes;
  #wakeSender: () => void = () => undefined;
  /** Writes in their order. */
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(socket: WebSocket, { write, command, terminal }: ContainerShellOptions) {
    this.#socket = socket;
    this.#ended.promise.catch(() => undefined);
    let exitCode: number | undefined;
    socket.on('message', (data, isBinary) => {
      const bytes = data as Buffer;
      if (isBinary) {
        // While it is being written no more is read: the command has to wait.
        socket.pause();
        this.#writing = this.#writing
          .then(() => write(bytes[0] === shellStreams.errors ? 'errors' : 'output', bytes.subarray(1)))
          .finally(() => socket.resume());
        return this.#writing.catch((error: unknown) => this.#fail(error as Error)) as unknown as void;
      }
      const answer = answerOf(bytes.toString('utf8'));
      if (answer?.type === 'taken') {
        this.#credit += answer.bytes;
        this.#wakeSender();
      } else if (answer?.type === 'exit') exitCode = answer.exitCode;
    });
    socket.on('close', (code, reason) => {
      const why = String(reason) || `the connection was lost (${code})`;
      void this.#writing.finally(() => {
        if (exitCode === undefined) this.#fail(new ShellClosed(why));
        else this.#ended.resolve(exitCode);
        this.#wakeSender();
      });
    });
    this.#say({ type: 'start', command, ...(terminal && { terminal }) });
  }

  /** Connects and starts it. Rejects with Unreachable, RemoteFailure or ProofMissing. */
  static async open(options: ContainerShellOptions): Promise<ContainerShell> {
    const { authorize, containerId, user } = options;
    const url = new URL(`${options.url}/container/${containerId}`);
    url.searchParams.set('user.name', user);
    const opened = await sendProven(
      { method: 'GET', url, authorize },
      (proof) => connect(url, proof, options),
      (answer) =>
        answer instanceof ContainerShell
          ? { status: 101, challenge: undefined, discard: () => undefined }
          : { status: answer.status, challenge: answer.challenge, discard: () => undefined },
    );
    if (opened instanceof ContainerShell) return opened;
    throw new RemoteFailure(url.href, opened.status, opened.text || `the node answers ${opened.status}`, undefined);
  }

  /** Resolves with the exit code when it has ended and all that it wrote was taken. Rejects with ShellClosed. */
  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  /** Sends input; resolves when more may come. */
  async send(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      while (this.#credit === 0 && this.#isOpen)
        await new Promise<void>((resolve) => {
          this.#wakeSender = resolve;
        });
      if (!this.#isOpen) return;
      const piece = bytes.subarray(at, at + Math.min(this.#credit, pieceBytes));
      this.#credit -= piece.length;
      at += piece.length;
      this.#socket.send(piece);
    }
  }

  /** No more input comes. */
  endInput(): void {
    this.#say({ type: 'endInput' });
  }

  resize(rows: number, columns: number): void {
    this.#say({ type: 'resize', rows, columns });
  }

  /** Ends it there. */
  close(): void {
    this.#socket.close();
  }

  static from(socket: WebSocket, options: ContainerShellOptions): ContainerShell {
    return new ContainerShell(socket, options);
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  #say(message: ShellRequest): void {
    if (this.#isOpen) this.#socket.send(JSON.stringify(message));
  }

  #fail(error: Error): void {
    this.#ended.reject(error);
    this.#socket.close();
  }
}

const pieceBytes = 32 * 1024;

/** An answer that is no web socket. */
interface Refused {
  readonly status: number;
  readonly challenge: string | undefined;
  readonly text: string;
}

function connect(url: URL, headers: Readonly<Record<string, string>>, options: ContainerShellOptions): Promise<ContainerShell | Refused> {
  const address = new URL(url);
  address.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(address, shellProtocol, { headers, perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.on('error', (error) => reject(new Unreachable(url.href, error)));
    socket.on('open', () => resolve(ContainerShell.from(socket, options)));
    socket.on('unexpected-response', (_request, response) => {
      const decoder = new StringDecoder('utf8');
      let text = '';
      const { statusCode: status = 0, headers } = response;
      const done = () => resolve({ status, challenge: headers['www-authenticate'], text });
      response.on('data', (bytes: Buffer) => {
        if (text.length < longestText) text += decoder.write(bytes);
      });
      response.on('end', done).on('error', done);
    });
  });
}
const longestText = 2000;

/** Reads a message of the node; undefined for one that a later version may send. */
function answerOf(text: string): ShellAnswer | undefined {
  try {
    return checked(shellAnswer, JSON.parse(text)).value;
  } catch {
    return undefined;
  }
}
