// What DIGEST-MD5 does with bytes after the login where integrity or privacy was agreed on (RFC 2831 sections 2.3 and 2.4): each message gets a
// number and a code that only the two can make, and under privacy is enciphered. MD5, Triple DES and RC4 are what Java's mechanism knows; who needs
// more puts the ports behind something that has it.
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { isSameSecret } from '../auth/secrets.ts';
import { javaClasses, RpcException } from './exceptions.ts';
import type { Qop, SecurityLayer } from './security-layer.ts';

/** Ciphers of privacy, the best first. Those of 56 and 40 bits are not offered. */
export const digestCiphers = ['3des', 'rc4'] as const;
export type DigestCipher = (typeof digestCiphers)[number];

/** Does at once what a layer does. */
export interface DigestLayer extends SecurityLayer {
  wrap(message: Uint8Array): Buffer;
  unwrap(message: Uint8Array): Buffer;
}

/** What both sides know after a login. */
export interface AgreedProtection {
  readonly qop: Exclude<Qop, 'auth'>;
  /** With `auth-conf`. */
  readonly cipher: DigestCipher;
  /** MD5 of A1. */
  readonly sessionKey: Buffer;
  readonly side: 'server' | 'client';
}

const macBytes = 10;
/** Type of the message (always 1) and its number. */
const trailerBytes = 6;
const desBlockBytes = 8;

const md5 = (key: Buffer, constant: string): Buffer => createHash('md5').update(key).update(constant).digest();
const signing = (from: string) => `Digest session key to ${from} signing key magic constant`;
const sealing = (from: string) => `Digest H(A1) to ${from} sealing key magic constant`;
const [toServer, toClient] = ['client-to-server', 'server-to-client'];

/** The layer that was agreed on. */
export function digestLayer({ qop, cipher, sessionKey, side }: AgreedProtection): DigestLayer {
  const [out, back] = side === 'server' ? [toClient, toServer] : [toServer, toClient];
  const isPrivate = qop === 'auth-conf';
  const seal = isPrivate ? sealer(cipher, md5(sessionKey, sealing(out)), 'encipher') : plain;
  const open = isPrivate ? sealer(cipher, md5(sessionKey, sealing(back)), 'decipher') : plain;
  const [ownKey, theirKey] = [md5(sessionKey, signing(out)), md5(sessionKey, signing(back))];
  const padded = isPrivate && cipher === '3des';
  let sent = 0;
  let received = 0;
  return {
    wrap(message) {
      const number = fourBytes(sent++);
      const mac = codeOf(ownKey, number, message);
      const padding = padded ? desBlockBytes - ((message.length + macBytes) % desBlockBytes) : 0;
      const body = Buffer.concat([message, Buffer.alloc(padding, padding), mac]);
      return Buffer.concat([seal(body), Buffer.of(0, 1), number]);
    },
    unwrap(message) {
      const end = message.length - trailerBytes;
      if (end < macBytes || (padded && end % desBlockBytes !== 0)) throw altered('too short');
      const trailer = Buffer.from(message.subarray(end));
      const number = fourBytes(received++);
      if (!trailer.equals(Buffer.concat([Buffer.of(0, 1), number]))) throw altered('out of turn');
      const body = open(Buffer.from(message.subarray(0, end)));
      const mac = body.subarray(body.length - macBytes);
      // Padding says nothing before the code is checked: what it claims is held within the message.
      const claimed = padded ? Math.min(desBlockBytes, body[body.length - macBytes - 1] ?? 0) : 0;
      const text = body.subarray(0, Math.max(0, body.length - macBytes - claimed));
      if (!isSameSecret(mac.toString('hex'), codeOf(theirKey, number, text).toString('hex'))) throw altered('not by the other side');
      return text;
    },
  };
}

const plain = (bytes: Buffer): Buffer => bytes;
const altered = (what: string) => new RpcException(javaClasses.SaslException, `DIGEST-MD5: a protected message is ${what}`);

function fourBytes(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number >>> 0);
  return bytes;
}

const codeOf = (key: Buffer, number: Buffer, message: Uint8Array): Buffer =>
  createHmac('md5', key).update(number).update(message).digest().subarray(0, macBytes);

/** One way of a connection: the state of the cipher goes on from message to message. */
function sealer(cipher: DigestCipher, key: Buffer, way: 'encipher' | 'decipher'): (bytes: Buffer) => Buffer {
  if (cipher === 'rc4') return rc4(key);
  const [first, second] = [desKey(key.subarray(0, 7)), desKey(key.subarray(7, 14))];
  const make = way === 'encipher' ? createCipheriv : createDecipheriv;
  const running = make('des-ede3-cbc', Buffer.concat([first, second, first]), key.subarray(8, 16)).setAutoPadding(false);
  return (bytes) => running.update(bytes);
}

/** The 56 bits of a key of DES in eight bytes, the lowest bit of each without meaning. */
function desKey(bits: Buffer): Buffer {
  const key = Buffer.alloc(desBlockBytes);
  let rest = BigInt(`0x${bits.toString('hex')}`);
  for (let at = desBlockBytes - 1; at >= 0; at--) {
    key[at] = Number(rest & 0x7fn) << 1;
    rest >>= 7n;
  }
  return key;
}

/** RC4: OpenSSL has it no longer where nobody asks for its old algorithms. */
function rc4(key: Buffer): (bytes: Buffer) => Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number): void => {
    const kept = state[a]!;
    state[a] = state[b]!;
    state[b] = kept;
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 255;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return (bytes) => {
    const result = Buffer.allocUnsafe(bytes.length);
    for (const [at, byte] of bytes.entries()) {
      i = (i + 1) & 255;
      j = (j + state[i]!) & 255;
      swap(i, j);
      result[at] = byte ^ state[(state[i]! + state[j]!) & 255]!;
    }
    return result;
  };
}
