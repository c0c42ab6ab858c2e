// Whose something is and in which queue, as tables show it that are sorted where they are seen.
import type { Column } from './table.tsx';

/** The columns of user and queue. */
export const ownerColumns: readonly Column<{ readonly user: string; readonly queue: string }>[] = [
  {
    id: 'user',
    title: 'User',
    brief: ({ user }) => user,
    gives: 'first',
    sort: (a, b) => a.user.localeCompare(b.user),
    cell: ({ user }) => user,
  },
  {
    id: 'queue',
    title: 'Queue',
    brief: ({ queue }) => queue,
    gives: 'soon',
    sort: (a, b) => a.queue.localeCompare(b.queue),
    cell: ({ queue }) => queue,
  },
];
