// The text of an XML body by what its declaration says of it, as Java's reader takes it.
import { failure } from '../../model/errors.ts';
import { decodedText } from './text-encoding.ts';

/** Bytes in which a declaration ends. */
const longestDeclaration = 200;
const declaration = /^\s*<\?xml\s+version\s*=\s*(["'])([^"']*)\1(?:\s+encoding\s*=\s*(["'])([^"']*)\3)?/;

/**
 * The text of a document: in the encoding that its declaration names, else in UTF-8.
 * @throws Failure BODY_NOT_PARSABLE for an encoding that is not known, and a version of XML that is not
 */
export function xmlTextOf(bytes: Buffer): string {
  const start = bytes.subarray(0, longestDeclaration).toString('latin1').replace('\u00ef\u00bb\u00bf', '');
  const found = declaration.exec(start);
  if (!found) return bytes.toString('utf8');
  const [, , version, , encoding = 'utf-8'] = found;
  if (version !== '1.0' && version !== '1.1') {
    const sentence = `XML version "${version}" is not supported, only XML 1.0 is supported.`;
    throw failure('BODY_NOT_PARSABLE', {
      detail: `\n - with linked exception:\n[org.xml.sax.SAXParseException; lineNumber: 1; columnNumber: 20; ${sentence}]`,
    });
  }
  return decoded(bytes, encoding);
}

function decoded(bytes: Buffer, encoding: string): string {
  // Bytes beyond ASCII are read, whatever the declaration says of them.
  const text = decodedText(bytes, /^(?:us-)?ascii$/i.test(encoding) ? 'latin1' : encoding);
  if (text === undefined)
    throw failure('BODY_NOT_PARSABLE', { detail: `\n - with linked exception:\n[java.io.UnsupportedEncodingException: ${encoding}]` });
  return text;
}
