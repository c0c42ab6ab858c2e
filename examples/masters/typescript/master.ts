// Runs a command in some containers: a master of Heddle in TypeScript, with what Node has.
//
//   node master.ts COUNT COMMAND...
//
// It finds the resource manager, its attempt and its token in its environment. What it may rely on: docs/operate/masters.md. Programs that
// have the package take MasterClient of heddle/client, which repeats calls by itself.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface Registration {
  readonly responseId: number;
  readonly runningContainers: readonly { readonly containerId: string }[];
}
interface Answer {
  readonly responseId: number;
  readonly allocations: readonly { readonly containerId: string }[];
  readonly completed: readonly { readonly containerId: string; readonly exitCode: number; readonly diagnostics: string }[];
  readonly command?: 'resync' | 'shutdown';
}

/** How many containers may fail. */
const retries = 3;
const { HEDDLE_RESOURCE_MANAGER: base, HEDDLE_ATTEMPT_ID: attempt, HEDDLE_ATTEMPT_TOKEN_FILE: tokenFile = '' } = process.env;

/** One call of the master protocol. While nobody answers, the same call is sent again: that changes nothing. */
async function call<T>(path: string, body: object): Promise<T> {
  const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`, 'content-type': 'application/json' };
  for (;;) {
    const answer = await fetch(`${base}/api/v1/attempts/${attempt}/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(90_000),
    }).catch(() => undefined);
    if (answer?.ok) return (await answer.json()) as T;
    if (answer && answer.status < 500) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await sleep(1000);
  }
}

/** Registers. Another name each time; a repetition of the same call has the same one. */
async function register(): Promise<{ responseId: number; running: Set<string> }> {
  const body = { host: 'localhost', rpcPort: -1, registrationId: randomUUID() };
  const { responseId, runningContainers } = await call<Registration>('register', body);
  return { responseId, running: new Set(runningContainers.map(({ containerId }) => containerId)) };
}

/** Whether `count` containers ran the command with success. */
async function run(count: number, command: string): Promise<boolean> {
  let { responseId, running } = await register();
  let [succeeded, failed] = [0, 0];
  /** Whether the number of open requests has to be said (again). */
  let asks = true;
  while (succeeded < count && failed <= retries) {
    const ask = {
      askId: 'work',
      count: count - succeeded - running.size,
      resource: { memoryMiB: 128, vcores: 1 },
      launch: { commands: [`${command} 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr`] },
    };
    const body = { responseId, progress: (100 * succeeded) / count, ...(asks ? { asks: [ask] } : {}) };
    const answer = await call<Answer>('allocate?wait=30000', body);
    if (answer.command === 'shutdown') throw new Error('the attempt is over');
    if (answer.command === 'resync') {
      // The resource manager was started anew: what is listed runs, or its end is told next; the rest is asked for again.
      ({ responseId, running } = await register());
      asks = true;
      continue;
    }
    asks = false;
    responseId = answer.responseId;
    for (const { containerId } of answer.allocations) running.add(containerId);
    for (const { containerId, exitCode, diagnostics } of answer.completed) {
      running.delete(containerId);
      console.log(`${containerId} ended with ${exitCode} ${diagnostics}`);
      if (exitCode === 0) succeeded++;
      else {
        failed++;
        asks = true;
      }
    }
  }
  return succeeded >= count;
}

const [count = '1', ...command] = process.argv.slice(2);
const ok = await run(Number(count), command.join(' '));
await call('finish', { finalStatus: ok ? 'SUCCEEDED' : 'FAILED', diagnostics: ok ? '' : 'too many containers failed' });
process.exitCode = ok ? 0 : 1;
