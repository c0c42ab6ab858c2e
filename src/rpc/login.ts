// The login of one connection: SASL messages one by one, until it is known how the caller proves itself (Server.Connection.processSaslMessage).
import type { Random } from '../lib/random.ts';
import type { Decoded, Encodable } from '../wire/rpc/message.ts';
import type { RpcSaslProto } from '../wire/rpc/tables/transport.ts';
import type { RpcAuthentication } from './authentication.ts';
import type { Qop, SecurityLayer } from './digest-layers.ts';
import { DigestMd5 } from './digest-md5.ts';
import { javaClasses, RpcException } from './exceptions.ts';

type SaslMessage = Encodable<typeof RpcSaslProto>;

/** Where a login stands after a message. */
export interface LoginStep {
  readonly reply: SaslMessage | undefined;
  /** How the caller is known from here on; undefined: more messages come. */
  readonly done: { readonly method: 'simple' } | TokenProved | undefined;
}

interface TokenProved {
  readonly method: 'token';
  readonly identifier: Buffer;
  /** What protects each message from here on; undefined: nothing does. */
  readonly layer: SecurityLayer | undefined;
}

const tokenAuth = { method: 'TOKEN', mechanism: 'DIGEST-MD5', protocol: '', serverId: 'default' } as const;
const simpleAuth = { method: 'SIMPLE', mechanism: '' } as const;

/** The refusal of callers who would name themselves where that is not enough. */
export const simpleNotEnabled = (authentication: RpcAuthentication): RpcException => notEnabled('SIMPLE', authentication);

function notEnabled(method: string, { tokens, simple }: RpcAuthentication): RpcException {
  const available = [...(tokens ? ['TOKEN'] : []), ...(simple ? ['SIMPLE'] : [])];
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

  /** `qops`: what clients with tokens may choose from. */
  constructor(authentication: RpcAuthentication, random: Random, qops: readonly Qop[]) {
    this.#authentication = authentication;
    this.#random = random;
    this.#qops = qops;
  }

  /**
   * Takes a message of the client.
   * @throws RpcException where the login has failed
   */
  take(message: Decoded<typeof RpcSaslProto>): LoginStep {
    switch (message.state) {
      case 'NEGOTIATE':
        return this.#negotiate();
      case 'INITIATE':
        return this.#initiate(message);
      case 'RESPONSE':
        return this.#check(message.token);
      default:
        throw new RpcException(javaClasses.SaslException, `Client sent unsupported state ${message.state}`);
    }
  }

  #negotiate(): LoginStep {
    const { tokens, simple } = this.#authentication;
    if (this.#hasNegotiated) throw new RpcException(javaClasses.AccessControlException, 'Client already attempted negotiation');
    this.#hasNegotiated = true;
    // Where names are all there is, the client is told at once to go on without SASL.
    if (!tokens) return { reply: { state: 'SUCCESS' }, done: { method: 'simple' } };
    this.#digest = new DigestMd5(this.#random, this.#qops);
    const challenge = Buffer.from(this.#digest.challenge);
    return { reply: { state: 'NEGOTIATE', auths: [{ ...tokenAuth, challenge }, ...(simple ? [simpleAuth] : [])] }, done: undefined };
  }

  #initiate({ auths, token }: Decoded<typeof RpcSaslProto>): LoginStep {
    const [chosen, ...others] = auths;
    if (!chosen || others.length > 0) throw new RpcException(javaClasses.SaslException, 'Client mechanism is malformed');
    const { tokens, simple } = this.#authentication;
    if (chosen.method === 'SIMPLE' && simple) return { reply: undefined, done: { method: 'simple' } };
    if (chosen.method !== 'TOKEN' || chosen.mechanism !== 'DIGEST-MD5' || !tokens) throw notEnabled(chosen.method, this.#authentication);
    if (token) return this.#check(token);
    this.#digest = new DigestMd5(this.#random, this.#qops);
    return { reply: { state: 'CHALLENGE', token: Buffer.from(this.#digest.challenge) }, done: undefined };
  }

  #check(answer: Uint8Array | undefined): LoginStep {
    const { tokens } = this.#authentication;
    if (!answer || !this.#digest || !tokens) throw new RpcException(javaClasses.SaslException, 'Client did not send a token');
    const { identifier, proof, layer } = this.#digest.check(answer, (id) => tokens.passwordOf(id));
    return { reply: { state: 'SUCCESS', token: Buffer.from(proof) }, done: { method: 'token', identifier, layer } };
  }
}
