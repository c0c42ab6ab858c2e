// Where a job’s master runs, and for which user.
import type { Clock } from '../../lib/clock.ts';
import { formatApplicationId, parseAttemptId } from '../../model/ids.ts';

/** What a master finds in its container. */
export interface MasterEnvironment {
  readonly applicationId: string;
  readonly attemptId: string;
  /** 1 for the first master of the job. */
  readonly generation: number;
  readonly containerId: string;
  readonly host: string;
  readonly nodeId: string;
  readonly nodeHttpAddress: string;
  readonly submitTimeMs: number;
  readonly user: string;
  /** The application's folder on a local disk of the node. */
  readonly localFolder: string;
  readonly timelineUrl: string | undefined;
  /** The collector of version 2 of the timeline, where there is one. */
  readonly timelineCollectorUrl: string | undefined;
  readonly proxyUrl: string | undefined;
  /** How nodes' web interfaces are spoken to: as the resource manager's. */
  readonly nodeScheme: 'http' | 'https';
}

/** Reads what the node manager put into the environment of the master's container. The attempt's id comes with the client's options. */
export function readMasterEnvironment(environment: NodeJS.ProcessEnv, attemptId: string, clock: Clock): MasterEnvironment {
  const text = (name: string, otherwise: string) => environment[name] || otherwise;
  const parts = parseAttemptId(attemptId);
  const applicationId = formatApplicationId(parts);
  const host = text('NM_HOST', '127.0.0.1');
  const proxyBase = environment['HEDDLE_RESOURCE_MANAGER'];
  return {
    applicationId,
    attemptId,
    generation: parts.attempt,
    containerId: text('CONTAINER_ID', ''),
    host,
    nodeId: `${host}:${text('NM_PORT', '0')}`,
    nodeHttpAddress: `${host}:${text('NM_HTTP_PORT', '0')}`,
    submitTimeMs: Number(text('APP_SUBMIT_TIME_ENV', String(clock.now()))),
    user: text('USER', 'unknown'),
    localFolder: text('LOCAL_DIRS', process.cwd()).split(',')[0]!,
    timelineUrl: environment['HEDDLE_TIMELINE'] || undefined,
    timelineCollectorUrl: environment['HEDDLE_TIMELINE_COLLECTOR'] || undefined,
    proxyUrl: proxyBase === undefined ? undefined : `${proxyBase.replace(/\/$/, '')}/proxy/${applicationId}`,
    nodeScheme: proxyBase?.startsWith('https:') ? 'https' : 'http',
  };
}
