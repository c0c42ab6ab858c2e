// A service on which callers may prove with a key who they are, and are shown the same (`proven-connections.ts`).
import type { AuditLog } from '../auth/audit-log.ts';
import { provenPath, provenProtocol } from '../auth/connection-key.ts';
import type { Clock } from '../lib/clock.ts';
import type { Closer } from '../lib/closer.ts';
import type { Logger } from '../lib/log.ts';
import { repeat } from '../lib/repeat.ts';
import { ProvenConnections, type ProvenConnectionsOptions } from './proven-connections.ts';
import type { Service } from './service.ts';
import { auditUnproven } from './unproven-connections.ts';
import type { Upgrade } from './upgrades.ts';

/** How often it is looked whether the keys of open connections still count. */
const recheckMs = 10_000;

/** Whose keys count. */
export interface ProvenCallersOptions extends Omit<ProvenConnectionsOptions, 'server'> {
  /** Whether the key of an identity still counts. */
  readonly counts: (identity: string) => boolean;
  /** Looks at a request before it is taken. @throws Failure for one that is refused */
  readonly admit?: (call: Upgrade) => void;
  /** Has those who could not prove themselves. */
  readonly audit: Pick<AuditLog, 'refusedRequest'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly closer: Closer;
}

/** Takes such connections on a service until it closes. */
export function serveProvenCallers(service: Service, options: ProvenCallersOptions): ProvenConnections {
  const { counts, admit, audit, refused, clock, logger, closer, ...rest } = options;
  const written = auditUnproven(audit, clock);
  const proven = new ProvenConnections({
    ...rest,
    server: service.raw.server,
    logger,
    refused(remoteAddress) {
      written(remoteAddress);
      refused?.(remoteAddress);
    },
  });
  service.upgrade({
    path: provenPath,
    protocol: provenProtocol,
    authentication: 'none',
    access: 'own-credentials',
    handle(call, socket, head) {
      admit?.(call);
      proven.handle(call.request, socket, head);
    },
  });
  const recheck = repeat({
    clock,
    intervalMs: recheckMs,
    run: () => proven.recheck(counts),
    failed: (error) => logger.error({ err: error }, 'the keys of open connections could not be looked at'),
  });
  closer.add('proven connections', async () => {
    await recheck.close();
    proven.close();
  });
  return proven;
}
