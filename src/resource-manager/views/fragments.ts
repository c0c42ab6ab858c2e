// Applications as text for lists. A live application's text is kept until something about it changes; what changes with time alone
// (the elapsed time) is put in when it is used. Listing is joining strings.

import type { Format } from '../../http/negotiate.ts';
import { isAscii, type TextBatch } from '../../lib/text-batch.ts';
import { type ApplicationInfo, application as applicationMember } from '../../wire/cluster/application.ts';
import { writeJsonMember } from '../../wire/codec/json.ts';
import { writeXmlElement } from '../../wire/codec/xml.ts';
import type { Application } from '../applications/application.ts';
import type { ApplicationViews } from './applications-view.ts';
import { nothingDeselected } from './deselects.ts';

/** Text around the elapsed time. */
interface Kept {
  readonly version: number;
  /** What the scheduler said of it while it waits. */
  readonly waiting: string | undefined;
  readonly head: string;
  /** Undefined where the elapsed time stands still. */
  readonly tail: string | undefined;
  readonly isAscii: boolean;
}

/** What the scheduler says of a waiting application may be that old in lists. */
export const waitingAgeMs = 250;

/** Stands for the elapsed time while a text is written; no clock shows it. */
const placeholder = 8_765_432_123_456_789;
const marks: Readonly<Record<Format, string>> = { json: `"elapsedTime":${placeholder}`, xml: `<elapsedTime>${placeholder}</elapsedTime>` };
const write = (format: Format, value: ApplicationInfo): string =>
  format === 'json' ? writeJsonMember(applicationMember, 'natural', value) : writeXmlElement('app', applicationMember, value);

/** The texts of applications. */
export class FragmentCache {
  readonly #views: ApplicationViews;
  readonly #kept: Readonly<Record<Format, Readonly<Record<'visible' | 'blanked', WeakMap<Application, Kept>>>>> = {
    json: { visible: new WeakMap(), blanked: new WeakMap() },
    xml: { visible: new WeakMap(), blanked: new WeakMap() },
  };

  constructor(views: ApplicationViews) {
    this.#views = views;
  }

  /** The text as it is now, for callers who may see everything; nothing is kept. */
  fresh(application: Application, format: Format, scheme: string): string {
    return write(format, this.#views.info(application, true, scheme, nothingDeselected));
  }

  /** Adds one application's JSON object or XML element. */
  addTo(
    batch: TextBatch,
    application: Application,
    visible: boolean,
    format: Format,
    scheme: string,
    deselected = nothingDeselected,
  ): void {
    const views = this.#views;
    if (!isStill(application) || deselected.size > 0 || scheme !== views.options.scheme) {
      batch.addPassing(write(format, views.info(application, visible, scheme, deselected, waitingAgeMs)));
      return;
    }
    const kept = this.#keptOf(application, visible, format, scheme);
    batch.add(kept.head, kept.isAscii);
    if (kept.tail === undefined) return;
    batch.addElapsed(application.startedMs, views.options.now());
    batch.add(kept.tail, kept.isAscii);
  }

  /** The same as a text. */
  of(application: Application, visible: boolean, format: Format, scheme: string, deselected = nothingDeselected): string {
    const views = this.#views;
    if (!isStill(application) || deselected.size > 0 || scheme !== views.options.scheme)
      return write(format, views.info(application, visible, scheme, deselected, waitingAgeMs));
    const { head, tail } = this.#keptOf(application, visible, format, scheme);
    return tail === undefined ? head : `${head}${Math.max(-1, views.options.now() - application.startedMs)}${tail}`;
  }

  #keptOf(application: Application, visible: boolean, format: Format, scheme: string): Kept {
    const views = this.#views;
    const cache = this.#kept[format][visible ? 'visible' : 'blanked'];
    const before = cache.get(application);
    const waiting = views.options.waitingText(application, waitingAgeMs);
    if (before?.version === application.version && before.waiting === waiting) return before;
    const info = views.info(application, visible, scheme, nothingDeselected, waitingAgeMs);
    const running = visible && application.finishedMs === 0 && application.startedMs > 0;
    const text = write(format, running ? { ...info, elapsedTime: placeholder } : info);
    const at = running ? text.indexOf(marks[format]) : -1;
    const [opening, closing] = marks[format].split(String(placeholder)) as [string, string];
    const kept = {
      version: application.version,
      waiting,
      head: at < 0 ? text : text.slice(0, at) + opening,
      tail: at < 0 ? undefined : closing + text.slice(at + marks[format].length),
      isAscii: isAscii(text),
    };
    cache.set(application, kept);
    return kept;
  }
}

/** Whether only a change of version or of the scheduler's word can change what is shown, besides the elapsed time: nothing held, nothing asked by a master, no end set. */
function isStill(application: Application): boolean {
  if (application.lifetimeExpiryMs !== undefined) return false;
  for (const attempt of application.attempts) {
    if (attempt.containers.size > 0) return false;
    if (application.scheduled && attempt.registered) return false;
  }
  return true;
}
