// Downloads from HDFS over its REST interface (WebHDFS): GETFILESTATUS, LISTSTATUS and OPEN, which leads on to a data node.
import { lookup } from 'node:dns/promises';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LocalizationFailure } from './errors.ts';
import type { RemoteFetch } from './fetch-options.ts';
import { ask, receive, refusalText } from './fetch-web.ts';
import { UnpackBudget } from './limits.ts';
import { checkSize, checkTime, notPublic } from './source-facts.ts';
import { readTokens } from './tokens.ts';

interface FileStatus {
  readonly type?: string;
  readonly length?: number;
  readonly modificationTime?: number;
  /** Octal, `644`. */
  readonly permission?: string;
  readonly pathSuffix?: string;
}

const longestAnswerBytes = 16 * 1024 * 1024;

/** The name node of one URI. */
class WebHdfs {
  readonly #request: RemoteFetch;
  readonly #base: string;
  readonly #uri: string;
  readonly #who: readonly [string, string];

  constructor(request: RemoteFetch, address: URL, who: readonly [string, string]) {
    this.#request = request;
    const secure = address.protocol === 'swebhdfs:';
    this.#uri = `${address.protocol}//${address.host}`;
    this.#base = `${secure ? 'https' : 'http'}://${address.hostname}:${address.port || (secure ? 9871 : 9870)}/webhdfs/v1`;
    this.#who = who;
  }

  text(path: string): string {
    return `${this.#uri}${path}`;
  }

  async #call(path: string, operation: string): Promise<Response> {
    const query = new URLSearchParams([['op', operation], [...this.#who]]);
    const url = `${this.#base}${path.split('/').map(encodeURIComponent).join('/')}?${query}`;
    const response = await ask(url, this.text(path), this.#request, { redirect: 'follow' });
    if (!response.ok) throw remoteException(await refusalText(response), response.status, this.text(path));
    return response;
  }

  async #json(path: string, operation: string): Promise<unknown> {
    const response = await this.#call(path, operation);
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      this.#request.watch.moved();
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.length > longestAnswerBytes) throw new LocalizationFailure(`${this.text(path)}: the answer to ${operation} is too long`);
    }
    try {
      return JSON.parse(text);
    } catch {
      throw new LocalizationFailure(`${this.text(path)}: the answer to ${operation} is not JSON`);
    }
  }

  async status(path: string): Promise<FileStatus> {
    return ((await this.#json(path, 'GETFILESTATUS')) as { FileStatus?: FileStatus }).FileStatus ?? {};
  }

  async list(path: string): Promise<readonly FileStatus[]> {
    const answer = (await this.#json(path, 'LISTSTATUS')) as { FileStatuses?: { FileStatus?: readonly FileStatus[] } };
    const found = answer.FileStatuses?.FileStatus;
    return Array.isArray(found) ? found : [];
  }

  /** Brings a file or a folder, for all users only what all of them may read. */
  async bring(path: string, status: FileStatus, target: string, budget: UnpackBudget, depth = 0): Promise<void> {
    budget.entry();
    if (this.#request.resource.visibility === 'PUBLIC' && !isReadable(status)) throw notPublic(this.text(path));
    if (status.type !== 'DIRECTORY') {
      budget.bytes(status.length ?? 0);
      const bytes = await receive(await this.#call(path, 'OPEN'), target, this.text(path), this.#request);
      if (bytes !== status.length)
        throw new LocalizationFailure(`${this.text(path)} broke off: ${bytes} of ${status.length} bytes came`, 'java.io.EOFException');
      return;
    }
    if (depth > 64) throw new LocalizationFailure(`${this.text(path)} is nested too deeply`);
    await mkdir(target);
    for (const inner of await this.list(path)) {
      const name = inner.pathSuffix ?? '';
      if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name))
        throw new LocalizationFailure(`${this.text(path)} names a file '${name.slice(0, 100)}'`);
      await this.bring(`${path}/${name}`, inner, join(target, name), budget, depth + 1);
    }
  }
}

function remoteException(text: string, status: number, source: string): LocalizationFailure {
  try {
    const { RemoteException: fault } = JSON.parse(text) as { RemoteException?: { javaClassName?: string; message?: string } };
    if (typeof fault?.message === 'string')
      return new LocalizationFailure(fault.message.slice(0, 2000), String(fault.javaClassName ?? 'java.io.IOException'));
  } catch {
    // No JSON: only the status is known.
  }
  return new LocalizationFailure(`Server returned HTTP response code: ${status} for URL: ${source}`);
}

/** The query parameter that says who asks: the container's delegation token for this name node, else the user's name. */
async function identityFor(address: URL, { owner }: RemoteFetch): Promise<readonly [string, string]> {
  const port = address.port || (address.protocol === 'swebhdfs:' ? '9871' : '9870');
  const kind = address.protocol === 'swebhdfs:' ? 'SWEBHDFS delegation' : 'WEBHDFS delegation';
  const tokens = readTokens(owner.tokens).filter((token) => token.kind === kind);
  const named = (host: string) => tokens.find(({ service }) => service === `${host}:${port}`);
  let token = named(address.hostname);
  // Hadoop names services by address.
  if (!token && tokens.length > 0)
    token = named(
      await lookup(address.hostname).then(
        (found) => found.address,
        () => '',
      ),
    );
  return token ? ['delegation', token.text] : ['user.name', owner.user];
}

const mode = (status: FileStatus): number => Number.parseInt(status.permission ?? '0', 8) || 0;

/** Whether all users may read a file, or list a folder. */
const isReadable = (status: FileStatus): boolean =>
  (mode(status) & 0o004) !== 0 && (status.type !== 'DIRECTORY' || (mode(status) & 0o001) !== 0);

/** Fetches `webhdfs://host:port/path` and `swebhdfs:`. @throws LocalizationFailure */
export async function fetchWebHdfs(request: RemoteFetch): Promise<void> {
  const { resource, target, limits, clock } = request;
  // `URL` takes hosts of unknown schemes as they are.
  const address = URL.parse(resource.resource);
  if (!address?.hostname) throw new LocalizationFailure(`${resource.resource} names no host`, 'java.lang.IllegalArgumentException');
  let path: string;
  try {
    path = decodeURIComponent(address.pathname);
  } catch {
    path = address.pathname;
  }
  const server = new WebHdfs(request, address, await identityFor(address, request));
  const status = await server.status(path);
  if (resource.timestamp >= 0) checkTime(server.text(path), resource.timestamp, status.modificationTime ?? 0, clock.now());
  if (status.type !== 'DIRECTORY') checkSize(server.text(path), resource.size, status.length ?? 0);
  if (resource.visibility === 'PUBLIC') {
    let open = isReadable(status);
    for (let folder = dirname(path); open; folder = dirname(folder)) {
      open = (mode(await server.status(folder)) & 0o001) !== 0;
      if (folder === '/') break;
    }
    if (!open) throw notPublic(server.text(path));
  }
  await server.bring(path, status, target, new UnpackBudget(limits, undefined, server.text(path)));
}
