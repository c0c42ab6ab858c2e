// The server's side of SASL GSSAPI (RFC 4752), by which callers of Hadoop's daemons prove themselves with a Kerberos ticket. Three messages of the
// client: its ticket, an empty one where the server has proved itself, and which of the offered protections it takes.
import { type GssSession, GssUnavailable } from '../auth/kerberos/gss.ts';
import type { MayImpersonate } from '../auth/proxy-users.ts';
import { javaClasses, RpcException } from './exceptions.ts';
import type { Qop, SecurityLayer } from './security-layer.ts';

/** What a server takes tickets with. */
export interface TicketLogin {
  /** Its own principal, for which tickets have to be: `rm/host@REALM`. */
  readonly principal: string;
  /** Accepts the first token of a caller. @throws GssRefused, GssUnavailable */
  begin(token: Uint8Array): Promise<GssSession>;
  /** The user of a principal; undefined: nobody's. */
  nameOf(principal: string): string | undefined;
  readonly mayImpersonate: MayImpersonate;
}

/** Bits of the first octet of an offer and its answer (RFC 4752 section 3.3). */
const qopBits: Readonly<Record<Qop, number>> = { auth: 1, 'auth-int': 2, 'auth-conf': 4 };
/** Longest wrapped message that a client is told it may send; what bounds them is the length of frames. */
const longestMessage = Buffer.from([1, 0, 0]);

/** What the login is to say next, and with what it ended. */
export interface GssapiStep {
  readonly reply: Buffer | undefined;
  readonly done: { readonly principal: string; readonly layer: SecurityLayer | undefined } | undefined;
}

const saslError = (message: string, cause?: unknown): RpcException =>
  new RpcException(javaClasses.SaslException, message, undefined, { cause });

/** One login. Messages are taken one after the other. */
export class GssapiLogin {
  readonly #tickets: TicketLogin;
  readonly #offered: readonly Qop[];
  #session: GssSession | undefined;
  #awaits: 'ticket' | 'nothing' | 'choice' | 'none more' = 'ticket';
  #isClosed = false;

  /** `offered`: the qualities of protection that the client may choose from. */
  constructor(tickets: TicketLogin, offered: readonly Qop[]) {
    this.#tickets = tickets;
    this.#offered = offered;
  }

  /** Takes the next message of the client. @throws RpcException (SaslException) where the login has failed */
  async take(message: Uint8Array): Promise<GssapiStep> {
    switch (this.#awaits) {
      case 'ticket':
        return { reply: await this.#takeTicket(message), done: undefined };
      case 'nothing':
        if (message.length > 0) throw saslError('Handshake expecting no response data from server');
        return { reply: await this.#offer(), done: undefined };
      case 'choice':
        return { reply: undefined, done: await this.#takeChoice(message) };
      case 'none more':
        throw saslError('SASL authentication already complete');
    }
  }

  /** Ends it, and what its layer needs. */
  close(): void {
    this.#isClosed = true;
    this.#session?.end();
    this.#session = undefined;
  }

  async #takeTicket(token: Uint8Array): Promise<Buffer> {
    this.#awaits = 'none more';
    const session = await this.#tickets.begin(token).catch((error: unknown) => {
      if (error instanceof GssUnavailable)
        throw new RpcException(javaClasses.RetriableException, 'Kerberos tickets cannot be looked at now', undefined, { cause: error });
      throw saslError('GSS initiate failed', error);
    });
    if (this.#isClosed) session.end();
    else this.#session = session;
    if (session.target !== this.#tickets.principal)
      throw saslError('GSS initiate failed', new Error(`the ticket is for ${session.target}, not for ${this.#tickets.principal}`));
    if (session.token.length === 0) return this.#offer();
    this.#awaits = 'nothing';
    return session.token;
  }

  #offer(): Promise<Buffer> {
    this.#awaits = 'choice';
    const bits = this.#offered.reduce((sum, qop) => sum | qopBits[qop], 0);
    return this.#of((session) => session.wrap(Buffer.concat([Buffer.of(bits), longestMessage]), false), 'Problem wrapping handshake1');
  }

  async #takeChoice(message: Uint8Array): Promise<GssapiStep['done']> {
    this.#awaits = 'none more';
    const { message: choice } = await this.#of((session) => session.unwrap(message), 'Final handshake step failed');
    const bits = choice[0];
    const qop = this.#offered.find((one) => qopBits[one] === bits);
    if (qop === undefined || choice.length < 4) throw saslError(`Client selected unsupported protection: ${bits ?? 0}`);
    const { principal } = this.#session!;
    const authorizationId = choice.length > 4 ? choice.toString('utf8', 4) : principal;
    if (authorizationId !== principal) throw saslError(`${principal} is not authorized to connect as ${authorizationId}`);
    if (qop !== 'auth') return { principal, layer: this.#layer(qop) };
    this.close();
    return { principal, layer: undefined };
  }

  #layer(qop: Exclude<Qop, 'auth'>): SecurityLayer {
    const isPrivate = qop === 'auth-conf';
    return {
      wrap: (message) => this.#of((session) => session.wrap(message, isPrivate), 'Error performing wrap'),
      unwrap: async (message) => {
        const unwrapped = await this.#of((session) => session.unwrap(message), 'Problems unwrapping SASL buffer');
        if (isPrivate && !unwrapped.isPrivate) throw saslError('Privacy not provided');
        return unwrapped.message;
      },
    };
  }

  async #of<T>(ask: (session: GssSession) => Promise<T>, problem: string): Promise<T> {
    if (!this.#session) throw saslError(problem);
    try {
      return await ask(this.#session);
    } catch (error) {
      throw saslError(problem, error);
    }
  }
}

/** Service and host of a principal, as a client is told them (SaslRpcServer of hadoop-common). */
export function saslNames(principal: string): { readonly protocol: string; readonly serverId: string } {
  const [name = ''] = principal.split('@');
  const [protocol = '', serverId = ''] = name.split('/');
  return { protocol, serverId };
}
