// The frame of every page on every server: where one is, where one can go, who looks, whether the page is live.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { otherServer, pagesPath, serverAddress } from '../api/base.ts';
import { type CallerFacts, callerQuery, type FrameFacts, frameQuery, type Role } from '../api/frame.ts';
import { ApiFailure } from '../api/http.ts';
import { followEvents } from '../api/live.ts';
import { liveState, onLiveState } from '../api/live-state.ts';
import { onPresence, onUnknownCaller, serverIsAway } from '../api/presence.ts';
import { staleReason } from '../api/query-client.ts';
import { plainPage } from '../format/plain-page.ts';
import icon from '../icon.svg';
import { Notes } from '../parts/dialog.tsx';
import { SignInLink } from '../parts/sign-in-link.tsx';
import { groups, inNavigation, type PageEntry, pageAt } from './pages.ts';
import { Shortcuts } from './shortcuts.tsx';
import { chooseTheme, chosenTheme, type Theme } from './theme.ts';

const roleTitles: Readonly<Record<Role, string>> = {
  'resource-manager': 'Resource manager',
  'node-manager': 'Node',
  timeline: 'Timeline',
  reader: 'Timeline reader',
  collector: 'Timeline collector',
  history: 'Job history',
  proxy: 'Web proxy',
};

/** Frame and page. */
export function Frame() {
  const { data: frame, error } = useQuery(frameQuery);
  const { data: caller, error: callerError } = useQuery(callerQuery);
  const isAway = useSyncExternalStore(onPresence, serverIsAway);
  const stale = useStaleReason();
  const [isOpen, setOpen] = useState(false);
  const [isGoing, setGoing] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isUnknown = isUnknownCaller(callerError);
  const isSigningIn = path.endsWith('/sign-in');
  const plain = frame && plainPage(frame.role, path);
  useEvents(frame?.role === 'resource-manager' && caller !== undefined && !isUnknown);
  useEndOfSession(isUnknown);
  useTitle(path);
  useEffect(() => setOpen(false), [path]);
  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="bar">
        <button type="button" className="ghost menu" aria-expanded={isOpen} aria-controls="navigation" onClick={() => setOpen(!isOpen)}>
          Menu
        </button>
        <Link to="/" className="brand">
          <img src={icon} alt="" width="22" height="22" />
          Heddle
        </Link>
        <span className="role">{frame ? roleTitles[frame.role] : ''}</span>
        <span className="space" />
        {frame && !isUnknown && (
          <button
            type="button"
            className="small go-to"
            onClick={() => setGoing(true)}
            title="Go to a page, or to anything by its name or id"
            aria-keyshortcuts="Control+K Meta+K"
          >
            <svg className="shape" viewBox="0 0 12 12" aria-hidden="true">
              <path
                d="M5 1.200a3.800 3.800 0 1 0 0 7.600 3.800 3.800 0 0 0 0-7.600zM8 8l3 3"
                fill="none"
                stroke="currentColor"
                strokeWidth="1.600"
              />
            </svg>
            <span className="wide">
              Go to … <kbd>Ctrl K</kbd>
            </span>
          </button>
        )}
        {frame?.role === 'resource-manager' && <Liveness />}
        <ThemeChoice />
        <Who frame={frame} caller={caller} isUnknown={isUnknown} />
      </header>
      <nav id="navigation" className={isOpen ? 'open' : ''} aria-label="Pages">
        {frame && <Navigation role={frame.role} path={path} />}
        {caller && frame && <Servers caller={caller} role={frame.role} />}
        <p className="foot">
          {plain !== undefined && (
            <>
              <a href={serverAddress(plain)}>Plain page</a>
              <br />
            </>
          )}
          Heddle {frame?.version} · press <kbd>?</kbd> for keys
        </p>
      </nav>
      <main id="main" tabIndex={-1}>
        {(isAway || error) && (
          <div className="problem" role="alert">
            <strong>The server does not answer.</strong> It may be restarting, or the network is down. This page asks again by itself; what
            it shows may be old.
          </div>
        )}
        {!isAway && stale !== undefined && (
          <div className="problem" role="alert">
            <strong>What this page shows may be old.</strong> {stale} It asks again by itself.
          </div>
        )}
        {isUnknown && !isSigningIn && <Unknown wasKnown={caller !== undefined} />}
        <HeadInPlace path={path} />
        {(!isUnknown || isSigningIn || caller) && frame && <Outlet />}
      </main>
      <Notes />
      <Shortcuts isGoing={isGoing} go={setGoing} />
    </div>
  );
}

function useEvents(isWanted: boolean): void {
  const client = useQueryClient();
  useEffect(() => (isWanted ? followEvents(client) : undefined), [client, isWanted]);
}

function useStaleReason(): string | undefined {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  return useSyncExternalStore(
    useCallback((listener: () => void) => cache.subscribe(listener), [cache]),
    () => staleReason(client),
  );
}

/** Where a request is refused because its caller is not known, who looks is asked for again; once that is known, so is what was refused meanwhile. */
function useEndOfSession(isUnknown: boolean): void {
  const client = useQueryClient();
  const wasUnknown = useRef(isUnknown);
  useEffect(() => {
    if (wasUnknown.current && !isUnknown) void client.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
    wasUnknown.current = isUnknown;
  }, [client, isUnknown]);
  useEffect(
    () =>
      onUnknownCaller(() => {
        if (!isUnknownCaller(client.getQueryState(callerQuery.queryKey)?.error))
          void client.invalidateQueries({ queryKey: callerQuery.queryKey });
      }),
    [client],
  );
}

const isUnknownCaller = (error: unknown): boolean => error instanceof ApiFailure && error.status === 401;

/** The title of the window: of the page, and which application where it is one. */
function useTitle(path: string): void {
  useEffect(() => {
    const { title, about } = pageAt(path);
    document.title = `${about === undefined ? '' : `${about} · `}${title} · Heddle`;
  }, [path]);
}

/** What the page is about, until the page says it itself: while its script and its answers come, and where they do not. */
function HeadInPlace({ path }: { readonly path: string }) {
  const { title, about } = pageAt(path);
  return (
    <div className="page-head in-place">
      <h1>{about ?? title}</h1>
    </div>
  );
}

function Navigation({ role, path }: { readonly role: Role; readonly path: string }) {
  const entries = inNavigation(role);
  const isHere = (entry: PageEntry) => (entry.path === '/' ? path === '/' : path === entry.path || path.startsWith(`${entry.path}/`));
  return groups.map((group) => {
    const own = entries.filter(({ place }) => place?.group === group);
    if (own.length === 0) return null;
    return (
      <div key={group} className="group">
        <h2>{group}</h2>
        <ul>
          {own.map((entry) => (
            <li key={entry.path}>
              <Link to={entry.path} aria-current={isHere(entry) ? 'page' : undefined}>
                {entry.title}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    );
  });
}

/** The other servers of the cluster: the same pages, each about its own. */
function Servers({ caller, role }: { readonly caller: CallerFacts; readonly role: Role }) {
  const others = (Object.entries(caller.servers) as [Role, string][]).filter(([name]) => name !== role);
  if (others.length === 0) return null;
  return (
    <div className="group">
      <h2>Servers</h2>
      <ul>
        {others.map(([name, url]) => (
          <li key={name}>
            <a href={`${otherServer(url)}/ui/`}>{roleTitles[name]}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

const liveWords = {
  live: ['live', 'Changes are shown as they happen.'],
  polling: ['every 4 s', 'The server tells of no changes: this page asks every few seconds.'],
  lost: ['reconnecting', 'The connection to the server broke off; this page tries again.'],
} as const;

function Liveness() {
  const state = useSyncExternalStore(onLiveState, liveState);
  const [word, title] = liveWords[state];
  return (
    <span className={`liveness is-${state}`} title={title} role="status">
      <i aria-hidden="true" />
      {word}
    </span>
  );
}

const themes: readonly Theme[] = ['system', 'light', 'dark'];

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <select
      className="small"
      aria-label="Colours"
      value={theme}
      onChange={(event) => {
        const chosen = event.target.value as Theme;
        setTheme(chosen);
        chooseTheme(chosen);
      }}
    >
      {themes.map((each) => (
        <option key={each} value={each}>
          {each === 'system' ? 'auto' : each}
        </option>
      ))}
    </select>
  );
}

function Who({
  frame,
  caller,
  isUnknown,
}: {
  readonly frame: FrameFacts | undefined;
  readonly caller: CallerFacts | undefined;
  readonly isUnknown: boolean;
}) {
  if (isUnknown || (caller && caller.user === undefined)) return <SignInLink />;
  if (!caller) return null;
  const out = caller.provedBy === 'oidc' ? frame?.signIn.oidc?.outPath : undefined;
  const title = `${caller.isNamed ? 'Signed in' : 'Nobody is signed in: you are'} as ${caller.user}${caller.isAdministrator ? ', an administrator' : ''}`;
  return (
    <span className="who">
      <SignInLink title={title}>
        {caller.user}
        {caller.isAdministrator && <small> admin</small>}
      </SignInLink>
      {out && <a href={`${pagesPath}/../${out}`}>Sign out</a>}
    </span>
  );
}

/** The server knows nobody; `wasKnown`: it did, and what was shown and typed stays on the page. */
const Unknown = ({ wasKnown }: { readonly wasKnown: boolean }) =>
  wasKnown ? (
    <div className="problem" role="alert">
      <strong>Your session has ended.</strong> What this page shows may be old. <SignInLink>Sign in again</SignInLink> and you come back
      here; what you have typed stays where you do it{' '}
      <a href={`${pagesPath}/sign-in`} target="_blank" rel="noreferrer">
        in another window
      </a>
      .
    </div>
  ) : (
    <div className="problem" role="alert">
      <strong>The server does not know who you are.</strong> <SignInLink /> to see the cluster.
    </div>
  );
