// The login of one connection: SASL messages one by one, until it is known how the caller proves itself (Server.Connection.processSaslMessage).
import type { Random } from '../lib/random.ts';
import type { Decoded, Encodable } from '../wire/rpc/message.ts';
import type { RpcSaslProto } from '../wire/rpc/tables/transport.ts';
import type { RpcAuthentication } from './authentication.ts';
import { DigestMd5 } from './digest-md5.ts';
import { javaClasses, RpcException } from './exceptions.ts';
import { GssapiLogin, saslNames, type TicketLogin } from './gssapi.ts';
import type { Qop, SecurityLayer } from './security-layer.ts';

type SaslMessage = Encodable<typeof RpcSaslProto>;

/** Where a login stands after a message. */
export interface LoginStep {
  readonly reply: SaslMessage | undefined;
  /** How the caller is known from here on; undefined: more messages come. */
  readonly done: { readonly method: 'simple' } | TokenProved | TicketProved | undefined;
}

interface TicketProved {
  readonly method: 'kerberos';
  readonly principal: string;
  readonly layer: SecurityLayer | undefined;
}

interface TokenProved {
  readonly method: 'token';
  readonly identifier: Buffer;
  /** What protects each message from here on; undefined: nothing does. */
  readonly layer: SecurityLayer | undefined;
}

const tokenAuth = { method: 'TOKEN', mechanism: 'DIGEST-MD5', protocol: '', serverId: 'default' } as const;
const simpleAuth = { method: 'SIMPLE', mechanism: '' } as const;

const noToken = () => new RpcException(javaClasses.SaslException, 'Client did not send a token');

const ticketAuth = ({ principal }: TicketLogin) => ({ method: 'KERBEROS', mechanism: 'GSSAPI', ...saslNames(principal) });

/** Whether a client chose tickets as they were offered to it, and no other server's. */
function isTicketAuth(chosen: Decoded<typeof RpcSaslProto>['auths'][number], tickets: TicketLogin): boolean {
  const { method, mechanism, protocol, serverId } = ticketAuth(tickets);
  return chosen.method === method && chosen.mechanism === mechanism && chosen.protocol === protocol && chosen.serverId === serverId;
}

/** The refusal of callers who would name themselves where that is not enough. */
export const simpleNotEnabled = (authentication: RpcAuthentication): RpcException => notEnabled('SIMPLE', authentication);

function notEnabled(method: string, { tokens, tickets, simple }: RpcAuthentication): RpcException {
  const available = [...(tokens ? ['TOKEN'] : []), ...(tickets ? ['KERBEROS'] : []), ...(simple ? ['SIMPLE'] : [])];
  return new RpcException(
    javaClasses.AccessControlException,
    `${method} authentication is not enabled.  Available:[${available.join(', ')}]`,
  );
}

/** One login. */
export class Login {
  readonly #authentication: RpcAuthentication;
  readonly #random: Random;
  readonly #qops: readonly Qop[];
  #hasNegotiated = false;
  #digest: DigestMd5 | undefined;
  #gssapi: GssapiLogin | undefined;
  #isByToken = false;

  /** `qops`: what clients with tokens or tickets may choose from. */
  constructor(authentication: RpcAuthentication, random: Random, qops: readonly Qop[]) {
    this.#authentication = authentication;
    this.#random = random;
    this.#qops = qops;
  }

  /**
   * Takes a message of the client.
   * @throws RpcException where the login has failed
   */
  take(message: Decoded<typeof RpcSaslProto>): LoginStep | Promise<LoginStep> {
    switch (message.state) {
      case 'NEGOTIATE':
        return this.#negotiate();
      case 'INITIATE':
        return this.#initiate(message);
      case 'RESPONSE':
        return this.#gssapi ? this.#takeOfTicket(this.#gssapi, message.token) : this.#check(message.token);
      default:
        throw new RpcException(javaClasses.SaslException, `Client sent unsupported state ${message.state}`);
    }
  }

  /** How the client tries to prove itself, as far as it has said. */
  get method(): 'simple' | 'token' | 'kerberos' {
    if (this.#gssapi) return 'kerberos';
    return this.#isByToken ? 'token' : 'simple';
  }

  /** Ends what the login and the layer that came of it need. */
  close(): void {
    this.#gssapi?.close();
  }

  #negotiate(): LoginStep {
    const { tokens, tickets, simple } = this.#authentication;
    if (this.#hasNegotiated) throw new RpcException(javaClasses.AccessControlException, 'Client already attempted negotiation');
    this.#hasNegotiated = true;
    // Where names are all there is, the client is told at once to go on without SASL.
    if (!tokens && !tickets) return { reply: { state: 'SUCCESS' }, done: { method: 'simple' } };
    if (tokens) this.#digest = new DigestMd5(this.#random, this.#qops);
    const auths = [
      ...(this.#digest ? [{ ...tokenAuth, challenge: Buffer.from(this.#digest.challenge) }] : []),
      ...(tickets ? [ticketAuth(tickets)] : []),
      ...(simple ? [simpleAuth] : []),
    ];
    return { reply: { state: 'NEGOTIATE', auths }, done: undefined };
  }

  #initiate({ auths, token }: Decoded<typeof RpcSaslProto>): LoginStep | Promise<LoginStep> {
    const [chosen, ...others] = auths;
    if (!chosen || others.length > 0) throw new RpcException(javaClasses.SaslException, 'Client mechanism is malformed');
    const { tokens, tickets, simple } = this.#authentication;
    if (tickets && isTicketAuth(chosen, tickets)) {
      this.#gssapi?.close();
      this.#gssapi = new GssapiLogin(tickets, this.#qops);
      return this.#takeOfTicket(this.#gssapi, token);
    }
    if (chosen.method === 'SIMPLE' && simple) return { reply: undefined, done: { method: 'simple' } };
    this.#isByToken = chosen.method === 'TOKEN';
    if (chosen.method !== 'TOKEN' || chosen.mechanism !== 'DIGEST-MD5' || !tokens) throw notEnabled(chosen.method, this.#authentication);
    if (token) return this.#check(token);
    this.#digest = new DigestMd5(this.#random, this.#qops);
    return { reply: { state: 'CHALLENGE', token: Buffer.from(this.#digest.challenge) }, done: undefined };
  }

  async #takeOfTicket(login: GssapiLogin, token: Uint8Array | undefined): Promise<LoginStep> {
    if (!token) throw noToken();
    const { reply, done } = await login.take(token);
    if (done) return { reply: { state: 'SUCCESS' }, done: { method: 'kerberos', ...done } };
    return { reply: { state: 'CHALLENGE', token: reply }, done: undefined };
  }

  #check(answer: Uint8Array | undefined): LoginStep {
    const { tokens } = this.#authentication;
    if (!answer || !this.#digest || !tokens) throw noToken();
    const { identifier, proof, layer } = this.#digest.check(answer, (id) => tokens.passwordOf(id));
    return { reply: { state: 'SUCCESS', token: Buffer.from(proof) }, done: { method: 'token', identifier, layer } };
  }
}
