// Changing when an application is killed at the latest (ClientRMService.updateApplicationTimeouts).
import { failure } from '../../model/errors.ts';
import { type Application, publicState } from '../applications/application.ts';
import { isCompletedState } from '../applications/application-states.ts';
import type { Caller } from './caller.ts';
import { type ApplicationPorts, findApplication, isYoung, mustModify } from './find-application.ts';

export interface SetLifetimePorts extends ApplicationPorts {
  readonly clock: { now(): number };
  /** Sets the end of life, ms since the epoch, cut to the queue's limit; resolves when that is durable. */
  readonly setLifetime: (application: Application, expiryMs: number) => Promise<void>;
}

/** A timeout as callers write it, on REST and RPC alike. */
export interface WantedTimeout {
  readonly type: string | undefined;
  /** `yyyy-MM-dd'T'HH:mm:ss.SSSZ`, the offset without a colon. */
  readonly expiry: string | undefined;
}

/**
 * Sets the end of an application's life; returns the application as it is then. One that has ended stays as it is.
 * @throws Failure ID_MALFORMED, APPLICATION_NOT_FOUND, TIMEOUT_INCOMPLETE, TIMEOUT_REFUSED, TIMEOUT_NOT_PARSABLE, APPLICATION_TOO_YOUNG,
 * TIMEOUT_IN_THE_PAST
 */
export async function setLifetime(ports: SetLifetimePorts, caller: Caller, id: string, wanted: WantedTimeout): Promise<Application> {
  const application = findApplication(ports.applications, id);
  if (wanted.type !== 'LIFETIME') throw failure('TIMEOUT_INCOMPLETE');
  mustModify(ports, caller, application, 'change timeout', 'TIMEOUT_REFUSED');
  if (isCompletedState[application.state]) return application;
  const expiryMs = parseExpiry(wanted.expiry ?? 'UNLIMITED');
  if (isYoung(application)) throw failure('APPLICATION_TOO_YOUNG', { state: publicState(application), what: 'timeout' });
  const nowMs = ports.clock.now();
  if (expiryMs < nowMs) throw failure('TIMEOUT_IN_THE_PAST', { now: nowMs, expiry: expiryMs });
  await ports.setLifetime(application, expiryMs);
  ports.audit.changed(caller, { operation: 'change timeout', target: application.id, expiryMs });
  return application;
}

/** The parts of the form with the text they need; the first that does not match is where parsing stops. */
const formParts: readonly RegExp[] = [
  /^\d{4}/,
  /^-/,
  /^\d{2}/,
  /^-/,
  /^\d{2}/,
  /^T/,
  /^\d{2}/,
  /^:/,
  /^\d{2}/,
  /^:/,
  /^\d{2}/,
  /^\./,
  /^\d{3}/,
  /^[+-]\d{4}/,
];

/** ms since the epoch of an expiry text. @throws Failure TIMEOUT_NOT_PARSABLE naming where it stops making sense */
export function parseExpiry(text: string): number {
  let index = 0;
  for (const part of formParts) {
    const match = part.exec(text.slice(index));
    if (!match) throw failure('TIMEOUT_NOT_PARSABLE', { text, index });
    index += match[0].length;
  }
  if (index < text.length) throw failure('TIMEOUT_NOT_PARSABLE', { text, index });
  const ms = Date.parse(`${text.slice(0, 26)}:${text.slice(26)}`);
  if (Number.isNaN(ms)) throw failure('TIMEOUT_NOT_PARSABLE', { text, index: 0 });
  return ms;
}
