// A log whose audit lines tests can read.
import { pino } from 'pino';
import type { Logger } from '../../lib/log.ts';

/** What a refusal says of who was refused. */
interface AuditedRefusal {
  readonly address: string;
  readonly mechanism: string | undefined;
  readonly reason: string;
}

/** The log, and who was refused so far. */
export function auditedLog(): { readonly logger: Logger; readonly audited: () => readonly AuditedRefusal[] } {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const audited = () =>
    lines
      .map((line) => JSON.parse(line) as AuditedRefusal & { readonly audit?: boolean })
      .flatMap(({ audit, address, mechanism, reason }) => (audit ? [{ address, mechanism, reason }] : []));
  return { logger, audited };
}

/** The reason that stands there where a request was not proven by the token of its job. */
export const unprovenJob = (reason: string): string => `The request is not proven by the token of its job: ${reason}.`;
