// What a put changes of what entities are looked up by: their other info, which each view of them shows.
import type { JsonValue } from '../../wire/timeline/entity.ts';
import type { PutParts, ViewParts } from './view-document.ts';

/** What a put changes of the other info of an entity, in whichever of its views. */
export class InfoChanges {
  /** Values that a view showed before, as they were written. */
  readonly former = new Map<string, Set<string>>();
  readonly changed = new Map<string, JsonValue>();
  readonly #put: readonly { readonly name: string; readonly value: JsonValue; readonly text: string }[];
  readonly #cleared: ReadonlySet<string>;

  constructor({ info, cleared }: PutParts) {
    this.#put = info.map(([name, value]) => ({ name, value, text: JSON.stringify(value) }));
    this.#cleared = cleared;
  }

  /** It is put into a view; `before` gives what that shows of a name, as it is written. */
  into(before: (name: string) => string | undefined): void {
    for (const { name, value, text } of this.#put) {
      const known = before(name);
      if (known === text) continue;
      this.changed.set(name, value);
      this.#showed(name, known);
    }
    for (const name of this.#cleared) this.#showed(name, before(name));
  }

  /** What views showed before and none of these shows now; `shown` is the other info of each, as it is. */
  *gone(shown: readonly ViewParts['info'][]): Generator<readonly [name: string, text: string]> {
    const left = new Map<string, Set<string>>();
    for (const info of shown) for (const [name, value] of info) if (this.former.has(name)) noted(left, name, JSON.stringify(value));
    for (const [name, texts] of this.former) for (const text of texts) if (!left.get(name)?.has(text)) yield [name, text];
  }

  #showed(name: string, text: string | undefined): void {
    if (text !== undefined) noted(this.former, name, text);
  }
}

function noted(texts: Map<string, Set<string>>, name: string, text: string): void {
  const known = texts.get(name);
  if (known) known.add(text);
  else texts.set(name, new Set([text]));
}
