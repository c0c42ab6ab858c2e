// What the cluster must know of its settings, already read.

export interface ClusterSettings {
  /** Start time of this resource manager, part of every id it gives. */
  readonly clusterTimestamp: number;
  /** `yarn.resourcemanager.am.max-attempts`: the limit of attempts where an application asks for none or more. */
  readonly maximumAttempts: number;
  /** A master that is silent for so long is given up. */
  readonly masterExpiryMs: number;
  /** A node that is silent for so long is lost. */
  readonly nodeExpiryMs: number;
  /** A node that left and that no list names is forgotten after so long. */
  readonly untrackedNodeRemovalMs: number;
  /** A container that its node has not told of for so long is taken back. */
  readonly containerExpiryMs: number;
  readonly logAggregationEnabled: boolean;
  /** A node that has not told of the end of an application's logs so long after the application's end is no longer waited for. */
  readonly logTimeoutMs: number;
  /** Nodes on which masters died are avoided for the next attempt while they are fewer than this share of all; undefined: never avoided. */
  readonly masterBlacklistThreshold?: number;
  /** Nodes of an older version are refused; undefined: none are. */
  readonly minimumNodeVersion?: string | undefined;
  /** Whether requests for opportunistic containers get such (`yarn.resourcemanager.opportunistic-container-allocation.enabled`). */
  readonly opportunistic?: boolean;
  /** Whether masters may ask with placement constraints (`yarn.resourcemanager.placement-constraints.handler`). */
  readonly placementConstraints?: boolean;
  /** After so many answers without a place a request with tags or a constraint is rejected (placement processor); undefined: it waits. */
  readonly placementTries?: number | undefined;
  /** Base URL of this resource manager's web interface; known once it listens. */
  webUrl(): string;
  /** Base URL that masters on other machines use. */
  masterUrl(): string;
  /** Base URL of the timeline server for masters, or undefined. */
  timelineUrl(): string | undefined;
  /** Base URL of the collector of version 2 of the timeline for masters; undefined where it takes nothing. */
  readonly timelineCollectorUrl?: string | undefined;
  /** The page of an ended application: the history server's or this one's. */
  applicationPage(applicationId: string): string;
  /** How long finished applications are kept, ms, and how many. */
  readonly retentionMs: number;
  readonly retentionCount: number;
  /** Environment variables for every master besides YARN's. */
  readonly masterEnvironment: Readonly<Record<string, string>>;
}
