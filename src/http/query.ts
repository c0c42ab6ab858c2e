// The query of a request: repeated parameters in order, decoded with leniency.
import { channel } from 'node:diagnostics_channel';

/** Told of every parameter that a route reads, so that tests see whether it is described. */
export const parameterRead = channel('heddle.http.parameter');

/** Parameters of a request's query string. */
export class Query {
  readonly text: string;
  #parameters: URLSearchParams | undefined;
  #credentials: Map<string, string | undefined> | undefined;

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
    return this.text === '' ? undefined : (this.#all.get(name) ?? undefined);
  }

  /**
   * The first value of a parameter that says who calls, on every route alike; it is not among what a route reads. Such parameters end at `;`
   * too, and one that has not even `=` is none: Hadoop's filters read them by URLEncodedUtils (ServletUtils.getParameter).
   */
  credential(name: string): string | undefined {
    // Most queries say nothing of who calls: these are not taken apart.
    if (!this.text.includes(name) && !this.text.includes('%')) return undefined;
    if (!this.#credentials) {
      this.#credentials = new Map();
      for (const part of this.text.split(/[&;]/))
        for (const [found, value] of new URLSearchParams(part))
          if (!this.#credentials.has(found)) this.#credentials.set(found, part.includes('=') ? value : undefined);
    }
    return this.#credentials.get(name);
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
