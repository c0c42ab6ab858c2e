// `GET /apps`: live applications from memory, ended ones from the store, by the same filters. Found and rendered in slices that give
// the event loop back; a long list is sent while it is made.
import { type Answer, rendered, stream } from '../../http/answers.ts';
import type { Format } from '../../http/negotiate.ts';
import type { Call } from '../../http/service.ts';
import { apps } from '../../wire/cluster/application.ts';
import { writeJson } from '../../wire/codec/json.ts';
import { xmlDocument } from '../../wire/codec/xml.ts';
import { type Application, finalStatus, publicState } from '../applications/application.ts';
import { isCompletedState } from '../applications/application-states.ts';
import type { FinishedBrief, FinishedFilter } from '../store/finished-queries.ts';
import { type ApplicationFilter, checkFinalStatus, parseApplicationFilter, passes } from './application-filter.ts';
import { type Deselected, parseDeselects } from './deselects.ts';
import type { Parts } from './parts.ts';

/** Longest time one slice works, and the most text it makes: a write to the connection copies that much at a stretch. */
const sliceMs = 4;
const sliceCharacters = 64 * 1024;
const rowsPerSlice = 50;
/** Lists up to this size are sent at once. */
const atOnceCharacters = 512 * 1024;

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What a list is made with: who asks and how the answer is written. */
interface Listing {
  readonly parts: Parts;
  readonly filter: ApplicationFilter;
  readonly user: string | undefined;
  readonly format: Format;
  /** Whether applications the caller may not view are left out instead of blanked. */
  readonly hidesInvisible: boolean;
  /** Live applications that stand in the list: one that ends meanwhile must not come again from the store. */
  readonly listed: Set<string>;
}

/** The list as an answer. @throws Failure of the filters */
export async function listApplications(parts: Parts, call: Call, hidesInvisible: boolean): Promise<Answer> {
  const filter = parseApplicationFilter(call.query, parts.policy);
  const listing: Listing = { parts, filter, user: call.user, format: call.format, hidesInvisible, listed: new Set() };
  const texts = fragments(listing);
  let content = '';
  for (;;) {
    const { done, value } = await texts.next();
    if (done) return rendered(closed(content, call.format));
    content += content !== '' && call.format === 'json' ? `,${value}` : value;
    if (content.length > atOnceCharacters) break;
  }
  return stream(200, undefined, streamed(content, texts, call.format));
}

const closed = (content: string, format: Format): string => {
  if (format === 'xml') return xmlDocument(apps.root, content);
  return content === '' ? writeJson(apps, {}) : `{"${apps.root}":{"app":[${content}]}}`;
};

async function* streamed(begun: string, texts: AsyncGenerator<string>, format: Format): AsyncGenerator<string> {
  const whole = closed('\0', format);
  const at = whole.indexOf('\0');
  yield whole.slice(0, at) + begun;
  for await (const text of texts) yield format === 'json' ? `,${text}` : text;
  yield whole.slice(at + 1);
}

/** Texts of the applications that pass, several of a slice joined. */
async function* fragments(listing: Listing): AsyncGenerator<string> {
  const { filter, format, parts } = listing;
  const separator = format === 'json' ? ',' : '';
  let left = filter.limit;
  let deselected: Deselected | undefined;
  let batch: string[] = [];
  let size = 0;
  let sinceMs = performance.now();
  for (const candidate of candidates(listing)) {
    if (candidate) {
      left -= 1;
      checkFinalStatus(filter);
      if (filter.finalStatus === undefined || candidate.finalStatus() === filter.finalStatus) {
        deselected ??= parseDeselects(filter.deselects);
        const text = candidate.text(deselected, parts);
        batch.push(text);
        size += text.length;
      }
    }
    if (left > 0 && size < sliceCharacters && performance.now() - sinceMs < sliceMs) continue;
    if (batch.length > 0) yield batch.join(separator);
    if (left <= 0) return;
    batch = [];
    size = 0;
    await pause();
    sinceMs = performance.now();
  }
  if (batch.length > 0) yield batch.join(separator);
}

interface Candidate {
  readonly finalStatus: () => string;
  readonly text: (deselected: Deselected, parts: Parts) => string;
}

/** Applications that pass all filters but the final status; undefined now and then so that time is given back while none passes. */
function* candidates(listing: Listing): Generator<Candidate | undefined> {
  yield* live(listing);
  yield* finished(listing);
}

function* live({ parts, filter, user, format, hidesInvisible, listed }: Listing): Generator<Candidate | undefined> {
  const { cluster, policy, access, fragments: texts, scheme } = parts;
  const inQueue = filter.queue === undefined ? undefined : new Set(policy.applicationsOf(filter.queue));
  let looked = 0;
  for (const application of [...cluster.view.applications()]) {
    if (++looked % 256 === 0) yield undefined;
    if (inQueue && !inQueue.has(application.id) && !(isCompletedState[application.state] && application.queue === filter.queue)) continue;
    if (!passes(filter, factsOf(application))) continue;
    const visible = access.mayView(application, user);
    if (hidesInvisible && !visible) continue;
    listed.add(application.id);
    yield {
      finalStatus: () => finalStatus(application),
      text: (deselected) => texts.of(application, visible, format, scheme, deselected),
    };
  }
}

function factsOf(application: Application) {
  const { submission } = application;
  return {
    state: publicState(application),
    user: application.user,
    type: submission.type.toLowerCase(),
    tags: submission.tags,
    name: submission.name,
    startedMs: application.startedMs,
    finishedMs: application.finishedMs,
  };
}

/** The part of the filters that the store applies. */
function storeFilter(filter: ApplicationFilter): FinishedFilter {
  return {
    states: filter.states && [...filter.states],
    users: filter.user === undefined ? undefined : [filter.user],
    types: filter.types && [...filter.types],
    queue: filter.queue,
    name: filter.name,
    startedFromMs: filter.startedFromMs,
    startedToMs: filter.startedToMs,
    finishedFromMs: filter.finishedFromMs,
    finishedToMs: filter.finishedToMs,
  };
}

function* finished(listing: Listing): Generator<Candidate | undefined> {
  const { parts, filter, user, format, hidesInvisible } = listing;
  const { store, cluster } = parts;
  const rows = storeFilter(filter);
  for (let after = 0; ; ) {
    const slice = store.finishedSlice(rows, after, rowsPerSlice, filter.deselects.length > 0 ? 'none' : format);
    yield undefined;
    for (const row of slice) {
      after = row.number;
      if (cluster.view.application(row.id) !== undefined || listing.listed.has(row.id)) continue;
      if (filter.tags && !row.tags.split(',').some((tag) => filter.tags!.has(tag))) continue;
      const visible = isVisible(parts, row, user);
      if (hidesInvisible && !visible) continue;
      yield { finalStatus: () => row.final_status, text: (deselected) => rowText(listing, row, visible, deselected) };
    }
    if (slice.length < rowsPerSlice) return;
  }
}

/** Whether the caller may view the application of a row. */
export function isVisible({ access, store }: Parts, row: FinishedBrief, user: string | undefined): boolean {
  if (!access.aclEnabled || (user !== undefined && (user === row.user || access.isAdministrator(user)))) return true;
  return access.mayView(store.applicationOfBrief(row), user);
}

function rowText({ parts, format }: Listing, row: FinishedBrief, visible: boolean, deselected: Deselected): string {
  if (visible && deselected.size === 0 && row.text !== null) return row.text;
  return parts.fragments.of(parts.store.applicationOfBrief(row), visible, format, parts.scheme, deselected);
}
