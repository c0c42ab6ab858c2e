// Where the pages of another server about the same job are.
import { otherServer } from '../api/base.ts';
import type { CallerFacts, Role } from '../api/frame.ts';

const pagesOf = (caller: CallerFacts | undefined, role: Role): string | undefined => {
  const url = caller?.servers[role];
  return url === undefined ? undefined : `${otherServer(url)}/ui`;
};
/** The history server's pages, without a slash at the end; undefined where the frame does not know it. */
export const historyPages = (caller: CallerFacts | undefined): string | undefined => pagesOf(caller, 'history');
/** The resource manager's. */
export const managerPages = (caller: CallerFacts | undefined): string | undefined => pagesOf(caller, 'resource-manager');
