// HTML by template literals: every value is escaped unless it is HTML already, so that no page can forget it.

/** A piece of HTML. Only `html` and `joined` make it, from literals of the sources and escaped values. */
export class Html {
  /** The markup itself. */
  readonly text: string;

  /** @private Use `html`. */
  constructor(text: string) {
    this.text = text;
  }
}

/** What stands in a template: HTML as it is, text escaped, numbers and booleans as words, lists one after the other, nothing for undefined. */
export type HtmlValue = Html | string | number | bigint | boolean | undefined | readonly HtmlValue[];

const replacements: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => replacements[character]!);

function markup(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (value === undefined) return '';
  if (typeof value === 'object') return value.map(markup).join('');
  return escaped(String(value));
}

/** Tags a template: ``html`<td title="${anything}">${anything}</td>` ``. Attributes must stand in quotes. */
export const html = (literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
  new Html(literals.reduce((text, literal, index) => text + markup(values[index - 1]) + literal));

/** Values one after the other with a text between them, which is escaped too. */
export const joined = (values: readonly HtmlValue[], between: string): Html => new Html(values.map(markup).join(escaped(between)));
