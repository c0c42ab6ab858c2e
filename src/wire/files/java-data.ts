// Texts of Java's DataOutput (writeUTF) and the variable-length numbers of TFile, as far as files need them; the numbers of
// WritableUtils have another form and are in `writables.ts`.

/** Modified UTF-8 of DataOutput.writeUTF: U+0000 in two bytes, characters beyond the basic plane as two surrogates. */
function modifiedUtf8(text: string): Buffer {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 1 && code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
    else bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
  }
  return Buffer.from(bytes);
}

const longestUtf = 65_535;

/** DataOutput.writeUTF. @throws RangeError when the text needs more than 65,535 bytes. */
export function writeUtf(text: string): Buffer {
  const bytes = modifiedUtf8(text);
  if (bytes.length > longestUtf) throw new RangeError(`encoded string too long: ${bytes.length} bytes`);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The text of modified UTF-8 bytes; what makes no sense becomes U+FFFD. */
export function fromModifiedUtf8(bytes: Buffer): string {
  const units: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at++]!;
    if (first < 0x80) units.push(first);
    else if (first >> 5 === 0b110 && at < bytes.length) units.push(((first & 0x1f) << 6) | (bytes[at++]! & 0x3f));
    else if (first >> 4 === 0b1110 && at + 1 < bytes.length)
      units.push(((first & 0x0f) << 12) | ((bytes[at++]! & 0x3f) << 6) | (bytes[at++]! & 0x3f));
    else units.push(0xfffd);
  }
  let text = '';
  for (let at = 0; at < units.length; at += 8192) text += String.fromCharCode(...units.slice(at, at + 8192));
  return text;
}

/** The number of bytes a TFile number may take. */
export const longestTfileNumber = 9;

/**
 * TFile's variable-length number (org.apache.hadoop.io.file.tfile.Utils.writeVLong; not WritableUtils' form): one byte up to 127,
 * then two to four bytes whose first carries a marker and the top of the number, then a length byte and the number.
 */
export function writeTfileNumber(value: number): Buffer {
  if (value >= -32 && value < 128) return Buffer.from([value & 0xff]);
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  for (const [width, limit, marker] of [
    [2, 20, -52],
    [3, 16, -88],
    [4, 8, -112],
  ] as const) {
    const top = Math.floor(value / 2 ** (8 * (width - 1)));
    if (top >= -limit && top < limit) return Buffer.concat([Buffer.from([(top + marker) & 0xff]), bytes.subarray(9 - width)]);
  }
  let width = 4;
  while (width < 8 && (value >= 2 ** (8 * width - 1) || value < -(2 ** (8 * width - 1)))) width++;
  return Buffer.concat([Buffer.from([(width - 129) & 0xff]), bytes.subarray(8 - width)]);
}

/** How many bytes follow the first byte (0 to 255) of a TFile number. */
export function tfileNumberTail(first: number): number {
  const signed = first < 128 ? first : first - 256;
  if (signed >= -32) return 0;
  if (signed >= -72) return 1;
  if (signed >= -104) return 2;
  if (signed >= -120) return 3;
  return signed + 129;
}

/** The TFile number of a first byte and the bytes that follow it. */
export function readTfileNumber(first: number, tail: Buffer): number {
  const signed = first < 128 ? first : first - 256;
  if (tail.length === 0) return signed;
  const rest = tail.reduce((sum, byte) => sum * 256 + byte, 0);
  if (signed >= -72) return (signed + 52) * 256 + rest;
  if (signed >= -104) return (signed + 88) * 65_536 + rest;
  if (signed >= -120) return (signed + 112) * 16_777_216 + rest;
  const wide = Buffer.alloc(8, (tail[0]! & 0x80) === 0 ? 0 : 0xff);
  tail.copy(wide, 8 - tail.length);
  return Number(wide.readBigInt64BE());
}
