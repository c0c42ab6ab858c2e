// The process inside a batch master's container. Its one argument is the job's staging folder.

import { flushCompileCache } from 'node:module';
import { MasterClient, masterOptionsFromEnvironment } from '../../client/master-client.ts';
import { systemClock } from '../../lib/clock.ts';
import { takeSecret } from '../../lib/handed-secret.ts';
import { createLogger } from '../../lib/log.ts';
import { reportOnQuit } from '../../lib/report-on-quit.ts';
import { processExitCode } from '../../model/exit-status.ts';
import { NoStagingFolder } from '../submission/staging.ts';
import { noted, openTaskLog } from '../tasks/task-log.ts';
import { runMaster } from './master.ts';
import { readMasterEnvironment } from './master-environment.ts';

const log = openTaskLog(process.env['LOG_DIRS']?.split(',')[0], systemClock);
const logger = createLogger({ name: 'batch', textOf: noted(log) });
const options = masterOptionsFromEnvironment();
// A user's code must never find the master's own token.
takeSecret('HEDDLE_ATTEMPT_TOKEN');
const stagingFolder = process.argv[2];
if (stagingFolder === undefined) throw new Error('usage: main.ts STAGING_FOLDER');
log(`Master ${options.attemptId}; the job is staged in ${stagingFolder}`);
reportOnQuit();
// Its tasks load much of what it has loaded, many of them at once.
setImmediate(flushCompileCache);
let closeWeb = async (): Promise<void> => undefined;
process.on('SIGTERM', () => void closeWeb().finally(() => process.exit(processExitCode.terminated)));
try {
  await runMaster({
    environment: readMasterEnvironment(process.env, options.attemptId, systemClock),
    stagingFolder,
    client: new MasterClient(options),
    clock: systemClock,
    logger,
    serves: (close) => {
      closeWeb = close;
    },
  });
} catch (error) {
  if (!(error instanceof NoStagingFolder)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
process.exit(0);
