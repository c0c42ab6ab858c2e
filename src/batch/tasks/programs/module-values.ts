// What goes between a module and the framework: strings on its side, bytes on the other.
import type { EmitText } from '../../index.ts';
import type { EmitRecord } from '../map-output.ts';
import type { Groups } from '../merge.ts';
import type { ModuleCalls } from './module-calls.ts';

/** Texts of at most so many characters are written one by one: a call into native code takes longer. */
const shortText = 24;
/** A character of a string takes at most so many bytes of UTF-8. */
const bytesPerCharacter = 3;
/** Of larger records the bytes are counted first: the room they might take would be several times as much. */
const largeRecord = 1 << 20;

/** Writes text as UTF-8; answers where it ends. */
function writeText(target: Buffer, text: string, at: number): number {
  if (text.length <= shortText) {
    let i = 0;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) break;
      target[at + i] = code;
    }
    if (i === text.length) return at + i;
  }
  return at + target.write(text, at, 'utf8');
}

/** A key or value as text. @throws TypeError where it has none of its own */
function emittedText(part: 'key' | 'value', emitted: unknown): string {
  if (typeof emitted === 'string') return emitted;
  if (typeof emitted === 'number' || typeof emitted === 'bigint' || typeof emitted === 'boolean') return String(emitted);
  const kind = emitted === null || emitted === undefined ? String(emitted) : emitted === Object(emitted) ? 'an object' : 'a symbol';
  throw new TypeError(`emit got ${kind} as ${part}: give a text or a number (JSON.stringify makes a text of an object)`);
}

/** Turns emitted strings into bytes, in one buffer for all: whoever takes a record copies it. */
export function emitter(collect: EmitRecord, calls: ModuleCalls): EmitText {
  let bytes = Buffer.allocUnsafeSlow(1 << 12);
  return (key, value) => {
    if (calls.open === 0) calls.refuse();
    const keyText = emittedText('key', key);
    const text = emittedText('value', value);
    const room = (keyText.length + text.length) * bytesPerCharacter;
    if (room > bytes.length)
      bytes = Buffer.allocUnsafeSlow(room > largeRecord ? Buffer.byteLength(keyText) + Buffer.byteLength(text) : room * 2);
    const keyEnd = writeText(bytes, keyText, 0);
    collect(bytes, 0, keyEnd, bytes, keyEnd, writeText(bytes, text, keyEnd));
  };
}

const singleCharacters = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code));

/** UTF-8 as text. */
export function textOf(buffer: Buffer, start: number, end: number): string {
  return (end - start === 1 ? singleCharacters[buffer[start]!] : undefined) ?? buffer.toString('utf8', start, end);
}

/** The values of the group that `groups` has come to. */
export class GroupValues extends Iterator<string> {
  readonly #groups: Groups;
  #isWalked = false;
  /** The call that got them is over. */
  isOver = false;

  constructor(groups: Groups) {
    super();
    this.#groups = groups;
  }

  /** @throws TypeError where they have been walked already: nothing would come */
  override [Symbol.iterator](): this {
    if (this.#isWalked) throw new TypeError('the values of a key can be walked once: [...values] keeps them in a list');
    return this;
  }

  override next(): IteratorResult<string, undefined> {
    const groups = this.#groups;
    if (this.isOver) throw new TypeError('the values of a key were read after the call that got them had returned');
    if (!this.#isWalked && groups.nextValue()) {
      const { buffer, valueStart, valueEnd } = groups.cursor;
      return { done: false, value: textOf(buffer, valueStart, valueEnd) };
    }
    this.#isWalked = true;
    return { done: true, value: undefined };
  }

  override return(): IteratorResult<string, undefined> {
    this.#isWalked = true;
    return { done: true, value: undefined };
  }
}
