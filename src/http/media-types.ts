// Media types in Accept and Content-Type, by the grammar of Jersey 1 (HttpHeaderReader): what it cannot read, it refuses.

/** A type that is accepted; `quality` in thousandths. */
export interface AcceptedType {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
}

const token = /[!#$%&'*+\-.^_`|~\w]+/y;
const quoted = /"(?:[^"\\]|\\.)*"/y;
const blanks = /[ \t]*/y;
const longestQuality = 5;

/** Reads one header from the left. */
class HeaderText {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return found;
  }

  get isAtEnd(): boolean {
    this.#take(blanks);
    return this.#at >= this.#text.length;
  }

  /** Whether the next character is this one; it is then behind. */
  passes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  token(): string | undefined {
    return this.#take(token);
  }

  value(): string | undefined {
    return this.#take(quoted) ?? this.#take(token);
  }

  skipBlanks(): void {
    this.#take(blanks);
  }
}

/** `0.5` in thousandths; undefined for what is no number from 0 to 1 with at most three decimals. */
function qualityOf(text: string): number | undefined {
  if (text.length > longestQuality || !/^(?:[01](?:\.\d*)?|\.\d+)$/.test(text)) return undefined;
  const quality = Math.round(Number(text) * 1000);
  return quality > 1000 ? undefined : quality;
}

/** One type with its parameters, up to a comma or the end; undefined where it cannot be read. */
function readType(header: HeaderText, needsSubtype: boolean): AcceptedType | undefined {
  header.skipBlanks();
  const type = header.token()?.toLowerCase();
  if (type === undefined) return undefined;
  let subtype: string | undefined = '*';
  if (header.passes('/')) subtype = header.token()?.toLowerCase();
  else if (needsSubtype) return undefined;
  if (subtype === undefined) return undefined;
  let quality: number | undefined = 1000;
  for (;;) {
    header.skipBlanks();
    if (!header.passes(';')) break;
    header.skipBlanks();
    const name = header.token()?.toLowerCase();
    if (name === undefined) continue;
    const value = header.passes('=') ? header.value() : undefined;
    if (value === undefined) return undefined;
    if (name === 'q') quality = qualityOf(value);
    if (quality === undefined) return undefined;
  }
  return { type, subtype, quality };
}

function readAccept(accept: string): readonly AcceptedType[] | undefined {
  const header = new HeaderText(accept);
  const types: AcceptedType[] = [];
  while (!header.isAtEnd) {
    const found = readType(header, false);
    if (found === undefined) return undefined;
    types.push(found);
    if (!header.isAtEnd && !header.passes(',')) return undefined;
  }
  const vagueness = ({ type, subtype }: AcceptedType) => (type === '*' ? 2 : subtype === '*' ? 1 : 0);
  return types.sort((a, b) => b.quality - a.quality || vagueness(a) - vagueness(b));
}

/** What nearly all requests say is read once, and not with each of them. */
const usual = new Map(['*/*', 'application/json', 'application/xml'].map((type) => [type, readAccept(type)]));

/** The types of Accept, the best first: by quality, then the more precise, then in the client's order. Undefined where they cannot be read. */
export const parseAccept = (accept: string): readonly AcceptedType[] | undefined => usual.get(accept) ?? readAccept(accept);

/** Whether Content-Type can be read. */
export function isMediaType(text: string): boolean {
  if (usual.has(text)) return true;
  const header = new HeaderText(text);
  return readType(header, true) !== undefined && header.isAtEnd;
}
