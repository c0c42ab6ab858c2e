// What the cluster is built of.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Membership } from '../nodes/membership.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import type { EffectPorts } from './effects.ts';
import type { AttributeSource, LabelSource } from './nodes.ts';
import type { ClusterObserver } from './observer.ts';
import type { ClusterSettings } from './settings.ts';
import type { Render } from './writes.ts';

/** Everything that is passed in. */
export interface ClusterDependencies {
  readonly clock: Clock;
  /** Where the secrets of masters come from. */
  readonly random: Random;
  readonly logger: Logger;
  readonly store: ResourceManagerStore;
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  readonly settings: ClusterSettings;
  readonly membership: Membership;
  readonly labels: LabelSource;
  readonly attributes?: AttributeSource;
  readonly containerTokenKey: Buffer;
  /** A submission's credentials (base64) with the token by which its master is known to Hadoop RPC. */
  readonly masterCredentials: (attemptId: string, given: string | undefined) => string | undefined;
  /** Random name of this process, told to nodes. */
  readonly session: string;
  /** Number of restarts before this one, part of container ids. */
  readonly epoch: number;
  readonly observers: readonly ClusterObserver[];
  /** Whether all that observers heard before this turn is durable with those that owe it to others; absent: none owes anything. */
  readonly isToldKept?: () => boolean;
  /** Renders an ended application for lists; absent where nothing lists. */
  readonly render?: Render;
  /** Runs around each effect that is carried out. */
  readonly aroundEffect?: EffectPorts['around'];
}
