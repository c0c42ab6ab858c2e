// A thread that runs commands one after the other, so that a test sees their output and exit codes without a process for each.
import { parentPort } from 'node:worker_threads';
import { runCommandLine } from '../program.ts';

const refuse = (): Promise<never> => Promise.reject(new Error('this test starts no roles'));

parentPort?.on('message', async (args: readonly string[]) => {
  const code = await runCommandLine(args, { startRole: refuse, startRoleInThread: refuse, stores: refuse });
  // Output is passed on by the thread's streams: what was written before comes before the code.
  process.stderr.write('', () => process.stdout.write('', () => parentPort?.postMessage(code)));
});
