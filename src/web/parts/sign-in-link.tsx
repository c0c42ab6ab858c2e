// The way to the page where one signs in, and from there back to where one was.
import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** The search of the address of the page to sign in at: where its reader comes from, below the pages' own address. */
const cameFrom = (path: string, search: string): { readonly to?: string } =>
  path === '/' || path.endsWith('/sign-in') ? {} : { to: `${path}${search}` };

export function SignInLink({ title, children = 'Sign in' }: { readonly title?: string; readonly children?: ReactNode }) {
  const { path, search } = useRouterState({
    select: ({ location }) => ({ path: location.pathname, search: location.searchStr }),
    structuralSharing: true,
  });
  return (
    <Link to="/sign-in" search={cameFrom(path, search) as never} title={title}>
      {children}
    </Link>
  );
}
