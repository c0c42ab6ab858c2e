// The program in the container of a command's master: reads the job from its environment and runs it.
import { MasterClient, masterOptionsFromEnvironment } from '../../client/master-client.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLogger } from '../../lib/log.ts';
import { commandJobVariable, decodeJob } from './command-job.ts';
import { runCommandMaster } from './master.ts';
import { masterCalls } from './master-calls.ts';

/** Runs the master with what its container's environment says. Resolves with its exit code: 0 once the cluster knows how the command ended. */
export async function commandMaster(environment: NodeJS.ProcessEnv = process.env): Promise<number> {
  const logger = createLogger({ name: 'batch' });
  const text = environment[commandJobVariable];
  if (text === undefined) throw new Error(`${commandJobVariable} is not set: this command is run by "heddle run" alone`);
  const job = decodeJob(text);
  const calls = masterCalls(new MasterClient(masterOptionsFromEnvironment(environment)));
  const code = await runCommandMaster({ job, calls, clock: systemClock, logger, host: environment['NM_HOST'] ?? '127.0.0.1' });
  logger.info({ code }, 'the command ended with this code');
  return 0;
}
