// Downloads from HDFS over its REST interface.
import { lookup } from 'node:dns/promises';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type FileStatus, WebHdfs, webHdfsPort } from '../../client/webhdfs.ts';
import { LocalizationFailure } from './errors.ts';
import type { RemoteFetch } from './fetch-options.ts';
import { ask, receive } from './fetch-web.ts';
import { UnpackBudget } from './limits.ts';
import { checkSize, checkTime, notPublic } from './source-facts.ts';
import { readTokens } from './tokens.ts';

/** Brings what lies with a name node. */
class WebHdfsFetch {
  readonly #request: RemoteFetch;
  readonly server: WebHdfs;

  constructor(request: RemoteFetch, address: URL, who: readonly [string, string]) {
    this.#request = request;
    this.server = new WebHdfs(address, {
      who,
      ask: (url, what) => ask(url, what, request, { redirect: 'follow' }),
      failure: (message, javaClass) => new LocalizationFailure(message, javaClass),
      moved: () => request.watch.moved(),
    });
  }

  /** Brings a file or a folder, for all users only what all of them may read. */
  async bring(path: string, status: FileStatus, target: string, budget: UnpackBudget, depth = 0): Promise<void> {
    budget.entry();
    if (this.#request.resource.visibility === 'PUBLIC' && !isReadable(status)) throw notPublic(this.server.text(path));
    if (status.type !== 'DIRECTORY') {
      budget.bytes(status.length ?? 0);
      const bytes = await receive(await this.server.open(path), target, this.server.text(path), this.#request);
      if (bytes !== status.length)
        throw new LocalizationFailure(
          `${this.server.text(path)} broke off: ${bytes} of ${status.length} bytes came`,
          'java.io.EOFException',
        );
      return;
    }
    if (depth > 64) throw new LocalizationFailure(`${this.server.text(path)} is nested too deeply`);
    await mkdir(target);
    for (const inner of await this.server.list(path)) {
      const name = inner.pathSuffix;
      await this.bring(`${path}/${name}`, inner, join(target, name), budget, depth + 1);
    }
  }
}

/** The query parameter that says who asks: the container's delegation token for this name node, else the user's name. */
async function identityFor(address: URL, { owner }: RemoteFetch): Promise<readonly [string, string]> {
  const port = webHdfsPort(address);
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
  const fetch = new WebHdfsFetch(request, address, await identityFor(address, request));
  const { server } = fetch;
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
  await fetch.bring(path, status, target, new UnpackBudget(limits, undefined, server.text(path)));
}
