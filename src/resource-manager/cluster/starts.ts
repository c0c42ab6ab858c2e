// What becomes of what the scheduler gives, from the decision to the start on a node, from top to bottom.
import { exitStatus } from '../../model/exit-status.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import { isEndedContainer } from '../applications/container-states.ts';
import { lostNode } from '../applications/diagnostics.ts';
import type { AttemptLifecycle } from './attempts.ts';
import { type ContainerEnds, stoppedByResourceManager } from './container-ends.ts';
import type { ContainerResizes } from './container-resizes.ts';
import type { Allocation, ContainerLifecycle } from './containers.ts';
import type { Effects } from './effects.ts';
import { mayHold } from './expected-containers.ts';
import type { MasterSession, MasterSessions } from './master-sessions.ts';
import type { Promotions } from './promotions.ts';
import type { ClusterState } from './state.ts';

/** What is needed. */
export interface StartPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'publish' | 'persist'>;
  readonly containers: ContainerLifecycle;
  readonly attempts: AttemptLifecycle;
  readonly ends: Pick<ContainerEnds, 'stop' | 'ended'>;
  readonly sessions: Pick<MasterSessions, 'session' | 'give' | 'completed' | 'launchOf' | 'forgetContainer'>;
  readonly resizes: Pick<ContainerResizes, 'given'>;
  readonly promotions: Pick<Promotions, 'given'>;
  /** Gives room back that the scheduler has given. */
  readonly giveBack: (chargeId: string) => void;
}

/** Commits allocations. */
export class Starts {
  readonly #ports: StartPorts;

  constructor(ports: StartPorts) {
    this.#ports = ports;
  }

  /** Commits what was given. */
  commit(allocation: Allocation): void {
    const { state, effects, containers, resizes, promotions, giveBack } = this.#ports;
    // 1. What it was given for may be gone by now.
    const application = state.application(allocation.applicationId);
    const attempt = application && currentAttempt(application);
    const node = state.node(allocation.nodeId);
    if (!application || !attempt || attempt.id !== allocation.attemptId || !node) {
      giveBack(allocation.containerId);
      return;
    }
    // 2. Room that the resource manager itself asked for belongs to a container that runs.
    const { purpose } = allocation;
    if (purpose?.kind === 'growth') return resizes.given(application, attempt, purpose.containerId, allocation);
    if (purpose?.kind === 'promotion') return promotions.given(application, attempt, purpose.containerId, allocation);
    // 3. The container exists, and observers hear of it.
    const container = containers.create(application, attempt, node, allocation);
    effects.publish({ about: 'containerCreated', application, container });
    // 4. It is the master's, or the master's to use.
    if (container.isMaster) this.#startMaster(application, attempt, container);
    else this.#keep(application, attempt, container);
  }

  /** Where the master's container is, is kept before it starts, so that a restart knows it. */
  #startMaster(application: Application, attempt: Attempt, container: Container): void {
    const { attempts, ends } = this.#ports;
    if (!attempts.placed(application, attempt, container)) {
      ends.stop(container, exitStatus.killedByResourceManager, stoppedByResourceManager);
      return;
    }
    attempts.keep(application, () => {
      if (!attempts.apply(application, attempt, 'stored')) return;
      this.#start(application, container, attempts.launchContext(application, attempt));
      // Where the node was gone, the attempt is over already.
      attempts.launched(application, attempt);
    });
  }

  /**
   * That it was given is durable before its master hears of it and before it starts (P3): so after a restart it is known for what it was given,
   * whether its node ever heard of it or not, and nothing runs for the same request again.
   */
  #keep(application: Application, attempt: Attempt, container: Container): void {
    const { effects, sessions } = this.#ports;
    const launch = sessions.launchOf(attempt.id, container.requestId);
    const session = sessions.session(attempt.id);
    effects.persist(
      { kind: 'container', container },
      {
        stored: () => this.#give(application, container, session, launch),
        failed: () => {
          if (!isEndedContainer(container.state)) return 'again';
          this.#give(application, container, session, undefined);
          return 'given up';
        },
      },
    );
  }

  /**
   * Its master hears of it, with its end where it has ended by now. It starts where the request says what runs; else its master starts it.
   * `session`: in which it was asked for.
   */
  #give(application: Application, container: Container, session: MasterSession | undefined, launch: LaunchContext | undefined): void {
    const { sessions } = this.#ports;
    // Of an attempt that failed meanwhile the next one may hold it: its master hears of it when it registers.
    const attempt = currentAttempt(application);
    const isAskedAnew = attempt?.id === container.attemptId && sessions.session(attempt.id) !== session;
    if (!attempt || !mayHold(application, attempt, container) || isAskedAnew) return this.#giveToNobody(application, container);
    container.kept = true;
    const isGiven = sessions.give(attempt, container);
    if (isEndedContainer(container.state)) sessions.completed(attempt.id, container);
    else if (!isGiven && !attempt.containers.has(container.id)) this.#stop(container);
    else if (launch) this.#start(application, container, launch);
  }

  /** Nobody has heard of it, and nobody will: its master registered anew before it was durable, which did not tell of it, and asks again (P4). */
  #giveToNobody(application: Application, container: Container): void {
    this.#stop(container);
    this.#ports.sessions.forgetContainer(application.id, container.id);
  }

  #stop(container: Container): void {
    this.#ports.ends.stop(container, exitStatus.killedByResourceManager, stoppedByResourceManager);
  }

  #start(application: Application, container: Container, launch: LaunchContext): void {
    const { containers, ends } = this.#ports;
    if (!containers.start(application, container, launch)) ends.ended(container, exitStatus.aborted, lostNode, 'expire');
  }
}
