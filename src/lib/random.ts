// Chance is passed in: servers use systemRandom, tests a seeded one whose seed they print.
import { randomBytes } from 'node:crypto';

/** The only source of chance of every component. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number in [0, maxExclusive). */
  int(maxExclusive: number): number;
  /** `length` random bytes; unguessable only from systemRandom. */
  bytes(length: number): Buffer;
}

/** What is taken from the system at a time: a few bytes cost as much as many. */
const reserveBytes = 4096;
const reserve = { bytes: Buffer.alloc(0), used: 0 };

/** Each byte is given once, and kept nowhere after that. */
function fromReserve(length: number): Buffer {
  if (reserve.used + length > reserve.bytes.length) {
    reserve.bytes = randomBytes(reserveBytes);
    reserve.used = 0;
  }
  const taken = reserve.bytes.subarray(reserve.used, reserve.used + length);
  reserve.used += length;
  const given = Buffer.from(taken);
  taken.fill(0);
  return given;
}

/** The operating system's randomness, fit for secrets. */
export const systemRandom: Random = {
  next: () => randomBytes(4).readUInt32BE(0) / 2 ** 32,
  int: (maxExclusive) => Math.floor((randomBytes(4).readUInt32BE(0) / 2 ** 32) * maxExclusive),
  bytes: (length) => (length <= reserveBytes / 16 ? fromReserve(length) : randomBytes(length)),
};

/** A repeatable sequence (mulberry32) for tests and simulations; never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    int: (maxExclusive) => Math.floor(next() * maxExclusive),
    bytes: (length) => Buffer.from(Array.from({ length }, () => Math.floor(next() * 256))),
  };
}
