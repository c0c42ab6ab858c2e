// How far an application is, by its state.

const endStates = new Set(['FINISHED', 'FAILED', 'KILLED']);

/** Whether an application in this state changes no more. */
export function isOver(state: string | undefined): boolean {
  return state !== undefined && endStates.has(state);
}
