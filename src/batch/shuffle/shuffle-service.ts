// Serves map outputs of this node to reduces of Heddle's batch jobs, below the node's web interface.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AuditLog } from '../../auth/audit-log.ts';
import { isSameSecret } from '../../auth/secrets.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { applicationIdOfJob } from '../tasks/task-ids.ts';
import { auditUnprovenTask } from '../unproven-tasks.ts';
import { faultOf, lengthOf, type MapOutputLimits, MapOutputs, type Slice } from './map-outputs.ts';
import {
  encodeShuffleHeader,
  hashHeader,
  hashOf,
  mapOutputPath,
  mapsPerRequest,
  protocolName,
  protocolVersion,
  replyHashHeader,
} from './protocol.ts';
import { RegisteredApplications } from './registered-applications.ts';
import { ShuffleFigures } from './shuffle-figures.ts';

export interface ShuffleServiceOptions {
  /** Folders of an application on this node, where its containers leave their output. */
  readonly applicationFolders: (user: string, applicationId: string) => readonly string[];
  /** Where the service remembers its applications over a restart. */
  readonly stateFolder: string;
  /** How much is remembered of outputs; default Hadoop's. */
  readonly limits?: MapOutputLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

const bufferBytes = 1 << 17;

/** Map outputs of the applications the node manager told it of. */
export class ShuffleService {
  readonly applications: RegisteredApplications;
  readonly outputs: MapOutputs;
  /** What was sent, to Hadoop's jobs too. */
  readonly figures = new ShuffleFigures();
  readonly #logger: Logger;
  readonly #audit: AuditLog;

  constructor({ applicationFolders, stateFolder, limits, clock, logger }: ShuffleServiceOptions) {
    this.applications = new RegisteredApplications(stateFolder, logger);
    this.outputs = new MapOutputs(applicationFolders, clock, limits);
    this.#logger = logger;
    this.#audit = new AuditLog(logger);
  }

  /** Remembers the applications of before a restart. */
  start(): void {
    this.applications.load();
  }

  /** Tells of an application whose containers run here; `data` is its service data. A second call with the same data changes nothing. */
  initializeApplication(applicationId: string, user: string, data: Buffer): void {
    this.applications.add(applicationId, user, data);
  }

  /** Forgets an application that ended. */
  stopApplication(applicationId: string): void {
    this.applications.remove(applicationId);
    this.outputs.forget(applicationId);
  }

  /** Answers one request; `path` is what follows the service's own place, with its query. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): void {
    this.#answer(request, response, path).catch((error: unknown) => {
      this.#logger.warn({ error }, 'sending map outputs failed');
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
    if (url.pathname !== mapOutputPath) return refuse(404, 'Not Found');
    const jobId = url.searchParams.get('job') ?? '';
    const reduce = Number(url.searchParams.get('reduce') ?? Number.NaN);
    const maps = (url.searchParams.get('map') ?? '').split(',').filter((id) => id !== '');
    if (!/^job_\d+_\d+$/.test(jobId) || !Number.isInteger(reduce) || reduce < 0 || maps.length === 0 || maps.length > mapsPerRequest)
      return refuse(400, 'Required param job, map and reduce');
    const application = this.applications.get(applicationIdOfJob(jobId));
    const hash = request.headers[hashHeader];
    if (
      application === undefined ||
      typeof hash !== 'string' ||
      !isSameSecret(hash, hashOf(application.data, `${url.pathname}${url.search}`))
    ) {
      const reason = 'Verification of the hashReply failed';
      auditUnprovenTask(this.#audit, request, { path: url.pathname, reason });
      return refuse(401, reason);
    }
    const slices: Slice[] = [];
    for (const mapId of maps) {
      const output = isMapAttempt(mapId, jobId) ? this.outputs.find(application, mapId) : undefined;
      const place = output?.place(reduce);
      if (output === undefined || place === undefined) return refuse(404, `output of ${mapId} for reduce ${reduce} is not here`);
      const { rawLength, partLength } = place;
      const slice = { header: encodeShuffleHeader({ mapId, partLength, rawLength, reduce }), output, place };
      const fault = faultOf(slice);
      if (fault !== undefined) throw new Error(`the output of ${mapId} cannot be served: ${fault}`);
      slices.push(slice);
    }
    response.writeHead(200, {
      'content-length': lengthOf(slices),
      [replyHashHeader]: hashOf(application.data, hash),
      name: protocolName,
      version: protocolVersion,
    });
    await this.figures.send(response, slices, bufferBytes);
    response.end();
  }
}

function isMapAttempt(attemptId: string, jobId: string): boolean {
  return attemptId.startsWith(`attempt${jobId.slice(3)}_m_`) && /^attempt_\d+_\d+_m_\d+_\d+$/.test(attemptId);
}
