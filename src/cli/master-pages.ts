// What the masters of applications answer, behind the resource manager's proxy or the one that stands for it (`yarn.web-proxy.address`).
import { HttpClient } from '../client/http.ts';
import { RemoteFailure } from '../client/remote-failure.ts';
import type { ApplicationInfo } from '../wire/cluster/application.ts';
import type { Connection, Credentials } from './connection.ts';

/** Answers of a server that has no proxy. */
const unproxied = new Set([404, 405]);

/** Asks masters. */
export class MasterPages {
  readonly #credentials: Credentials;
  readonly #proxyUrl: string | undefined;
  /** The one that answered last is asked first. */
  #client: HttpClient;

  constructor({ resourceManagerUrl: url, credentials, proxyUrl }: Pick<Connection, 'resourceManagerUrl' | 'credentials' | 'proxyUrl'>) {
    this.#credentials = credentials;
    this.#proxyUrl = proxyUrl;
    this.#client = new HttpClient({ url, ...credentials });
  }

  /** The JSON that the application's master answers below its address. @throws Unreachable, RemoteFailure */
  async json<Value>(
    app: Pick<ApplicationInfo, 'id' | 'trackingUrl'>,
    method: string,
    path: string,
    options: Parameters<HttpClient['json']>[2] = {},
  ): Promise<Value> {
    const address = `/proxy/${app.id}${path}`;
    try {
      return await this.#client.json<Value>(method, address, options);
    } catch (error) {
      // The resource manager may call the proxy by another name of its host than the settings do.
      const url = this.#proxyUrl ?? originOf(app.trackingUrl);
      if (!(error instanceof RemoteFailure && unproxied.has(error.status)) || url === undefined || url === this.#client.url) throw error;
      // Where a master says that its pages are, a proof is not shown.
      const other = new HttpClient({ url, ...(this.#proxyUrl === undefined ? { user: this.#credentials.user } : this.#credentials) });
      const value = await other.json<Value>(method, address, options);
      this.#client = other;
      return value;
    }
  }
}

/** The server of a tracking address that is a proxy's. */
function originOf(trackingUrl: string | undefined): string | undefined {
  if (trackingUrl === undefined || !URL.canParse(trackingUrl)) return undefined;
  const { origin, pathname } = new URL(trackingUrl);
  return pathname.startsWith('/proxy/') ? origin : undefined;
}
