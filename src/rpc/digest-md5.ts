// The server's side of SASL DIGEST-MD5 with qop `auth` (RFC 2831), as Hadoop's daemons speak it for tokens: the user name is the token's
// identifier and the password its password, both in Base64 (SaslRpcServer.encodeIdentifier, encodePassword).
import { createHash } from 'node:crypto';
import { isSameSecret } from '../auth/secrets.ts';
import type { Random } from '../lib/random.ts';
import { javaClasses, RpcException } from './exceptions.ts';

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

/** What a login ended with: whose token it was, and what proves the server to the client. */
export interface DigestResult {
  readonly identifier: Buffer;
  readonly proof: string;
}

/** One login: a challenge, and the check of what is answered to it. A challenge is good for one answer. */
export class DigestMd5 {
  readonly #nonce: string;
  #isUsed = false;

  constructor(random: Random) {
    this.#nonce = random.bytes(30).toString('base64');
  }

  /** What the client is challenged with. */
  get challenge(): string {
    return `realm="${realm}",nonce="${this.#nonce}",qop="auth",charset=utf-8,algorithm=md5-sess`;
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
    if ((given.get('qop') ?? 'auth') !== 'auth') expect('qop', 'auth');
    const username = given.get('username') ?? '';
    const cnonce = given.get('cnonce') ?? '';
    if (username === '' || cnonce === '') throw saslError('DIGEST-MD5: digest response format violation. Missing username or cnonce.');
    const identifier = Buffer.from(username, 'base64');
    const password = passwordOf(identifier).toString('base64');
    const a1 = Buffer.concat([md5(`${username}:${realm}:${password}`), Buffer.from(`:${this.#nonce}:${cnonce}`)]);
    const responseFor = (a2: string) =>
      md5(`${md5(a1).toString('hex')}:${this.#nonce}:00000001:${cnonce}:auth:${md5(a2).toString('hex')}`).toString('hex');
    if (!isSameSecret(given.get('response') ?? '', responseFor(`AUTHENTICATE:${digestUri}`)))
      throw saslError('DIGEST-MD5: digest response format violation. Mismatched response.');
    return { identifier, proof: `rspauth=${responseFor(`:${digestUri}`)}` };
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
