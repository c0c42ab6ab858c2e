// What the HTTP layer of the resource manager is given: the cluster and the parts beside it.
import type { GroupsOf } from '../auth/access-lists.ts';
import type { TokenManager } from '../auth/delegation/token-manager.ts';
import type { Configuration } from '../config/load.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { ResourceTypes } from '../model/resource.ts';
import type { SchedulingPolicy } from '../scheduler/policy.ts';
import type { Cluster } from './cluster.ts';
import type { Commands } from './commands/commands.ts';
import type { KnownCaller } from './http/callers.ts';
import type { AttributeManager } from './labels/attribute-manager.ts';
import type { LabelManager } from './labels/label-manager.ts';
import type { Racks } from './nodes/racks.ts';
import type { QueueConfiguration } from './queue-configuration.ts';
import type { ReservationSystem } from './reservations/reservation-system.ts';
import type { Access } from './security/access.ts';
import type { AuditLog } from './security/audit-log.ts';
import type { ResourceManagerStore } from './store/resource-manager-store.ts';

/** The parts of a running resource manager. */
export interface ResourceManagerContext {
  readonly cluster: Cluster;
  /** Whatever changes the cluster. */
  readonly commands: Commands;
  /** Who calls, once known. */
  readonly caller: KnownCaller;
  readonly access: Access;
  readonly audit: AuditLog;
  /** The user of this process. */
  readonly processUser: string;
  readonly policy: SchedulingPolicy;
  readonly store: ResourceManagerStore;
  readonly labels: LabelManager;
  /** The queue configuration that runs. */
  readonly queues: QueueConfiguration;
  readonly attributes: AttributeManager;
  readonly racks: Racks;
  /** Undefined where reservations are off. */
  readonly reservations: ReservationSystem | undefined;
  readonly tokens: TokenManager;
  readonly configuration: Configuration;
  readonly types: ResourceTypes;
  readonly groupsOf: GroupsOf;
  /** Reads again who administers, who may act for whom and who is in which group. @throws ConfigurationError */
  readonly refreshAccess: () => { readonly adminAcl: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** When this resource manager started, ms since the epoch. */
  readonly startedMs: number;
  /** Base URL of the web interface, once it listens. */
  readonly webUrl: () => string;
}
