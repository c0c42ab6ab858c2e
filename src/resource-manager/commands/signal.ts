// Sending a signal to a container (ClientRMService.signalToContainer).

import type { Audit } from '../../auth/audit-log.ts';
import { failure } from '../../model/errors.ts';
import { InvalidId, usualContainerId } from '../../model/ids.ts';
import type { Application } from '../applications/application.ts';
import type { Container } from '../applications/container.ts';
import type { Caller } from './caller.ts';
import { mustBeWithinToken } from './token-limits.ts';

/** SignalContainerCommand of Hadoop. */
const signals = ['OUTPUT_THREAD_DUMP', 'GRACEFUL_SHUTDOWN', 'FORCEFUL_SHUTDOWN'] as const;
export type Signal = (typeof signals)[number];

export interface SignalPorts {
  readonly containers: {
    /** A live container with its application. */
    find(containerId: string): { readonly container: Container; readonly application: Application } | undefined;
    /** Tells the container's node. */
    signal(container: Container, signal: Signal): void;
  };
  readonly access: { mayModify(application: Application, user: string): boolean };
  readonly audit: Audit;
  /** Every known caller may signal every container. */
  readonly isUnchecked: boolean;
}

/** Has a container's node signal it. `command` in any case. @throws Failure SIGNAL_UNKNOWN, SIGNAL_ID_MALFORMED, SIGNAL_CONTAINER_ABSENT, SIGNAL_REFUSED */
export function signal(ports: SignalPorts, caller: Caller, id: string, command: string): void {
  const { containers, access, audit, isUnchecked } = ports;
  const wanted = command.toUpperCase();
  const known = signals.find((name) => name === wanted);
  if (known === undefined) throw failure('SIGNAL_UNKNOWN', { command: wanted });
  const containerId = canonicalId(id);
  const found = containers.find(containerId);
  if (!found) throw failure('SIGNAL_CONTAINER_ABSENT', { id: containerId });
  const operation = { operation: 'signal container', target: containerId, command: wanted };
  mustBeWithinToken(audit, caller, found.application, operation.operation);
  if (!isUnchecked && !access.mayModify(found.application, caller.user))
    throw audit.refused(caller, operation, failure('SIGNAL_REFUSED', { user: caller.user, id: containerId }));
  containers.signal(found.container, known);
  audit.changed(caller, operation);
}

function canonicalId(text: string): string {
  try {
    return usualContainerId(text);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('SIGNAL_ID_MALFORMED', { reason: error.message });
    throw error;
  }
}
