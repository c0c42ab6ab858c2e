// The process inside a batch master's container. Its one argument is the job's staging folder.
import { MasterClient, masterOptionsFromEnvironment } from '../../client/master-client.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLogger } from '../../lib/log.ts';
import { processExitCode } from '../../model/exit-status.ts';
import { formatApplicationId, parseAttemptId } from '../../model/ids.ts';
import { NoStagingFolder } from '../submission/staging.ts';
import { runMaster } from './master.ts';
import type { MasterEnvironment } from './master-environment.ts';

function environmentOf(environment: NodeJS.ProcessEnv, attemptId: string): MasterEnvironment {
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
    submitTimeMs: Number(text('APP_SUBMIT_TIME_ENV', String(systemClock.now()))),
    user: text('USER', 'unknown'),
    localFolder: text('LOCAL_DIRS', process.cwd()).split(',')[0]!,
    timelineUrl: environment['HEDDLE_TIMELINE'] || undefined,
    proxyUrl: proxyBase === undefined ? undefined : `${proxyBase.replace(/\/$/, '')}/proxy/${applicationId}`,
  };
}

const logger = createLogger({ name: 'batch' });
const options = masterOptionsFromEnvironment();
// A user's code must never find the master's own token.
delete process.env['HEDDLE_ATTEMPT_TOKEN'];
const stagingFolder = process.argv[2];
if (stagingFolder === undefined) throw new Error('usage: main.ts STAGING_FOLDER');
process.on('SIGTERM', () => process.exit(processExitCode.terminated));
try {
  await runMaster({
    environment: environmentOf(process.env, options.attemptId),
    stagingFolder,
    client: new MasterClient(options),
    clock: systemClock,
    logger,
  });
} catch (error) {
  if (!(error instanceof NoStagingFolder)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
process.exit(0);
