// What the pages know of their server and of who looks at them.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getJson, setCrossSiteHeader } from './http.ts';

/** Servers that have these pages. */
export type Role = 'resource-manager' | 'node-manager' | 'timeline' | 'reader' | 'collector' | 'history' | 'proxy';

/** `/ui/frame.json`. */
export interface FrameFacts {
  readonly role: Role;
  readonly version: string;
  readonly signIn: {
    readonly name: boolean;
    readonly kerberos: boolean;
    readonly token: boolean;
    readonly oidc?: { readonly issuer: string; readonly path: string; readonly outPath: string };
  };
  readonly crossSiteHeader: string;
}

/** `/ui/caller.json`. */
export interface CallerFacts {
  readonly user?: string;
  readonly isNamed: boolean;
  readonly provedBy?: string;
  readonly scope?: string;
  readonly isAdministrator: boolean;
  readonly accessLists: boolean;
  readonly servers: Readonly<Partial<Record<Role, string>>>;
}

export const frameQuery = queryOptions({
  queryKey: ['frame'],
  queryFn: async ({ signal }) => {
    const facts = await getJson<FrameFacts>('ui/frame.json', signal);
    setCrossSiteHeader(facts.crossSiteHeader);
    return facts;
  },
  staleTime: Number.POSITIVE_INFINITY,
  refetchInterval: false,
});

/** How soon who looks is asked for again where that was known and is not any more, ms. */
const againMs = 4000;

export const callerQuery = queryOptions({
  queryKey: ['caller'],
  queryFn: ({ signal }) => getJson<CallerFacts>('ui/caller.json', signal),
  staleTime: 60_000,
  // Whose session has ended may begin another in another window.
  refetchInterval: ({ state }) => (state.data !== undefined && state.error ? againMs : false),
  retry: false,
});

/** Who looks; undefined until it is known, and where the server does not know them. */
export const useCaller = (): CallerFacts | undefined => useQuery(callerQuery).data;
