// ApplicationClientProtocol: decode, call a command or look, encode. The rules are the commands'; what is shown is in the reports.

import type { ApplicationTokens } from '../../auth/application-tokens/open-tokens.ts';
import type { AuditLog } from '../../auth/audit-log.ts';
import type { RpcCaller } from '../../rpc/authentication.ts';
import { type Handlers, type RpcProtocol, serveProtocol } from '../../rpc/protocol.ts';
import { applicationClientProtocol } from '../../wire/rpc/protocols/application-client.ts';
import type { Caller } from '../commands/caller.ts';
import type { Commands } from '../commands/commands.ts';
import type { TokenProof } from '../commands/tokens.ts';
import type { AttributeManager } from '../labels/attribute-manager.ts';
import type { Parts } from '../views/parts.ts';
import { applicationHandlers } from './application-handlers.ts';
import { clusterHandlers } from './cluster-handlers.ts';
import { failureTranslator } from './failures.ts';
import { reservationHandlers } from './reservation-handlers.ts';

/** What the handlers work with. */
export interface ClientNeeds {
  readonly parts: Parts;
  readonly commands: Commands;
  readonly attributes: Pick<AttributeManager, 'hosts' | 'of'>;
  readonly applicationTokens: ApplicationTokens;
  /** What callers have to show for a delegation token. */
  readonly tokenProof: TokenProof;
  readonly audit: Pick<AuditLog, 'refusedRequest'>;
  /** The caller of a command. @throws Failure where it is nobody */
  readonly known: (caller: RpcCaller) => Caller;
}

/** The handlers of some methods. */
export type ClientHandlers<Names extends keyof (typeof applicationClientProtocol)['methods']> = Pick<
  Handlers<typeof applicationClientProtocol>,
  Names
>;

/** The protocol of programs that submit and watch applications. */
export const clientProtocol = (needs: ClientNeeds): RpcProtocol =>
  serveProtocol(
    applicationClientProtocol,
    { ...applicationHandlers(needs), ...clusterHandlers(needs), ...reservationHandlers(needs) },
    failureTranslator('ApplicationClientProtocol', needs.audit),
  );
