// Serves map outputs of this node to reduces: the auxiliary service `mapreduce_shuffle` of a node manager (Hadoop's ShuffleHandler).
import { once } from 'node:events';
import { closeSync, createReadStream, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { isSameSecret } from '../../auth/secrets.ts';
import { checked, fields, text } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import { openInside } from '../../lib/open-inside.ts';
import { decodeIndex, type SegmentPlace } from '../tasks/segment.ts';
import { applicationIdOfJob } from '../tasks/task-ids.ts';
import { encodeShuffleHeader, hashHeader, hashOf, mapsPerRequest, protocolName, protocolVersion, replyHashHeader } from './protocol.ts';

/** What is kept of an application whose outputs are served; the token is base64. */
const applicationState = fields({ user: text(), token: text() });

export interface ShuffleServiceOptions {
  /** Folders of an application on this node, where its containers leave their output. */
  readonly applicationFolders: (user: string, applicationId: string) => readonly string[];
  /** Where the service remembers its applications over a restart. */
  readonly stateFolder: string;
  readonly logger: Logger;
}

interface RegisteredApplication {
  readonly user: string;
  readonly token: Buffer;
}

const maximumCachedIndices = 4096;

/** Map outputs of the applications the node manager told it of. */
export class ShuffleService {
  readonly #options: ShuffleServiceOptions;
  readonly #applications = new Map<string, RegisteredApplication>();
  readonly #indices = new Map<string, { folder: string; file: string; places: readonly SegmentPlace[] }>();

  constructor(options: ShuffleServiceOptions) {
    this.#options = options;
  }

  /** Remembers the applications of before a restart. */
  start(): void {
    this.#recover();
  }

  #stateFile(applicationId: string): string {
    return join(this.#options.stateFolder, `${applicationId}.json`);
  }

  #recover(): void {
    mkdirSync(this.#options.stateFolder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(this.#options.stateFolder)) {
      if (!/^application_\d+_\d+\.json$/.test(name)) continue;
      try {
        const { value, fault } = checked(applicationState, JSON.parse(readFileSync(join(this.#options.stateFolder, name), 'utf8')));
        if (fault !== undefined) throw new Error(fault);
        this.#applications.set(name.slice(0, -5), { user: value.user, token: Buffer.from(value.token, 'base64') });
      } catch (error) {
        this.#options.logger.warn({ error, name }, 'state of an application in the shuffle service cannot be read');
      }
    }
  }

  /** Tells of an application whose containers run here; `token` is its service data. A second call with the same data changes nothing. */
  initializeApplication(applicationId: string, user: string, token: Buffer): void {
    const known = this.#applications.get(applicationId);
    if (known?.token.equals(token)) return;
    const file = this.#stateFile(applicationId);
    writeFileSync(`${file}.new`, JSON.stringify({ user, token: token.toString('base64') }), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    this.#applications.set(applicationId, { user, token });
  }

  /** Forgets an application that ended. */
  stopApplication(applicationId: string): void {
    this.#applications.delete(applicationId);
    rmSync(this.#stateFile(applicationId), { force: true });
    for (const key of this.#indices.keys()) if (key.startsWith(`${applicationId}/`)) this.#indices.delete(key);
  }

  #index(
    applicationId: string,
    user: string,
    attemptId: string,
  ): { folder: string; file: string; places: readonly SegmentPlace[] } | undefined {
    const key = `${applicationId}/${attemptId}`;
    const cached = this.#indices.get(key);
    if (cached !== undefined) return cached;
    for (const folder of this.#options.applicationFolders(user, applicationId)) {
      const file = join(folder, 'output', attemptId, 'file.out');
      if (statSync(`${file}.index`, { throwIfNoEntry: false }) === undefined) continue;
      const index = openInside(folder, `${file}.index`);
      let places: SegmentPlace[];
      try {
        places = decodeIndex(readFileSync(index));
      } finally {
        closeSync(index);
      }
      const found = { folder, file, places };
      if (this.#indices.size >= maximumCachedIndices) this.#indices.delete(this.#indices.keys().next().value!);
      this.#indices.set(key, found);
      return found;
    }
    return undefined;
  }

  /** Answers one request; `path` is what follows the service's own place, with its query. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): void {
    this.#answer(request, response, path).catch((error: unknown) => {
      this.#options.logger.warn({ error }, 'sending map outputs failed');
      response.destroy();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const refuse = (status: number, text: string) => {
      response.writeHead(status, {
        'content-type': 'text/plain; charset=UTF-8',
        name: protocolName,
        version: protocolVersion,
        ...(status === 405 ? { allow: 'GET' } : {}),
      });
      response.end(text);
    };
    if (request.method !== 'GET') return refuse(405, 'Only GET is allowed');
    const url = new URL(`http://shuffle${path.startsWith('/') ? path : `/${path}`}`);
    if (url.pathname !== '/mapOutput') return refuse(404, 'Not Found');
    const jobId = url.searchParams.get('job') ?? '';
    const reduce = Number(url.searchParams.get('reduce') ?? Number.NaN);
    const maps = (url.searchParams.get('map') ?? '').split(',').filter((id) => id !== '');
    if (!/^job_\d+_\d+$/.test(jobId) || !Number.isInteger(reduce) || reduce < 0 || maps.length === 0 || maps.length > mapsPerRequest)
      return refuse(400, 'Required param job, map and reduce');
    const applicationId = applicationIdOfJob(jobId);
    const application = this.#applications.get(applicationId);
    const hash = request.headers[hashHeader];
    if (
      application === undefined ||
      typeof hash !== 'string' ||
      !isSameSecret(hash, hashOf(application.token, `${url.pathname}${url.search}`))
    )
      return refuse(401, 'Verification of the hashReply failed');
    const outputs = maps.map((mapId) => ({
      mapId,
      output: isMapAttempt(mapId, jobId) ? this.#index(applicationId, application.user, mapId) : undefined,
    }));
    const missing = outputs.find(({ output }) => output?.places[reduce] === undefined);
    if (missing !== undefined) return refuse(404, `output of ${missing.mapId} for reduce ${reduce} is not here`);
    const pieces = outputs.map(({ mapId, output }) => {
      const { offset, rawLength, partLength } = output!.places[reduce]!;
      const header = encodeShuffleHeader({ mapId, partLength, rawLength, reduce });
      return { header, folder: output!.folder, file: output!.file, offset, partLength };
    });
    const length = pieces.reduce((sum, piece) => sum + piece.header.length + piece.partLength, 0);
    response.writeHead(200, {
      'content-length': length,
      [replyHashHeader]: hashOf(application.token, hash),
      name: protocolName,
      version: protocolVersion,
    });
    const closed = once(response, 'close');
    for (const piece of pieces) {
      response.write(piece.header);
      const fd = openInside(piece.folder, piece.file);
      const bytes = createReadStream('', { fd, start: piece.offset, end: piece.offset + piece.partLength - 1, highWaterMark: 1 << 17 });
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), closed]);
        if (response.destroyed) return;
      }
    }
    response.end();
  }
}

function isMapAttempt(attemptId: string, jobId: string): boolean {
  return attemptId.startsWith(`attempt${jobId.slice(3)}_m_`) && /^attempt_\d+_\d+_m_\d+_\d+$/.test(attemptId);
}
