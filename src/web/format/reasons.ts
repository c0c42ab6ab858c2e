// What waits, put together by why. Pure.
import type { WaitingApplications } from '../../wire/cluster/own-answers.ts';

type Waiting = WaitingApplications['applications'][number];
/** Those of one reason: at least one. */
export type ReasonGroup = readonly [Waiting, ...Waiting[]];

/** Those that wait for the same reason together, in the order of the first of each. What runs and waits for more is told apart from what has not begun. */
export function byReason(applications: readonly Waiting[]): readonly ReasonGroup[] {
  const groups = new Map<string, [Waiting, ...Waiting[]]>();
  for (const application of applications) {
    const key = JSON.stringify([application.state === 'RUNNING', application.sentence, application.remedy]);
    const group = groups.get(key);
    if (group) group.push(application);
    else groups.set(key, [application]);
  }
  return [...groups.values()];
}
