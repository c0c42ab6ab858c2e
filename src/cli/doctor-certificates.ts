// What `heddle doctor` finds about the certificate of this machine's servers: whether clients can believe it, and how long yet.
import { isIP } from 'node:net';
import { readIdentity } from '../auth/tls-files.ts';
import { shuffleAddress } from '../config/auxiliary-classes.ts';
import type { Configuration } from '../config/load.ts';
import { shuffleSettings } from '../config/settings/shuffle.ts';
import { tlsSettings } from '../config/settings/tls.ts';
import { serverAddress, type WebServerName } from '../config/web-addresses.ts';
import { type Finding, problem, refusal } from './finding.ts';
import { formatTime } from './output.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** From how long before its end on it is told. */
const toldBeforeMs = 30 * dayMs;

/** All of it; nothing where no server of these roles shows a certificate. */
export function findCertificates(configuration: Configuration, roles: readonly string[], nowMs: number): Finding[] {
  const hosts = hostsOf(configuration, roles);
  if (hosts.length === 0) return [];
  try {
    const identity = readIdentity(configuration);
    if (!identity)
      return [
        problem(
          'HTTPS is asked for, and there is no certificate',
          `Set ${tlsSettings.certificateFile.key} and ${tlsSettings.keyFile.key}.`,
        ),
      ];
    const { certificate } = identity;
    const of = `the certificate of this machine's servers (${certificate.subject.replaceAll('\n', ', ')})`;
    const unnamed = [...new Set(hosts)].filter((host) => !(isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)));
    const found = unnamed.map((host) =>
      problem(
        `${of} is not for ${host}, by which they are addressed: clients refuse it`,
        'Have one made that names this host too, or change the addresses in the settings.',
      ),
    );
    const [from, until] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
    const renew = 'Put a new one in its place: running servers take it over by themselves.';
    if (from > nowMs)
      found.push(problem(`${of} counts from ${formatTime(from)} on: clients refuse it until then`, 'See that the clock is right.'));
    else if (until < nowMs) found.push(problem(`${of} ended at ${formatTime(until)}: clients refuse it`, renew));
    else if (until < nowMs + toldBeforeMs) found.push({ level: 'note', what: `${of} ends at ${formatTime(until)}`, remedy: renew });
    return found;
  } catch (error) {
    return [refusal(error)];
  }
}

const serversOf: Readonly<Record<string, readonly WebServerName[]>> = {
  'resource-manager': ['resource-manager'],
  'node-manager': ['node-manager'],
  timeline: ['timeline'],
  history: ['history'],
  proxy: ['proxy'],
};

/** The names by which clients address what shows a certificate here; those that say only where it listens are none. */
function hostsOf(configuration: Configuration, roles: readonly string[]): string[] {
  const addresses = roles.flatMap((role) => serversOf[role] ?? []).map((server) => serverAddress(configuration, server));
  const shuffle =
    roles.includes('node-manager') && configuration.values(shuffleSettings).encrypted ? shuffleAddress(configuration) : undefined;
  return [
    ...addresses.filter(({ scheme, address }) => scheme === 'https' && address !== '').map(({ address }) => hostOf(address)),
    ...(shuffle ? [shuffle.host] : []),
  ].filter((host) => host !== '0.0.0.0' && host !== '::');
}

const hostOf = (address: string): string => address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
