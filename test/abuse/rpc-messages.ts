// Messages of Hadoop RPC at random: of the right form with awkward content, and bytes that were spoiled on their way.
import type { Random } from '../../src/lib/random.ts';
import { encode } from '../../src/wire/rpc/codec.ts';
import type { Encodable, Enumeration, Field, Kind, Message, Recursive, Scalar } from '../../src/wire/rpc/message.ts';

type Values = Record<string, unknown>;

/** What exists, by the name of its message: most of what is made names it. */
export type Known = Readonly<Record<string, readonly Values[]>>;

const long = 'x'.repeat(5000);
/** Nothing here does harm as a command, a path or a pattern. */
const words = [
  ...[
    '',
    ' ',
    '*',
    'root',
    'default',
    'root.default',
    'nowhere',
    'fast',
    'KILLED',
    'LIFETIME',
    'true',
    '-1',
    '1e999',
    '99999999999999999999',
  ],
  ...[
    '\u0000',
    '\u202e',
    '\ud83d\ude00',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    '</x>',
    '&x;',
    ']]>',
    'a,b=c',
    '{{X}}',
    '%s',
    '\n',
    long,
  ],
  ...[
    'memory-mb',
    'vcores',
    'yarn.io/gpu',
    'Mi',
    'localhost',
    'localhost:0',
    '127.0.0.1:99999',
    '/default-rack',
    'CENTRALIZED',
    'rm.yarn.io',
  ],
];
const int32s = [0, 1, -1, 2, 7, 100, 1024, 65_536, 2 ** 31 - 1, -(2 ** 31)];
const int64s = [...int32s, 2 ** 32, 2 ** 40 + 1, Number.MAX_SAFE_INTEGER, 2 ** 60, 2 ** 63, -(2 ** 63)];
/** How deep messages are filled. */
const deepest = 7;

const isEnumeration = (kind: Kind): kind is Enumeration => typeof kind === 'object' && 'numbers' in kind;
const messageOf = (kind: Message | Recursive<unknown>): Message => ('message' in kind ? kind.message() : kind);

/** Makes messages by chance; the same seed makes the same ones. */
export class MessageMaker {
  readonly #random: Random;
  readonly #known: Known;

  constructor(random: Random, known: Known) {
    this.#random = random;
    this.#known = known;
  }

  /** Whether something that happens so often happens now. */
  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  one<T>(all: readonly T[]): T {
    return all[this.#random.int(all.length)]!;
  }

  /** A value that the message can be encoded from. */
  value(message: Message, depth = 0): Values {
    const known = this.#known[message.name];
    if (known && known.length > 0 && this.chance(0.8)) return this.one(known);
    const values: Values = {};
    for (const [name, field] of Object.entries(message.fields as Record<string, Field>)) {
      const made = this.#field(field, depth);
      if (made !== undefined) values[name] = made;
    }
    return values;
  }

  /** Bytes of a message, now and then spoiled. */
  body(message: Message, value: Values = this.value(message)): Buffer {
    const bytes = Buffer.from(encode(message, value as Encodable<Message>));
    if (this.chance(0.03)) return this.#crowded(message, bytes);
    return this.chance(0.25) ? this.spoiled(bytes) : bytes;
  }

  /** Bytes with one to three faults: bits turned, pieces taken out, doubled or put in, an end too early, numbers that are huge. */
  spoiled(bytes: Buffer): Buffer {
    let spoiled = bytes;
    for (let faults = 1 + this.#random.int(3); faults > 0; faults--) spoiled = this.#fault(spoiled);
    return spoiled;
  }

  #fault(bytes: Buffer): Buffer {
    const at = this.#random.int(bytes.length + 1);
    const to = Math.min(bytes.length, at + 1 + this.#random.int(16));
    const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
    switch (this.#random.int(7)) {
      case 0:
        return before;
      case 1:
        return Buffer.concat([before, after]);
      case 2:
        return Buffer.concat([before, piece, piece, after]);
      case 3:
        return Buffer.concat([before, this.#random.bytes(piece.length), after]);
      case 4:
        return Buffer.concat([before, this.one(hugeNumbers), piece, after]);
      case 5:
        return Buffer.concat([before, this.one(hugeNumbers), after.subarray(4)]);
      default: {
        const turned = Buffer.from(bytes);
        if (at < turned.length) turned[at] = turned[at]! ^ (1 << this.#random.int(8));
        return turned;
      }
    }
  }

  /** A list of very many members, where the message has one. */
  #crowded(message: Message, bytes: Buffer): Buffer {
    const list = Object.values(message.fields as Record<string, Field>).find(
      ({ presence, kind }) => presence === 'repeated' && typeof kind === 'object' && !isEnumeration(kind),
    );
    if (!list) return bytes;
    const member = Buffer.from(
      encode(messageOf(list.kind as Message), this.value(messageOf(list.kind as Message), deepest - 2) as Encodable<Message>),
    );
    if (member.length > 127) return bytes;
    const one = Buffer.concat([Buffer.of((list.number << 3) | 2, member.length), member]);
    return list.number < 16 ? Buffer.concat([bytes, ...Array.from({ length: 3000 }, () => one)]) : bytes;
  }

  #field({ presence, kind }: Field, depth: number): unknown {
    if (presence === 'repeated') {
      if (depth >= deepest || this.chance(0.4)) return undefined;
      return Array.from({ length: 1 + this.#random.int(3) }, () => this.#plain(kind, depth));
    }
    if (presence !== 'required' && (depth >= deepest || this.chance(0.4))) return undefined;
    return this.#plain(kind, depth);
  }

  #plain(kind: Kind, depth: number): unknown {
    if (typeof kind === 'string') return this.#scalar(kind);
    if (isEnumeration(kind)) return this.one(Object.keys(kind.numbers));
    return this.value(messageOf(kind as Message), depth + 1);
  }

  #scalar(kind: Scalar): unknown {
    switch (kind) {
      case 'bool':
        return this.chance(0.5);
      case 'string':
        return this.one(words);
      case 'bytes':
        return this.#random.bytes(this.one([0, 1, 20, 300]));
      case 'float':
        return this.one([0, 1, -1, 0.5, 1e30, Number.NaN, Number.POSITIVE_INFINITY]);
      case 'int32':
      case 'sint32':
        return this.one(int32s);
      case 'uint32':
        return this.one(int32s.filter((number) => number >= 0));
      case 'exact64':
        return BigInt(this.one(int64s.filter((number) => Math.abs(number) < 2 ** 63)));
      case 'uint64':
        return this.one([0, 1, Number.MAX_SAFE_INTEGER]);
      default:
        return this.one(int64s);
    }
  }
}

/** Varints and lengths that are larger than what follows. */
const hugeNumbers = [
  'ffffffffffffffffff01',
  'ffffffff0f',
  'ffffff7f',
  '7fffffff',
  '80000000',
  '00000000',
  'ffffffff',
  '8080808080808080808080',
].map((hex) => Buffer.from(hex, 'hex'));
