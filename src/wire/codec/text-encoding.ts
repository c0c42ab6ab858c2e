// Texts in other encodings than UTF-8.

const latin1 = /^(?:iso[-_]?8859[-_]1|latin-?1|l1)$/i;
const ascii = /^(?:us-)?ascii$/i;
const marked16 = /^utf-?16$/i;
const big16 = /^utf-?16(?:be)?$/i;

/** Code pages of IBM that Java has beside those of the web: nobody writes JSON here by them, and XML says itself how it is written. */
const codePages = new Set(
  '37 273 277 278 280 284 285 290 297 300 420 424 437 500 737 775 833 834 838 850 852 855 856 857 858 860 861 862 863 864 865 866 868 869 870 871 874 875 918 921 922 930 933 935 937 939 942 943 948 949 950 964 970 1006 1025 1026 1046 1047 1097 1098 1112 1122 1123 1124 1129 1140 1141 1142 1143 1144 1145 1146 1147 1148 1149 1166 1364 1381 1383 33722'.split(
    ' ',
  ),
);

/** Whether the name is that of a code page of IBM. */
export const isCodePage = (encoding: string): boolean => {
  const [, number] = /^(?:x-)?(?:ibm|cp|ccsid)[-_]?(\d+)$/i.exec(encoding) ?? [];
  return number !== undefined && codePages.has(String(Number(number)));
};

/** Whether a name of an encoding is UTF-8's. */
export const isUtf8 = (encoding: string): boolean => /^utf-?8$/i.test(encoding);

/** Bytes as text by the name of their encoding; undefined where nobody knows it. Java's rules where the web's are others. */
export function decodedText(bytes: Buffer, encoding: string): string | undefined {
  if (isUtf8(encoding)) return bytes.toString('utf8');
  // The web's decoder takes both for a code page of Windows.
  if (latin1.test(encoding)) return bytes.toString('latin1');
  if (ascii.test(encoding)) return bytes.toString('latin1').replace(/[\u0080-\u00ff]/g, '\ufffd');
  try {
    return new TextDecoder(nameFor(bytes, encoding), { ignoreBOM: !marked16.test(encoding) }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Of UTF-16 the mark at its start tells the order of bytes, else the higher comes first. */
const nameFor = (bytes: Buffer, encoding: string): string =>
  big16.test(encoding) && !(marked16.test(encoding) && bytes[0] === 0xff && bytes[1] === 0xfe) ? 'utf-16be' : encoding;

/** The encoding that a content type names; UTF-8 where it names none. */
export function charsetOf(contentType: string): string {
  let charset = 'utf-8';
  for (const [, quoted, plain] of contentType.matchAll(/;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/gi)) charset = quoted ?? plain ?? charset;
  return charset === '' ? 'utf-8' : charset;
}
