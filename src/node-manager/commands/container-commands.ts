// What masters do with containers of their applications: every rule about it, whichever door they come through. Who calls, and that the
// container belongs to the caller's application, was proved at the door.
import type { Audit } from '../../auth/audit-log.ts';
import type { ContainerTokenContent } from '../../auth/container-token.ts';
import type { Clock } from '../../lib/clock.ts';
import { failure } from '../../model/errors.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { LaunchContext, LocalResource } from '../../wire/cluster/launch-context.ts';
import type { SignalCommand } from '../../wire/cluster/node-channel.ts';
import type { Container } from '../containers/container.ts';
import type { ContainerManager } from '../containers/container-manager.ts';

/** What the commands work on. */
export interface ContainerCommandOptions {
  readonly manager: ContainerManager;
  /** The name of what the node remembers. */
  readonly memory: string;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Whose master calls, and from where. */
export interface MasterCaller {
  /** The application's user. */
  readonly user: string;
  readonly remoteAddress: string;
  /** Names the request in logs; where it is known. */
  readonly requestId?: string | undefined;
}

/** What may be done with a running container, as Hadoop names it (ContainerManagerImpl.ReInitOp). */
type RunningOperation = 'RE_INIT' | 'ROLLBACK' | 'COMMIT' | 'LOCALIZE';

/** The commands of one node. */
export class ContainerCommands {
  readonly #options: ContainerCommandOptions;

  constructor(options: ContainerCommandOptions) {
    this.#options = options;
  }

  /**
   * Starts a container: its token says what it may be, `launch` what runs. `version` counts changes of its size or kind before.
   * @throws Failure NODE_CONTAINER_STARTED, NODE_TOKEN_EXPIRED, NODE_MEMORY_LOST, NODE_START_REFUSED
   */
  start(caller: MasterCaller, token: ContainerTokenContent, launch: LaunchContext, version = 0): Container {
    const { manager, memory } = this.#options;
    const { nodeId: _nodeId, nodeMemory, expiresMs: _expiresMs, ...order } = token;
    const id = order.containerId;
    if (manager.containers.has(id)) throw failure('NODE_CONTAINER_STARTED', { id });
    this.#refuseExpired(token);
    // What this node has forgotten may have run: the resource manager counts it as over (P5, P7).
    if (nodeMemory !== undefined && nodeMemory !== memory) throw failure('NODE_MEMORY_LOST', { id });
    manager.start({ ...order, launch }, version);
    const container = manager.containers.get(id);
    if (!container) throw failure(manager.hasEnded(id) ? 'NODE_CONTAINER_STARTED' : 'NODE_START_REFUSED', { id });
    this.#changed(caller, container, 'start container');
    return container;
  }

  /** Asks for the end of a container; one that has ended stays as it is. */
  stop(caller: MasterCaller, container: Container): void {
    this.#options.manager.kill(container, exitStatus.killedByMaster, 'Container killed by the ApplicationMaster.');
    this.#changed(caller, container, 'stop container');
  }

  /** Makes the processes of a container stand still or go on. @throws Failure NODE_CONTAINER_NOT_HELD */
  async hold(caller: MasterCaller, container: Container, what: 'pause' | 'resume'): Promise<void> {
    if (!(await this.#options.manager[what](container)))
      throw failure('NODE_CONTAINER_NOT_HELD', { id: container.id, what, state: container.state });
    this.#changed(caller, container, `${what} container`);
  }

  /**
   * Gives a container the size and kind of a newer token. What the resource manager has told the node already is no change.
   * @throws Failure NODE_TOKEN_EXPIRED, NODE_UPDATE_OUTDATED
   */
  update(caller: MasterCaller, container: Container, token: ContainerTokenContent, version: number): void {
    this.#refuseExpired(token);
    // Once for each token, and not back to what the resource manager has changed since.
    if (version <= container.version || version < container.managerVersion)
      throw failure('NODE_UPDATE_OUTDATED', { id: container.id, current: container.latestVersion, requested: version });
    const { manager } = this.#options;
    container.version = version;
    manager.changeExecutionType(container.id, token.executionType ?? 'GUARANTEED');
    manager.resize(container.id, token.resource);
    this.#changed(caller, container, 'update container');
  }

  /** Sends its processes a signal. */
  signal(caller: MasterCaller, container: Container, command: SignalCommand): void {
    this.#options.manager.signal(container.id, command);
    this.#changed(caller, container, `signal container: ${command}`);
  }

  /**
   * A running container starts anew: with another launch context, or with its own where none is given. Without `commits` the present one
   * can be brought back. @throws Failure NODE_CONTAINER_NOT_CHANGED
   */
  reinitialize(caller: MasterCaller, container: Container, launch: LaunchContext | undefined, commits: boolean): void {
    this.#mustRun(container, 'RE_INIT');
    this.#options.manager.reinitialize(container, launch, !commits);
    this.#changed(caller, container, launch ? 'reinitialize container' : 'restart container');
  }

  /** It starts anew with the launch context that it had before. @throws Failure NODE_CONTAINER_NOT_CHANGED, NODE_NO_ROLLBACK */
  rollBack(caller: MasterCaller, container: Container): void {
    this.#mustRun(container, 'ROLLBACK');
    if (!this.#options.manager.rollBack(container)) throw failure('NODE_NO_ROLLBACK');
    this.#changed(caller, container, 'roll back container');
  }

  /** It can not be rolled back any more. @throws Failure NODE_CONTAINER_NOT_CHANGED, NODE_NO_COMMIT */
  commit(caller: MasterCaller, container: Container): void {
    this.#mustRun(container, 'COMMIT');
    if (!this.#options.manager.commit(container)) throw failure('NODE_NO_COMMIT');
    this.#changed(caller, container, 'commit container');
  }

  /** Brings files to a running container. @throws Failure NODE_CONTAINER_NOT_CHANGED */
  localize(caller: MasterCaller, container: Container, files: Readonly<Record<string, LocalResource>>): void {
    this.#mustRun(container, 'LOCALIZE');
    this.#options.manager.localize(container, files);
    this.#changed(caller, container, 'localize');
  }

  #mustRun(container: Container, what: RunningOperation): void {
    const { id, state, executionType } = container;
    if (state === 'RUNNING' && executionType === 'GUARANTEED') return;
    const changing = state.startsWith('REINITIALIZING') || container.reinitialization !== undefined;
    throw failure('NODE_CONTAINER_NOT_CHANGED', { id, what, state, changing: String(changing), type: executionType });
  }

  #refuseExpired({ containerId: id, expiresMs }: ContainerTokenContent): void {
    const nowMs = this.#options.clock.now();
    if (nowMs > expiresMs) throw failure('NODE_TOKEN_EXPIRED', { id, nowMs, expiresMs });
  }

  #changed({ user, remoteAddress, requestId }: MasterCaller, { id }: Container, operation: string): void {
    this.#options.audit.changed({ user, remoteAddress, requestId }, { operation, target: id });
  }
}
