// What the cluster does now and then by itself.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Timers } from '../../lib/timers.ts';
import type { ContainerEnds } from './container-ends.ts';
import type { Effects } from './effects.ts';
import type { EndedApplications } from './ended-applications.ts';
import type { ClusterSettings } from './settings.ts';

const trimIntervalMs = 60_000;
const shortestExpiryIntervalMs = 1000;

/** What is needed. */
export interface UpkeepPorts {
  readonly effects: Pick<Effects, 'persist'>;
  readonly ends: Pick<ContainerEnds, 'expireUnused'>;
  readonly memory: Pick<EndedApplications, 'timeOutLogs'>;
  readonly settings: Pick<ClusterSettings, 'retentionMs' | 'retentionCount' | 'containerExpiryMs'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
}

/** Begins the upkeep, as part of a change; it goes on until the timers are closed. */
export function keepUp(ports: UpkeepPorts): void {
  trim(ports);
  expireUnused(ports);
  ports.memory.timeOutLogs();
}

/** Drops ended applications that retention no longer covers from the store. */
function trim(ports: UpkeepPorts): void {
  const { effects, settings, clock, timers, logger } = ports;
  const { retentionMs, retentionCount: count } = settings;
  const failed = (error: unknown): 'given up' => {
    logger.error({ err: error }, 'old applications could not be trimmed');
    return 'given up';
  };
  effects.persist({ kind: 'trim', beforeMs: clock.now() - retentionMs, count }, { failed });
  timers.set('trim', trimIntervalMs, () => trim(ports));
}

/** Takes back containers that were given long ago and never started (docs/protocol.md, P8). */
function expireUnused(ports: UpkeepPorts): void {
  const { ends, clock, timers } = ports;
  const { containerExpiryMs } = ports.settings;
  ends.expireUnused(clock.steadyMs() - containerExpiryMs);
  timers.set('unused containers', Math.max(shortestExpiryIntervalMs, containerExpiryMs / 10), () => expireUnused(ports));
}
