// State machines are tables: state → event → next state. A missing event is not allowed in that state.

/** For every state the events it takes and the state each leads to. */
export type TransitionTable<State extends string, Event extends string> = Readonly<Record<State, Readonly<Partial<Record<Event, State>>>>>;

/** The state that `event` leads to from `state`, or undefined where the table has no such transition. */
export function nextState<State extends string, Event extends string>(
  table: TransitionTable<State, Event>,
  state: State,
  event: Event,
): State | undefined {
  return table[state][event];
}
