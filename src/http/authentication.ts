// Which authenticator a server gets: by its row of the table below and the settings.
import { join } from 'node:path';
import type { AuthenticationRequest, Authenticator, Identity } from '../auth/authenticator.ts';
import { readOrCreateSecret } from '../auth/secret-file.ts';
import { CookieSigner } from '../auth/signer.ts';
import { simpleAuthenticator } from '../auth/simple.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { timelineSettings } from '../config/settings/timeline.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';

/** The servers that differ in who an unnamed caller is and in what they understand. */
export type ServerKind = 'resourceManager' | 'nodeManager' | 'timeline' | 'history' | 'master' | 'reader' | 'collector';

/** The servers that the settings of the timeline's authentication are for (TimelineAuthenticationFilterInitializer). */
const timelineServers: readonly ServerKind[] = ['timeline', 'reader', 'collector'];

interface Habit {
  /** Whether the static user stands in for unnamed callers. */
  readonly staticUser: boolean;
  readonly cookieType: string | undefined;
  readonly impersonation: boolean;
}

const habits: Readonly<Record<ServerKind, Habit>> = {
  resourceManager: { staticUser: true, cookieType: 'simple-dt', impersonation: true },
  nodeManager: { staticUser: true, cookieType: 'simple', impersonation: false },
  timeline: { staticUser: false, cookieType: 'simple-dt', impersonation: true },
  history: { staticUser: true, cookieType: undefined, impersonation: false },
  master: { staticUser: true, cookieType: undefined, impersonation: false },
  reader: { staticUser: true, cookieType: 'simple', impersonation: false },
  collector: { staticUser: false, cookieType: 'simple-dt', impersonation: true },
};

/** What an authenticator needs besides the settings. */
export interface AuthenticationDependencies {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether `realUser` may act for `target` from that address. Absent: no user may. */
  readonly mayImpersonate?: (realUser: string, target: string, remoteAddress: string) => boolean;
  /** Delegation tokens: see SimpleAuthenticationOptions. */
  readonly tokens?: (request: AuthenticationRequest, named: string | undefined) => Identity | Promise<Identity> | undefined;
}

/** The authenticator of a server under the given settings. */
export function createAuthenticator(
  kind: ServerKind,
  configuration: Configuration,
  dependencies: AuthenticationDependencies,
): Authenticator {
  const settings = configuration.values(commonSettings);
  const initializers = settings.filterInitializers;
  const installed = initializers.some((name) => name.endsWith('.AuthenticationFilterInitializer'));
  const byDefault = initializers.some((name) => name.endsWith('.StaticUserWebFilter'));
  const habit = habits[kind];
  const secretFile = settings.httpAuthenticationSecretFile ?? join(configuration.dataDir, 'secrets', 'http-cookie');
  const signer = new CookieSigner(readOrCreateSecret(secretFile, dependencies.random));
  const { clock, mayImpersonate, tokens } = dependencies;
  const timelineServesAll = !timelineServers.includes(kind) || configuration.values(timelineSettings).httpAnonymousAllowed;
  const cookie = { cookieLifetimeMs: settings.httpAuthenticationTokenValidity, cookieDomain: settings.httpCookieDomain || undefined };
  if (installed) {
    const timeline = kind === 'timeline' || kind === 'collector';
    const anonymousAllowed = settings.httpAnonymousAllowed && timelineServesAll;
    return simpleAuthenticator({
      signer,
      clock,
      ...cookie,
      cookieType: timeline ? 'simple-dt' : 'simple',
      staticUser: undefined,
      anonymousAllowed,
      ...(timeline ? { mayImpersonate, tokens } : {}),
    });
  }
  if (!byDefault && kind === 'resourceManager') {
    // Without any authentication filter the servlet has no principal, whatever the request says.
    return {
      identify: ({ remoteAddress }) => ({
        caller: { user: undefined, principal: undefined, anonymous: true, authentication: undefined, remoteAddress },
      }),
    };
  }
  return simpleAuthenticator({
    signer,
    clock,
    ...cookie,
    cookieType: habit.cookieType,
    staticUser: habit.staticUser && byDefault ? settings.staticUser : undefined,
    anonymousAllowed: timelineServesAll,
    ...(habit.impersonation ? { mayImpersonate: mayImpersonate ?? (() => false) } : {}),
    tokens,
  });
}
