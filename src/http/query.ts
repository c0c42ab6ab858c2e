// The query of a request: repeated parameters in order, decoded with leniency.
import { channel } from 'node:diagnostics_channel';

/** Told of every parameter that a route reads, so that tests see whether it is described. */
export const parameterRead = channel('heddle.http.parameter');

/** Parameters of a request's query string. */
export class Query {
  readonly text: string;
  #parameters: URLSearchParams | undefined;

  readonly #path: string;

  /** `text`: the query without `?`; `path`: of the route that reads it, where there is one. */
  constructor(text: string, path = '') {
    this.text = text;
    this.#path = path;
  }

  #tell(name: string): void {
    if (this.#path !== '' && parameterRead.hasSubscribers) parameterRead.publish({ path: this.#path, name });
  }

  get #all(): URLSearchParams {
    this.#parameters ??= new URLSearchParams(this.text);
    return this.#parameters;
  }

  /** The first value, or undefined. */
  first(name: string): string | undefined {
    this.#tell(name);
    return this.#value(name);
  }

  /** The first value of a parameter that says who calls, on every route alike; it is not among what a route reads. */
  credential(name: string): string | undefined {
    const value = this.#value(name);
    return value === '' && this.#isWithoutValue(name) ? undefined : value;
  }

  #value(name: string): string | undefined {
    return this.text === '' ? undefined : (this.#all.get(name) ?? undefined);
  }

  /** Whether the first parameter of that name has not even `=`: Hadoop's filters (ServletUtils) take none there, its resources an empty text. */
  #isWithoutValue(name: string): boolean {
    const part = this.text.split('&').find((text) => new URLSearchParams(text).has(name));
    return part !== undefined && !part.includes('=');
  }

  /** Every value, in order. */
  all(name: string): string[] {
    this.#tell(name);
    return this.text === '' ? [] : this.#all.getAll(name);
  }

  has(name: string): boolean {
    this.#tell(name);
    return this.text !== '' && this.#all.has(name);
  }

  /** The query for an address on another server, with its `?`; delegation tokens are for this server alone and stay behind. */
  get passedOn(): string {
    const parts = this.text.split('&').filter((part) => part !== '' && new URLSearchParams(part).keys().next().value !== 'delegation');
    return parts.length === 0 ? '' : `?${parts.join('&')}`;
  }

  /** All pairs, in order. */
  entries(): [string, string][] {
    return this.text === '' ? [] : [...this.#all];
  }
}
