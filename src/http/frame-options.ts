// What a browser may do with a server's pages: who shows them in a frame (X-Frame-Options, XFrameOptionsFilter), what they load.
import type { Headers } from './answers.ts';

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

/** The header's value in the words of a content security policy. */
function frameAncestors(frameOptions: string): string {
  const [word = '', uri] = frameOptions.trim().split(/\s+/);
  if (word.toUpperCase() === 'DENY') return "; frame-ancestors 'none'";
  if (word.toUpperCase() === 'SAMEORIGIN') return "; frame-ancestors 'self'";
  return word.toUpperCase() === 'ALLOW-FROM' && uri !== undefined && /^https?:\/\/[\w.:[\]-]+\/?$/.test(uri)
    ? `; frame-ancestors ${uri}`
    : '';
}

/** Headers of the web pages: they run what is served beside them, ask their own server alone, load nothing from elsewhere. */
export const webPageHeadersOf = (frameOptions: string): Headers => ({
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'${frameAncestors(frameOptions)}`,
  'referrer-policy': 'same-origin',
});

/** Headers of the server's own pages: they run no scripts, load nothing from elsewhere and tell nobody their addresses. */
export const pageHeadersOf = (frameOptions: string): Headers => ({
  'content-security-policy': `default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'${frameAncestors(frameOptions)}`,
  'referrer-policy': 'same-origin',
});
