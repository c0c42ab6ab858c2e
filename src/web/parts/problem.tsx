// What a page shows where an answer did not come.
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiFailure } from '../api/http.ts';
import { SignInLink } from './sign-in-link.tsx';

/** A page that lists all of a kind. */
interface ListOfAll {
  readonly to: string;
  readonly title: string;
}

/** What failed, and what can be done; `list`: where there are those that there are, of what was named in the address. */
export interface ProblemProps {
  readonly error: unknown;
  readonly retry?: () => void;
  readonly list?: ListOfAll;
}

/** A failed request in words. */
export function Problem({ error, retry, list }: ProblemProps) {
  const failure = error instanceof ApiFailure ? error : undefined;
  if (failure?.status === 401)
    return (
      <div className="problem" role="alert">
        <strong>The server does not know who you are.</strong> <SignInLink /> to see this.
      </div>
    );
  return (
    <div className="problem" role="alert">
      <strong>
        {failure?.status === 403
          ? 'You may not see or do this.'
          : failure?.status === 404
            ? 'There is no such thing here.'
            : 'This did not work.'}
      </strong>{' '}
      {(error as Error).message} {list && (failure?.status === 404 || failure?.status === 400) && <Link to={list.to}>{list.title}</Link>}{' '}
      {retry && failure?.status !== 403 && (
        <button type="button" className="small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** How long somebody waits before the page says that it does, ms. */
const longMs = 3000;

/** Holds the place of what is being loaded. */
export function Loading({ what = 'Loading' }: { readonly what?: string }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), longMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="loading" role="status">
      {what} …{isLong && ' The server takes its time; this goes on by itself.'}
    </p>
  );
}
