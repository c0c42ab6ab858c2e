// The text of an XML body by what its declaration says of it, as Java's reader takes it.
import { isUtf8 } from 'node:buffer';
import { failure } from '../../model/errors.ts';
import { decodedText, isUtf8 as isUtf8Name } from './text-encoding.ts';

/** Bytes in which a declaration ends. */
const longestDeclaration = 200;
const declaration = /^\s*<\?xml\s+version\s*=\s*(["'])([^"']*)\1(?:\s+encoding\s*=\s*(["'])([^"']*)\3)?/;

/**
 * The text of a document: in the encoding that its declaration names, else in UTF-8.
 * @throws Failure BODY_NOT_PARSABLE for an encoding that is not known, and a version of XML that is not
 */
export function xmlTextOf(bytes: Buffer): string {
  const wide = wideEncodings.find(({ begins }) => bytes.subarray(0, begins.length).equals(begins));
  if (wide) return decoded(bytes, wide.encoding).replace(/^\ufeff/, '');
  const start = bytes.subarray(0, longestDeclaration).toString('latin1').replace('\u00ef\u00bb\u00bf', '');
  const found = declaration.exec(start);
  if (!found) return utf8(bytes);
  const [, , version, , encoding = 'utf-8'] = found;
  if (version !== '1.0' && version !== '1.1') {
    const sentence = `XML version "${version}" is not supported, only XML 1.0 is supported.`;
    throw failure('BODY_NOT_PARSABLE', {
      detail: `\n - with linked exception:\n[org.xml.sax.SAXParseException; lineNumber: 1; columnNumber: 20; ${sentence}]`,
    });
  }
  return isUtf8Name(encoding) ? utf8(bytes) : decoded(bytes, encoding);
}

/** How documents of two bytes a character begin: with a mark, or with `<?`. */
const wideEncodings = [
  { begins: Buffer.of(0xff, 0xfe), encoding: 'utf-16le' },
  { begins: Buffer.of(0xfe, 0xff), encoding: 'utf-16be' },
  { begins: Buffer.from('<?', 'utf16le'), encoding: 'utf-16le' },
  { begins: Buffer.of(0, 0x3c, 0, 0x3f), encoding: 'utf-16be' },
] as const;

/** @throws Failure BODY_NOT_PARSABLE for bytes that are none of it, as Java's reader says it */
function utf8(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw failure('BODY_NOT_PARSABLE', {
    detail: `\n - with linked exception:\n[com.sun.org.apache.xerces.internal.impl.io.MalformedByteSequenceException: ${utf8Fault(bytes)}]`,
  });
}

/** The first byte that is none of UTF-8, of a text that has one (UTF8Reader of Xerces). */
function utf8Fault(bytes: Buffer): string {
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at]!;
    const length =
      lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
    if (length === 0) break;
    for (let number = 2; number <= length; number++) {
      const part = bytes[at + number - 1];
      if (part === undefined) return `Expected byte ${number} of ${length}-byte UTF-8 sequence.`;
      // Second bytes that would make a shorter sequence do, a surrogate, or what is beyond Unicode.
      const isSecond = number === 2;
      const least = isSecond && lead === 0xe0 ? 0xa0 : isSecond && lead === 0xf0 ? 0x90 : 0x80;
      const most = isSecond && lead === 0xed ? 0x9f : isSecond && lead === 0xf4 ? 0x8f : 0xbf;
      if (part < least || part > most) return `Invalid byte ${number} of ${length}-byte UTF-8 sequence.`;
    }
    at += length;
  }
  return 'Invalid byte 1 of 1-byte UTF-8 sequence.';
}

function decoded(bytes: Buffer, encoding: string): string {
  // Bytes beyond ASCII are read, whatever the declaration says of them.
  const text = decodedText(bytes, /^(?:us-)?ascii$/i.test(encoding) ? 'latin1' : encoding);
  if (text === undefined)
    throw failure('BODY_NOT_PARSABLE', { detail: `\n - with linked exception:\n[java.io.UnsupportedEncodingException: ${encoding}]` });
  return text;
}
