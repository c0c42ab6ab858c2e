// What an application was submitted with, as `/api/v1/applications/{id}/submission` tells it: without secrets, and for those who may only view it
// without commands and the values of variables.
import { fields, type JsonOf, many, mapOf, number, optional, text, truth, whole } from '../../lib/json-shape.ts';

/** A file that is brought to the containers. */
const submittedFile = fields({
  /** Its name in the container. */
  name: text(),
  /** Where nodes read it: `staging:/…` was left with the resource manager; absent where it is hidden. */
  address: optional(text()),
  archive: truth(),
  /** Absent where nobody said it. */
  bytes: optional(number({ minimum: 0 })),
  /** Of an application's file that was left with the resource manager: whether it is still there. */
  kept: optional(truth()),
});

/** A command in its containers: `heddle run`, or `run` in a submission. */
const submittedCommand = fields({
  /** Absent where it is hidden. */
  command: optional(many(text())),
  instances: whole({ minimum: 0 }),
  memoryMiB: number({ minimum: 0 }),
  vcores: number({ minimum: 0 }),
  /** Amounts of further resource types of each container. */
  resources: mapOf(number()),
  /** Variables whose values are shown. */
  environment: mapOf(text()),
  files: many(submittedFile),
  /** Names of secrets. */
  secrets: many(text()),
  retries: whole({ minimum: 0 }),
  tags: many(text()),
  constraint: optional(text()),
  opportunistic: truth(),
});

/** What a master runs in its container. */
const submittedLaunch = fields({
  /** Absent where they are hidden. */
  commands: optional(many(text())),
  environment: mapOf(text()),
  files: many(submittedFile),
  /** Auxiliary services that get data. */
  services: many(text()),
  /** Whether it brought credentials. */
  credentials: truth(),
  /** Names of variables that hold secrets. */
  secrets: many(text()),
});

/** What of a submission is kept when its application has ended: one of the first two. */
export const submittedWork = fields({
  run: optional(submittedCommand),
  launch: optional(submittedLaunch),
  /** Variables whose values are not shown. */
  hiddenVariables: many(text()),
  /** Passwords in commands, variables or addresses were taken out. */
  withoutPasswords: truth(),
});
export type SubmittedWork = JsonOf<typeof submittedWork>;

/** What an application was submitted with; what is absent was not said. */
export const submittedContext = fields({
  id: text(),
  name: text(),
  user: text(),
  type: text(),
  /** ms since the epoch. */
  submittedTime: number({ minimum: 0 }),
  /** As it was asked for. */
  queue: optional(text()),
  priority: optional(number()),
  tags: many(text()),
  label: optional(text()),
  reservationId: optional(text()),
  lifetimeSeconds: optional(number()),
  /** Size of the master's container, by names of resource types. */
  master: mapOf(number()),
  masterLabel: optional(text()),
  /** Hosts and racks where the master should stand. */
  masterPlaces: optional(many(text())),
  maximumAttempts: optional(whole({ minimum: 1 })),
  keepContainers: truth(),
  unmanaged: truth(),
  /** Users and groups that may view it, and those that may change it. */
  viewers: optional(text()),
  modifiers: optional(text()),
  ...{ run: optional(submittedCommand), launch: optional(submittedLaunch) },
  /** Variables whose values are not shown. */
  hiddenVariables: many(text()),
  /** Sentences: what is not shown, and why. */
  notes: many(text()),
  /** The run as `heddle run FILE.yaml` takes it; absent where the command is hidden. */
  yaml: optional(text()),
});
export type SubmittedContext = JsonOf<typeof submittedContext>;
export type SubmittedFile = JsonOf<typeof submittedFile>;
export type SubmittedCommand = JsonOf<typeof submittedCommand>;
