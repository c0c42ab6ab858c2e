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
import type { MasterSessions } from './master-sessions.ts';
import type { Promotions } from './promotions.ts';
import type { ClusterState } from './state.ts';

/** What is needed. */
export interface StartPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'publish' | 'persist'>;
  readonly containers: ContainerLifecycle;
  readonly attempts: AttemptLifecycle;
  readonly ends: Pick<ContainerEnds, 'stop' | 'ended'>;
  readonly sessions: Pick<MasterSessions, 'session' | 'give' | 'completed' | 'launchOf' | 'forgetContainer' | 'keeping'>;
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
    effects.publish({ about: 'containerCreated', application, container, closeness: allocation.closeness });
    // 4. It is the master's, or the master's to use.
    if (container.isMaster) this.#startMaster(application, attempt, container);
    else this.#keep(application, attempt, container);
  }

  /** Where the master's container is, is kept before it starts, so that a restart knows it. */
  #startMaster(application: Application, attempt: Attempt, container: Container): void {
    const { attempts, effects, ends } = this.#ports;
    if (!attempts.placed(application, attempt, container)) {
      ends.stop(container, exitStatus.killedByResourceManager, stoppedByResourceManager);
      return;
    }
    attempts.keep(application, () => {
      if (!attempts.apply(application, attempt, 'stored')) return;
      this.#start(application, container, attempts.launchContext(application, attempt));
      // Where the node was gone, the attempt is over already.
      if (attempts.launched(application, attempt)) effects.publish({ about: 'attemptLaunched', application, attempt });
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
    const settled = sessions.keeping(attempt.id);
    const isAskedAnew = () => currentAttempt(application)?.id === attempt.id && sessions.session(attempt.id) !== session;
    effects.persist(
      { kind: 'container', container },
      {
        stored: () => this.#give(application, container, isAskedAnew() ? 'anew' : { launch }, settled),
        failed: () => {
          // What is written again after its master asked anew would be a container too many after a restart.
          if (isAskedAnew()) this.#give(application, container, 'anew', settled);
          else if (isEndedContainer(container.state)) this.#give(application, container, { launch: undefined }, settled);
          else return 'again';
          return 'given up';
        },
      },
    );
  }

  /**
   * Its master hears of it, with its end where it has ended by now. It starts where the request says what runs; else its master starts it.
   * `asked`: what runs, or that its master has asked anew meanwhile. `settled` is called when it is clear what became of it.
   */
  #give(
    application: Application,
    container: Container,
    asked: 'anew' | { readonly launch: LaunchContext | undefined },
    settled: () => void,
  ): void {
    const { sessions } = this.#ports;
    // Of an attempt that failed meanwhile the next one may hold it: its master hears of it when it registers.
    const attempt = currentAttempt(application);
    if (!attempt || !mayHold(application, attempt, container) || asked === 'anew')
      return this.#giveToNobody(application, container, settled);
    container.kept = true;
    const isGiven = sessions.give(attempt, container);
    if (isEndedContainer(container.state)) sessions.completed(attempt.id, container);
    else if (!isGiven && !attempt.containers.has(container.id)) this.#stop(container);
    else if (asked.launch) this.#start(application, container, asked.launch);
    settled();
  }

  /** Nobody has heard of it, and nobody will: its master registered anew before it was durable, which did not tell of it, and asks again (P4). */
  #giveToNobody(application: Application, container: Container, settled: () => void): void {
    this.#stop(container);
    this.#ports.sessions.forgetContainer(application.id, container.id, settled);
  }

  #stop(container: Container): void {
    this.#ports.ends.stop(container, exitStatus.killedByResourceManager, stoppedByResourceManager);
  }

  #start(application: Application, container: Container, launch: LaunchContext): void {
    const { containers, ends } = this.#ports;
    if (!containers.start(application, container, launch)) ends.ended(container, exitStatus.aborted, lostNode, 'expire');
  }
}
