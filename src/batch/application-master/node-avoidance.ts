// Which hosts a master gets no more containers on, because too many attempts failed there (RMContainerRequestor of Hadoop).
import type { JobConfiguration } from '../tasks/job-configuration.ts';

/** What the resource manager is told with the next call. */
export interface AvoidanceNews {
  readonly blacklistAdditions: readonly string[];
  readonly blacklistRemovals: readonly string[];
}

/** `host` of `host:port`. */
export const hostOfNode = (nodeId: string): string => nodeId.replace(/:\d+$/, '');

/** Counts failures by host. */
export class NodeAvoidance {
  readonly #enabled: boolean;
  readonly #mostFailures: number;
  /** From this share of the cluster on none is avoided: then the job is at fault; −1: however many. */
  readonly #ignoreFromPercent: number;
  readonly #failures = new Map<string, number>();
  readonly #bad = new Set<string>();
  #clusterHosts = 0;
  /** As the resource manager was told. */
  #told: ReadonlySet<string> = new Set();

  /** @throws BadSetting */
  constructor(settings: JobConfiguration) {
    this.#enabled = settings.boolean('yarn.app.mapreduce.am.job.node-blacklisting.enable', true);
    this.#mostFailures = settings.integer('mapreduce.job.maxtaskfailures.per.tracker', 3);
    this.#ignoreFromPercent = settings.integer('yarn.app.mapreduce.am.job.node-blacklisting.ignore-threshold-node-percent', 33);
  }

  /** Hosts that are avoided now; none while too large a part of the cluster would be. */
  get hosts(): readonly string[] {
    if (this.#ignoreFromPercent === -1) return [...this.#bad];
    const percent = this.#clusterHosts === 0 ? 100 : (this.#bad.size / this.#clusterHosts) * 100;
    return percent >= this.#ignoreFromPercent ? [] : [...this.#bad];
  }

  /** Whether a container of this node is not to be used. */
  avoids(nodeId: string): boolean {
    return this.#bad.size > 0 && this.hosts.includes(hostOfNode(nodeId));
  }

  /** An attempt failed there; answers whether this host is too bad from now on. */
  failedOn(nodeId: string): boolean {
    const host = hostOfNode(nodeId);
    if (!this.#enabled || this.#bad.has(host)) return false;
    const failures = (this.#failures.get(host) ?? 0) + 1;
    this.#failures.set(host, failures);
    if (failures < this.#mostFailures) return false;
    this.#bad.add(host);
    return true;
  }

  /** How many hosts the cluster has. */
  clusterHas(hosts: number): void {
    this.#clusterHosts = hosts;
  }

  /** What the resource manager does not know yet; it counts as told. */
  takeNews(): AvoidanceNews | undefined {
    if (this.#bad.size === 0) return undefined;
    const now = new Set(this.hosts);
    const news = {
      blacklistAdditions: [...now].filter((host) => !this.#told.has(host)),
      blacklistRemovals: [...this.#told].filter((host) => !now.has(host)),
    };
    this.#told = now;
    return news.blacklistAdditions.length + news.blacklistRemovals.length === 0 ? undefined : news;
  }

  /** Forgets what was told: a restarted resource manager hears all again. */
  tellAgain(): void {
    this.#told = new Set();
  }
}
