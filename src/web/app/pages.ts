// Every page: its address below `/ui`, its title, on which servers it is, where it stands in the navigation. A page is one file of `pages/`
// whose default export is its component; it is loaded when a reader goes there.
import type { ComponentType } from 'react';
import type { Role } from '../api/frame.ts';
import * as home from '../pages/home.tsx';

/** Parts of the navigation, in their order. */
export const groups = ['Cluster', 'Work', 'Operate'] as const;

/** A page. */
export interface PageEntry {
  /** `/applications/$id`. */
  readonly path: string;
  readonly title: string;
  readonly roles: readonly Role[];
  /** Where it stands in the navigation; absent: it is reached from other pages. `key`: goes there after `g`. */
  readonly place?: { readonly group: (typeof groups)[number]; readonly key?: string };
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

const everywhere: readonly Role[] = ['resource-manager', 'node-manager', 'timeline', 'reader', 'collector', 'history', 'proxy'];
const manager: readonly Role[] = ['resource-manager'];
const jobServers: readonly Role[] = ['resource-manager', 'history'];

export const pages: readonly PageEntry[] = [
  {
    path: '/',
    title: 'Overview',
    roles: ['resource-manager', 'node-manager', 'proxy'],
    place: { group: 'Cluster', key: 'o' },
    load: () => Promise.resolve(home),
  },
  {
    path: '/applications',
    title: 'Applications',
    roles: manager,
    place: { group: 'Work', key: 'a' },
    load: () => import('../pages/applications.tsx'),
  },
  {
    path: '/queues',
    title: 'Queues',
    roles: manager,
    place: { group: 'Cluster', key: 'q' },
    load: () => import('../pages/queues.tsx'),
  },
  { path: '/nodes', title: 'Nodes', roles: manager, place: { group: 'Cluster', key: 'n' }, load: () => import('../pages/nodes.tsx') },
  { path: '/nodes/$node', title: 'Node', roles: manager, load: () => import('../pages/node.tsx') },
  { path: '/labels', title: 'Labels', roles: manager, place: { group: 'Cluster', key: 'l' }, load: () => import('../pages/labels.tsx') },
  { path: '/events', title: 'Events', roles: manager, place: { group: 'Cluster', key: 'e' }, load: () => import('../pages/events.tsx') },
  {
    path: '/reservations',
    title: 'Reservations',
    roles: manager,
    place: { group: 'Cluster', key: 'r' },
    load: () => import('../pages/reservations.tsx'),
  },
  { path: '/containers/$container', title: 'Container', roles: ['node-manager'], load: () => import('../pages/node-container.tsx') },
  { path: '/queues/try', title: 'Try a queue file', roles: manager, load: () => import('../pages/queue-file.tsx') },
  { path: '/queues/$queue/edit', title: 'Change queues', roles: manager, load: () => import('../pages/queue-edit.tsx') },
  { path: '/queues/$queue', title: 'Queue', roles: manager, load: () => import('../pages/queue.tsx') },
  { path: '/jobs', title: 'Batch jobs', roles: jobServers, place: { group: 'Work', key: 'j' }, load: () => import('../pages/jobs.tsx') },
  {
    path: '/compare',
    title: 'Two jobs compared',
    roles: ['history'],
    place: { group: 'Work' },
    load: () => import('../pages/compare.tsx'),
  },
  { path: '/jobs/$id', title: 'Batch job', roles: jobServers, load: () => import('../pages/job.tsx') },
  { path: '/applications/$id', title: 'Application', roles: manager, load: () => import('../pages/application.tsx') },
  {
    path: '/schedules',
    title: 'Schedules',
    roles: manager,
    place: { group: 'Work', key: 'd' },
    load: () => import('../pages/schedules.tsx'),
  },
  {
    path: '/schedules/$user/$schedule/change',
    title: 'Change a schedule',
    roles: manager,
    load: () => import('../pages/schedule-change.tsx'),
  },
  { path: '/schedules/$user/$schedule', title: 'Schedule', roles: manager, load: () => import('../pages/schedule.tsx') },
  { path: '/submit', title: 'Submit', roles: manager, place: { group: 'Work', key: 's' }, load: () => import('../pages/submit.tsx') },
  { path: '/api', title: 'Interface', roles: everywhere, place: { group: 'Operate', key: 'i' }, load: () => import('../pages/api.tsx') },
  {
    path: '/settings',
    title: 'Settings',
    roles: everywhere,
    place: { group: 'Operate', key: 'c' },
    load: () => import('../pages/settings.tsx'),
  },
  {
    path: '/log',
    title: 'Log',
    roles: everywhere,
    place: { group: 'Operate', key: 'm' },
    load: () => import('../pages/server-log.tsx'),
  },
  {
    path: '/history',
    title: 'Application history',
    roles: ['timeline'],
    place: { group: 'Work', key: 'a' },
    load: () => import('../pages/past-applications.tsx'),
  },
  { path: '/history/$id', title: 'Application', roles: ['timeline'], load: () => import('../pages/past-application.tsx') },
  {
    path: '/timeline',
    title: 'Timeline',
    roles: ['timeline'],
    place: { group: 'Work', key: 't' },
    load: () => import('../pages/timeline.tsx'),
  },
  { path: '/timeline/entity', title: 'Entity', roles: ['timeline'], load: () => import('../pages/entity.tsx') },
  {
    path: '/flows',
    title: 'Flows',
    roles: ['timeline'],
    place: { group: 'Work', key: 'f' },
    load: () => import('../pages/flows.tsx'),
  },
  { path: '/flows/runs', title: 'Flow', roles: ['timeline'], load: () => import('../pages/flow-runs.tsx') },
  { path: '/flows/application', title: 'Application', roles: ['timeline'], load: () => import('../pages/flow-application.tsx') },
  { path: '/flows/entity', title: 'Entity', roles: ['timeline'], load: () => import('../pages/flow-entity.tsx') },
  { path: '/sign-in', title: 'Sign in', roles: everywhere, load: () => import('../pages/sign-in.tsx') },
];

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

/** What the page at an address below `/ui` is called; `about`: what it is about, where its address names that last. */
export function pageAt(path: string): { readonly title: string; readonly about: string | undefined } {
  const parts = partsOf(path);
  const entry = pages.find((each) => {
    const wanted = partsOf(each.path);
    return wanted.length === parts.length && wanted.every((part, index) => part.startsWith('$') || part === parts[index]);
  });
  const last = parts.at(-1) ?? '';
  return { title: entry?.title ?? 'Not found', about: entry && partsOf(entry.path).at(-1)?.startsWith('$') ? decoded(last) : undefined };
}

/** A part of an address as it was meant; one that cannot be decoded as it stands. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The pages of a server that its navigation names. */
export const inNavigation = (role: Role): PageEntry[] => pages.filter(({ place, roles }) => place !== undefined && roles.includes(role));
