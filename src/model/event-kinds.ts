// Kinds of events.

/** What events are about; a filter names one, or what stands before its point. */
export const eventKinds = [
  'application.created',
  'application.state',
  'application.updated',
  'application.finished',
  'attempt.registered',
  'attempt.finished',
  'container.created',
  'container.finished',
  'node.state',
] as const;

export type EventKind = (typeof eventKinds)[number];
