// ContainerManagementProtocol: decode, find the container that the master may touch, call a command, encode (ContainerManagerImpl).
import type { ReadContainerToken } from '../../auth/application-tokens/application-tokens.ts';
import type { TokensOfNodes } from '../../auth/application-tokens/open-tokens.ts';
import type { AuditLog } from '../../auth/audit-log.ts';
import { applicationIdOfAttempt, applicationIdOfContainer, attemptIdOfContainer } from '../../model/ids.ts';
import type { RpcCaller } from '../../rpc/authentication.ts';
import { javaClasses, RpcException } from '../../rpc/exceptions.ts';
import { type Handlers, type RpcProtocol, serveProtocol } from '../../rpc/protocol.ts';
import { containerIdMessage, containerIdText } from '../../wire/rpc/ids.ts';
import { readLaunch, readLocalResources } from '../../wire/rpc/launch-context.ts';
import type { Decoded, Encodable } from '../../wire/rpc/message.ts';
import { containerManagementProtocol } from '../../wire/rpc/protocols/container-management.ts';
import type { ContainerExceptionMapProto } from '../../wire/rpc/tables/container-service.ts';
import type { ContainerIdProto } from '../../wire/rpc/tables/identifiers.ts';
import type { TokenProto } from '../../wire/rpc/tables/transport.ts';
import type { ContainerCommands, MasterCaller } from '../commands/container-commands.ts';
import type { Container } from '../containers/container.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import { type ContainerPlace, containerStatus, localizationStatuses } from './container-reports.ts';
import { exceptionOf, nodeFailures, notHandled, ofPreviousManager, unknownService, yarnException } from './failures.ts';

/** What the handlers work with. */
export interface ContainerProtocolNeeds {
  readonly manager: ContainerManager;
  readonly commands: ContainerCommands;
  /** Undefined before the resource manager has told the cluster's key; then nobody could log in. */
  readonly tokens: () => TokensOfNodes | undefined;
  readonly nodeId: () => string;
  /** When the resource manager of the last registration started, ms since the epoch. */
  readonly managerStartedMs: () => number | undefined;
  /** Data of auxiliary services for containers. */
  readonly serviceData: () => ReadonlyMap<string, Buffer>;
  /** What containers are reached by. */
  readonly place: ContainerPlace | undefined;
  /** Units of a further type of resource. */
  readonly unitsOf: (type: string) => string;
  readonly audit: Pick<AuditLog, 'refusedRequest'>;
}

/** The master that calls. */
interface Master extends MasterCaller {
  readonly attemptId: string;
  readonly applicationId: string;
}

type Protocol = typeof containerManagementProtocol;
type Ids = readonly Decoded<typeof ContainerIdProto>[];
type Failed = Encodable<typeof ContainerExceptionMapProto>;

/** The protocol that masters speak with their nodes. */
export const containerProtocol = (needs: ContainerProtocolNeeds): RpcProtocol => {
  const door = new ContainerDoor(needs);
  const handlers: Handlers<Protocol> = {
    startContainers: ({ request, caller }) => door.start(request.start_container_request, caller),
    stopContainers: ({ request, caller }) => {
      const { done, failed } = door.each(request.container_id, caller, (id, master) => door.stop(id, master));
      return { succeeded_requests: done, failed_requests: failed };
    },
    getContainerStatuses: ({ request, caller }) => {
      const { done, failed } = door.each(request.container_id, caller, (id, master) =>
        containerStatus(door.present(id, master, 'get status for'), needs),
      );
      return { status: done, failed_requests: failed };
    },
    increaseContainersResource: ({ request, caller }) => door.update(request.increase_containers, caller),
    updateContainer: ({ request, caller }) => door.update(request.update_container_token, caller),
    signalToContainer: ({ request, caller }) => {
      const { container, master } = door.belonging(request.container_id, caller, 'SIGNAL');
      // One that is not here hears nothing, and its master is answered all the same (ContainerManagerImpl.internalSignalToContainer).
      if (container) needs.commands.signal(master, container, request.command);
      return {};
    },
    localize: ({ request, caller }) => {
      const { container, master } = door.own(request.container_id, caller, 'LOCALIZE');
      needs.commands.localize(master, container, readLocalResources(request.local_resources));
      return {};
    },
    reInitializeContainer: ({ request, caller }) => {
      const { container, master } = door.own(request.container_id, caller, 'RE_INIT');
      const launch = request.container_launch_context && readLaunch(request.container_launch_context);
      needs.commands.reinitialize(master, container, launch, request.auto_commit);
      return {};
    },
    restartContainer: ({ request, caller }) => {
      const { container, master } = door.own(request, caller, 'RE_INIT');
      needs.commands.reinitialize(master, container, undefined, true);
      return {};
    },
    rollbackLastReInitialization: ({ request, caller }) => {
      const { container, master } = door.own(request, caller, 'ROLLBACK');
      needs.commands.rollBack(master, container);
      return {};
    },
    commitLastReInitialization: ({ request, caller }) => {
      const { container, master } = door.own(request, caller, 'COMMIT');
      needs.commands.commit(master, container);
      return {};
    },
    getLocalizationStatuses: ({ request, caller }) => {
      const { done, failed } = door.each(request.container_id, caller, (id, master) =>
        localizationStatuses(door.present(id, master, 'get status for')),
      );
      return { cntn_localization_statuses: done, failed_requests: failed };
    },
  };
  return serveProtocol(containerManagementProtocol, handlers, nodeFailures(needs.audit));
};

/** Who may touch which container, and what of several requests failed. */
class ContainerDoor {
  readonly #needs: ContainerProtocolNeeds;

  constructor(needs: ContainerProtocolNeeds) {
    this.#needs = needs;
  }

  /** Starts containers; one that is refused does not stop the others, a token that was not signed here stops the call. */
  start(requests: Decoded<Protocol['methods']['startContainers'][0]>['start_container_request'], caller: RpcCaller) {
    const { commands, serviceData } = this.#needs;
    const master = this.#masterOf(caller);
    const services = serviceData();
    const done: Encodable<typeof ContainerIdProto>[] = [];
    const failed: Failed[] = [];
    for (const { container_token: token, container_launch_context: context } of requests) {
      const read = this.#read(token);
      const { content, version } = read;
      const id = content.containerId;
      attempt(failed, containerIdMessage(id), () => {
        this.#mustBelong(read, master, 'start');
        const launch = readLaunch(context);
        for (const name of Object.keys(launch.serviceData)) if (!services.has(name)) throw unknownService(name);
        commands.start(master, content, launch, version);
        done.push(containerIdMessage(id));
      });
    }
    const services_meta_data = [...services].map(([key, value]) => ({ key, value }));
    return { services_meta_data, succeeded_requests: done, failed_requests: failed };
  }

  /** Changes sizes and kinds of containers by newer tokens. */
  update(tokens: readonly Decoded<typeof TokenProto>[], caller: RpcCaller) {
    const master = this.#masterOf(caller);
    const done: Encodable<typeof ContainerIdProto>[] = [];
    const failed: Failed[] = [];
    for (const token of tokens) {
      const read = this.#read(token);
      const { content, version } = read;
      attempt(failed, containerIdMessage(content.containerId), () => {
        this.#mustBelong(read, master, 'increase');
        this.#needs.commands.update(master, this.#handled(content.containerId), content, version);
        done.push(containerIdMessage(content.containerId));
      });
    }
    return { succeeded_requests: done, failed_requests: failed };
  }

  /** Asks for the end of a container; of one that has ended long ago nothing is left to do. */
  stop(id: string, master: Master): Encodable<typeof ContainerIdProto> {
    this.#mustBeOwn(id, master, 'stop');
    const { manager, commands } = this.#needs;
    const container = manager.containers.get(id);
    if (container) commands.stop(master, container);
    else if (!manager.hasEnded(id)) throw notHandled(id, false);
    return containerIdMessage(id);
  }

  /** Does something for each container; those for which it fails are told with the reason. */
  each<T>(ids: Ids, caller: RpcCaller, act: (id: string, master: Master) => T): { readonly done: T[]; readonly failed: Failed[] } {
    const master = this.#masterOf(caller);
    const done: T[] = [];
    const failed: Failed[] = [];
    for (const named of ids) {
      attempt(failed, named, () => done.push(act(containerIdText(named), master)));
    }
    return { done, failed };
  }

  /** A container of the caller's application that is here. @throws RpcException */
  present(id: string, master: Master, what: 'get status for'): Container {
    this.#mustBeOwn(id, master, what);
    return this.#handled(id);
  }

  /** A container that the caller may change while it runs. @throws RpcException */
  own(named: Decoded<typeof ContainerIdProto> | undefined, caller: RpcCaller, what: string): { container: Container; master: Master } {
    const { container, master } = this.belonging(named, caller, what);
    if (!container) throw yarnException(`Specified ${containerIdText(named)} does not exist!`);
    return { container, master };
  }

  /** A container that the caller may change, where it is here. @throws RpcException */
  belonging(named: Decoded<typeof ContainerIdProto> | undefined, caller: RpcCaller, what: string) {
    const master = this.#masterOf(caller);
    const id = containerIdText(named);
    if (applicationIdOfContainer(id) !== master.applicationId)
      throw yarnException(`ApplicationMaster not authorized to perform [${what}] on Container [${id}]!!`);
    return { container: this.#needs.manager.containers.get(id), master };
  }

  #handled(id: string): Container {
    const { manager } = this.#needs;
    const container = manager.containers.get(id);
    if (!container) throw notHandled(id, manager.hasEnded(id));
    return container;
  }

  /** The master that logged in. */
  #masterOf({ token, remoteAddress }: RpcCaller): Master {
    const identity = token && this.#needs.tokens()?.nodes.read(token);
    if (!identity) throw yarnException('Invalid NMToken');
    const { attemptId, user } = identity;
    return { attemptId, user, remoteAddress, applicationId: applicationIdOfAttempt(attemptId) };
  }

  /** What a container's token says. @throws RpcException where it was not signed for a container of this node */
  #read(token: Decoded<typeof TokenProto> | undefined): ReadContainerToken {
    if (!token || token.identifier.length === 0) throw yarnException('Invalid ContainerToken');
    const read = this.#needs.tokens()?.containers.read(token.identifier, token.password);
    if (read?.content.nodeId !== this.#needs.nodeId())
      throw new RpcException(javaClasses.InvalidToken, `Invalid container token used for starting container on : ${this.#needs.nodeId()}`);
    return read;
  }

  /** The container was given to the caller's application by the present resource manager. @throws RpcException */
  #mustBelong(
    { content: { containerId }, resourceManagerStartedMs }: ReadContainerToken,
    master: Master,
    what: 'start' | 'increase',
  ): void {
    if (applicationIdOfContainer(containerId) !== master.applicationId) {
      const [asked, used] =
        what === 'start' ? ['start container.', 'starting '] : ['increase container resource.', 'increasing resource of '];
      throw yarnException(
        `Unauthorized request to ${asked}\nNMToken for application attempt : ${master.attemptId} was used for ${used}container with container token issued for application attempt : ${attemptIdOfContainer(containerId)}`,
      );
    }
    if (resourceManagerStartedMs !== this.#needs.managerStartedMs()) throw ofPreviousManager(containerId);
  }

  #mustBeOwn(id: string, { attemptId, applicationId }: Master, what: 'stop' | 'get status for'): void {
    if (applicationIdOfContainer(id) === applicationId) return;
    throw yarnException(`${attemptId} attempted to ${what} non-application container : ${id}`);
  }
}

/** Does something about one container; its refusal is told among the failed ones. */
function attempt(failed: Failed[], container_id: Encodable<typeof ContainerIdProto>, act: () => unknown): void {
  try {
    act();
  } catch (problem) {
    const told = problem instanceof RpcException ? problem : exceptionOf(problem);
    if (!told) throw problem;
    const { javaClass, message } = told;
    failed.push({ container_id, exception: { message, trace: `${javaClass}: ${message}`, class_name: javaClass } });
  }
}
