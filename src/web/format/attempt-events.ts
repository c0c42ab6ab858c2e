// The attempts of a batch job as a history: what began and ended when. Pure.
import type { PlainTask } from '../../wire/batch/own-answers.ts';

type PlainAttempt = PlainTask['attempts'][number];

/** That an attempt began, or how it ended. */
export interface AttemptEvent {
  /** Of its line: no two are the same. */
  readonly id: string;
  readonly time: number;
  readonly isEnd: boolean;
  readonly task: PlainTask;
  readonly attempt: PlainAttempt;
}

/** Which attempts are told of: an end of one of these states, or all. */
export type AttemptChoice = 'all' | 'SUCCEEDED' | 'FAILED' | 'KILLED';

/**
 * Beginnings and ends in the order in which they came; of those that never began the end alone.
 * `compact`: one line an attempt, where it was last heard of.
 */
export function attemptEvents(
  tasks: readonly PlainTask[],
  { choice, compact }: { readonly choice: AttemptChoice; readonly compact: boolean },
): AttemptEvent[] {
  const events: AttemptEvent[] = [];
  for (const task of tasks)
    for (const attempt of task.attempts) {
      const { id, state, startTime, finishTime } = attempt;
      if (choice !== 'all' && state !== choice) continue;
      const end = finishTime === undefined ? undefined : { id: `${id} end`, time: finishTime, isEnd: true, task, attempt };
      if (startTime !== undefined && !(compact && end)) events.push({ id, time: startTime, isEnd: false, task, attempt });
      if (end) events.push(end);
    }
  // What ended before something began at the same moment made room for it.
  return events.sort((a, b) => a.time - b.time || Number(b.isEnd) - Number(a.isEnd));
}
