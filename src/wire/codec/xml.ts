// XML of a described value, as JAXB writes it for Hadoop 3.4.
import type { Member, RecordDescription, WireMember } from './describe.ts';
import { pairsOf } from './json.ts';
import { doubleText, floatText, longText } from './numbers.ts';

/** `isDeclared`: an element around this one declares the prefix `xsi`; as JAXB does, it is declared once. */
type Writer = (name: string, value: never, isDeclared: boolean) => string;
type AnyWriter = (name: string, value: unknown, isDeclared: boolean) => string;

/** What every document begins with. */
export const xmlPrologue = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const instanceNamespace = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const compiled = new WeakMap<WireMember, Writer>();

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** Text made safe between tags. Characters that XML 1.0 forbids become U+FFFD, so that every answer can be parsed. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => escapes[character]!).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd');
}

/** The XML document of a record's value. */
export function writeXml<T>(record: RecordDescription<T>, value: T): string {
  const element = xmlOf(record.wire)(record.root, value as never, false);
  return (
    xmlPrologue + (record.xmlAttributes ? element.replace(`<${record.root}`, () => rootTag(record as RecordDescription<never>)) : element)
  );
}

/** Where a document begins: all but the end of its root's first tag. */
const rootTag = ({ root, xmlAttributes }: RecordDescription<never>): string => (xmlAttributes ? `<${root} ${xmlAttributes}` : `<${root}`);

/** What stands around the content of a document that has some. */
export const xmlRoot = (record: RecordDescription<never>): { readonly open: string; readonly close: string } => ({
  open: `${xmlPrologue}${rootTag(record)}>`,
  close: `</${record.root}>`,
});

/** One element, for fragments that are joined later. */
export function writeXmlElement<T>(name: string, member: Member<T>, value: T): string {
  return xmlOf(member.wire)(name, value as never, false);
}

/** A document around elements that are already written. */
export function xmlDocument(root: string, content: string): string {
  return content === '' ? `${xmlPrologue}<${root}/>` : `${xmlPrologue}<${root}>${content}</${root}>`;
}

/** What writes elements of a member. */
export function xmlOf(member: WireMember): Writer {
  const known = compiled.get(member);
  if (known) return known;
  const writer = compile(member);
  compiled.set(member, writer);
  return writer;
}

/** One pair of a map whose values are `element`. */
export function xmlEntry(element: WireMember, [key, item]: readonly [string, unknown], isDeclared: boolean): string {
  const value = item === undefined || item === null ? '' : (xmlOf(element) as AnyWriter)('value', item, isDeclared);
  return `<entry><key>${escapeXml(key)}</key>${value}</entry>`;
}

const leaf =
  <T>(write: (value: T) => string): ((name: string, value: T) => string) =>
  (name, value) =>
    `<${name}>${write(value)}</${name}>`;

function compile(member: WireMember): Writer {
  switch (member.kind) {
    case 'text':
      return leaf((value: unknown) => escapeXml(String(value)));
    case 'any':
      return leaf((value: unknown) => escapeXml(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')));
    case 'int':
    case 'long':
      return leaf(longText);
    case 'float':
      return leaf(floatText);
    case 'double':
      return leaf(doubleText);
    case 'boolean':
      return leaf((value: boolean) => (value ? 'true' : 'false'));
    case 'list': {
      const element = member.element!.wire;
      return (name, values: readonly unknown[], isDeclared) => {
        const write = xmlOf(element) as AnyWriter;
        let text = '';
        for (const value of values) text += write(name, value, isDeclared);
        return text;
      };
    }
    case 'map': {
      const element = member.element!.wire;
      return (name, value: unknown, isDeclared) => {
        const entries = pairsOf(value).map((pair) => xmlEntry(element, pair, isDeclared));
        return entries.length ? `<${name}>${entries.join('')}</${name}>` : `<${name}/>`;
      };
    }
    case 'holder':
    case 'object':
      return compileObject(member);
  }
}

function compileObject(member: WireMember): Writer {
  if (member.choose) {
    const choose = member.choose;
    return (name, value, isDeclared) => xmlOf(choose(value))(name, value, isDeclared);
  }
  const holds = member.kind === 'holder';
  const isTyped = member.typeName !== undefined;
  const type = isTyped ? ` xsi:type="${member.typeName}"` : '';
  const declaredType = isTyped ? ` ${instanceNamespace}${type}` : '';
  const fields = member.fields ?? [];
  return (name, value: unknown, isDeclared) => {
    const attributes = isDeclared ? type : declaredType;
    let content = '';
    for (const field of fields) {
      const item = holds ? value : (value as Record<string, unknown>)[field.name];
      if (item !== undefined && item !== null) content += (xmlOf(field.member) as AnyWriter)(field.name, item, isDeclared || isTyped);
    }
    return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
  };
}
