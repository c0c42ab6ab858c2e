// Who may look into a server: `/conf`, `/jmx`, `/stacks`, `/logLevel` (HttpServer2.isInstrumentationAccessAllowed, AdminAuthorizedServlet).
// With access lists on they are for administrators, unless `hadoop.security.instrumentation.requires.admin` says otherwise.
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { failure } from '../model/errors.ts';
import type { Call, Route } from './route.ts';

/** Passes who may look into the server. @throws Failure INSTRUMENTATION_REFUSED */
export type InstrumentationGate = (call: Pick<Call, 'user'>) => void;

/** The gate of a server; `listsAreOn`: whether its access lists are, default `yarn.acl.enable`. */
export function instrumentationGate(
  configuration: Configuration,
  isAdministrator: (user: string) => boolean,
  listsAreOn?: boolean,
): InstrumentationGate {
  const { aclEnabled, instrumentationRequiresAdmin } = configuration.values(commonSettings);
  const isGuarded = instrumentationRequiresAdmin ?? listsAreOn ?? aclEnabled;
  return ({ user }) => {
    if (isGuarded && (user === undefined || !isAdministrator(user))) throw failure('INSTRUMENTATION_REFUSED', { user: user ?? 'nobody' });
  };
}

/** Routes that only those reach whom the gate passes. */
export const behind = (gate: InstrumentationGate, routes: readonly Route<never>[]): Route<never>[] =>
  routes.map((route) => ({
    ...route,
    handle: (call: Call<never>) => {
      gate(call);
      return route.handle(call);
    },
  }));
