// Connections whose callers prove with a key who they are, and are shown the same.

import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { isNodeIdentity } from '../../auth/cluster-secret.ts';
import { attemptKey, attemptOfIdentity, nodePurpose, provenPath, provenProtocol, purposeHeader } from '../../auth/connection-key.ts';
import { tlsSettings } from '../../config/settings/tls.ts';
import { ProvenConnections } from '../../http/proven-connections.ts';
import type { Service } from '../../http/service.ts';
import { Timers } from '../../lib/timers.ts';
import { failure } from '../../model/errors.ts';
import { strangerWarnings } from '../http/node-channel.ts';
import type { BuiltSecurity } from './build-security.ts';
import type { Starting } from './starting.ts';

/** How often it is looked whether the keys of open connections still count. */
const recheckMs = 10_000;

/** Who has proven what. */
export interface ProvenCallers {
  readonly proven: ProvenConnections;
  /** Whether a request is one of a node of the cluster. */
  readonly isNode: (request: IncomingMessage) => boolean;
}

/** Takes such connections on the service, of nodes and of masters; `digestOfAttempt` gives the digest of the token of an attempt. */
export function proveCallers(
  { configuration, clock, logger, closer }: Starting,
  service: Service,
  { clusterSecret }: Pick<BuiltSecurity, 'clusterSecret'>,
  digestOfAttempt: (attemptId: string) => string | undefined,
): ProvenCallers {
  const { nodeCertificates } = configuration.values(tlsSettings);
  const warnOf = strangerWarnings({ clock, logger });
  const proven = new ProvenConnections({
    server: service.raw.server,
    hint: () => clusterSecret.nodeKeys.map(({ identity }) => identity).join(','),
    keyOf(identity) {
      const attemptId = attemptOfIdentity(identity);
      if (attemptId === undefined) return clusterSecret.nodeKeys.find((each) => each.identity === identity)?.key;
      const digest = digestOfAttempt(attemptId);
      return digest === undefined ? undefined : attemptKey(attemptId, digest).key;
    },
    logger,
    refused: warnOf,
  });
  service.upgrade({
    path: provenPath,
    protocol: provenProtocol,
    authentication: 'none',
    access: 'own-credentials',
    handle({ request, remoteAddress }, socket, head) {
      // Only for a clear answer: what nodes may is looked at where they ask for it.
      if (nodeCertificates && request.headers[purposeHeader] === nodePurpose && !(request.socket as TLSSocket).authorized) {
        warnOf(remoteAddress);
        throw failure('CERTIFICATE_REFUSED');
      }
      proven.handle(request, socket, head);
    },
  });
  const timers = new Timers(clock);
  const recheck = () => {
    const names = new Set(clusterSecret.nodeKeys.map(({ identity }) => identity));
    // Attempts keep their keys.
    proven.recheck((identity) => attemptOfIdentity(identity) !== undefined || names.has(identity));
    timers.set('recheck', recheckMs, recheck);
  };
  timers.set('recheck', recheckMs, recheck);
  closer.add('proven connections', () => {
    timers.close();
    proven.close();
  });
  const isNode = (request: IncomingMessage) =>
    isNodeIdentity(proven.identityOf(request)) && (!nodeCertificates || proven.certificateOf(request) !== undefined);
  return { proven, isNode };
}
