// Addresses below `/ui` and what they show.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { pagesPath } from '../api/base.ts';
import { Problem } from '../parts/problem.tsx';
import { parseSearch, stringifySearch } from './address.ts';
import { Frame } from './frame.tsx';
import { NotFound } from './not-found.tsx';
import { failLoading, NotLoaded, PageNotLoaded } from './not-loaded.tsx';
import { pages } from './pages.ts';

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

export const router = createRouter({
  routeTree: root.addChildren(
    pages.map(({ path, load }) =>
      createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(() => load().catch(failLoading)) }),
    ),
  ),
  basepath: pagesPath,
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultErrorComponent: ({ error, reset }) => (error instanceof PageNotLoaded ? <NotLoaded /> : <Problem error={error} retry={reset} />),
});
