// A page whose script did not come: the server is away, or was updated since the first page was opened. Once it answers all is loaded anew.
import { useEffect } from 'react';
import { frameQuery } from '../api/frame.ts';
import { queryClient } from '../api/query-client.ts';
import { Loading } from '../parts/problem.tsx';

/** The router would load everything anew at once, and where nobody answers the browser's own error page stays for good. */
export class PageNotLoaded extends Error {}

/** @throws PageNotLoaded */
export function failLoading(cause: unknown): never {
  throw new PageNotLoaded('the script of the page did not come', { cause });
}

const reloadedKey = 'heddle.reloaded';
/** A page that never comes is not asked for without end, ms. */
const reloadsAtMostEachMs = 30_000;

/** Whether it was long ago that this window loaded itself anew; from now on it was not. */
function mayReload(): boolean {
  const nowMs = performance.timeOrigin + performance.now();
  const may = nowMs - Number(sessionStorage.getItem(reloadedKey) ?? 0) > reloadsAtMostEachMs;
  if (may) sessionStorage.setItem(reloadedKey, String(nowMs));
  return may;
}

export function NotLoaded() {
  useEffect(() => {
    let isLeft = false;
    // Waits for the server as every query does, and has the frame say that it is away.
    void queryClient.fetchQuery({ ...frameQuery, staleTime: 0 }).then(
      () => {
        if (!isLeft && mayReload()) location.reload();
      },
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, []);
  return (
    <>
      <Loading what="Waiting for the page" />
      <button type="button" onClick={() => location.reload()}>
        Load it again
      </button>
    </>
  );
}
