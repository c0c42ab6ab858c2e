// What no XML document may have: characters that XML does not know, and references to nothing (XML 1.0, sections 2.2 and 4.1). The parser
// would let them through as text.

/** A fault: where the reader stands when it meets it, and its sentence (those of Xerces, which Java's readers are). */
export interface XmlFault {
  readonly offset: number;
  readonly sentence: string;
}

const predefined: ReadonlySet<string> = new Set(['lt', 'gt', 'amp', 'quot', 'apos']);
/** Parts in which `&` stands for itself, by their beginnings. */
const literal = [
  { begin: '<![CDATA[', end: ']]>' },
  { begin: '<!--', end: '-->' },
  { begin: '<?', end: '?>' },
] as const;

/** Whether a code point is a character of XML documents. */
const isCharacter = (code: number): boolean =>
  code === 0x9 ||
  code === 0xa ||
  code === 0xd ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  (code >= 0x10000 && code <= 0x10ffff);

const foreign =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** The first fault of a document; undefined where there is none. */
export function faultOfReferences(text: string): XmlFault | undefined {
  const at = foreign.exec(text)?.index;
  const character = at === undefined ? undefined : foreignCharacter(text, at);
  const reference = faultOfFirstReference(text);
  if (!character || !reference) return character ?? reference;
  return character.offset < reference.offset ? character : reference;
}

const foreignCharacter = (text: string, offset: number): XmlFault => ({
  offset,
  sentence: `An invalid XML character (Unicode: 0x${text.charCodeAt(offset).toString(16)}) was found in the element content of the document.`,
});

function faultOfFirstReference(text: string): XmlFault | undefined {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3c) {
      const part = literal.find(({ begin }) => text.startsWith(begin, at));
      const end = part ? text.indexOf(part.end, at + part.begin.length) : at;
      // A part that does not end is for the parser to refuse.
      if (end < 0) return undefined;
      at = end;
    } else if (code === 0x26) {
      const fault = faultOfReference(text, at);
      if (fault) return fault;
    }
  }
  return undefined;
}

const numeric = /&#(?:x([0-9A-Fa-f]+)|([0-9]+));/y;
const named = /&([A-Za-z_:][\w:.-]*)(;?)/y;

function faultOfReference(text: string, at: number): XmlFault | undefined {
  numeric.lastIndex = at;
  const number = numeric.exec(text);
  if (number) {
    const code = number[1] === undefined ? Number.parseInt(number[2] ?? '', 10) : Number.parseInt(number[1], 16);
    const sentence = `Character reference "${number[0].slice(0, -1)}" is an invalid XML character.`;
    return isCharacter(code) ? undefined : { offset: at + number[0].length, sentence };
  }
  named.lastIndex = at;
  const name = named.exec(text);
  if (!name) return { offset: at + 1, sentence: "The entity name must immediately follow the '&' in the entity reference." };
  const [whole, entity = '', delimiter] = name;
  const offset = at + whole.length;
  if (delimiter === '') return { offset, sentence: `The reference to entity "${entity}" must end with the ';' delimiter.` };
  return predefined.has(entity) ? undefined : { offset, sentence: `The entity "${entity}" was referenced, but not declared.` };
}
