// Why tasks of a job failed for good, as the history server knows it.
import { standardErrorHead } from '../batch/tasks/standard-error.ts';
import type { HttpClient } from '../client/http.ts';

const shownFailures = 3;
const historyWaitMs = 3000;
const pollMs = 250;
const longestReason = 2000;

interface TaskList {
  readonly tasks?: { readonly task?: readonly { readonly id: string; readonly state: string }[] } | null;
}
interface FailedAttempt {
  readonly id: string;
  readonly state: string;
  readonly diagnostics?: string;
  readonly nodeHttpAddress?: string;
}
interface AttemptList {
  readonly taskAttempts?: { readonly taskAttempt?: readonly FailedAttempt[] } | null;
}

/** What an attempt failed of: what its own command said comes first, where Heddle or Java met it not at all. */
export function failureText({ id, diagnostics = '', nodeHttpAddress }: Omit<FailedAttempt, 'state'>): string | undefined {
  const [reason, said] = diagnostics.slice(0, 100_000).split(standardErrorHead, 2);
  const places = /\n[ \t]*at /;
  const cause = reason!.split(places)[0]!.trim();
  const lines = (said ?? '').split(places)[0]!.trim();
  if (cause === '' && lines === '') return undefined;
  const host = nodeHttpAddress?.split(':')[0];
  const text = [lines, cause].filter((part) => part !== '').join('\n');
  return `${id} failed${host === undefined || host === '' ? '' : ` on ${host}`}:\n${text.slice(-longestReason).replace(/^/gm, '  ')}`;
}

/** A text for each of the first failed tasks; nothing where the history does not answer. */
export async function taskFailures(history: HttpClient, jobId: string): Promise<string[]> {
  const base = `/ws/v1/history/mapreduce/jobs/${jobId}/tasks`;
  const texts: string[] = [];
  try {
    // What the job's master wrote is found a little later.
    const endMs = performance.now() + historyWaitMs;
    let tasks = await history.json<TaskList>('GET', base).catch(() => undefined);
    while (!tasks && performance.now() < endMs) {
      await new Promise((wake) => setTimeout(wake, pollMs));
      tasks = await history.json<TaskList>('GET', base).catch(() => undefined);
    }
    for (const { id, state } of tasks?.tasks?.task ?? []) {
      if (state !== 'FAILED' || texts.length >= shownFailures) continue;
      const { taskAttempts } = await history.json<AttemptList>('GET', `${base}/${id}/attempts`);
      const last = taskAttempts?.taskAttempt?.findLast(({ state: ended, diagnostics }) => ended === 'FAILED' && diagnostics);
      const text = last && failureText(last);
      if (text !== undefined) texts.push(text);
    }
  } catch {
    // What was found is told.
  }
  return texts;
}
