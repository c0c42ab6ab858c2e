// Connections whose callers did not prove the key that they named, in the audit log.
import type { AuditLog } from '../auth/audit-log.ts';
import { provenPath } from '../auth/connection-key.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { failure } from '../model/errors.ts';

/** How often one address is told of, and how many addresses are kept apart. */
const repeatMs = 60_000;
const mostAddresses = 1000;

/** Calls `tell` with an address at most once a minute: who is refused asks again each second. */
export function onceAMinute(clock: Clock, tell: (remoteAddress: string) => void): (remoteAddress: string) => void {
  const told = new BoundedMap<string, number>(mostAddresses);
  return (remoteAddress) => {
    const nowMs = clock.steadyMs();
    if (nowMs - (told.get(remoteAddress) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
    told.set(remoteAddress, nowMs);
    tell(remoteAddress);
  };
}

/** Writes that a caller from that address did not prove its key, each address at most once a minute. */
export const auditUnproven = (audit: Pick<AuditLog, 'refusedRequest'>, clock: Clock): ((remoteAddress: string) => void) =>
  onceAMinute(clock, (remoteAddress) =>
    audit.refusedRequest({
      ...{ method: 'connect', path: provenPath, caller: undefined, remoteAddress },
      failure: failure('CONNECTION_UNPROVEN', { auditedReason: 'The caller did not prove that it knows the key that it named.' }),
    }),
  );
