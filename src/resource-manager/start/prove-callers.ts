// Connections whose callers prove with a key who they are, and are shown the same.

import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { isNodeIdentity } from '../../auth/cluster-secret.ts';
import { attemptKey, attemptOfIdentity, nodePurpose, purposeHeader } from '../../auth/connection-key.ts';
import { tlsSettings } from '../../config/settings/tls.ts';
import { serveProvenCallers } from '../../http/proven-callers.ts';
import type { ProvenConnections } from '../../http/proven-connections.ts';
import type { Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { strangerWarnings } from '../http/node-channel.ts';
import type { BuiltSecurity } from './build-security.ts';
import type { Starting } from './starting.ts';

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
  { clusterSecret, audit }: Pick<BuiltSecurity, 'clusterSecret' | 'audit'>,
  digestOfAttempt: (attemptId: string) => string | undefined,
): ProvenCallers {
  const { nodeCertificates } = configuration.values(tlsSettings);
  const warnOf = strangerWarnings({ clock, logger });
  const proven = serveProvenCallers(service, {
    hint: () => clusterSecret.nodeHint,
    keyOf(identity) {
      const attemptId = attemptOfIdentity(identity);
      if (attemptId === undefined) return clusterSecret.nodeKeyOf(identity);
      const digest = digestOfAttempt(attemptId);
      return digest === undefined ? undefined : attemptKey(attemptId, digest).key;
    },
    // Attempts keep their keys.
    counts: (identity) => attemptOfIdentity(identity) !== undefined || clusterSecret.nodeKeyOf(identity) !== undefined,
    refused: warnOf,
    audit,
    admit({ request, remoteAddress }) {
      // Only for a clear answer: what nodes may is looked at where they ask for it.
      if (!nodeCertificates || request.headers[purposeHeader] !== nodePurpose || (request.socket as TLSSocket).authorized) return;
      warnOf(remoteAddress);
      throw failure('CERTIFICATE_REFUSED');
    },
    clock,
    logger,
    closer,
  });
  const isNode = (request: IncomingMessage) =>
    isNodeIdentity(proven.identityOf(request)) && (!nodeCertificates || proven.certificateOf(request) !== undefined);
  return { proven, isNode };
}
