// Who may show a server's pages in a frame: the header X-Frame-Options (XFrameOptionsFilter).

const keys = {
  resourceManager: 'yarn.resourcemanager.webapp.xfs-filter.xframe-options',
  nodeManager: 'yarn.nodemanager.webapp.xfs-filter.xframe-options',
  timeline: 'yarn.timeline-service.webapp.xfs-filter.xframe-options',
  history: 'mapreduce.jobhistory.webapp.xfs-filter.xframe-options',
} as const;

/** The value of the header, empty for none. */
export function frameOptionsOf(configuration: { get(key: string): string | undefined }, server: keyof typeof keys): string {
  if (configuration.get('yarn.webapp.xfs-filter.enabled')?.trim().toLowerCase() === 'false') return '';
  return configuration.get(keys[server])?.trim() || 'SAMEORIGIN';
}
