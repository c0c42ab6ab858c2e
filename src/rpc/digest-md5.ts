// The server's side of SASL DIGEST-MD5 (RFC 2831), as Hadoop's daemons speak it for tokens: the user name is the token's
// identifier and the password its password, both in Base64 (SaslRpcServer.encodeIdentifier, encodePassword).
import { createHash } from 'node:crypto';
import { isSameSecret } from '../auth/secrets.ts';
import type { Random } from '../lib/random.ts';
import { digestCiphers, digestLayer } from './digest-layers.ts';
import { javaClasses, RpcException } from './exceptions.ts';
import type { Qop, SecurityLayer } from './security-layer.ts';

/** The realm of every Hadoop server (SaslRpcServer.SASL_DEFAULT_REALM). */
const realm = 'default';
/** `protocol/serverId` of token logins. */
const digestUri = '/default';
const longestResponse = 16 * 1024;

const saslError = (message: string) => new RpcException(javaClasses.SaslException, message);
const md5 = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** What a login ended with: whose token it was, what proves the server to the client, and what protects the messages from here on. */
export interface DigestResult {
  readonly identifier: Buffer;
  readonly proof: string;
  /** Undefined with qop `auth`. */
  readonly layer: SecurityLayer | undefined;
}

/** What stands behind A2 where messages are protected. */
const noBody = `:${'0'.repeat(32)}`;

/** One login: a challenge, and the check of what is answered to it. A challenge is good for one answer. */
export class DigestMd5 {
  readonly #nonce: string;
  readonly #offered: readonly Qop[];
  #isUsed = false;

  /** `offered`: the qualities of protection that the client may choose from. */
  constructor(random: Random, offered: readonly Qop[]) {
    this.#nonce = random.bytes(30).toString('base64');
    this.#offered = offered;
  }

  /** What the client is challenged with. */
  get challenge(): string {
    const ciphers = this.#offered.includes('auth-conf') ? `cipher="${digestCiphers.join(',')}",` : '';
    return `realm="${realm}",nonce="${this.#nonce}",qop="${this.#offered.join(',')}",charset=utf-8,${ciphers}algorithm=md5-sess`;
  }

  /**
   * Checks the client's answer; `passwordOf` gives the password of an identifier, and throws where it knows none.
   * @throws RpcException (SaslException, or what `passwordOf` throws)
   */
  check(answer: Uint8Array, passwordOf: (identifier: Buffer) => Buffer): DigestResult {
    if (this.#isUsed) throw saslError('DIGEST-MD5: the challenge was answered before');
    this.#isUsed = true;
    if (answer.length > longestResponse) throw saslError('DIGEST-MD5: Invalid digest response length');
    const given = directives(Buffer.from(answer).toString('utf8'));
    const expect = (name: string, value: string) => {
      if (given.get(name) !== value)
        throw saslError(`DIGEST-MD5: digest response format violation. Mismatched ${name}: ${given.get(name) ?? 'absent'}`);
    };
    expect('nonce', this.#nonce);
    expect('nc', '00000001');
    expect('digest-uri', digestUri);
    if ((given.get('realm') ?? realm) !== realm) expect('realm', realm);
    const qop = this.#offered.find((one) => one === (given.get('qop') ?? 'auth'));
    if (!qop) throw saslError(`DIGEST-MD5: digest response format violation. Mismatched qop: ${given.get('qop') ?? 'auth'}`);
    const cipher = digestCiphers.find((one) => one === given.get('cipher'));
    if (qop === 'auth-conf' && !cipher)
      throw saslError(`DIGEST-MD5: digest response format violation. Mismatched cipher: ${given.get('cipher') ?? 'absent'}`);
    const username = given.get('username') ?? '';
    const cnonce = given.get('cnonce') ?? '';
    if (username === '' || cnonce === '') throw saslError('DIGEST-MD5: digest response format violation. Missing username or cnonce.');
    const identifier = Buffer.from(username, 'base64');
    const password = passwordOf(identifier).toString('base64');
    const a1 = Buffer.concat([md5(`${username}:${realm}:${password}`), Buffer.from(`:${this.#nonce}:${cnonce}`)]);
    const sessionKey = md5(a1);
    const responseFor = (a2: string) =>
      md5(
        `${sessionKey.toString('hex')}:${this.#nonce}:00000001:${cnonce}:${qop}:${md5(qop === 'auth' ? a2 : a2 + noBody).toString('hex')}`,
      ).toString('hex');
    if (!isSameSecret(given.get('response') ?? '', responseFor(`AUTHENTICATE:${digestUri}`)))
      throw saslError('DIGEST-MD5: digest response format violation. Mismatched response.');
    const layer = qop === 'auth' ? undefined : digestLayer({ qop, cipher: cipher ?? digestCiphers[0], sessionKey, side: 'server' });
    return { identifier, proof: `rspauth=${responseFor(`:${digestUri}`)}`, layer };
  }
}

/** `name=value` pairs between commas, values with or without quotes (RFC 2831 section 7.2). */
function directives(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const pattern = /[\s,]*([A-Za-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",]*))/y;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [, name = '', quoted, plain] = match;
    if (found.has(name)) throw saslError(`DIGEST-MD5: digest response format violation. Duplicate ${name}`);
    found.set(name, quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1'));
    if (pattern.lastIndex === text.length) break;
  }
  return found;
}
