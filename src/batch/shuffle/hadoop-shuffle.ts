// The shuffle as reduces of Hadoop's MapReduce and Tez ask for it (ShuffleHandler, ShuffleChannelHandler): a port of its own, each request
// signed with the token of the job.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AuditLog } from '../../auth/audit-log.ts';
import { isSameSecret } from '../../auth/secrets.ts';
import type { Logger } from '../../lib/log.ts';
import { readToken } from '../../wire/files/credentials.ts';
import { CorruptSegment } from '../tasks/segment-bytes.ts';
import { applicationIdOfJob } from '../tasks/task-ids.ts';
import { auditUnprovenTask } from '../unproven-tasks.ts';
import { type HadoopRequest, hadoopHash, readHadoopRequest, signedMessage } from './hadoop-request.ts';
import { faultOf, lengthOf, type MapOutputs, type Slice } from './map-outputs.ts';
import { encodeShuffleHeader, hashHeader, mapOutputPath, protocolName, protocolVersion } from './protocol.ts';
import type { RegisteredApplication, RegisteredApplications } from './registered-applications.ts';
import type { ShuffleFigures } from './shuffle-figures.ts';

/** What the shuffle works with. */
export interface HadoopShuffleOptions {
  readonly applications: Pick<RegisteredApplications, 'get'>;
  readonly outputs: Pick<MapOutputs, 'find'>;
  /** Connections stay open although a request does not ask for it. */
  readonly keepsAlive: boolean;
  /** How long an open connection may be idle, as clients are told. */
  readonly keepAliveSeconds: number;
  /** Bytes of a file that are read at a time. */
  readonly bufferBytes: number;
  readonly figures: Pick<ShuffleFigures, 'send'>;
  readonly logger: Logger;
}

/** A request that is refused: the answer's status and text. */
interface Refused {
  readonly status: number;
  readonly text: string;
}

/** When a client comes again that was one too many, as Hadoop's fetchers read it: ms. */
const retryAfterMs = '1000';
/** The secret that MapReduce makes for the shuffle of a job has 64 bits (JobSubmitter.SHUFFLE_KEY_LENGTH); shorter ones make nobody safe. */
const shortestPassword = 8;

/** Answers requests; who listens says on which port, and which connections are too many. */
export class HadoopShuffle {
  readonly #options: HadoopShuffleOptions;
  readonly #audit: AuditLog;

  constructor(options: HadoopShuffleOptions) {
    this.#options = options;
    this.#audit = new AuditLog(options.logger);
  }

  /** Answers one request that came to the port. */
  handle(request: IncomingMessage, response: ServerResponse, port: number): void {
    this.#answer(request, response, port).catch((error: unknown) => {
      this.#options.logger.warn({ error }, 'sending map outputs failed');
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 500, text: '' });
    });
  }

  /** Tells the client of a connection beyond the limit to come again. */
  handleTooMany(response: ServerResponse): void {
    refuse(response, { status: 429, text: '' }, { 'Retry-After': retryAfterMs });
  }

  async #answer(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    if (request.method !== 'GET') return refuse(response, { status: 405, text: '' }, { Allow: 'GET' });
    const { name, version } = request.headers;
    if (name !== protocolName || version !== protocolVersion)
      return refuse(response, { status: 400, text: 'Incompatible shuffle request version' });
    const target = request.url ?? '';
    const asked = readHadoopRequest(target);
    if ('refusal' in asked) return refuse(response, { status: 400, text: asked.refusal });
    const application = this.#options.applications.get(applicationIdOfJob(asked.job));
    const password = application === undefined ? undefined : passwordOf(application);
    if (application === undefined || password === undefined || !/^job_\d+_\d+$/.test(asked.job))
      return this.#refuseStranger(request, response, `Can't find job token for job ${asked.job} !!`);
    const hash = request.headers[hashHeader];
    if (typeof hash !== 'string') return this.#refuseStranger(request, response, 'fetcher cannot be authenticated');
    if (!isSameSecret(hash, hadoopHash(password, signedMessage(port, target))))
      return this.#refuseStranger(request, response, 'Verification of the hashReply failed');
    const slices = this.#slices(application, asked);
    if ('status' in slices) return refuse(response, slices);
    const { keepsAlive, keepAliveSeconds, bufferBytes, figures } = this.#options;
    response.writeHead(200, {
      ReplyHash: hadoopHash(password, hash),
      name: protocolName,
      version: protocolVersion,
      ...(keepsAlive || asked.keepAlive
        ? { Connection: 'Keep-Alive', 'Keep-Alive': `timeout=${keepAliveSeconds}` }
        : { Connection: 'close' }),
      'content-length': lengthOf(slices),
    });
    await figures.send(response, slices, bufferBytes);
    response.end();
  }

  #refuseStranger(request: IncomingMessage, response: ServerResponse, text: string): void {
    auditUnprovenTask(this.#audit, request, { path: mapOutputPath, reason: text });
    refuse(response, { status: 401, text });
  }

  /** What is sent, or why nothing is. */
  #slices(application: RegisteredApplication, { maps, reduce }: HadoopRequest): readonly Slice[] | Refused {
    const slices: Slice[] = [];
    for (const mapId of maps) {
      try {
        const output = this.#options.outputs.find(application, mapId);
        if (output === undefined) return { status: 404, text: `Could not find output ${mapId} in any of the configured local directories` };
        const place = output.place(reduce);
        if (place === undefined)
          return { status: 404, text: `Invalid request  Map Id = ${mapId} Reducer = ${reduce} Index Info Length = ${output.partitions}` };
        const { rawLength, partLength } = place;
        const slice = { header: encodeShuffleHeader({ mapId, partLength, rawLength, reduce }), output, place };
        const fault = faultOf(slice);
        if (fault !== undefined) return this.#damaged(application, mapId, fault);
        slices.push(slice);
      } catch (error) {
        if (!(error instanceof CorruptSegment) && (error as NodeJS.ErrnoException).code === 'EMFILE') throw error;
        return this.#damaged(application, mapId, (error as Error).message);
      }
    }
    return slices;
  }

  #damaged({ id }: RegisteredApplication, mapId: string, fault: string): Refused {
    this.#options.logger.warn({ applicationId: id, mapId, fault }, 'a map output cannot be served');
    return { status: 500, text: `Error reading the output of ${mapId}` };
  }
}

/** The password of a job's token; undefined where the service data is none, as that of Heddle's own jobs. */
function passwordOf({ data }: RegisteredApplication): Buffer | undefined {
  try {
    const { password } = readToken(data);
    return password.length >= shortestPassword ? Buffer.from(password) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function refuse(response: ServerResponse, { status, text }: Refused, headers: Readonly<Record<string, string>> = {}): void {
  const body = Buffer.from(text);
  response.writeHead(status, {
    'content-type': 'text/plain; charset=UTF-8',
    name: protocolName,
    version: protocolVersion,
    ...headers,
    Connection: 'close',
    'content-length': body.length,
  });
  response.end(body);
}
