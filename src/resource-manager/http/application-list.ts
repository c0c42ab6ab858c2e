// `GET /apps`: live applications from memory, ended ones from the store, by the same filters. Found and rendered in slices that give
// the event loop back; a long list is sent while it is made.
import { type Answer, rendered, stream } from '../../http/answers.ts';
import type { Format } from '../../http/negotiate.ts';
import type { Call } from '../../http/service.ts';
import { apps } from '../../wire/cluster/application.ts';
import { writeJson } from '../../wire/codec/json.ts';
import { xmlDocument } from '../../wire/codec/xml.ts';
import { type Deselected, parseDeselects } from '../views/deselects.ts';
import { type Candidate, findApplications } from '../views/find-applications.ts';
import type { Parts } from '../views/parts.ts';
import { type ApplicationQuery, checkFinalStatus, parseApplicationFilter } from './application-filter.ts';

/** Longest time one slice works, and the most text it makes: a write to the connection copies that much at a stretch. */
const sliceMs = 4;
const sliceCharacters = 64 * 1024;
/** Lists up to this size are sent at once. */
const atOnceCharacters = 512 * 1024;

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
  const filter = parseApplicationFilter(call.query, parts.policy);
  const listing: Listing = { parts, filter, user: call.user, format: call.format, hidesInvisible };
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
  const { filter, format, parts, user, hidesInvisible } = listing;
  const separator = format === 'json' ? ',' : '';
  let left = filter.limit;
  let deselected: Deselected | undefined;
  let batch: string[] = [];
  let size = 0;
  let sinceMs = performance.now();
  const texts = filter.deselects.length > 0 ? 'none' : format;
  for (const candidate of findApplications(parts, { filter, user, hidesInvisible, texts, wanted: filter.limit })) {
    if (candidate) {
      left -= 1;
      checkFinalStatus(filter);
      if (filter.finalStatus === undefined || candidate.finalStatus() === filter.finalStatus) {
        deselected ??= parseDeselects(filter.deselects);
        const text = textOf(listing, candidate, deselected);
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

/** The text of an application: as kept, where it was, else made now. */
function textOf({ parts, format }: Listing, { visible, keptText, application }: Candidate, deselected: Deselected): string {
  if (visible && deselected.size === 0 && keptText !== undefined) return keptText;
  return parts.fragments.of(application(), visible, format, parts.scheme, deselected);
}
