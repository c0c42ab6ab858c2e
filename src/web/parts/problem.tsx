// What a page shows where an answer did not come.
import { Link } from '@tanstack/react-router';
import { ApiFailure } from '../api/http.ts';

/** A page that lists all of a kind. */
interface ListOfAll {
  readonly to: string;
  readonly title: string;
}

/** A failed request in words, with what can be done; `list`: where there are those that there are, of what was named in the address. */
export function Problem({ error, retry, list }: { readonly error: unknown; readonly retry?: () => void; readonly list?: ListOfAll }) {
  const failure = error instanceof ApiFailure ? error : undefined;
  if (failure?.status === 401)
    return (
      <div className="problem" role="alert">
        <strong>The server does not know who you are.</strong> <Link to="/sign-in">Sign in</Link> to see this.
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

/** Holds the place of what is being loaded. */
export const Loading = ({ what = 'Loading' }: { readonly what?: string }) => (
  <p className="loading" role="status">
    {what} …
  </p>
);
