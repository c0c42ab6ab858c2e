// The program in the container of a command's master: reads the job from its environment and runs it.
import { readFileSync } from 'node:fs';
import { MasterClient, masterOptionsFromEnvironment } from '../../client/master-client.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLogger } from '../../lib/log.ts';
import { reportOnQuit } from '../../lib/report-on-quit.ts';
import { commandJobVariable, decodeJob } from '../../wire/cluster/command-job.ts';
import { secretsOfCredentials } from '../../wire/files/credentials.ts';
import { runCommandMaster } from './master.ts';
import { masterCalls } from './master-calls.ts';

/** What the job's secrets are, by name, in the credentials of this container. @throws Error where one is missing */
function secretsIn(path: string | undefined, names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const found = secretsOfCredentials(readFileSync(path ?? 'container_tokens'));
  return Object.fromEntries(
    names.map((name) => {
      const secret = found.get(name);
      if (secret === undefined) throw new Error(`the secret ${name} did not come with this container`);
      return [name, secret.toString('utf8')];
    }),
  );
}

/** Runs the master with what its container's environment says. Resolves with its exit code: 0 once the cluster knows how the command ended. */
export async function commandMaster(environment: NodeJS.ProcessEnv = process.env): Promise<number> {
  reportOnQuit();
  const logger = createLogger({ name: 'batch' });
  const text = environment[commandJobVariable];
  if (text === undefined) throw new Error(`${commandJobVariable} is not set: this command is run by "heddle run" alone`);
  const job = decodeJob(text);
  const secrets = secretsIn(environment['HADOOP_TOKEN_FILE_LOCATION'], job.secrets ?? []);
  const calls = masterCalls(new MasterClient(masterOptionsFromEnvironment(environment)));
  const code = await runCommandMaster({ job, secrets, calls, clock: systemClock, logger, host: environment['NM_HOST'] ?? '127.0.0.1' });
  logger.info({ code }, 'the command ended with this code');
  return 0;
}
