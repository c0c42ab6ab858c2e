// Parts of keys by the options `-k` of sort(1), as Hadoop's KeyFieldHelper reads them, and what is made of them: the partition of a
// key (KeyFieldBasedPartitioner), and bytes whose order is that of KeyFieldBasedComparator.
import { isUtf8 } from 'node:buffer';
import { BadSetting } from '../job-configuration.ts';
import { partitionOf } from '../writables.ts';

/** `-k<field>[.<char>][nr][,<field>[.<char>][nr]]`; fields and characters count from 1, an end of 0 is open. */
export interface KeyPart {
  readonly fromField: number;
  readonly fromChar: number;
  readonly toField: number;
  readonly toChar: number;
  readonly numeric: boolean;
  readonly reverse: boolean;
}

const partPattern = /^(\d{1,6})(?:\.(\d{1,6}))?([nr]{0,2})(?:,(\d{1,6})(?:\.(\d{1,6}))?([nr]{0,2}))?$/;

function readPart(text: string, setting: string): KeyPart {
  const [, fromField, fromChar = '1', fromFlags = '', toField = '0', toChar = '0', toFlags = ''] = partPattern.exec(text) ?? [];
  if (fromField === undefined || Number(fromField) === 0 || Number(fromChar) === 0)
    throw new BadSetting(`${setting}: '-k${text}' is no part of a key: write -kFIELD[.CHARACTER][n][r][,FIELD[.CHARACTER]]`);
  const flags = fromFlags + toFlags;
  return {
    fromField: Number(fromField),
    fromChar: Number(fromChar),
    toField: Number(toField),
    toChar: Number(toChar),
    numeric: flags.includes('n'),
    reverse: flags.includes('r'),
  };
}

/** Parts of a key in the order in which they count. @throws BadSetting */
export function readKeyParts(options: string, setting: string): KeyPart[] {
  const words = options.split(/[ \t\n\r\f]+/).filter((word) => word !== '');
  const parts: KeyPart[] = [];
  let numeric = false;
  let reverse = false;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word.startsWith('-k')) parts.push(readPart(word === '-k' ? (words[++i] ?? '') : word.slice(2), setting));
    else if (/^-(n|r|nr|rn)$/.test(word)) {
      numeric ||= word.includes('n');
      reverse ||= word.includes('r');
    } else throw new BadSetting(`${setting}: '${word}' is none of -n, -r, -nr, -kFIELD…`);
  }
  if (parts.length === 0) return numeric || reverse ? [{ fromField: 1, fromChar: 1, toField: 0, toChar: 0, numeric, reverse }] : [];
  return parts.map((part) => (part.numeric || part.reverse ? part : { ...part, numeric, reverse }));
}

/** Lengths of a key's fields. Behind a separator of several bytes Hadoop counts all but its first to the field; so do results here. */
function fieldLengths(key: Buffer, separator: Buffer): number[] {
  const lengths: number[] = [];
  let start = 0;
  if (separator.length > 0)
    for (let at = key.indexOf(separator); at >= 0; at = key.indexOf(separator, start)) {
      lengths.push(at - start);
      start = at + 1;
    }
  lengths.push(key.length - start);
  return lengths;
}

/** Where a field begins by those lengths; undefined where there are fewer fields. */
function startOf(lengths: readonly number[], field: number, separatorLength: number): number | undefined {
  if (field > lengths.length) return undefined;
  let position = 0;
  for (let i = 0; i < field - 1; i++) position += lengths[i]! + separatorLength;
  return position;
}

/** The bytes of one part; undefined where the key has no such field or character. */
function bytesOf(key: Buffer, lengths: readonly number[], separator: Buffer, part: KeyPart): Buffer | undefined {
  const start = startOf(lengths, part.fromField, separator.length);
  if (start === undefined || start + part.fromChar > key.length) return undefined;
  const from = start + part.fromChar - 1;
  const last = part.toField === 0 ? undefined : startOf(lengths, part.toField, separator.length);
  if (last === undefined) return key.subarray(from);
  const to = last + (part.toChar === 0 ? lengths[part.toField - 1]! : part.toChar);
  return key.subarray(from, Math.max(from, Math.min(to, key.length)));
}

/** The partition of a key by the hash of its parts. Bytes that are no UTF-8 count as what replaces them in a text, as Hadoop hashes them. */
export function keyFieldPartition(parts: readonly KeyPart[], separator: Buffer, given: Buffer, partitions: number): number {
  const key = isUtf8(given) ? given : Buffer.from(given.toString());
  if (parts.length === 0) {
    let hash = 0;
    const text = key.toString();
    for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
    return partitionOf(hash, partitions);
  }
  const lengths = fieldLengths(key, separator);
  let hash = 0;
  if (key.length > 0)
    for (const part of parts)
      for (const byte of bytesOf(key, lengths, separator, part) ?? []) hash = (Math.imul(hash, 31) + ((byte << 24) >> 24)) | 0;
  return partitionOf(hash, partitions);
}

const digit = (byte: number | undefined) => byte !== undefined && byte >= 48 && byte <= 57;

/** A decimal number as bytes that sort by its value: its sign, how many digits stand before the point, and all digits. Text is 0. */
function numberBytes(text: Buffer): Buffer {
  const negative = text[0] === 45;
  let at = negative ? 1 : 0;
  while (text[at] === 48) at++;
  const start = at;
  while (digit(text[at])) at++;
  const whole = text.subarray(start, at);
  let fraction: Buffer = Buffer.alloc(0);
  if (text[at] === 46) {
    let end = at + 1;
    while (digit(text[end])) end++;
    while (end > at + 1 && text[end - 1] === 48) end--;
    fraction = text.subarray(at + 1, end);
  }
  if (whole.length + fraction.length === 0) return Buffer.from([1]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(whole.length);
  const size = Buffer.concat([length, whole, fraction, Buffer.from([0])]);
  return negative ? Buffer.concat([Buffer.from([0]), size.map((byte) => 255 - byte)]) : Buffer.concat([Buffer.from([2]), size]);
}

/** Text as bytes that sort as it does, whatever follows: zero bytes are escaped, and an end is marked. */
function textBytes(text: Buffer): Buffer {
  if (!text.includes(0)) return Buffer.concat([text, Buffer.from([0, 0])]);
  const bytes: number[] = [];
  for (const byte of text) {
    bytes.push(byte);
    if (byte === 0) bytes.push(255);
  }
  return Buffer.from([...bytes, 0, 0]);
}

/** Bytes of which the order is that of the keys by their parts. A key without a part comes before those with it. */
export function sortBytes(parts: readonly KeyPart[], separator: Buffer, key: Buffer): Buffer {
  const lengths = fieldLengths(key, separator);
  const pieces: Buffer[] = [];
  for (const part of parts) {
    const bytes = bytesOf(key, lengths, separator, part);
    const piece =
      bytes === undefined ? Buffer.from([0]) : Buffer.concat([Buffer.from([1]), part.numeric ? numberBytes(bytes) : textBytes(bytes)]);
    pieces.push(part.reverse ? Buffer.from(piece.map((byte) => 255 - byte)) : piece);
  }
  return Buffer.concat(pieces);
}
