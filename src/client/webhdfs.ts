// The file system of a name node over its REST interface (WebHDFS): GETFILESTATUS, LISTSTATUS and OPEN, which leads on to a data node.
import type { Readable } from 'node:stream';
import type { PutAnswer } from './put-file.ts';
import { refusalText } from './refusal-text.ts';

/** What is said of a file or folder. */
export interface FileStatus {
  readonly type?: string;
  readonly length?: number;
  readonly modificationTime?: number;
  /** Octal, `644`. */
  readonly permission?: string;
  readonly pathSuffix?: string;
}

/** How a name node is asked. */
export interface WebHdfsCalls {
  /** The query parameter that says who asks: `user.name`, or `delegation` with a token. */
  readonly who: readonly [name: string, value: string];
  /** Asks, whatever the status of the answer; `what` names the source. @throws Error where no server answers */
  readonly ask: (url: string, what: string, init?: RequestInit) => Promise<Response>;
  /** What is thrown; `javaClass` is the exception that Hadoop has for it. */
  readonly failure: (message: string, javaClass?: string) => Error;
  /** Something came. */
  readonly moved?: () => void;
}

type Parameters = readonly (readonly [name: string, value: string])[];

const longestAnswerBytes = 16 * 1024 * 1024;

/** The port of an address `webhdfs://…` or `swebhdfs://…`. */
export const webHdfsPort = ({ protocol, port }: Pick<URL, 'protocol' | 'port'>): string =>
  port || (protocol === 'swebhdfs:' ? '9871' : '9870');

/** The name node of one address. */
export class WebHdfs {
  readonly #calls: WebHdfsCalls;
  readonly #base: string;
  readonly #uri: string;

  constructor(address: Pick<URL, 'protocol' | 'host' | 'hostname' | 'port'>, calls: WebHdfsCalls) {
    this.#calls = calls;
    this.#uri = `${address.protocol}//${address.host}`;
    this.#base = `${address.protocol === 'swebhdfs:' ? 'https' : 'http'}://${address.hostname}:${webHdfsPort(address)}/webhdfs/v1`;
  }

  /** A path with the name node before it. */
  text(path: string): string {
    return `${this.#uri}${path}`;
  }

  #url(path: string, operation: string, more: Parameters): string {
    const query = new URLSearchParams([['op', operation], ...more, this.#calls.who].map(([name, value]) => [name, value]));
    return `${this.#base}${path.split('/').map(encodeURIComponent).join('/')}?${query}`;
  }

  async #call(path: string, operation: string, more: Parameters = [], init?: RequestInit): Promise<Response> {
    const response = await this.#calls.ask(this.#url(path, operation, more), this.text(path), init);
    if (!response.ok) throw this.#refusal(await refusalText(response), response.status, path);
    return response;
  }

  #refusal(text: string, status: number, path: string): Error {
    try {
      const { RemoteException: fault } = JSON.parse(text) as { RemoteException?: { javaClassName?: string; message?: string } };
      if (typeof fault?.message === 'string')
        return this.#calls.failure(
          `${fault.message.includes(path) ? '' : `${this.text(path)}: `}${fault.message.slice(0, 2000)}`,
          String(fault.javaClassName ?? 'java.io.IOException'),
        );
    } catch {
      // No JSON: only the status is known.
    }
    return this.#calls.failure(`Server returned HTTP response code: ${status} for URL: ${this.text(path)}`);
  }

  async #json(path: string, operation: string, more: Parameters = [], init?: RequestInit): Promise<unknown> {
    const response = await this.#call(path, operation, more, init);
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      this.#calls.moved?.();
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.length > longestAnswerBytes) throw this.#calls.failure(`${this.text(path)}: the answer to ${operation} is too long`);
    }
    try {
      return JSON.parse(text);
    } catch {
      throw this.#calls.failure(`${this.text(path)}: the answer to ${operation} is not JSON`);
    }
  }

  async status(path: string): Promise<FileStatus> {
    return ((await this.#json(path, 'GETFILESTATUS')) as { FileStatus?: FileStatus }).FileStatus ?? {};
  }

  /** What lies in a folder. @throws Error also where a name there is none */
  async list(path: string): Promise<readonly (FileStatus & { readonly pathSuffix: string })[]> {
    const answer = (await this.#json(path, 'LISTSTATUS')) as { FileStatuses?: { FileStatus?: readonly FileStatus[] } };
    const found = answer.FileStatuses?.FileStatus;
    if (!Array.isArray(found)) throw this.#calls.failure(`${this.text(path)}: the answer to LISTSTATUS has no list of files`);
    return (found as readonly FileStatus[]).map((status) => {
      const name = status.pathSuffix ?? '';
      if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name))
        throw this.#calls.failure(`${this.text(path)} names a file '${name.slice(0, 100)}'`);
      return { ...status, pathSuffix: name };
    });
  }

  /** The bytes of a file from `offset` on. */
  open(path: string, offset = 0): Promise<Response> {
    return this.#call(path, 'OPEN', offset === 0 ? [] : [['offset', String(offset)]]);
  }

  /** Writes a file of so many bytes, over one that is there: the name node says where they go. */
  async create(path: string, bytes: number, content: Readable | undefined, signal?: AbortSignal): Promise<void> {
    const url = this.#url(path, 'CREATE', [['overwrite', 'true']]);
    const named = await this.#calls.ask(url, this.text(path), { method: 'PUT', redirect: 'manual' });
    const location = named.headers.get('location');
    if (named.status !== 307 || location === null) throw this.#refusal(await refusalText(named), named.status, path);
    await named.body?.cancel();
    const { put } = await import('./put-file.ts');
    let answer: PutAnswer;
    try {
      const headers = { 'content-type': 'application/octet-stream', 'content-length': bytes };
      answer = await put(new URL(location, url), headers, content, signal);
    } catch (error) {
      throw this.#calls.failure(`${this.text(path)}: ${(error as Error).message}`);
    }
    if (answer.status < 200 || answer.status > 299) throw this.#refusal(answer.text, answer.status, path);
  }

  async #truth(path: string, operation: string, method: string, more: Parameters = []): Promise<boolean> {
    return ((await this.#json(path, operation, more, { method })) as { boolean?: boolean }).boolean === true;
  }

  /** Makes a folder and those above it. */
  makeFolders(path: string): Promise<boolean> {
    return this.#truth(path, 'MKDIRS', 'PUT');
  }
  /** False where there is nothing to rename, or something in its place. */
  rename(path: string, destination: string): Promise<boolean> {
    return this.#truth(path, 'RENAME', 'PUT', [['destination', destination]]);
  }
  /** With all below it; false where there was nothing. */
  remove(path: string): Promise<boolean> {
    return this.#truth(path, 'DELETE', 'DELETE', [['recursive', 'true']]);
  }
}
