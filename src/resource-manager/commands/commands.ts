// Every command, bound to its ports: what the doors (REST and the master protocol) are given to change anything.
import {
  type RefreshAccessPorts,
  type RefreshPriorityPorts,
  refreshAccess,
  refreshMaximumPriority,
  type SchedulerLogsPorts,
  writeSchedulerLogs,
} from './administer.ts';
import { type AllocatePorts, allocate } from './allocate.ts';
import { type BearerTokenPorts, createBearerToken, listBearerTokens, revokeBearerToken } from './bearer-tokens.ts';
import { type FailAttemptPorts, failAttempt } from './fail-attempt.ts';
import type { ApplicationPorts } from './find-application.ts';
import { type FinishPorts, finish } from './finish.ts';
import { type KillPorts, kill } from './kill.ts';
import {
  type AttributePorts,
  addLabels,
  type LabelPorts,
  mapAttributes,
  removeLabels,
  replaceLabels,
  replaceLabelsOfNode,
} from './labels.ts';
import { type MasterAccessPorts, readMasterAccess } from './master-access.ts';
import { type MovePorts, move } from './move.ts';
import { type NewApplicationPorts, newApplication, upcomingApplication } from './new-application.ts';
import { checkQueueAccess, type QueueAccessPorts } from './queue-access.ts';
import {
  changeQueues,
  formatQueues,
  type QueuePorts,
  type RefreshQueuesPorts,
  readQueueHistory,
  readQueues,
  readQueuesVersion,
  refreshQueues,
  validateQueues,
} from './queue-configuration.ts';
import { readRun } from './read-run.ts';
import { type RegisterPorts, register } from './register.ts';
import {
  createReservation,
  deleteReservation,
  listReservations,
  newReservation,
  type ReservationPorts,
  updateReservation,
} from './reserve.ts';
import {
  createSchedule,
  listSchedules,
  pauseSchedule,
  removeSchedule,
  runSchedule,
  type ScheduleCommandPorts,
  showSchedule,
  timesOfSchedule,
} from './schedules.ts';
import { type SetInstancesPorts, setInstances } from './set-instances.ts';
import { type SetLifetimePorts, setLifetime } from './set-lifetime.ts';
import { type SetPriorityPorts, setPriority } from './set-priority.ts';
import { type SignalPorts, signal } from './signal.ts';
import { readStagedFile, readStagedFileForNode, removeStagedFiles, type StagingPorts, stageFile } from './staging.ts';
import { type SubmitPorts, submit } from './submit.ts';
import { submitCommand } from './submit-command.ts';
import { cancelToken, createToken, renewToken, type TokenPorts } from './tokens.ts';
import { type TryQueuesPorts, tryQueues } from './try-queues.ts';
import { type TrySubmissionPorts, trySubmission } from './try-submission.ts';
import {
  type DrainNodePorts,
  drainNode,
  type RefreshNodeSizesPorts,
  type RefreshNodesPorts,
  type ResizeNodePorts,
  type ResumeNodePorts,
  refreshNodeSizes,
  refreshNodes,
  resizeNode,
  resizeNodes,
  resumeNode,
} from './update-node.ts';
import { createWebhook, listWebhooks, redeliver, removeWebhook, showWebhook, type WebhookCommandPorts } from './webhooks.ts';

/** The ports of all commands. */
export interface CommandPorts {
  readonly newApplication: NewApplicationPorts;
  readonly submit: SubmitPorts;
  readonly trySubmission: TrySubmissionPorts;
  readonly kill: KillPorts;
  readonly failAttempt: FailAttemptPorts;
  readonly move: MovePorts;
  readonly setPriority: SetPriorityPorts;
  readonly setLifetime: SetLifetimePorts;
  readonly setInstances: SetInstancesPorts;
  readonly signal: SignalPorts;
  readonly masterAccess: MasterAccessPorts;
  readonly readRun: ApplicationPorts;
  readonly register: RegisterPorts;
  readonly allocate: AllocatePorts;
  readonly finish: FinishPorts;
  readonly resizeNode: ResizeNodePorts;
  readonly refreshNodes: RefreshNodesPorts;
  readonly refreshNodeSizes: RefreshNodeSizesPorts;
  readonly drainNode: DrainNodePorts;
  readonly resumeNode: ResumeNodePorts;
  readonly labels: LabelPorts;
  readonly attributes: AttributePorts;
  readonly queueAccess: QueueAccessPorts;
  readonly queues: QueuePorts;
  readonly tryQueues: TryQueuesPorts;
  readonly refreshQueues: RefreshQueuesPorts;
  readonly refreshAccess: RefreshAccessPorts;
  readonly refreshPriority: RefreshPriorityPorts;
  readonly schedulerLogs: SchedulerLogsPorts;
  readonly reservations: ReservationPorts;
  readonly tokens: TokenPorts;
  readonly bearerTokens: BearerTokenPorts;
  readonly webhooks: WebhookCommandPorts;
  readonly schedules: ScheduleCommandPorts;
  readonly staging: StagingPorts;
}

/** A command without its ports. */
const bound =
  <Ports, Given extends unknown[], Result>(command: (ports: Ports, ...given: Given) => Result, ports: Ports) =>
  (...given: Given): Result =>
    command(ports, ...given);

/** The commands of one resource manager. */
export const bindCommands = (ports: CommandPorts) => ({
  // applications
  newApplication: bound(newApplication, ports.newApplication),
  upcomingApplication: bound(upcomingApplication, ports.newApplication),
  submit: bound(submit, ports.submit),
  trySubmission: bound(trySubmission, ports.trySubmission),
  submitCommand: bound(submitCommand, { submit: ports.submit, staging: ports.staging }),
  kill: bound(kill, ports.kill),
  failAttempt: bound(failAttempt, ports.failAttempt),
  move: bound(move, ports.move),
  setPriority: bound(setPriority, ports.setPriority),
  setLifetime: bound(setLifetime, ports.setLifetime),
  setInstances: bound(setInstances, ports.setInstances),
  signal: bound(signal, ports.signal),
  readMasterAccess: bound(readMasterAccess, ports.masterAccess),
  readRun: bound(readRun, ports.readRun),
  // masters
  register: bound(register, ports.register),
  allocate: bound(allocate, ports.allocate),
  finish: bound(finish, ports.finish),
  // nodes
  resizeNode: bound(resizeNode, ports.resizeNode),
  resizeNodes: bound(resizeNodes, ports.resizeNode),
  refreshNodes: bound(refreshNodes, ports.refreshNodes),
  refreshNodeSizes: bound(refreshNodeSizes, ports.refreshNodeSizes),
  drainNode: bound(drainNode, ports.drainNode),
  resumeNode: bound(resumeNode, ports.resumeNode),
  addLabels: bound(addLabels, ports.labels),
  removeLabels: bound(removeLabels, ports.labels),
  replaceLabels: bound(replaceLabels, ports.labels),
  replaceLabelsOfNode: bound(replaceLabelsOfNode, ports.labels),
  mapAttributes: bound(mapAttributes, ports.attributes),
  // queues and the resource manager itself
  checkQueueAccess: bound(checkQueueAccess, ports.queueAccess),
  readQueues: bound(readQueues, ports.queues),
  readQueuesVersion: bound(readQueuesVersion, ports.queues),
  readQueueHistory: bound(readQueueHistory, ports.queues),
  changeQueues: bound(changeQueues, ports.queues),
  validateQueues: bound(validateQueues, ports.queues),
  formatQueues: bound(formatQueues, ports.queues),
  tryQueues: bound(tryQueues, ports.tryQueues),
  refreshQueues: bound(refreshQueues, ports.refreshQueues),
  refreshAccess: bound(refreshAccess, ports.refreshAccess),
  refreshMaximumPriority: bound(refreshMaximumPriority, ports.refreshPriority),
  writeSchedulerLogs: bound(writeSchedulerLogs, ports.schedulerLogs),
  // reservations, tokens, staged files
  newReservation: bound(newReservation, ports.reservations),
  createReservation: bound(createReservation, ports.reservations),
  updateReservation: bound(updateReservation, ports.reservations),
  deleteReservation: bound(deleteReservation, ports.reservations),
  listReservations: bound(listReservations, ports.reservations),
  createToken: bound(createToken, ports.tokens),
  renewToken: bound(renewToken, ports.tokens),
  cancelToken: bound(cancelToken, ports.tokens),
  createBearerToken: bound(createBearerToken, ports.bearerTokens),
  listBearerTokens: bound(listBearerTokens, ports.bearerTokens),
  revokeBearerToken: bound(revokeBearerToken, ports.bearerTokens),
  createSchedule: bound(createSchedule, ports.schedules),
  listSchedules: bound(listSchedules, ports.schedules),
  showSchedule: bound(showSchedule, ports.schedules),
  timesOfSchedule: bound(timesOfSchedule, ports.schedules),
  removeSchedule: bound(removeSchedule, ports.schedules),
  pauseSchedule: bound(pauseSchedule, ports.schedules),
  runSchedule: bound(runSchedule, ports.schedules),
  createWebhook: bound(createWebhook, ports.webhooks),
  listWebhooks: bound(listWebhooks, ports.webhooks),
  showWebhook: bound(showWebhook, ports.webhooks),
  removeWebhook: bound(removeWebhook, ports.webhooks),
  redeliver: bound(redeliver, ports.webhooks),
  stageFile: bound(stageFile, ports.staging),
  readStagedFile: bound(readStagedFile, ports.staging),
  readStagedFileForNode: bound(readStagedFileForNode, ports.staging),
  removeStagedFiles: bound(removeStagedFiles, ports.staging),
});

/** What a door may call. */
export type Commands = ReturnType<typeof bindCommands>;
