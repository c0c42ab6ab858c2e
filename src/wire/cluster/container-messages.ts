// What resource manager, nodes and masters tell each other of one container: how far it is, and what it shall run. The shapes are the
// description; the types derive from them.
import { fields, fieldsAmong, type JsonOf, many, number, optional, text, truth, whole, word } from '../../lib/json-shape.ts';
import { launchContext } from './launch-context.ts';

const name = text({ maxLength: 4096 });

/** Amounts by type: memory in MiB and vcores, further registered types by their name. */
export const nodeResource = fieldsAmong({ memoryMiB: number(), vcores: number() }, number());
export type NodeResource = JsonOf<typeof nodeResource>;

/** GUARANTEED unless asked otherwise. */
export const executionType = word('GUARANTEED', 'OPPORTUNISTIC');
export type ExecutionType = JsonOf<typeof executionType>;

/** Members of a report of a container. */
export const containerReportMembers = {
  containerId: name,
  /** The master's name of the request that it was given for. */
  askId: optional(name),
  /** How far it is, as the resource manager sees it (ContainerState of Hadoop's NM reports). */
  state: word('NEW', 'RUNNING', 'COMPLETE'),
  /** ContainerExitStatus; -1000 while none is known. */
  exitCode: number(),
  diagnostics: text(),
  resource: nodeResource,
  priority: number(),
  executionType: optional(executionType),
  allocationTags: optional(many(name)),
  /** How many changes of its size and kind the node knows of; absent: none. */
  version: optional(whole({ minimum: 0 })),
  /** Times are ms since the epoch. */
  createdTime: number(),
  startedTime: optional(number()),
  finishedTime: optional(number()),
};

/** What a node says of one of its containers. */
export const containerReport = fields(containerReportMembers);
export type ContainerReport = JsonOf<typeof containerReport>;

/** Which logs are aggregated (LogAggregationContext); patterns are Java regular expressions over the file name. */
export const logAggregationContext = fields({
  includePattern: optional(text()),
  excludePattern: optional(text()),
  rolledLogsIncludePattern: optional(text()),
  rolledLogsExcludePattern: optional(text()),
  policyClassName: optional(text()),
  policyParameters: optional(text()),
});
export type LogAggregationContext = JsonOf<typeof logAggregationContext>;

/** Access lists of an application by what they allow. */
export const applicationAcls = fields({ VIEW_APP: optional(text()), MODIFY_APP: optional(text()) });

/** Members of an order to start a container, without what it runs. */
export const containerOrderMembers = {
  containerId: name,
  /** The master's name of the request that it was given for; told again in reports, so that it outlives the resource manager's process. */
  askId: optional(name),
  applicationId: name,
  attemptId: name,
  user: name,
  resource: nodeResource,
  priority: number(),
  queue: name,
  executionType: optional(executionType),
  isMaster: truth(),
  /** Told again with every report, so that they outlive a restart of the resource manager. */
  allocationTags: optional(many(name)),
  applicationAcls,
  logAggregation: optional(logAggregationContext),
  /** ms since the epoch. */
  submitTimeMs: number(),
  maxAttempts: whole(),
};

/** An order to start a container. */
export const containerStart = fields({ ...containerOrderMembers, launch: launchContext });
export type ContainerStart = JsonOf<typeof containerStart>;
