// The applications of a list, whichever door asks: live ones from memory, then ended ones from the store, by the same filters
// (ClientRMService.getApplications). Found in small steps, so that the caller can give the event loop back between them.
import type { Format } from '../../http/negotiate.ts';
import { type Application, finalStatus } from '../applications/application.ts';
import type { FinishedBrief } from '../store/finished-rows.ts';
import {
  type ApplicationFilter,
  factsOf,
  factsOfRow,
  isOfQueues,
  isSelective,
  mayHaveEnded,
  passes,
  storeFilter,
} from './application-filter.ts';
import type { Parts } from './parts.ts';

/** Where a list looks. */
export type ListParts = Pick<Parts, 'cluster' | 'policy' | 'access' | 'store'>;

/** What a list is about. */
export interface ApplicationSearch {
  readonly filter: ApplicationFilter;
  /** Who asks. */
  readonly user: string | undefined;
  /** Whether applications the caller may not view are left out instead of blanked. */
  readonly hidesInvisible: boolean;
  /** The texts that are wanted of ended applications. */
  readonly texts: Format | 'none';
  /** After how many the caller stops; absent: never. */
  readonly wanted?: number;
}

/** An application that passes. */
export interface Candidate {
  readonly user: string;
  /** Whether the caller may view it. */
  readonly visible: boolean;
  readonly finalStatus: () => string;
  /** The whole of it; of an ended one read now. */
  readonly application: () => Application;
  /** The text that the store keeps of it for those who may view it, where that was asked for and it has one. */
  readonly keptText: string | undefined;
}

/** Rows asked of the store at a time. */
const rowsPerSlice = 50;
/** Live applications looked at between two chances to pause. */
const looksPerStep = 256;

/** Applications that pass the filters; undefined now and then so that time is given back while none passes. */
export function* findApplications(parts: ListParts, search: ApplicationSearch): Generator<Candidate | undefined> {
  /** Live applications that stand in the list: one that ends meanwhile must not come again from the store. */
  const listed = new Set<string>();
  yield* findLive(parts, search, listed);
  if (mayHaveEnded(search.filter)) yield* findEnded(parts, search, listed);
}

function* findLive(parts: ListParts, search: ApplicationSearch, listed: Set<string>): Generator<Candidate | undefined> {
  const { cluster, policy, access } = parts;
  const { filter, user, hidesInvisible, wanted } = search;
  const selects = isSelective(filter);
  let looked = 0;
  for (const application of cluster.view.applicationsBy.select(filter, wanted, (queue) => policy.applicationsOf(queue))) {
    if (++looked % looksPerStep === 0) yield undefined;
    if (listed.has(application.id) || !isOfQueues(filter, application, policy)) continue;
    if (selects && !passes(filter, factsOf(application))) continue;
    const visible = access.mayView(application, user);
    if (hidesInvisible && !visible) continue;
    listed.add(application.id);
    yield {
      user: application.user,
      visible,
      finalStatus: () => finalStatus(application),
      application: () => application,
      keptText: undefined,
    };
  }
}

function* findEnded(parts: ListParts, search: ApplicationSearch, listed: ReadonlySet<string>): Generator<Candidate | undefined> {
  const { store, cluster } = parts;
  const { filter, user, hidesInvisible, texts } = search;
  const rows = storeFilter(filter);
  const lead = store.finishedLead(rows);
  for (let after = 0; ; ) {
    const slice = store.finishedSlice(rows, after, rowsPerSlice, texts, lead);
    yield undefined;
    for (const row of slice) {
      after = row.number;
      if (cluster.view.application(row.id) !== undefined || listed.has(row.id)) continue;
      if (!passes(filter, factsOfRow(row))) continue;
      const visible = isVisible(parts, row, user);
      if (hidesInvisible && !visible) continue;
      yield {
        user: row.user,
        visible,
        finalStatus: () => row.final_status,
        application: () => store.applicationOfBrief(row),
        keptText: row.text ?? undefined,
      };
    }
    if (slice.length < rowsPerSlice) return;
  }
}

/** Whether the caller may view the application of a row. */
export function isVisible({ access, store }: Pick<Parts, 'access' | 'store'>, row: FinishedBrief, user: string | undefined): boolean {
  if (!access.aclEnabled || (user !== undefined && (user === row.user || access.isAdministrator(user)))) return true;
  return access.mayView(store.applicationOfBrief(row), user);
}
