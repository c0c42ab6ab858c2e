// What a page shows where an answer did not come.
import { Link } from '@tanstack/react-router';
import { ApiFailure } from '../api/http.ts';

/** A failed request in words, with what can be done. */
export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
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
      {(error as Error).message}
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
