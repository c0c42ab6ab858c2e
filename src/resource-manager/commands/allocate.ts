// A master asks for containers, gives some back, and hears what happened (ApplicationMasterService.allocate).
import { type Failure, failure } from '../../model/errors.ts';
import { attemptIdOfContainer } from '../../model/ids.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import { resourceText } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import { nodeResource, resourceOf } from '../cluster/node-resource.ts';
import type { Cluster } from '../cluster.ts';
import type { CallingMaster } from './calling-master.ts';
import { type ConstraintPorts, requestedConstraint, termsOfCall } from './placement-constraints.ts';
import { refusedSize } from './resource-limits.ts';

/** A call with its constraints read, as the cluster takes it, what it waits for, and its answer. */
type TakenCall = Parameters<Cluster['allocate']>[2];
type CallWait = Parameters<Cluster['allocate']>[3];
export type AllocateAnswer = Awaited<ReturnType<Cluster['allocate']>>;
type TakenRequest = NonNullable<TakenCall['requests']>[number];

/** A request for containers as its master wrote it. */
export type ContainerRequest = Omit<TakenRequest, 'placementConstraint'> & { readonly placementConstraint?: unknown };

/** A call as its master wrote it. */
export type AllocateCall = Omit<TakenCall, 'requests'> & {
  readonly requests?: readonly ContainerRequest[] | undefined;
  /** What sizes are held against: what the settings allow (default), or what the nodes of the moment can hold too, as Hadoop's masters expect. */
  readonly sizes?: 'configured' | 'present';
  /** What becomes of the release of a container that another attempt was given: nothing (default), or the call is refused, as Hadoop's masters expect. */
  readonly foreignReleases?: 'ignored' | 'refused';
  /** A host or rack that something is asked for with a label, which refuses the call: labels choose among all nodes (SchedulerUtils.validateResourceRequest). */
  readonly labelledPlace?: string | undefined;
};

export interface AllocatePorts extends ConstraintPorts {
  readonly masters: {
    /** Whether the notes of an application stay within what is kept of it. */
    mayKeepNotes(applicationId: string, notes: readonly string[]): boolean;
    /** Why a master may not ask for all this beside what it asks for already; undefined: it may. */
    beyondAsks(attempt: Attempt, requests: readonly ContainerRequest[]): string | undefined;
    allocate(application: Application, attempt: Attempt, call: TakenCall, wait: CallWait, signal: AbortSignal): Promise<AllocateAnswer>;
  };
  readonly policy: Pick<SchedulingPolicy, 'configuredMaximum' | 'maximumAllocation' | 'checkLabels'>;
  readonly types: ResourceTypes;
  /** The most characters of notes that are kept of one application. */
  readonly mostNotesCharacters: number;
}

const asksRefused = 'InvalidResourceRequestException';
/** Longest time a call waits for news. */
const longestWaitMs = 60_000;
/** Names that one master's blacklist has at most. */
const mostBlacklisted = 10_000;

/**
 * Takes what a master asks for, waits and answers; nothing of a call that is refused is taken. The wait for news, in ms, is cut to a minute; the
 * signal ends it. What is refused is thrown at once, before anything else happens.
 * @throws Failure ASK_REFUSED, BLACKLIST_REFUSED, RELEASE_REFUSED, BAD_REQUEST, PLACEMENT_CONSTRAINTS_DISABLED, PLACEMENT_CONSTRAINT_REFUSED
 */
export function allocate(
  ports: AllocatePorts,
  { application, attempt }: CallingMaster,
  { requests, sizes, foreignReleases = 'ignored', labelledPlace, ...call }: AllocateCall,
  wait: CallWait,
  signal: AbortSignal,
): Promise<AllocateAnswer> {
  const { masters, mostNotesCharacters } = ports;
  checkRequests(ports, application, { requests, sizes });
  const beyond = requests?.[0] && masters.beyondAsks(attempt, requests);
  if (beyond) throw failure('ASK_REFUSED', { askId: requests[0]!.askId, reason: beyond, exception: asksRefused, sentence: beyond });
  if (labelledPlace !== undefined) throw refusedPlace(application, labelledPlace);
  checkBlacklist(attempt, call.blacklistAdditions ?? [], call.blacklistRemovals ?? []);
  // Who keeps containers over attempts may give back those of an earlier one.
  if (foreignReleases === 'refused' && !application.submission.keepContainers) checkReleases(attempt, call.releases ?? []);
  if (!masters.mayKeepNotes(application.id, call.notes ?? []))
    throw failure('BAD_REQUEST', { reason: `more than ${mostNotesCharacters} characters of notes` });
  const terms = termsOfCall();
  const taken = requests?.map((request) => ({
    ...request,
    resource: isCut(request, sizes) ? nearestSize(ports, application, request.resource) : request.resource,
    placementConstraint: requestedConstraint(ports, attempt.id, request, terms),
  }));
  return masters.allocate(
    application,
    attempt,
    { ...call, ...(taken ? { requests: taken } : {}) },
    typeof wait === 'number' ? Math.min(wait, longestWaitMs) : wait,
    signal,
  );
}

/**
 * What can never be served is refused at once (RMServerUtils.normalizeAndValidateRequests); `exception` and `sentence` of the failure are
 * Hadoop's.
 */
function checkRequests(
  { policy, types }: AllocatePorts,
  application: Application,
  { requests = [], sizes = 'configured' }: Pick<AllocateCall, 'requests' | 'sizes'>,
): void {
  if (requests.length === 0) return;
  const configured = policy.configuredMaximum(application.queue);
  const limits = {
    maximum: sizes === 'configured' ? configured : policy.maximumAllocation(application.queue),
    configuredMaximum: policy.configuredMaximum(),
  };
  for (const request of requests) {
    const { askId, resource, labelExpression } = request;
    const refuse = (exception: string, reason: string, sentence = reason) => failure('ASK_REFUSED', { askId, reason, exception, sentence });
    const named: Readonly<Record<string, unknown>> = resource;
    const unknown = Object.keys(resource).find((name) => name !== 'memoryMiB' && name !== 'vcores' && (types.indexOf(name) ?? 0) < 2);
    if (unknown !== undefined)
      throw refuse(
        'InvalidResourceRequestException',
        `Unknown resource '${unknown}'. Known resources are [${types.types.map(({ name }) => name).join(', ')}]`,
      );
    const asked = types.types.map(({ name }, index) =>
      Number((index < 2 ? [resource.memoryMiB, resource.vcores][index] : named[name]) ?? 0),
    );
    const size = isCut(request, sizes) ? undefined : refusedSize(asked, limits, types);
    if (size !== undefined) {
      const [shown, most] = [asked, limits.maximum].map((amount) => resourceText(amount, types));
      const reason = `it is ${asked.some((amount) => amount < 0) ? 'less than nothing' : 'greater than the maximum allowed allocation'}, requested ${shown}, maximum ${most}`;
      throw refuse('InvalidResourceRequestException', reason, size);
    }
    const label = labelExpression === undefined ? undefined : policy.checkLabels(application.queue, labelExpression);
    if (label !== undefined) throw refuse('InvalidLabelResourceRequestException', label);
  }
}

/** Scheduling requests of Hadoop's masters are never refused for their size: they are given the nearest that there is (CapacityScheduler.normalizeSchedulingRequests). */
const isCut = ({ allocationTags, placementConstraint }: ContainerRequest, sizes: AllocateCall['sizes']): boolean =>
  sizes === 'present' && (allocationTags !== undefined || placementConstraint !== undefined);

function nearestSize({ policy, types }: AllocatePorts, { queue }: Application, resource: ContainerRequest['resource']) {
  const maximum = policy.maximumAllocation(queue);
  const nearest = resourceOf(resource, types).map((amount, index) => Math.min(amount, maximum[index] ?? amount));
  return nodeResource(nearest, types);
}

function refusedPlace({ queue }: Application, place: string): Failure {
  const reason = `Invalid resource request, queue=${queue.slice(queue.lastIndexOf('.') + 1)} specified node label expression in a resource request has resource name = ${place}`;
  return failure('ASK_REFUSED', { askId: place, reason, exception: 'InvalidLabelResourceRequestException', sentence: reason });
}

/** A master gives back what its attempt was given (RMServerUtils.validateContainerReleaseRequest). */
function checkReleases({ id: attemptId }: Attempt, releases: readonly string[]): void {
  const foreign = releases.find((containerId) => attemptIdOfContainer(containerId) !== attemptId);
  if (foreign !== undefined) throw failure('RELEASE_REFUSED', { containerId: foreign, attemptId });
}

/** Hosts, nodes and racks can be avoided, not every place there is (RMServerUtils.validateBlacklistRequest). */
function checkBlacklist({ blacklistedNodes }: Attempt, additions: readonly string[], removals: readonly string[]): void {
  const refuse = (reason: string) => failure('BLACKLIST_REFUSED', { reason });
  if (additions.includes('*')) throw refuse('Cannot add * to the blacklist!');
  if (additions.includes('')) throw refuse('A name in the blacklist is empty.');
  if (additions.length === 0) return;
  const after = new Set([...blacklistedNodes, ...additions]);
  for (const name of removals) after.delete(name);
  if (after.size > mostBlacklisted) throw refuse(`A blacklist has at most ${mostBlacklisted} names.`);
}
