// Pages of `/api/v1/applications`: what one asks for, and which applications it has. Live applications come from memory, ended ones from
// the store: by id and by time in the page's order, so that a page costs what it shows; in other orders all that the narrowest filter lets
// pass are looked at, for an index of each order would make every end of an application dearer.

import type { Query } from '../../http/query.ts';
import { readCount } from '../../http/query-number.ts';
import { parseJson } from '../../lib/json-text.ts';
import { pause } from '../../lib/pause.ts';
import { compareTexts } from '../../lib/text-order.ts';
import { failure } from '../../model/errors.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { type Application, finalStatus, publicState } from '../applications/application.ts';
import type { ApplicationsBy } from '../cluster/cluster-view.ts';
import type { FinishedLead } from '../store/finished-lead.ts';
import type { FinishedBrief, FinishedColumn, FinishedFilter, FinishedPlace } from '../store/finished-rows.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { factsOf, factsOfRow, isOfQueues, mayHaveEnded, passes, storeFilter } from '../views/application-filter.ts';
import { type ApplicationQuery, checkFinalStatus, parseApplicationFilter } from './application-filter.ts';

const mostPerPage = 1000;
const usualPerPage = 100;
/** Rows asked of the store at a time, at least. */
const rowsPerSlice = 100;

/** What pages are sorted by, as it is called in the interface, with its column of a row. */
export const columns = {
  id: 'id',
  user: 'user',
  name: 'name',
  queue: 'queue',
  priority: 'priority',
  state: 'state',
  startedTime: 'started_ms',
  finishedTime: 'finished_ms',
} as const satisfies Record<string, keyof FinishedBrief>;
type SortKey = keyof typeof columns;
/** Orders that the store has. */
const ordered: Partial<Record<SortKey, FinishedColumn>> = { id: 'id', startedTime: 'started_ms', finishedTime: 'finished_ms' };
const numeric: ReadonlySet<SortKey> = new Set(['priority', 'startedTime', 'finishedTime']);

/** What an application in a page has. */
export const fieldNames: readonly string[] = [
  ...[
    'id',
    'user',
    'name',
    'type',
    'tags',
    'queue',
    'priority',
    'state',
    'finalStatus',
    'progress',
    'diagnostics',
    'trackingUrl',
    'attempts',
  ],
  ...['startedTime', 'launchedTime', 'finishedTime', 'masterNodeId', 'masterContainerId'],
  ...['allocatedMemoryMiB', 'allocatedVcores', 'runningContainers', 'pendingContainers', 'endedContainers'],
];

/** What one page asks for. */
export interface PageRequest {
  readonly limit: number;
  readonly key: SortKey;
  readonly descending: boolean;
  /** The place of the last application of the page before. */
  readonly after: FinishedPlace | undefined;
  readonly filter: ApplicationQuery;
  /** In lower case; what an id or a name has to contain. */
  readonly find: string | undefined;
  /** Undefined: all. */
  readonly fields: ReadonlySet<string> | undefined;
}

const bad = (reason: string) => failure('BAD_REQUEST', { reason });

/** Reads `limit`, `sort`, `cursor`, `fields`, `find`, and every filter of `/ws/v1/cluster/apps`. @throws Failure BAD_REQUEST, ENUM_UNKNOWN, and those of the filters */
export function readPageRequest(query: Query, policy: Pick<SchedulingPolicy, 'queueOfFilter'>): PageRequest {
  const limit = readCount(query, 'limit', { usual: usualPerPage, most: mostPerPage });
  const { key, descending } = readSort(query.first('sort'));
  const after = readCursor(query.first('cursor'), key);
  const fields = readFields(query.first('fields'));
  const find = query.first('find')?.trim().toLowerCase() || undefined;
  const filter = parseApplicationFilter(query, policy);
  checkFinalStatus(filter);
  return { limit, key, descending, after, filter, find, fields };
}

/** Whether an application has what is looked for: a part of its name, or of its id. */
const isFound = ({ find }: PageRequest, { id, name }: { readonly id: string; readonly name: string }): boolean =>
  find === undefined || name.toLowerCase().includes(find) || id.includes(find);

function readSort(text: string | undefined): { key: SortKey; descending: boolean } {
  const given = text || '-startedTime';
  const name = given.replace(/^[-+]/, '');
  if (!Object.hasOwn(columns, name)) throw bad(`sort must be one of ${Object.keys(columns).join(', ')}, with - in front for descending`);
  return { key: name as SortKey, descending: given.startsWith('-') };
}

function readCursor(text: string | undefined, key: SortKey): FinishedPlace | undefined {
  if (text === undefined || text === '') return undefined;
  let cursor: unknown;
  try {
    cursor = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    // Falls through to the refusal.
  }
  if (Array.isArray(cursor) && cursor.length === 2) {
    const [value, id] = cursor as readonly unknown[];
    if (typeof id === 'string' && (numeric.has(key) ? typeof value === 'number' : typeof value === 'string'))
      return [value as string | number, id];
  }
  throw bad('cursor is not one that this interface gave');
}

const cursorOf = (place: FinishedPlace): string => Buffer.from(JSON.stringify(place)).toString('base64url');

function readFields(text: string | undefined): ReadonlySet<string> | undefined {
  if (!text) return undefined;
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => !fieldNames.includes(name))) throw bad(`fields must be some of ${fieldNames.join(', ')}`);
  return new Set(names);
}

/** Where the applications of a page are. */
export interface PageSource {
  /** Applications in memory: live ones, and ended ones for a while. */
  readonly live: ApplicationsBy;
  isLive(id: string): boolean;
  readonly policy: Pick<SchedulingPolicy, 'applicationsOf' | 'isOf'>;
  readonly store: Pick<ResourceManagerStore, 'finishedPage' | 'finishedSlice' | 'finishedLead' | 'applicationOfBrief'>;
  /** Whether the caller may have the application in a list; absent: all of them. */
  readonly isShown?: ((application: Application) => boolean) | undefined;
}

interface Placed {
  readonly place: FinishedPlace;
  readonly application: () => Application;
}

/** The applications of a page, and the cursor of the next where there is one. */
export async function findPage(
  request: PageRequest,
  source: PageSource,
): Promise<{ readonly applications: readonly Application[]; readonly next: string | undefined }> {
  const { limit, descending } = request;
  const sign = descending ? -1 : 1;
  const order = (a: Placed, b: Placed): number => sign * compare(a.place, b.place);
  const ended = await findEnded(request, source, limit + 1);
  // After the last wait: what ended meanwhile is in memory still, and listed once.
  const live = findLive(request, source, sign);
  const listed = new Set(live.map(({ place: [, id] }) => id));
  const all = [...live, ...ended.filter(({ place: [, id] }) => !listed.has(id))].sort(order);
  const shown = all.slice(0, limit);
  const last = shown.at(-1);
  return {
    applications: shown.map(({ application }) => application()),
    next: all.length > limit && last ? cursorOf(last.place) : undefined,
  };
}

/** Whether an application in memory is of the list of which a page is asked for, on whichever page. */
function isListed(request: PageRequest, application: Application, policy: Pick<SchedulingPolicy, 'isOf'>): boolean {
  const { filter } = request;
  return (
    passes(filter, factsOf(application)) &&
    isOfQueues(filter, application, policy) &&
    (filter.finalStatus === undefined || finalStatus(application) === filter.finalStatus) &&
    isFound(request, { id: application.id, name: application.submission.name })
  );
}

/** Which of the applications that a page does not have belong into it, by what they are now. `last`: the last one of a page that is full. */
export function mayEnter(
  request: PageRequest,
  last: Application | undefined,
  policy: Pick<SchedulingPolicy, 'isOf'>,
): (application: Application) => boolean {
  const { key, after, descending } = request;
  const sign = descending ? -1 : 1;
  const placeOf = (application: Application): FinishedPlace => [values[key](application), application.id];
  const before = last && placeOf(last);
  return (application) => {
    if (!isListed(request, application, policy)) return false;
    const place = placeOf(application);
    return !(after && sign * compare(place, after) <= 0) && !(before && sign * compare(place, before) > 0);
  };
}

function findLive(request: PageRequest, source: PageSource, sign: 1 | -1): Placed[] {
  const { filter, key, after, limit } = request;
  let found: Placed[] = [];
  const offer = (application: Application): boolean => {
    if (!isListed(request, application, source.policy)) return false;
    const place: FinishedPlace = [values[key](application), application.id];
    if ((after && sign * compare(place, after) <= 0) || source.isShown?.(application) === false) return false;
    found.push({ place, application: () => application });
    return true;
  };
  const narrowest = source.live.narrowest(filter, limit + 1, (queue) => source.policy.applicationsOf(queue));
  const inOrder = narrowest ? undefined : inPageOrder(request, source.live);
  if (inOrder) {
    let left = limit + 1;
    for (const application of inOrder.sorted) if (offer(application) && --left === 0) break;
    for (const application of inOrder.others) offer(application);
    return found;
  }
  for (const application of narrowest ?? source.live.byStart.after(undefined)) {
    if (offer(application) && found.length > 4 * limit + 64)
      found = found.sort((a, b) => sign * compare(a.place, b.place)).slice(0, limit + 1);
  }
  return found;
}

/** Applications in memory behind a page's place in its order, and a few that may stand anywhere; undefined where there is no such order. */
function inPageOrder(
  { key, after, descending }: PageRequest,
  live: ApplicationsBy,
): { readonly sorted: Iterable<Application>; readonly others: Iterable<Application> } | undefined {
  if (key === 'startedTime') return { sorted: live.byStart.after(after, descending), others: [] };
  if (key === 'id') return { sorted: live.byId.after(after, descending), others: [] };
  if (key !== 'finishedTime') return undefined;
  // Those that have not ended stand by their ids where the time is 0.
  const others = live.ended();
  if (after && after[0] !== 0) return { sorted: descending ? withoutEnd(live.byId.after(undefined, true)) : [], others };
  return { sorted: withoutEnd(live.byId.after(after && [after[1], after[1]], descending)), others };
}

const withoutEnd = (applications: IteratorObject<Application, undefined>): Iterable<Application> =>
  applications.filter(({ finishedMs }) => finishedMs === 0);

/** The first `wanted` ended applications of the page, in its order. */
function findEnded(request: PageRequest, source: PageSource, wanted: number): Promise<Placed[]> {
  if (!mayHaveEnded(request.filter)) return Promise.resolve([]);
  const column = ordered[request.key];
  const lead = source.store.finishedLead(storeFilterOf(request.filter));
  return column && !lead?.few ? readInOrder(request, column, source, wanted) : searchAll(request, source, wanted, lead);
}

/** Reads rows in the page's order, in slices that give the event loop back, until there are enough. */
async function readInOrder(request: PageRequest, column: FinishedColumn, source: PageSource, wanted: number): Promise<Placed[]> {
  const rows = storeFilterOf(request.filter);
  const count = Math.max(wanted, rowsPerSlice);
  const found: Placed[] = [];
  let { after } = request;
  for (;;) {
    const slice = source.store.finishedPage(rows, { column, descending: request.descending }, after, count);
    for (const row of slice) {
      after = [row[column], row.id];
      const placed = placedRow(request, row, source);
      if (placed) found.push(placed);
      if (found.length >= wanted) return found;
    }
    if (slice.length < count) return found;
    await pause();
  }
}

/** Looks at all rows that pass the filters, in slices that give the event loop back, and keeps the first of the page. */
async function searchAll(request: PageRequest, source: PageSource, wanted: number, lead: FinishedLead | undefined): Promise<Placed[]> {
  const { after, descending } = request;
  const sign = descending ? -1 : 1;
  const rows = storeFilterOf(request.filter);
  const column = columns[request.key];
  let found: Placed[] = [];
  const cut = () => found.sort((a, b) => sign * compare(a.place, b.place)).slice(0, wanted);
  for (let last = 0; ; ) {
    const slice = source.store.finishedSlice(rows, last, rowsPerSlice, 'none', lead);
    for (const row of slice) {
      last = row.number;
      if (after && sign * compare([row[column], row.id], after) <= 0) continue;
      const placed = placedRow(request, row, source);
      if (placed) found.push(placed);
    }
    if (found.length > 4 * wanted + rowsPerSlice) found = cut();
    if (slice.length < rowsPerSlice) return cut();
    await pause();
  }
}

/** A row with its place; undefined where it is in memory too, or not for the page. */
function placedRow(request: PageRequest, row: FinishedBrief, source: PageSource): Placed | undefined {
  const { filter, key } = request;
  if (source.isLive(row.id) || !isFound(request, row)) return undefined;
  if (!passes(filter, factsOfRow(row))) return undefined;
  const application = reader(source.store, row);
  if (source.isShown && !source.isShown(application())) return undefined;
  return { place: [row[columns[key]], row.id], application };
}

/** Reads the whole of a row once. */
function reader(store: PageSource['store'], row: FinishedBrief): () => Application {
  let read: Application | undefined;
  return () => (read ??= store.applicationOfBrief(row));
}

/** What the store leaves out. */
const storeFilterOf = (filter: ApplicationQuery): FinishedFilter => ({ ...storeFilter(filter), finalStatus: filter.finalStatus });

const values: Record<SortKey, (application: Application) => string | number> = {
  id: ({ id }) => id,
  user: ({ user }) => user,
  name: ({ submission }) => submission.name,
  queue: ({ queue }) => queue,
  priority: ({ priority }) => priority,
  state: publicState,
  startedTime: ({ startedMs }) => startedMs,
  finishedTime: ({ finishedMs }) => finishedMs,
};

const compare = (a: FinishedPlace, b: FinishedPlace): number => compareValues(a[0], b[0]) || compareValues(a[1], b[1]);

/** Numbers by size, texts as the store orders them. */
const compareValues = (a: string | number, b: string | number): number =>
  typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : a === b ? 0 : a < b ? -1 : 1;
