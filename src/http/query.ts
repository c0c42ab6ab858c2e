// The query of a request: repeated parameters in order, decoded with leniency.

/** Parameters of a request's query string. */
export class Query {
  readonly text: string;
  #parameters: URLSearchParams | undefined;

  /** `text`: the query without `?`. */
  constructor(text: string) {
    this.text = text;
  }

  get #all(): URLSearchParams {
    this.#parameters ??= new URLSearchParams(this.text);
    return this.#parameters;
  }

  /** The first value, or undefined. */
  first(name: string): string | undefined {
    return this.text === '' ? undefined : (this.#all.get(name) ?? undefined);
  }

  /** Every value, in order. */
  all(name: string): string[] {
    return this.text === '' ? [] : this.#all.getAll(name);
  }

  has(name: string): boolean {
    return this.text !== '' && this.#all.has(name);
  }

  /** All pairs, in order. */
  entries(): [string, string][] {
    return this.text === '' ? [] : [...this.#all];
  }
}
