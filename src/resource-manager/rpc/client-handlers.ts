// What the handlers of the client protocol need, and their shape.
import type { ApplicationTokens } from '../../auth/application-tokens/open-tokens.ts';
import type { AuditLog } from '../../auth/audit-log.ts';
import type { RpcCaller } from '../../rpc/authentication.ts';
import type { Handlers } from '../../rpc/protocol.ts';
import type { applicationClientProtocol } from '../../wire/rpc/protocols/application-client.ts';
import type { Caller } from '../commands/caller.ts';
import type { Commands } from '../commands/commands.ts';
import type { TokenProof } from '../commands/tokens.ts';
import type { AttributeManager } from '../labels/attribute-manager.ts';
import type { Parts } from '../views/parts.ts';

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
