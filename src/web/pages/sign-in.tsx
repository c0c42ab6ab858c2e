// Who looks, and how another user can: by what this server believes.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { pagesPath, serverAddress } from '../api/base.ts';
import { callerQuery, frameQuery } from '../api/frame.ts';
import { getJson, queryText } from '../api/http.ts';
import { useSearchState } from '../app/address.ts';
import { Facts, PageHead, Panel } from '../parts/basics.tsx';
import { Problem } from '../parts/problem.tsx';

const proofs: Readonly<Record<string, string>> = {
  simple: 'your word: this server believes names',
  kerberos: 'a Kerberos ticket',
  token: 'a delegation token',
  bearer: 'a bearer token',
  oidc: 'the issuer that you signed in at',
};

/** An address below these pages; anything else, which somebody else may have put there, is none. */
const ownPage = (to: string | undefined): string | undefined => (to !== undefined && /^\/(?![/\\])/.test(to) ? to : undefined);

export default function SignIn() {
  const { data: frame } = useQuery(frameQuery);
  const { data: caller } = useQuery(callerQuery);
  const client = useQueryClient();
  const [error, setError] = useState<unknown>();
  const [{ to }] = useSearchState();
  const router = useRouter();
  const back = ownPage(to);
  if (!frame) return null;
  const { name, kerberos, token, oidc } = frame.signIn;
  const signIn = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const user = String(new FormData(event.currentTarget).get('user') ?? '').trim();
    if (user === '') return;
    setError(undefined);
    try {
      await getJson(`ui/caller.json${queryText({ 'user.name': user })}`);
      await client.invalidateQueries();
      if (back !== undefined) router.history.push(`${pagesPath}${back}`);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <>
      <PageHead title="Sign in" />
      {caller && (
        <Panel title="Who you are here">
          <Facts
            rows={[
              [
                'User',
                caller.user === undefined
                  ? 'nobody: the server has no name for you'
                  : caller.isNamed
                    ? caller.user
                    : `${caller.user} (stands in for everybody without a name)`,
              ],
              ['Proved by', caller.provedBy === undefined ? 'nothing' : (proofs[caller.provedBy] ?? caller.provedBy)],
              ...(caller.scope === undefined ? [] : [['Scope', caller.scope] as const]),
              ['Administrator', caller.isAdministrator ? 'yes' : 'no'],
              [
                'Access lists',
                caller.accessLists ? 'on: you see and change what they let you' : 'off: everybody sees and changes everything',
              ],
            ]}
          />
        </Panel>
      )}
      {oidc && (
        <Panel title="By your organisation">
          <p>People sign in at {oidc.issuer}.</p>
          <a className="button primary" href={`${serverAddress(oidc.path)}${queryText({ to: `${pagesPath}${back ?? '/'}` })}`}>
            Sign in
          </a>
        </Panel>
      )}
      {kerberos && (
        <Panel title="By Kerberos">
          <p>
            Get a ticket with <code>kinit</code>, let this browser use it for this host (Firefox:{' '}
            <code>network.negotiate-auth.trusted-uris</code>; Chromium: the policy <code>AuthServerAllowlist</code>), and load this page
            again.
          </p>
          {back !== undefined && !caller && <a href={`${pagesPath}${back}`}>Back to where you were</a>}
        </Panel>
      )}
      {name && (
        <Panel title="By name">
          <p>
            This server believes the name that you give, as Hadoop does with simple authentication. It is kept in a cookie of this browser.
          </p>
          <form className="inline" onSubmit={(event) => void signIn(event)}>
            <label>
              User <input name="user" autoComplete="username" required maxLength={64} defaultValue={caller?.isNamed ? caller.user : ''} />
            </label>
            <button type="submit" className="primary">
              Use this name
            </button>
          </form>
          {error !== undefined && <Problem error={error} />}
        </Panel>
      )}
      {token && !oidc && !name && !kerberos && (
        <Panel title="By token">
          <p>
            This server takes bearer tokens alone, which browsers do not send. Programs use them: <code>heddle token create NAME</code>. For
            pages, an administrator sets <code>heddle.security.authentication</code> to <code>bearer,oidc</code>.
          </p>
        </Panel>
      )}
    </>
  );
}
