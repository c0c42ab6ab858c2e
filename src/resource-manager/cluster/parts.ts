// The parts of the cluster, made in the order of their dependencies: what each is given is all that it can reach. What a lower part sets
// off in a higher one is handed to it as a function.
import type { Timers } from '../../lib/timers.ts';
import type { Container } from '../applications/container.ts';
import type { Node } from '../nodes/node.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { ApplicationLifecycle } from './applications.ts';
import { AttemptLifecycle } from './attempts.ts';
import { ContainerChanges } from './container-changes.ts';
import { ContainerCharges } from './container-charges.ts';
import { ContainerEnds } from './container-ends.ts';
import { ContainerResizes } from './container-resizes.ts';
import type { ContainerSequels } from './container-sequels.ts';
import { ContainerLifecycle } from './containers.ts';
import { countedPolicy } from './counted-policy.ts';
import type { ClusterDependencies } from './dependencies.ts';
import { Effects } from './effects.ts';
import { EndedApplications } from './ended-applications.ts';
import { Ends } from './ends.ts';
import { EventFigures } from './event-figures.ts';
import { ExpectedContainers } from './expected-containers.ts';
import { HeldContainers } from './held-containers.ts';
import { type MasterCallPorts, MasterCalls } from './master-calls.ts';
import { MasterSessions } from './master-sessions.ts';
import { MasterWatch, type MasterWatchPorts } from './master-watch.ts';
import { Masters } from './masters.ts';
import { NodeMessages } from './node-messages.ts';
import { NodeRegistration } from './node-registration.ts';
import { NodeRemoval } from './node-removal.ts';
import { NodeReports } from './node-reports.ts';
import { NodeSizes } from './node-sizes.ts';
import { type AttributeSource, NodeLifecycle } from './nodes.ts';
import { OpportunisticScheduler } from './opportunistic.ts';
import { Promotions } from './promotions.ts';
import { SchedulingFigures } from './scheduling-figures.ts';
import { Starts } from './starts.ts';
import { ClusterState } from './state.ts';
import { TurnedAway } from './turned-away.ts';
import { WaitingTexts } from './waiting-texts.ts';
import { writesOn } from './writes.ts';

/** What every part may be given. */
export interface ClusterBasis extends Omit<ClusterDependencies, 'attributes' | 'store'> {
  readonly attributes: AttributeSource;
  /** What an earlier process or moment stored; writes go by effects. */
  readonly store: Pick<
    ResourceManagerStore,
    | 'finished'
    | 'applicationOf'
    | 'notesOf'
    | 'numberNotes'
    | 'liveApplications'
    | 'unsettledApplications'
    | 'overdueLogs'
    | 'containers'
    | 'nodeOrders'
    | 'opportunisticTotals'
  >;
  readonly state: ClusterState;
  readonly effects: Effects;
  /** Timers whose runs are changes. */
  readonly timers: Timers;
  readonly figures: SchedulingFigures;
  readonly events: EventFigures;
}

/** What is passed in, with an empty state and the executor of effects. */
export function clusterBasis(dependencies: ClusterDependencies): ClusterBasis {
  const { clock, logger, store, observers, render, aroundEffect: around, attributes = { of: () => [] } } = dependencies;
  const write = writesOn(store, (application) => render?.(application), dependencies.isToldKept);
  const events = new EventFigures(clock);
  const effects = new Effects({ clock, logger, write, observers, around, sent: (command) => events.sent(command) });
  return {
    ...dependencies,
    attributes,
    state: new ClusterState(),
    effects,
    timers: effects.timers(),
    figures: new SchedulingFigures(clock),
    events,
  };
}

/** Containers, and what masters may ask for them. */
export function containerParts(basis: ClusterBasis, sequels: ContainerSequels, masterExpired: MasterWatchPorts['expired']) {
  const { state, effects, policy, types, clock, timers, epoch, settings, labels, logger, store, events } = basis;
  const charges = new ContainerCharges(policy);
  const sessions = new MasterSessions(state, effects, types);
  const watch = new MasterWatch({ state, clock, timers, expiryMs: settings.masterExpiryMs, expired: masterExpired });
  const containers = new ContainerLifecycle({ state, effects, clock, types, epoch, events });
  const nextContainerId = (attemptId: string): string => containers.nextId(attemptId);
  const isReachable = ({ id, connected }: Node): boolean => connected && effects.isConnected(id);
  const opportunistic = new OpportunisticScheduler({ state, effects, clock, isReachable, nextContainerId }, store.opportunisticTotals());
  const labelOf = (nodeId: string): string => labels.labelOf(nodeId);
  const changes = new ContainerChanges({ effects, sessions });
  const resizes = new ContainerResizes({ effects, policy, charges, changes, labelOf, types, clock });
  const promotions = new Promotions({ effects, policy, charges, opportunistic, changes });
  const holdings = {
    chargedTo: (chargeId: string): string => charges.chargedTo(chargeId),
    release(container: Container): void {
      promotions.forget(container);
      if (container.executionType === 'OPPORTUNISTIC') opportunistic.ended(container);
      else charges.release(container);
      resizes.forget(container);
    },
  };
  const { nodeExpiryMs } = settings;
  const { masterEnded } = sequels;
  const expected = new ExpectedContainers({ effects, clock, timers, logger, nodeExpiryMs, types, sessions, masterEnded });
  const containerEnds = new ContainerEnds({ state, effects, clock, containers, holdings, masters: sessions, expected, sequels, events });
  const forgetRequests = (attemptId: string): void => {
    opportunistic.forget(attemptId);
    resizes.forgetAll(attemptId);
    promotions.forgetAll(attemptId);
  };
  return {
    charges,
    sessions,
    watch,
    containers,
    expected,
    opportunistic,
    resizes,
    promotions,
    containerEnds,
    nextContainerId,
    forgetRequests,
  };
}

export type ContainerParts = ReturnType<typeof containerParts>;

/** Applications, their attempts, and their masters. */
export function applicationParts(
  basis: ClusterBasis,
  parts: ContainerParts,
  { nodeFreed, whenIdle }: Pick<ContainerSequels, 'nodeFreed'> & Pick<MasterCallPorts, 'whenIdle'>,
) {
  const { state, effects, policy, types, settings, clock, timers, logger, store, containerTokenKey, masterCredentials, events } = basis;
  const counted = countedPolicy(policy, events);
  const { charges, sessions, watch, containers, containerEnds, expected, resizes, promotions, opportunistic, forgetRequests } = parts;
  const newToken = (): string => basis.random.bytes(32).toString('base64url');
  const waitingTexts = new WaitingTexts(state, policy, clock);
  const attempts = new AttemptLifecycle({
    state,
    effects,
    policy: counted,
    sessions,
    watch,
    forgetRequests,
    settings,
    clock,
    logger,
    newToken,
    masterCredentials,
    events,
  });
  const memory = new EndedApplications({
    state,
    effects,
    clock,
    timers,
    store,
    settings,
    forgotten(application) {
      for (const { id } of application.attempts) forgetRequests(id);
      sessions.forget(application);
      masters.forget(application);
    },
  });
  const applications = new ApplicationLifecycle({
    state,
    effects,
    policy,
    sequels: {
      admitted: (application) => attempts.create(application),
      refused: (application, diagnostics) => ends.refused(application, diagnostics),
      expired: (application, diagnostics) => void ends.kill(application, diagnostics),
    },
    settings,
    clock,
    timers,
    logger,
    events,
  });
  const ends: Ends = new Ends({
    state,
    effects,
    policy: counted,
    applications,
    attempts,
    containers: containerEnds,
    memory,
    cancelRequests: (application, attempt) => masters.cancelRequests(application, attempt),
    nodeFreed,
    waitingText: (application) => waitingTexts.of(application),
    settings,
    clock,
  });
  const giveBack = (chargeId: string): void => charges.giveBack(chargeId);
  const starts = new Starts({ state, effects, containers, attempts, ends: containerEnds, sessions, resizes, promotions, giveBack });
  const held = new HeldContainers({ state, effects, sessions, expected, ends: containerEnds, types });
  const masters: Masters = new Masters({
    state,
    effects,
    policy,
    sessions,
    applications,
    attempts,
    containers,
    opportunistic,
    resizes,
    promotions,
    held,
    forgetRequests,
    notesOf: (applicationId) => store.notesOf(applicationId),
    numberNotes: (notes) => store.numberNotes(notes),
    containerTokenKey,
    settings,
    types,
  });
  const calls = new MasterCalls({ effects, state, sessions, masters, held, watch, clock, whenIdle, figures: basis.figures });
  return { waitingTexts, attempts, memory, applications, ends, starts, masters, calls };
}

export type ApplicationParts = ReturnType<typeof applicationParts>;

/** Nodes. */
export function nodeParts(basis: ClusterBasis, parts: ContainerParts, { memory }: ApplicationParts) {
  const { state, effects, policy, types, settings, clock, timers, logger, store, membership, labels, attributes, events } = basis;
  const { containers, containerEnds, expected, charges, opportunistic, watch } = parts;
  const turnedAway = new TurnedAway({ effects, admits: (host, nodeId) => membership.admits(host, nodeId) });
  const nodes = new NodeLifecycle({
    state,
    effects,
    policy: countedPolicy(policy, events),
    ends: containerEnds,
    opportunistic,
    attributes,
    labels,
    turnedAway,
    left: (node) => removal.left(node),
    settings,
    clock,
    timers,
    logger,
    events,
  });
  const removal: NodeRemoval = new NodeRemoval({
    state,
    effects,
    policy,
    nodes,
    membership,
    turnedAway,
    settings,
    timers,
    clock,
    types,
    logger,
  });
  const sizes = new NodeSizes({ state, effects, policy, ends: containerEnds, timers, types, events });
  const reports = new NodeReports({
    state,
    effects,
    containers,
    containerEnds,
    expected,
    charges,
    opportunistic,
    watch,
    memory,
    stored(applicationId) {
      const row = store.finished(applicationId);
      return row && store.applicationOf(row);
    },
    types,
    clock,
  });
  const { containerTokenKey, session } = basis;
  const registration = new NodeRegistration({
    state,
    effects,
    nodes,
    sizes,
    reports,
    opportunistic,
    membership,
    removal,
    expected,
    labels,
    turnedAway,
    settings,
    types,
    clock,
    containerTokenKey,
    session,
  });
  const messages = new NodeMessages({ state, nodes, reports, registration, clock, figures: basis.figures });
  return { nodes, removal, sizes, registration, messages };
}

export type NodeParts = ReturnType<typeof nodeParts>;
