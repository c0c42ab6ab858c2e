// Containers as data. Only the cluster changes them; nodes tell of them again after a restart.
import type { Resource } from '../../model/resource.ts';
import type { ContainerState } from './container-states.ts';

/** GUARANTEED: with room in a queue. OPPORTUNISTIC: with what guaranteed ones leave on its node. */
export type ExecutionType = 'GUARANTEED' | 'OPPORTUNISTIC';

/** A container as the cluster keeps it while it lives. Times are ms since the epoch. */
export interface Container {
  readonly id: string;
  readonly applicationId: string;
  readonly attemptId: string;
  readonly nodeId: string;
  readonly nodeHttpAddress: string;
  /** The name of what its node remembered when it was given; undefined where that is not known. */
  readonly nodeMemory?: string | undefined;
  /** Changed by a resize. */
  resource: Resource;
  readonly priority: number;
  readonly isMaster: boolean;
  readonly requestId: string;
  readonly allocationRequestId: number;
  readonly allocationTags: readonly string[];
  executionType: ExecutionType;
  /** Changes of its size and type since it was given; a master that wants another one names it. */
  version: number;
  /** The id under which the scheduler counts it, where that is another: since it was promoted. */
  chargedAs?: string | undefined;
  state: ContainerState;
  /** Whether it is durable that it was given: before that nobody hears of it and it is not started. For masters the attempt says so. */
  kept: boolean;
  /** Whether its application's sums count it as ended, for good: an earlier process ended it, and its node may not have heard of that. */
  counted: boolean;
  /** Whether its node has reported it, so that it is being started or further; one that is never reported expires (`ContainerEnds.expireUnused`). */
  told: boolean;
  readonly createdMs: number;
  /** When this process gave it, by `Clock.steadyMs`; one of an earlier process counts as told. */
  readonly givenMs: number;
  /** 0 until the node reports it started. */
  startedMs: number;
  finishedMs: number;
  /** `exitStatus.invalid` until it ended. */
  exitCode: number;
  diagnostics: string;
}
