// What the handlers of the node's interface share.
import { type GroupsOf, isAllowed } from '../../auth/access-lists.ts';
import type { Call } from '../../http/service.ts';
import { type AccessList, parseAccessList } from '../../model/access-list.ts';
import { failure } from '../../model/errors.ts';
import { applicationIdOfContainer, parseContainerId } from '../../model/ids.ts';
import type { HealthReport } from '../../wire/cluster/node-channel.ts';
import type { Application } from '../applications/application.ts';
import type { AuxiliaryServices } from '../auxiliary/services.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import type { Gpus } from '../devices/gpus.ts';
import type { NodeFolders } from '../folders.ts';
import type { LeftApplication } from '../logs/left-logs.ts';

/** The node as its interface sees it. */
export interface NodeView {
  /** The node's GPUs; absent where their plug-in is off. */
  readonly gpus: Gpus | undefined;
  readonly manager: ContainerManager;
  readonly folders: NodeFolders;
  readonly auxiliary: AuxiliaryServices;
  readonly access: NodeAccess;
  readonly startedMs: number;
  readonly nodeId: () => string;
  readonly health: () => HealthReport;
  readonly resource: () => { readonly memoryMiB: number; readonly vcores: number };
  readonly resourceTypes: string;
  readonly virtualRatio: number;
  readonly checkVirtual: boolean;
  readonly checkPhysical: boolean;
  readonly filterLists: boolean;
  readonly manifestEnabled: boolean;
  readonly aggregationEnabled: boolean;
  /** Where browsers and programs find the logs of applications that are gone from here. */
  /** Base URL of the history server, which serves gathered logs. */
  readonly historyUrl: string;
  /** Where the logs lie that an application rolls away while it runs; undefined for others. */
  readonly rolledLogs: (applicationId: string) => Promise<string | undefined>;
  /** An application that is gone while its logs still lie here. */
  readonly leftLogs: (applicationId: string) => LeftApplication | undefined;
  readonly logServerUrl: string | undefined;
  readonly logServerWebServiceUrl: string | undefined;
  readonly resourceManagerUrl: string;
  /** The key of container tokens, once the resource manager told it. */
  readonly containerTokenKey: () => Buffer | undefined;
}

/** Who may see and do what (ApplicationACLsManager). */
export class NodeAccess {
  readonly #enabled: boolean;
  readonly #administrators: AccessList;
  readonly #groupsOf: GroupsOf;
  readonly #processUser: string;

  constructor(options: { enabled: boolean; administrators: string; groupsOf: GroupsOf; processUser: string }) {
    this.#enabled = options.enabled;
    this.#administrators = parseAccessList(options.administrators);
    this.#groupsOf = options.groupsOf;
    this.#processUser = options.processUser;
  }

  isAdministrator(user: string): boolean {
    return user === this.#processUser || isAllowed(this.#administrators, user, this.#groupsOf);
  }

  /** A caller without a name sees everything, as on Hadoop's nodes. */
  mayView(caller: Call['caller'], application: Pick<Application, 'user' | 'acls'>): boolean {
    const { user } = caller;
    if (!this.#enabled || user === undefined || caller.anonymous || user === application.user || this.isAdministrator(user)) return true;
    return isAllowed(parseAccessList(application.acls.VIEW_APP ?? ''), user, this.#groupsOf);
  }
}

/** The application of a container's id. @throws Failure for a malformed id */
export function applicationOf(containerId: string): string {
  try {
    parseContainerId(containerId);
    return applicationIdOfContainer(containerId);
  } catch {
    throw failure('NODE_CONTAINER_ID_INVALID', { id: containerId });
  }
}
