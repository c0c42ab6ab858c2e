// Where the proxy on a host of its own learns of applications: the resource manager, and application history for those it forgot.
import { Agent, request } from 'undici';
import { type Authorize, sendProven } from '../client/credentials.ts';
import { parseAddress } from '../config/values.ts';
import type { ProxiedApplication } from '../http/proxied-application.ts';
import type { Logger } from '../lib/log.ts';
import { isFinalApplicationState } from '../model/application-states.ts';

/** What the look-up needs. Base URLs without a slash at the end. */
export interface ReportSources {
  readonly resourceManagerUrl: string;
  /** Undefined where no application history is kept. */
  readonly historyUrl: string | undefined;
  /** The name the proxy gives itself; must be an administrator where access lists are on. */
  readonly user: string;
  /** Proves who asks; absent: the name alone. */
  readonly authorize?: Authorize | undefined;
  readonly logger: Logger;
}

interface ApplicationReport {
  readonly user?: string;
  readonly queue?: string;
  readonly state?: string;
  readonly appState?: string;
  readonly originalTrackingUrl?: string;
  /** Web address of the node of its master. */
  readonly amHostHttpAddress?: string;
}

const patienceMs = 10_000;

const hostsOf = (address: string | undefined): string[] => [parseAddress(address ?? '', 0)?.host ?? []].flat();

/** Looks applications up over HTTP; `close` frees its connections. */
export class ReportLookUp {
  readonly #sources: ReportSources;
  readonly #agent = new Agent({ headersTimeout: patienceMs, bodyTimeout: patienceMs });

  constructor(sources: ReportSources) {
    this.#sources = sources;
  }

  /** The report of an application, or undefined where it is unknown. Rejects when the resource manager does not answer. */
  async find(applicationId: string): Promise<ProxiedApplication | undefined> {
    const { resourceManagerUrl, historyUrl } = this.#sources;
    const path = `/ws/v1/cluster/apps/${applicationId}`;
    const found = await this.#get<{ app?: ApplicationReport }>(resourceManagerUrl + path);
    if (found?.app) {
      return {
        user: found.app.user ?? '',
        queue: found.app.queue,
        ended: isFinalApplicationState(found.app.state),
        originalTrackingUrl: await this.#trackingUrl(resourceManagerUrl + path),
        page: `${resourceManagerUrl}/cluster/app/${applicationId}`,
        hosts: hostsOf(found.app.amHostHttpAddress),
      };
    }
    if (historyUrl === undefined) return undefined;
    const old = await this.#get<ApplicationReport>(`${historyUrl}/ws/v1/applicationhistory/apps/${applicationId}`).catch(
      (error: unknown) => {
        this.#sources.logger.warn({ err: error, applicationId }, 'the application history did not answer');
        return undefined;
      },
    );
    return (
      old && {
        user: old.user ?? '',
        queue: old.queue,
        ended: true,
        originalTrackingUrl: old.originalTrackingUrl,
        page: `${historyUrl}/applicationhistory/app/${applicationId}`,
        hosts: [],
      }
    );
  }

  async #trackingUrl(url: string): Promise<string | undefined> {
    const list = await this.#get<{ appAttempts?: { appAttempt?: { appAttemptId: string }[] } }>(`${url}/appattempts`);
    const last = list?.appAttempts?.appAttempt?.at(-1);
    if (!last) return undefined;
    return (await this.#get<ApplicationReport>(`${url}/appattempts/${last.appAttemptId}`))?.originalTrackingUrl;
  }

  async #get<T>(url: string): Promise<T | undefined> {
    const address = new URL(`${url}?user.name=${encodeURIComponent(this.#sources.user)}`);
    const response = await sendProven(
      { method: 'GET', url: address, authorize: this.#sources.authorize },
      (proof) => request(address, { dispatcher: this.#agent, headers: { accept: 'application/json', ...proof } }),
      ({ statusCode, headers, body }) => ({ status: statusCode, challenge: headers['www-authenticate'], discard: () => body.dump() }),
    );
    // 400: the proxy reads ids more leniently than the interface, which says that such an id names nothing.
    if (response.statusCode === 404 || response.statusCode === 400) {
      await response.body.dump();
      return undefined;
    }
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new Error(`${url} answered ${response.statusCode}`);
    }
    return (await response.body.json()) as T;
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}
