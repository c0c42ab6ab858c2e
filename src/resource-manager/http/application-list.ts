// `GET /apps`: live applications from memory, ended ones from the store, by the same filters. Found and rendered in slices that give
// the event loop back; a long list is sent while it is made.

import { type Answer, rendered, renderedBytes } from '../../http/answers.ts';
import type { Format } from '../../http/negotiate.ts';
import type { Call } from '../../http/service.ts';
import { BufferPool } from '../../lib/buffer-pool.ts';
import { pause } from '../../lib/pause.ts';
import { TextBatch } from '../../lib/text-batch.ts';
import { apps } from '../../wire/cluster/application.ts';
import { writeJson } from '../../wire/codec/json.ts';
import { xmlDocument } from '../../wire/codec/xml.ts';
import { type Deselected, parseDeselects } from '../views/deselects.ts';
import { type Candidate, findApplications } from '../views/find-applications.ts';
import type { KeptList, ListToKeep } from '../views/kept-lists.ts';
import type { Parts } from '../views/parts.ts';
import { type ApplicationQuery, checkFinalStatus, parseApplicationFilter } from './application-filter.ts';

/** Longest time one slice works, and the most text it makes: a write to the connection copies that much at a stretch. */
const sliceMs = 4;
const sliceCharacters = 64 * 1024;
/** Lists up to this size are sent at once. */
const atOnceCharacters = 512 * 1024;

/** What lists are written into; a smaller one is new. */
const buffers = new BufferPool({ bytes: 640 * 1024, mostFree: 8 });
const worthLending = 32 * 1024;

/** Candidates between two looks at the clock. */
const candidatesPerLook = 8;

/** What a list is made with: who asks and how the answer is written. */
interface Listing {
  readonly parts: Parts;
  readonly filter: ApplicationQuery;
  readonly user: string | undefined;
  readonly format: Format;
  /** Whether applications the caller may not view are left out instead of blanked. */
  readonly hidesInvisible: boolean;
}

/** The list as an answer. @throws Failure of the filters */
export async function listApplications(parts: Parts, call: Call, hidesInvisible: boolean): Promise<Answer> {
  // With access lists on, each caller may see another list, and groups of users may change at any time.
  const asked = parts.access.aclEnabled ? undefined : `${call.format}?${call.query.text}`;
  const nowMs = parts.clock.now();
  const kept = asked === undefined ? undefined : parts.keptLists.find(asked, nowMs);
  if (kept) return again(kept, nowMs);
  const toKeep = asked === undefined ? undefined : parts.keptLists.begin(asked, nowMs);
  const filter = parseApplicationFilter(call.query, parts.policy);
  const list = new ListInMaking({ parts, filter, user: call.user, format: call.format, hidesInvisible });
  const whole = closed('\0', call.format);
  const at = whole.indexOf('\0');
  const batch = new TextBatch(toKeep !== undefined);
  batch.add(whole.slice(0, at), true);
  await pause();
  while (!list.fill(batch, atOnceCharacters)) {
    if (batch.length > atOnceCharacters) return renderedBytes(streamed({ batch, list, end: whole.slice(at + 1), toKeep }));
    await pause();
  }
  if (list.count === 0) return rendered(closed('', call.format));
  batch.add(whole.slice(at + 1), true);
  const { places } = batch;
  const isShort = batch.length < worthLending;
  const body = isShort ? batch.take() : batch.take((bytes) => buffers.lend(bytes));
  toKeep?.add(body, places);
  toKeep?.done();
  return isShort ? renderedBytes(body) : renderedBytes(body, () => buffers.giveBack(body));
}

/** A list that was made before, as it is now. */
function again(kept: KeptList, nowMs: number): Answer {
  const body = kept.lend(nowMs);
  return renderedBytes(body, () => kept.giveBack(body));
}

const closed = (content: string, format: Format): string => {
  if (format === 'xml') return xmlDocument(apps.root, content);
  return content === '' ? writeJson(apps, {}) : `{"${apps.root}":{"app":[${content}]}}`;
};

/** A list that is sent while it is made: what there is of it, the rest, and its last characters. */
interface Stream {
  readonly batch: TextBatch;
  readonly list: ListInMaking;
  readonly end: string;
  readonly toKeep: ListToKeep | undefined;
}

/** What there is of a list, then the rest of it. */
async function* streamed({ batch, list, end, toKeep }: Stream): AsyncGenerator<Buffer<ArrayBuffer>> {
  for (let isDone = false; ; ) {
    if (batch.length > 0) {
      const { places } = batch;
      const piece = batch.take((bytes) => buffers.lend(bytes));
      toKeep?.add(piece, places);
      yield piece;
      buffers.giveBack(piece);
    }
    if (isDone) return toKeep?.done();
    await pause();
    isDone = list.fill(batch, sliceCharacters);
    if (isDone) batch.add(end, true);
  }
}

/** A list whose applications are found and written slice by slice. */
class ListInMaking {
  readonly #listing: Listing;
  readonly #candidates: Iterator<Candidate | undefined>;
  readonly #separator: string;
  #left: number;
  #deselected: Deselected | undefined;
  /** Applications written so far. */
  count = 0;

  constructor(listing: Listing) {
    const { parts, filter, user, hidesInvisible, format } = listing;
    const texts = filter.deselects.length > 0 ? 'none' : format;
    this.#listing = listing;
    this.#separator = format === 'json' ? ',' : '';
    this.#left = filter.limit;
    this.#candidates = findApplications(parts, { filter, user, hidesInvisible, texts, wanted: filter.limit });
  }

  /** Adds what one slice makes, about `most` characters at most; whether the list is complete. @throws Failure of the filters */
  fill(batch: TextBatch, most: number): boolean {
    const untilMs = performance.now() + sliceMs;
    for (let looked = 1; this.#left > 0; looked++) {
      const { done, value } = this.#candidates.next();
      if (done) return true;
      if (value) this.#take(value, batch);
      if (batch.length >= most || (looked % candidatesPerLook === 0 && performance.now() >= untilMs)) return this.#left <= 0;
    }
    return true;
  }

  #take(candidate: Candidate, batch: TextBatch): void {
    const { filter } = this.#listing;
    this.#left -= 1;
    checkFinalStatus(filter);
    if (filter.finalStatus !== undefined && candidate.finalStatus() !== filter.finalStatus) return;
    this.#deselected ??= parseDeselects(filter.deselects);
    if (this.count++ > 0) batch.add(this.#separator, true);
    this.#write(candidate, this.#deselected, batch);
  }

  /** The text of an application: as kept, where it was, else made now. */
  #write({ visible, keptText, application }: Candidate, deselected: Deselected, batch: TextBatch): void {
    const { parts, format } = this.#listing;
    if (visible && deselected.size === 0 && keptText !== undefined) batch.add(keptText);
    else parts.fragments.addTo(batch, application(), visible, format, parts.scheme, deselected);
  }
}
