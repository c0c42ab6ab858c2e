// All logger names of the project, so that levels can be set for a subsystem.

/** Every subsystem that logs. */
export const logNames = [
  'resource-manager',
  'node-manager',
  'timeline',
  'history',
  'proxy',
  'batch',
  'cli',
  'launcher',
  'store',
  'http',
] as const;

/** The name of a subsystem that logs. */
export type LogName = (typeof logNames)[number];
