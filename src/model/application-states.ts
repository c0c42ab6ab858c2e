// States of applications as every interface shows them (YarnApplicationState, in its order).

/** States in reports, filters and statistics. */
export const publicApplicationStates = ['NEW', 'NEW_SAVING', 'SUBMITTED', 'ACCEPTED', 'RUNNING', 'FINISHED', 'FAILED', 'KILLED'] as const;
export type PublicApplicationState = (typeof publicApplicationStates)[number];

/** States in which an application has left the cluster and changes no more. */
export const finalApplicationStates: readonly PublicApplicationState[] = ['FINISHED', 'FAILED', 'KILLED'];
const final: ReadonlySet<string> = new Set(finalApplicationStates);

/** Whether an application that is shown in this state has left the cluster; where no state is known it has not. */
export const isFinalApplicationState = (state: string | undefined): boolean => state !== undefined && final.has(state);
