// Characters and names of XML (XML 1.0, sections 2.2 and 2.3; names without colons: Namespaces in XML, section 3).

/** Whether a code point is a character of XML documents. */
export const isCharacter = (code: number): boolean =>
  code === 0x9 ||
  code === 0xa ||
  code === 0xd ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  (code >= 0x10000 && code <= 0x10ffff);

/** What is no character of XML, as part of an expression over UTF-16. */
export const foreign =
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]';

const begins =
  'A-Z_a-z\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}';
const goesOn = `${begins}\\-.0-9\\u{b7}\\u{300}-\\u{36f}\\u{203f}\\u{2040}`;

/** A name, colons among it, at the place where it is looked for. */
export const name = new RegExp(`[:${begins}][:${goesOn}]*`, 'uy');
/** A name of a namespace, with its prefix where it has one; a colon at its beginning is a letter to Java's reader. */
export const qualifiedName = new RegExp(`([:${begins}][${goesOn}]*)(?:(:)([${begins}][${goesOn}]*)?)?`, 'uy');
