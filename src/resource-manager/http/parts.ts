// What the handlers work with besides the context: access rules and views, made once a resource manager.
import { commonSettings } from '../../config/settings/common.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import type { ResourceManagerContext } from '../context.ts';
import { ApplicationViews } from './applications-view.ts';
import { ApplicationCounters } from './cluster-facts.ts';
import { FragmentCache } from './fragments.ts';

/** The context with what HTTP adds to it. */
export interface Parts extends ResourceManagerContext {
  readonly views: ApplicationViews;
  readonly fragments: FragmentCache;
  readonly counters: ApplicationCounters;
  /** `yarn.webapp.enable-rest-app-submissions`. */
  readonly submissionsEnabled: boolean;
  /** Base URL that names this resource manager in links: loopback addresses by their name, as Hadoop resolves them. */
  readonly resolvedUrl: () => string;
  /** Whether lists leave out applications that the caller may not view (`yarn.webapp.filter-entity-list-by-user`). */
  readonly listsOnlyVisible: boolean;
  /** `http` or `https`, by `yarn.http.policy`. */
  readonly scheme: 'http' | 'https';
}

const made = new WeakMap<ResourceManagerContext, Parts>();

/** The parts of a resource manager; the same object for the same context. */
export function partsOf(context: ResourceManagerContext): Parts {
  const known = made.get(context);
  if (known) return known;
  const { configuration, policy, types, clock, cluster } = context;
  const common = configuration.values(commonSettings);
  const own = configuration.values(resourceManagerSettings);
  const scheme = common.httpPolicy === 'HTTPS_ONLY' ? 'https' : 'http';
  const resolvedUrl = () => context.webUrl().replace(/^(https?:\/\/)127\.0\.0\.1(?=:|$)/, '$1localhost');
  const proxyAddress = common.webProxyAddress?.replace(/^127\.0\.0\.1(?=:)/, 'localhost');
  const views = new ApplicationViews({
    policy,
    types,
    now: () => clock.now(),
    clusterTimestamp: context.startedMs,
    clusterId: own.clusterId || undefined,
    proxyUrl: () => (proxyAddress ? `${scheme}://${proxyAddress}` : resolvedUrl()),
    applicationPage: (id) => cluster.settings.applicationPage(id),
    waitingText: (application, ageMs) => cluster.view.waitingText(application, ageMs),
    opportunisticRequests: (attemptId) => cluster.opportunisticRequestsOf(attemptId),
    avoidedNodes: (application) => cluster.avoidedNodes(application),
    logServerUrl: common.logServerUrl || undefined,
    scheme,
  });
  const counters = new ApplicationCounters(context.startedMs);
  cluster.observe(counters);
  const parts: Parts = {
    ...context,
    views,
    counters,
    fragments: new FragmentCache(views),
    submissionsEnabled: own.restSubmissionsEnabled,
    resolvedUrl,
    listsOnlyVisible: common.filterEntityListByUser || common.filterApplicationListByUser || own.displayPerUserApplications,
    scheme,
  };
  made.set(context, parts);
  return parts;
}
