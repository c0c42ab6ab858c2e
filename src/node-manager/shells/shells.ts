// The shells that are open on a node: who may open one, how many there may be, and what the audit log says of them.
import type { WebSocket } from 'ws';
import type { Audit, AuditedCaller } from '../../auth/audit-log.ts';
import type { Caller } from '../../auth/authenticator.ts';
import type { ContainerEngine } from '../../engines/engine.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Container } from '../containers/container.ts';
import type { NodeAccess } from '../http/access.ts';
import type { NodeUsers } from '../users.ts';
import { closeCodes, ShellSession, type ShellStart } from './shell-session.ts';

/** What shells are opened with. */
export interface ContainerShellOptions {
  readonly engine: ContainerEngine;
  readonly access: Pick<NodeAccess, 'mayActFor'>;
  /** Absent where containers run as this process' own user. */
  readonly users: Pick<NodeUsers, 'identityOf'> | undefined;
  readonly audit: Pick<Audit, 'changed' | 'leftOut'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly enabled: boolean;
  readonly maximum: number;
  readonly maximumPerUser: number;
  readonly maximumPerContainer: number;
  readonly idleMs: number;
}

/** Whose it is and where. */
interface OpenShell {
  readonly user: string | undefined;
  readonly containerId: string;
}

/** A variable that a container's script sets last (environment.ts). */
const lastVariable = 'JVM_PID';

/** The shells of one node. */
export class ContainerShells {
  readonly #options: ContainerShellOptions;
  readonly #sessions = new Map<ShellSession, OpenShell>();

  constructor(options: ContainerShellOptions) {
    this.#options = options;
  }

  /** Shells that are open now. */
  get open(): number {
    return this.#sessions.size;
  }

  /**
   * Serves a shell to the socket, or closes it and says why, as Hadoop's node managers do (ContainerShellWebSocket.onConnect). `start`: what
   * Hadoop's client wants; absent: the first message tells.
   */
  serve(socket: WebSocket, caller: Caller, container: Container, start?: ShellStart): void {
    const { audit, engine, users, clock, logger, idleMs } = this.#options;
    const { user, realUser, remoteAddress, requestId } = caller;
    const who: AuditedCaller = { user, realUser, remoteAddress, requestId };
    const target = container.id;
    const refusal = this.#refusalOf(caller, container);
    if (refusal) {
      audit.leftOut(who, { operation: 'open shell', target, reason: refusal.reason });
      socket.on('error', (error) => logger.debug({ err: error }, 'the socket of a shell failed'));
      return socket.close(refusal.code, refusal.reason);
    }
    const session: ShellSession = new ShellSession({
      socket,
      ...(start && { start }),
      idleMs,
      clock,
      logger,
      enter: async ({ command, terminal }) => {
        const identity = await users?.identityOf(container.order.user);
        const order = { containerId: target, command, awaitedVariable: lastVariable, ...(identity && { identity }) };
        const process = await engine.enter!({ ...order, ...(terminal && { terminal }) });
        audit.changed(who, { operation: 'open shell', target, program: command[0], terminal: terminal !== undefined });
        return process;
      },
      onEnd: ({ reason, exitCode }) => {
        this.#sessions.delete(session);
        audit.changed(who, { operation: 'close shell', target, reason, exitCode });
      },
    });
    this.#sessions.set(session, { user, containerId: target });
  }

  #refusalOf(caller: Caller, { id, order, state }: Container): { readonly code: 1008 | 1013; readonly reason: string } | undefined {
    const { enabled, engine, access, maximum, maximumPerUser, maximumPerContainer } = this.#options;
    const refused = (reason: string) => ({ code: closeCodes.refused, reason });
    if (!access.mayActFor(caller, order)) return refused('Forbidden');
    if (!enabled || !engine.enter) return refused('this node opens no shells (heddle.node-manager.shell.enabled)');
    if (state !== 'RUNNING') return refused(`the container is ${state}: it can be entered while it runs`);
    const busy = (reason: string) => ({ code: closeCodes.busy, reason });
    const open = [...this.#sessions.values()];
    if (open.length >= maximum) return busy(`${maximum} shells are open on this node`);
    const { length: here } = open.filter(({ containerId }) => containerId === id);
    if (here >= maximumPerContainer) return busy(`${here} shells are open in this container`);
    const { length: own } = open.filter(({ user }) => user === caller.user);
    return own >= maximumPerUser ? busy(`${own} shells of ${caller.user} are open on this node`) : undefined;
  }

  /** Ends them all. */
  close(): void {
    for (const session of this.#sessions.keys()) session.end(closeCodes.goingAway, 'the node manager ends');
  }
}
