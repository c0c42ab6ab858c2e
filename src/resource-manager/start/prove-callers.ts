// Connections whose callers prove with a key who they are, and are shown the same.

import type { TLSSocket } from 'node:tls';
import { provenPath, provenProtocol } from '../../auth/connection-key.ts';
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

/** Takes such connections on the service, of nodes. */
export function proveCallers(
  { configuration, clock, logger, closer }: Starting,
  service: Service,
  { clusterSecret }: Pick<BuiltSecurity, 'clusterSecret'>,
): ProvenConnections {
  const { nodeCertificates } = configuration.values(tlsSettings);
  const warnOf = strangerWarnings({ clock, logger });
  const proven = new ProvenConnections({
    server: service.raw.server,
    hint: () => clusterSecret.nodeKeys.map(({ identity }) => identity).join(','),
    keyOf: (identity) => clusterSecret.nodeKeys.find((each) => each.identity === identity)?.key,
    logger,
    refused: warnOf,
  });
  service.upgrade({
    path: provenPath,
    protocol: provenProtocol,
    authentication: 'none',
    access: 'own-credentials',
    handle({ request, remoteAddress }, socket, head) {
      if (nodeCertificates && !(request.socket as TLSSocket).authorized) {
        warnOf(remoteAddress);
        throw failure('CERTIFICATE_REFUSED');
      }
      proven.handle(request, socket, head);
    },
  });
  const timers = new Timers(clock);
  const recheck = () => {
    proven.recheck();
    timers.set('recheck', recheckMs, recheck);
  };
  timers.set('recheck', recheckMs, recheck);
  closer.add('proven connections', () => {
    timers.close();
    proven.close();
  });
  return proven;
}
