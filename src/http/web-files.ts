// The files of the web pages as `npm run build` leaves them in `dist/web`, with what HTTP asks of files: types, lengths, tags, encodings.
// Only names that stood in the folder when its first page was read are served, so that no path leads anywhere else. An upgrade in place, or a build,
// changes that page while the server runs: names are read anew then.
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Answer, empty, type Headers, htmlAnswer, stream } from './answers.ts';
import { html } from './html.ts';
import { page } from './pages.ts';

/** Where the built pages lie: the same place seen from the sources and from the built package. */
const builtFolder = new URL('../../dist/web/', import.meta.url);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html;charset=utf-8',
  '.js': 'text/javascript;charset=utf-8',
  '.css': 'text/css;charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json;charset=utf-8',
};
/** Encodings that files may lie beside themselves in, the smallest first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
/** Files whose names change with their content. */
const isHashed = (name: string): boolean => name.startsWith('assets/');
const extensionOf = (name: string): string => /\.[a-z]+$/.exec(name)?.[0] ?? '';

/** What of a request decides about the answer. */
export interface FileRequest {
  /** What follows `/ui/`, decoded. */
  readonly path: string;
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
}

/** The files below one folder. */
export class WebFiles {
  readonly #folder: string;
  readonly #pageHeaders: Headers;
  #names: Promise<ReadonlySet<string>> | undefined;
  /** When the first page was written whose names these are. */
  #builtMs = 0;

  /** `pageHeaders`: what pages have besides. */
  constructor(pageHeaders: Headers, folder: URL = builtFolder) {
    this.#folder = folder.pathname;
    this.#pageHeaders = pageHeaders;
  }

  /** The file of a path; for a path without one that looks like a page, the page that all of them begin with. */
  async answer(request: FileRequest): Promise<Answer> {
    const builtMs = await changedMs(join(this.#folder, 'index.html'));
    if (builtMs !== this.#builtMs) this.#names = undefined;
    this.#builtMs = builtMs;
    this.#names ??= namesBelow(this.#folder);
    const names = await this.#names;
    if (!names.has('index.html')) {
      // They may be built while the server runs.
      this.#names = undefined;
      return notBuilt();
    }
    const { path } = request;
    if (path !== '' && path !== 'index.html' && names.has(path)) return this.#file(path, names, request);
    if (extensionOf(path) !== '' && extensionOf(path) in types) return absent(path);
    return this.#index(request);
  }

  /** Addresses in it are relative to `/ui/`, wherever that lies for the browser: they climb as many folders as the page's address has. */
  async #index({ path, ifNoneMatch }: FileRequest): Promise<Answer> {
    const text = (await readIfThere(join(this.#folder, 'index.html')))?.toString();
    if (text === undefined) return notBuilt();
    const climb = '../'.repeat(path.split('/').length - 1) || './';
    const body = text.replaceAll('"./', `"${climb}`);
    return tagged(Buffer.from(body), ifNoneMatch, { 'cache-control': 'no-cache', ...this.#pageHeaders }, types['.html']!);
  }

  async #file(name: string, names: ReadonlySet<string>, { acceptEncoding, ifNoneMatch }: FileRequest): Promise<Answer> {
    const accepted = new Set(acceptEncoding.split(',').map((item) => item.trim().split(';', 1)[0]));
    const found = encodings.find(([encoding, ending]) => accepted.has(encoding) && names.has(name + ending));
    const body = await readIfThere(join(this.#folder, name + (found?.[1] ?? '')));
    if (!body) return absent(name);
    const headers = {
      vary: 'Accept-Encoding',
      'cache-control': isHashed(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(found && { 'content-encoding': found[0] }),
    };
    return tagged(body, ifNoneMatch, headers, types[extensionOf(name)] ?? 'application/octet-stream');
  }
}

function tagged(body: Buffer, ifNoneMatch: string, headers: Headers, type: string): Answer {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const has = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (has.includes(etag)) return empty(304, { ...headers, etag });
  return stream(200, type, [body], { ...headers, etag, 'content-length': String(body.length) });
}

/** When a file was written; 0 where it is not there. */
async function changedMs(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return 0;
  }
}

/** A file that a build may take away meanwhile. */
async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function namesBelow(folder: string): Promise<ReadonlySet<string>> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
    return new Set(files.map((name) => name.replaceAll(sep, '/')));
  } catch {
    return new Set();
  }
}

const absent = (path: string): Answer =>
  htmlAnswer(404, page('Not found', html`<h1>Not found</h1>\n<p>The pages have no file <code>${path.slice(0, 200)}</code>.</p>`));

const notBuilt = (): Answer =>
  htmlAnswer(
    503,
    page(
      'The pages are not built',
      html`<h1>The pages are not built</h1>\n<p>Run <code>npm run build</code> in Heddle's folder and load this page again. Everything else works without: see <a href="/openapi.json">/openapi.json</a>.</p>`,
    ),
  );
