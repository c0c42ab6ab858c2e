// What the history server must know of applications that may still run: asked of the resource manager, briefly remembered.

import { HttpClient, type HttpClientOptions } from '../../client/http.ts';
import { RemoteFailure } from '../../client/remote-failure.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { isFinalApplicationState } from '../../model/application-states.ts';
import { applicationIdOfContainer, attemptIdOfContainer } from '../../model/ids.ts';

/** An application as far as its logs are concerned. */
export interface ApplicationState {
  readonly state: string;
  readonly user: string;
}

/** Looks applications and containers up. */
export interface Applications {
  /** Undefined where the resource manager does not know it or does not answer: then it is taken as finished. */
  find(applicationId: string): Promise<ApplicationState | undefined>;
  /** Base URL of the node a container runs on, undefined where no record has it. */
  nodeUrl(containerId: string): Promise<string | undefined>;
}

const base = '/ws/v1/cluster/apps';
const timeoutMs = 5000;
/** States that never change again are remembered this long, so that readers of many logs ask once. */
const rememberedMs = 60_000;
const maximumRemembered = 1000;

/** Asks the resource manager at `url` as `user`. */
export function clusterApplications(options: HttpClientOptions & { readonly clock: Clock; readonly logger: Logger }): Applications {
  const { clock, logger } = options;
  const http = new HttpClient({ ...options, timeoutMs });
  const ended = new BoundedMap<string, { readonly state: ApplicationState; readonly atMs: number }>(maximumRemembered);

  async function ask<Value>(path: string): Promise<Value | undefined> {
    try {
      return await http.json<Value>('GET', path);
    } catch (error) {
      if (!(error instanceof RemoteFailure && error.status === 404))
        logger.debug({ reason: (error as Error).message, path }, 'the resource manager did not say');
      return undefined;
    }
  }

  return {
    async find(applicationId) {
      const known = ended.get(applicationId);
      if (known && clock.steadyMs() - known.atMs < rememberedMs) return known.state;
      const answer = await ask<{ app?: { state?: string; user?: string } }>(`${base}/${encodeURIComponent(applicationId)}`);
      if (!answer?.app?.state) return undefined;
      const state = { state: answer.app.state, user: answer.app.user ?? '' };
      if (isFinalApplicationState(state.state)) {
        ended.set(applicationId, { state, atMs: clock.steadyMs() });
      }
      return state;
    },
    async nodeUrl(containerId) {
      const path = `${base}/${applicationIdOfContainer(containerId)}/appattempts/${attemptIdOfContainer(containerId)}/containers/${encodeURIComponent(containerId)}`;
      // The resource manager writes this record without its root.
      const address = (await ask<{ nodeHttpAddress?: string }>(path))?.nodeHttpAddress;
      if (!address || address === 'N/A') return undefined;
      return /^https?:\/\//.test(address) ? address : `${new URL(options.url).protocol}//${address}`;
    },
  };
}
