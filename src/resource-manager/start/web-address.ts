// Where the web interface is reached: as it is configured, and once it listens on a free port, there.

/** The base URL of the web interface. */
export class WebAddress {
  #url: string;
  readonly #isFree: boolean;

  /** `configured` is `http://host:port`; port 0: a free one. */
  constructor(configured: string) {
    this.#url = configured;
    this.#isFree = configured.endsWith(':0');
  }

  /** `http://host:port`. */
  get url(): string {
    return this.#url;
  }

  /** With loopback addresses by their name, as Hadoop resolves them. */
  get resolvedUrl(): string {
    return this.#url.replace(/^(https?:\/\/)127\.0\.0\.1(?=:|$)/, '$1localhost');
  }

  /** It listens. */
  listensAt(url: string): void {
    if (this.#isFree) this.#url = url;
  }
}
