// What the web proxy is told of an application before it relays.

/** What the proxy must know of an application. */
export interface ProxiedApplication {
  readonly user: string;
  /** Whether it is FINISHED, FAILED or KILLED: its visitors are redirected, not relayed. */
  readonly ended: boolean;
  /** What the master registered, or the page that stands for it after its end; undefined, '' or `N/A`: none. */
  readonly originalTrackingUrl: string | undefined;
  /** The page about the application: of the resource manager, or of the history that knows it. */
  readonly page: string;
  /** The full name of its queue; absent where it is not known. */
  readonly queue?: string | undefined;
  /** Names and addresses of the hosts where its masters run; their pages are fetched from nowhere else. */
  readonly hosts: readonly string[];
  /** Ports of the node managers on those hosts. */
  readonly nodePorts?: readonly number[];
}
