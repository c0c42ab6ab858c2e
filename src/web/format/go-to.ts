// Where a few letters may lead: an id is known by its form, pages, queues and nodes by a part of their names. Pure.
import { named } from './names.ts';

/** A place that can be gone to; `what` says which kind of thing it is. */
export interface Place {
  readonly to: string;
  readonly text: string;
  readonly what: string;
}

/** What is known where somebody types. */
export interface KnownPlaces {
  readonly role: string;
  readonly pages: readonly { readonly path: string; readonly title: string }[];
  readonly queues: readonly string[];
  readonly nodes: readonly string[];
  readonly applications: readonly { readonly id: string; readonly name: string; readonly user: string }[];
}

/** So many of a kind are offered. */
const mostOfKind = 6;

/** The place of an id of YARN's, whole, as one copies it from a log; undefined where this server has none of it. */
export function placeOfId(text: string, role: string): Place | undefined {
  const found = /^(application|job|appattempt|container|task|attempt)_(?:e\d+_)?(\d+_\d+)(?:_\w+)?$/.exec(text.trim());
  if (!found) return undefined;
  const [id, kind, number] = found;
  const isOfJob = kind === 'job' || kind === 'task' || kind === 'attempt';
  const application = `application_${number}`;
  if (isOfJob && (role === 'resource-manager' || role === 'history')) return { to: `/jobs/job_${number}`, text: id, what: 'batch job' };
  if (role === 'history') return { to: `/jobs/job_${number}`, text: id, what: 'its batch job' };
  if (role === 'timeline') return { to: `/history/${application}`, text: id, what: 'application that was' };
  if (role === 'node-manager') return kind === 'container' ? { to: `/containers/${id}`, text: id, what: 'container' } : undefined;
  if (role !== 'resource-manager') return undefined;
  if (kind === 'container') return { to: `/applications/${application}?tab=logs&container=${id}`, text: id, what: 'logs of the container' };
  return { to: `/applications/${application}`, text: id, what: 'application' };
}

/** Places for what was typed, the nearest first; every page where nothing was. */
export function placesFor(typed: string, { role, pages, queues, nodes, applications }: KnownPlaces): readonly Place[] {
  const text = typed.trim().toLowerCase();
  const pagePlaces = pages
    .filter(({ title }) => title.toLowerCase().includes(text))
    .map(({ path, title }) => ({ to: path, text: title, what: 'page' }));
  if (text === '') return pagePlaces;
  const byId = placeOfId(typed, role);
  const has = (name: string): boolean => name.toLowerCase().includes(text);
  // Where the letters begin a name is nearer than where they stand in it.
  const nearest = <Each>(all: readonly Each[], name: (each: Each) => string): readonly Each[] =>
    all
      .filter((each) => has(name(each)))
      .toSorted((a, b) => Number(beginsIn(name(b), text)) - Number(beginsIn(name(a), text)))
      .slice(0, mostOfKind);
  return [
    ...(byId ? [byId] : []),
    ...pagePlaces,
    ...applications.slice(0, mostOfKind).map(({ id, name, user }) => ({
      to: `/applications/${id}`,
      text: named(name, id),
      what: `application ${id.replace(/^application_/, '')} of ${user}`,
    })),
    ...nearest(queues, (path) => path).map((path) => ({ to: `/queues/${encodeURIComponent(path)}`, text: path, what: 'queue' })),
    ...nearest(nodes, (id) => id).map((id) => ({ to: `/nodes/${encodeURIComponent(id)}`, text: id, what: 'node' })),
    ...(role === 'resource-manager' && !byId
      ? [
          {
            to: `/applications?find=${encodeURIComponent(typed.trim())}`,
            text: `All applications with “${typed.trim()}”`,
            what: 'list',
          },
        ]
      : []),
  ];
}

const beginsIn = (name: string, text: string): boolean =>
  name
    .toLowerCase()
    .split(/[.:/-]/)
    .some((part) => part.startsWith(text));
