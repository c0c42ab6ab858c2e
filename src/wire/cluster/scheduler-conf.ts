// The `scheduler-conf` endpoints (ConfInfo, ConfigVersionInfo, SchedConfUpdateInfo of Hadoop 3.4).
import { list, long, map, object, record, type Shape, text } from '../codec/describe.ts';

export const schedulerConf = record(
  'configuration',
  { property: list(object({ name: text(), value: text() })) },
  { json: 'mapped', wrapped: false },
);
export type SchedulerConf = Shape<typeof schedulerConf>;

export const schedulerConfVersion = record('configversion', { versionID: long() }, { json: 'mapped', wrapped: false });

const queueChange = object({ 'queue-name': text(), params: map(text()) });

const changeMembers = {
  'add-queue': list(queueChange),
  'update-queue': list(queueChange),
  'remove-queue': list(text()),
  'global-updates': map(text(), { needsKeys: true }),
  global: map(text(), { needsKeys: true }),
  subClusterId: text(),
};

/** Body of `PUT /scheduler-conf` and `POST /scheduler-conf/validate`. */
export const schedulerConfChange = record('sched-conf', changeMembers, { json: 'mapped', wrapped: false });
export type SchedulerConfChange = Shape<typeof schedulerConfChange>;
/** Body of `POST /api/v1/queues/what-if`: a change, all `properties` that there would be, or the text of a fair-scheduler.xml as `allocations`. */
export const queueProposal = record(
  'queue-proposal',
  { ...changeMembers, properties: map(text()), allocations: text() },
  { json: 'mapped', wrapped: false },
);
export type QueueProposalBody = Shape<typeof queueProposal>;
/** Roots that the same reader knows, for its error text. */
export const schedulerConfRoots = ['queueConfigInfo', 'sched-conf'];
