// The end of a container, whatever brings it about, from top to bottom: it leaves the state, its room is free, master and observers hear of it.

import type { Clock } from '../../lib/clock.ts';
import { type ExitStatus, exitStatus } from '../../model/exit-status.ts';
import type { Application } from '../applications/application.ts';
import type { Container } from '../applications/container.ts';
import { type ContainerEvent, isEndedContainer } from '../applications/container-states.ts';
import { preempted, unused } from '../applications/diagnostics.ts';
import type { ContainerSequels } from './container-sequels.ts';
import type { ContainerLifecycle } from './containers.ts';
import type { Effects } from './effects.ts';
import type { EventFigures } from './event-figures.ts';
import type { ExpectedContainers } from './expected-containers.ts';
import type { MasterSessions } from './master-sessions.ts';
import type { ClusterState } from './state.ts';

/** What a container held outside of the state. */
export interface ContainerHoldings {
  /** Frees its room in the scheduler, and everything that waited to be done to it. */
  release(container: Container): void;
  /** The container that the scheduler counts under an id. */
  chargedTo(chargeId: string): string;
}

/** What is needed. */
export interface ContainerEndPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'publish' | 'persist' | 'wakeScheduler'>;
  readonly clock: Clock;
  readonly containers: ContainerLifecycle;
  readonly holdings: ContainerHoldings;
  readonly masters: Pick<MasterSessions, 'completed'>;
  readonly expected: Pick<ExpectedContainers, 'giveUpAll'>;
  readonly sequels: ContainerSequels;
  readonly events: Pick<EventFigures, 'add'>;
}

/** Ends containers. */
export class ContainerEnds {
  readonly #ports: ContainerEndPorts;

  constructor(ports: ContainerEndPorts) {
    this.#ports = ports;
  }

  /** A container is over. Nothing happens for one that had ended. */
  ended(container: Container, exitCode: number, diagnostics: string, event: ContainerEvent = 'finished'): void {
    const { containers, holdings, effects, masters, sequels, events } = this.#ports;
    // 1. It takes its last state, its use is counted, and no index knows it any more.
    const end = containers.end(container, exitCode, diagnostics, event);
    if (!end) return;
    if (event === 'expire') events.add('scheduler', 'CONTAINER_EXPIRED');
    if (exitCode === exitStatus.killedByMaster) events.add('scheduler', 'RELEASE_CONTAINER');
    // 2. Its room is free for others, and a node that waits for its end may leave.
    holdings.release(container);
    effects.wakeScheduler();
    sequels.nodeFreed(container.nodeId);
    if (!end.holder) return;
    const { application, attempt } = end.holder;
    events.add('attempt', 'CONTAINER_FINISHED');
    // 3. Observers hear of it.
    effects.publish({ about: 'containerFinished', application, container });
    // 4. Its master hears of it, if it can have heard of the container (else when that is durable: starts.ts); the end of the master's own
    // goes on with its attempt.
    if (container.isMaster && attempt.masterContainerId === container.id)
      sequels.masterEnded(application, attempt, exitCode, diagnostics, container.state !== 'EXPIRED' || attempt.registered);
    else if (container.kept) masters.completed(attempt.id, container);
  }

  /** Ends a container on the scheduler's or the cluster's wish: its node is told to stop it, its room is free at once. */
  stop(container: Container, exitCode: ExitStatus, diagnostics: string): void {
    if (isEndedContainer(container.state)) return;
    this.#ports.containers.sendStop(container.nodeId, container.id, exitCode, diagnostics);
    this.ended(container, exitCode, diagnostics, 'kill');
  }

  /** Every container of an application, because it or its attempt is over. */
  stopAll(application: Application): void {
    for (const attempt of application.attempts)
      for (const container of [...attempt.containers.values()])
        this.stop(container, exitStatus.killedByResourceManager, stoppedByResourceManager);
    // Those whose nodes have not come back are stopped when they do: nobody knows them then.
    const containerIds = this.#ports.expected.giveUpAll(application, exitStatus.killedByResourceManager).map(({ id }) => id);
    if (containerIds.length > 0)
      this.#ports.effects.persist(
        { kind: 'containersHeard', applicationId: application.id, application, containerIds },
        { failed: () => 'given up' },
      );
  }

  /** Takes a container back for others. `chargeId`: the id under which the scheduler counts it. */
  preempt(chargeId: string): void {
    const { state, holdings, containers, events } = this.#ports;
    const container = state.container(holdings.chargedTo(chargeId));
    if (!container) return;
    events.add('scheduler', 'MARK_CONTAINER_FOR_KILLABLE');
    const application = state.application(container.applicationId);
    if (application) containers.countPreemption(application, container);
    this.stop(container, exitStatus.preempted, preempted);
  }

  /** Takes back what was given before `beforeMs` (steady) and never started (ContainerAllocationExpirer). */
  expireUnused(beforeMs: number): void {
    const { state, containers } = this.#ports;
    for (const container of state.containers()) {
      if (container.told || container.givenMs > beforeMs || isEndedContainer(container.state)) continue;
      containers.sendStop(container.nodeId, container.id, exitStatus.aborted, unused);
      this.ended(container, exitStatus.aborted, unused, 'expire');
    }
  }
}

export const stoppedByResourceManager = 'Container killed by the ResourceManager';
