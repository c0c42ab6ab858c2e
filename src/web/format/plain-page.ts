// Where a server has the plain page (made of text on the server, at Hadoop's addresses) about what a web page shows. Pure.
import type { Role } from '../api/frame.ts';
import { applicationOfJob } from './jobs.ts';

/** What a web page is about; `id`: the second part of its address. */
type Place = readonly [page: string, id: string];

const application = (id: string) => `cluster/app/${encodeURIComponent(id)}`;

const ofManager = ([page, id]: Place): string => {
  if (page === 'applications') return id === '' ? 'cluster/apps' : application(id);
  if (page === 'jobs' && id !== '') return application(applicationOfJob(id));
  if (page === 'nodes') return 'cluster/nodes';
  if (page === 'labels') return 'cluster/nodelabels';
  return page === 'queues' || page === 'reservations' ? 'cluster/scheduler' : 'cluster';
};
const ofNode = ([page, id]: Place): string => (page === 'containers' && id !== '' ? `node/container/${encodeURIComponent(id)}` : 'node');
const ofHistory = ([page, id]: Place): string => (page === 'jobs' && id !== '' ? `jobhistory/job/${encodeURIComponent(id)}` : 'jobhistory');
const ofTimeline = ([page, id]: Place): string =>
  page === 'history' && id !== '' ? `applicationhistory/app/${encodeURIComponent(id)}` : 'applicationhistory';

const ofRoles: Readonly<Record<Role, ((place: Place) => string) | undefined>> = {
  'resource-manager': ofManager,
  'node-manager': ofNode,
  history: ofHistory,
  timeline: ofTimeline,
  reader: undefined,
  collector: undefined,
  proxy: undefined,
};

/** The address on the same server, without a slash at the beginning, of what `/ui/PATH` is about; undefined where it has no plain pages. */
export function plainPage(role: Role, path: string): string | undefined {
  const [page = '', id = ''] = path.split('/').filter((part) => part !== '');
  return ofRoles[role]?.([page, decoded(id)]);
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};
