// What happens in the cluster as events for programs: which changes are told, with which facts, and what of them a caller may see.
import type { Clock } from '../../lib/clock.ts';
import type { EventKind } from '../../model/event-kinds.ts';
import { exitFacts } from '../../model/exit-status.ts';
import { type Application, diagnosticsOf, finalStatus, publicState } from '../applications/application.ts';
import { type Attempt, publicAttemptState } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { ClusterObserver, StateChange } from '../cluster/observer.ts';
import type { Node } from '../nodes/node.ts';
import type { NodeState } from '../nodes/node-states.ts';
import type { Access, ViewedApplication } from '../security/access.ts';
import { EventLog, type KeptEvent } from './event-log.ts';
import { placeOf } from './instance-place.ts';

/** How many events are kept, and for how long. */
export const keptEvents = { maximumEvents: 100_000, maximumAgeMs: 3_600_000 } as const;

type Facts = Readonly<Record<string, unknown>>;

/** Of whose application an event tells, as it was when it happened: decides who may see it. */
export type EventSubject = ViewedApplication & Pick<Application, 'id'>;

/** One event. */
export interface ClusterEvent {
  readonly kind: EventKind;
  /** Undefined: it is about a node. */
  readonly subject: EventSubject | undefined;
  /** What everybody who sees the event at all may know. */
  readonly facts: Facts;
  /** What only those may know who may view the application. */
  readonly details: Facts;
  /** What was rendered of it: with the details, and without. */
  readonly texts: { whole?: string; bare?: string };
}

/** Which events a reader wants; absent parts let everything pass. */
export interface EventFilter {
  readonly applications: ReadonlySet<string> | undefined;
  readonly users: ReadonlySet<string> | undefined;
  /** Full paths; queues below them count too. */
  readonly queues: readonly string[] | undefined;
  /** Ids, or hosts, of nodes. */
  readonly nodes: ReadonlySet<string> | undefined;
  readonly kinds: ReadonlySet<string> | undefined;
}

/** What is wanted, by name; absent parts let everything pass. */
export interface EventNames {
  readonly applications?: readonly string[] | undefined;
  readonly users?: readonly string[] | undefined;
  readonly queues?: readonly string[] | undefined;
  readonly nodes?: readonly string[] | undefined;
  readonly kinds?: readonly string[] | undefined;
}

/** The filter that names make. */
export const eventFilter = ({ applications, users, queues, nodes, kinds }: EventNames): EventFilter => ({
  applications: applications && new Set(applications),
  users: users && new Set(users),
  queues,
  nodes: nodes && new Set(nodes),
  kinds: kinds && new Set(kinds),
});

/** Whether an event is of one of some nodes: of the node itself, or of a container there. */
function isOnNode(nodes: ReadonlySet<string>, { nodeId }: Facts): boolean {
  if (typeof nodeId !== 'string') return false;
  return nodes.has(nodeId) || nodes.has(nodeId.slice(0, nodeId.lastIndexOf(':')));
}

/** Whether an event passes. What names an application, user or queue wants none of nodes themselves. */
export function passesEventFilter(
  { applications, users, queues, nodes, kinds }: EventFilter,
  { kind, subject, facts }: ClusterEvent,
): boolean {
  if (kinds !== undefined && !kinds.has(kind) && !kinds.has(kind.slice(0, kind.indexOf('.')))) return false;
  if (nodes !== undefined && !isOnNode(nodes, facts)) return false;
  if (subject === undefined) return applications === undefined && users === undefined && queues === undefined;
  return (
    (applications === undefined || applications.has(subject.id)) &&
    (users === undefined || users.has(subject.user)) &&
    (queues === undefined || queues.some((queue) => subject.queue === queue || subject.queue.startsWith(`${queue}.`)))
  );
}

/** Who looks. */
export interface EventViewer {
  readonly user: string | undefined;
  readonly access: Pick<Access, 'mayView'>;
  /** Whether applications that may not be viewed are left out altogether. */
  readonly listsOnlyVisible: boolean;
}

/**
 * The event as the viewer sees it, as JSON; undefined where it is hidden: attempts and containers of what may not be viewed always are.
 * `id` is what it is shown under. Rendered once for all who see the same of it.
 */
export function shownEvent(id: string, kept: KeptEvent<ClusterEvent>, viewer: EventViewer): string | undefined {
  const { timeMs, event } = kept;
  const { kind, subject, facts, details, texts } = event;
  if (subject === undefined || viewer.access.mayView(subject, viewer.user))
    return (texts.whole ??= JSON.stringify({ id, kind, time: timeMs, ...facts, ...details }));
  if (viewer.listsOnlyVisible || !kind.startsWith('application.')) return undefined;
  return (texts.bare ??= JSON.stringify({ id, kind, time: timeMs, ...facts }));
}

/** The events of a cluster; observes it. `heard` is told each at once. */
export function clusterEvents(
  clock: Clock,
  heard: (kept: KeptEvent<ClusterEvent>) => void = () => undefined,
): { readonly log: EventLog<ClusterEvent>; readonly observer: ClusterObserver } {
  const log = new EventLog<ClusterEvent>({ clock, subjectOf: ({ subject }) => subject?.id, ...keptEvents });
  const add = (event: ClusterEvent): void => heard(log.add(event));
  /** One subject serves all events of an application for as long as it is in its queue. */
  const subjects = new WeakMap<Application, EventSubject>();
  const subjectOf = (application: Application): EventSubject => {
    const known = subjects.get(application);
    if (known?.queue === application.queue && known.admitted === application.admitted) return known;
    const { id, user, queue, admitted, submission } = application;
    const subject = { id, user, queue, admitted, submission: { viewAcl: submission.viewAcl } };
    subjects.set(application, subject);
    return subject;
  };
  /** Created, but whose queue is not known by its full path yet: they are told of with what happens next. */
  const unplaced = new WeakSet<Application>();
  const tell = (kind: EventKind, application: Application, facts: Facts, details: Facts = {}): void => {
    if (unplaced.delete(application)) {
      const { name, type, tags } = application.submission;
      tell('application.created', application, { name, type, tags });
    }
    const subject = subjectOf(application);
    const { id: applicationId, user, queue } = subject;
    add({ kind, subject, facts: { applicationId, user, queue, ...facts }, details, texts: {} });
  };
  const tellEnd = (application: Application): void =>
    tell(
      'application.finished',
      application,
      { state: publicState(application), finalStatus: finalStatus(application), finishedTime: application.finishedMs },
      { diagnostics: diagnosticsOf(application) },
    );
  const observer: ClusterObserver = {
    applicationCreated: (application) => void unplaced.add(application),
    applicationStateChanged(application, change) {
      const { from, to } = publicChange(application, change);
      // That it is being stored says no more than that it was created.
      if (from !== 'NEW' && from !== to) tell('application.state', application, { from, to });
    },
    applicationUpdated: (application) =>
      tell('application.updated', application, {
        priority: application.priority,
        lifetimeExpiry: application.lifetimeExpiryMs,
        instances: application.wantedInstances,
      }),
    applicationFinished: tellEnd,
    // Whether the process before told of it is not known.
    endRecovered: tellEnd,
    attemptRegistered: (application, { id: attemptId, host, rpcPort, originalTrackingUrl }) =>
      tell('attempt.registered', application, { attemptId }, { host, rpcPort, trackingUrl: originalTrackingUrl }),
    attemptFinished: (application, attempt) => tell('attempt.finished', application, attemptFacts(attempt)),
    containerCreated: (application, container) => tell('container.created', application, containerFacts(application, container)),
    containerFinished: (application, container) =>
      tell('container.finished', application, {
        ...containerFacts(application, container),
        createdTime: container.createdMs,
        startedTime: container.startedMs,
        ...exitFacts(container.exitCode),
        diagnostics: container.diagnostics,
      }),
    nodeStateChanged: (node, from, to) =>
      add({ kind: 'node.state', subject: undefined, facts: nodeFacts(node, from, to), details: {}, texts: {} }),
  };
  return { log, observer };
}

/** A step as clients see it: while an end is written they see the state before. */
function publicChange({ stateBefore }: Application, { from, to }: StateChange): { from: string; to: string } {
  const shown = (state: StateChange['from']): string => {
    if (state === 'FINAL_SAVING' || state === 'KILLING') return stateBefore;
    return state === 'FINISHING' ? 'FINISHED' : state;
  };
  return { from: shown(from), to: shown(to) };
}

const attemptFacts = (attempt: Attempt): Facts => ({
  attemptId: attempt.id,
  state: publicAttemptState(attempt),
  finalStatus: attempt.finalStatus,
  ...exitFacts(attempt.exitCode),
  diagnostics: attempt.diagnostics,
});

function containerFacts(application: Application, container: Container): Facts {
  const { id, attemptId, nodeId, resource, priority, isMaster, executionType } = container;
  return {
    containerId: id,
    attemptId,
    nodeId,
    memoryMiB: resource[0] ?? 0,
    vcores: resource[1] ?? 0,
    priority,
    isMaster,
    executionType,
    ...placeOf(application, container),
  };
}

const nodeFacts = ({ id: nodeId, rack, httpAddress: nodeHttpAddress, healthReport }: Node, from: NodeState, to: NodeState): Facts => ({
  nodeId,
  rack,
  nodeHttpAddress,
  from,
  to,
  healthReport,
});
