// Addresses below `/ui` and what they show.
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { pagesPath } from '../api/base.ts';
import { Problem } from '../parts/problem.tsx';
import { parseSearch, stringifySearch } from './address.ts';
import { Frame } from './frame.tsx';
import { later } from './later.tsx';
import { NotFound } from './not-found.tsx';
import { NotLoaded, PageNotLoaded } from './not-loaded.tsx';
import { type PageEntry, pages } from './pages.ts';

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

/** Whether there is a page that can stay until the script of the next has come. */
let isOpen = false;

/** A page as the router shows it: the first at once, with what it is about, though its script comes later. */
function pageComponent({ load }: PageEntry) {
  const page = later(load);
  return Object.assign(page, {
    preload: () => {
      const begun = page.begin();
      return isOpen ? begun : Promise.resolve();
    },
  });
}

export const router = createRouter({
  routeTree: root.addChildren(
    pages.map((page) => createRoute({ getParentRoute: () => root, path: page.path, component: pageComponent(page) })),
  ),
  basepath: pagesPath,
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultErrorComponent: ({ error, reset }) => (error instanceof PageNotLoaded ? <NotLoaded /> : <Problem error={error} retry={reset} />),
});
router.subscribe('onRendered', () => {
  isOpen = true;
});
