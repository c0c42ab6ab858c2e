// The texts that an ended application is kept with, ready for lists of others. One that is damaged would spoil the whole list, so each is
// looked at before it first goes into one, and by `heddle doctor --store`.
import type { StoredValue } from '../../storage/store-kind.ts';

/** What is wrong with a text of an application's row; undefined: nothing, or that there is none. */
export function faultOfKeptText(format: 'json' | 'xml', text: StoredValue | undefined, id: StoredValue | undefined): string | undefined {
  if (text === null || text === undefined) return undefined;
  if (typeof text !== 'string') return 'is no text';
  return format === 'json' ? faultOfJson(text, id) : faultOfXml(text, id);
}

function faultOfJson(text: string, id: unknown): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is no JSON';
  }
  if (typeof value !== 'object' || value === null) return 'is no object';
  return (value as { id?: unknown }).id === id ? undefined : 'is not of this application';
}

/** A tag as it is written here (`wire/codec/xml.ts`), or what stands between two: characters of XML 1.0 and references. */
const piece =
  /<(\/?)([A-Za-z_][\w.-]*)(?: [\w:]+="[^"<&>]*")*(\/?)>|(?:[^<>&\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|&(?:amp|lt|gt|quot|apos|#\d{1,7});)+/y;

function faultOfXml(text: string, id: unknown): string | undefined {
  const open: string[] = [];
  let found: string | undefined;
  for (let at = 0; at < text.length; at = piece.lastIndex) {
    piece.lastIndex = at;
    const [whole, closes, name, isEmpty] = piece.exec(text) ?? [];
    if (whole === undefined || (at > 0 && open.length === 0)) return 'is no XML';
    if (name === undefined) {
      if (open.length === 0) return 'is no XML';
      if (open.length === 2 && open[1] === 'id') found ??= whole;
    } else if (closes) {
      if (isEmpty || open.pop() !== name) return 'is no XML';
    } else if (!isEmpty) open.push(name);
  }
  if (open.length > 0 || !/^<app[ />]/.test(text)) return 'is no XML';
  return found === id ? undefined : 'is not of this application';
}

const numbersPerBlock = 1024;

/** Which rows were looked at and found sound, by their numbers; a bit each. */
export class SoundTexts {
  readonly #blocks = new Map<number, Uint8Array>();

  has(number: number): boolean {
    const block = this.#blocks.get(Math.floor(number / numbersPerBlock));
    const bit = number % numbersPerBlock;
    return block !== undefined && (block[bit >> 3]! & (1 << (bit & 7))) !== 0;
  }

  add(number: number): void {
    const at = Math.floor(number / numbersPerBlock);
    const bit = number % numbersPerBlock;
    let block = this.#blocks.get(at);
    if (!block) this.#blocks.set(at, (block = new Uint8Array(numbersPerBlock / 8)));
    block[bit >> 3]! |= 1 << (bit & 7);
  }
}
