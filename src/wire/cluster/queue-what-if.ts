// What `POST /api/v1/queues/what-if` answers: what other queues would come to.
import { fields, type JsonOf, many, mapOf, number, optional, text, truth, whole } from '../../lib/json-shape.ts';

const amounts = mapOf(number());
const count = whole({ minimum: 0 });

/** A queue in one partition. */
const queueSide = fields({
  state: text(),
  /** Percent of the partition. */
  guaranteedPercent: number(),
  maximumPercent: number(),
  /** Amounts by name: memoryMiB, vcores and others. */
  guaranteed: amounts,
  used: amounts,
  pending: amounts,
  /** Of leaves: applications that may run. */
  activeApplications: optional(count),
  /** Of leaves: applications that wait for that. */
  pendingApplications: optional(count),
});

/** Containers of an application. */
const applicationSide = fields({ running: count, waiting: count, preempted: count });

/** What other queues would come to if they were taken over now, beside what the queues of now come to. */
export const queueWhatIf = fields({
  /** For people. */
  sentence: text(),
  /** Keys that would be others; absent sides: not set. */
  keys: many(fields({ key: text(), before: optional(text()), after: optional(text()) })),
  moreKeys: count,
  /** Queues that would stand otherwise; absent sides: not there. */
  queues: many(fields({ path: text(), partition: text(), before: optional(queueSide), after: optional(queueSide) })),
  moreQueues: count,
  /** Applications that would fare otherwise: first those that would start. */
  applications: many(
    fields({
      id: text(),
      name: text(),
      user: text(),
      queue: text(),
      /** Its master would get its container, and does not without the change. */
      starts: truth(),
      before: applicationSide,
      after: applicationSide,
    }),
  ),
  moreApplications: count,
  /** How many would start in all, and how many containers more (or, below 0, fewer) would run. */
  starting: count,
  containers: whole(),
  preempted: count,
  /** Whether containers are taken back where they are due to others. */
  preempts: truth(),
  /** So far it looked ahead, in time of the cluster. */
  spanMs: number({ minimum: 0 }),
  /** Without it more would follow than was looked at. */
  complete: truth(),
});
export type QueueWhatIf = JsonOf<typeof queueWhatIf>;
