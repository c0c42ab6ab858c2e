// Small answers that monitors ask for again and again, such as the metrics of a cluster: their text is written anew only where what it says has
// changed. Nobody has to tell of a change: the value is compared with the one before, which costs a tenth of writing it.
import { isSameValue } from '../lib/same-value.ts';
import { isAscii } from '../lib/text-batch.ts';
import type { RecordDescription } from '../wire/codec/describe.ts';
import { writeJson } from '../wire/codec/json.ts';
import { writeXml } from '../wire/codec/xml.ts';
import type { Format } from './negotiate.ts';

/** A body. */
export interface WrittenText {
  readonly text: string;
  /** It is short and of ASCII alone: it is sent as it is, in one write with its headers. */
  readonly isShortAscii: boolean;
}

/** Longest text that is sent without being made bytes before. */
const plainAtOnce = 64 * 1024;

interface Kept extends WrittenText {
  /** The last value of those that say the same: it is the one that comes again. */
  value: unknown;
}

/** A text that is written already. */
export const written = (text: string): WrittenText => ({ text, isShortAscii: text.length <= plainAtOnce && isAscii(text) });

/** Writes a record's value. */
export const writtenText = <T>(record: RecordDescription<T>, value: T, format: Format): WrittenText =>
  written(format === 'xml' ? writeXml(record, value) : writeJson(record, value));

/** The last text of each kind of record, in each format, where it is short. */
export class KeptTexts {
  readonly #kept: Readonly<Record<Format, Map<object, Kept>>> = { json: new Map(), xml: new Map() };

  /** The text of the record's value. The value must not be changed afterwards. */
  textOf<T>(record: RecordDescription<T>, value: T, format: Format): WrittenText {
    const kept = this.#kept[format];
    const before = kept.get(record);
    if (before && isSameValue(before.value, value)) {
      before.value = value;
      return before;
    }
    const now = { ...writtenText(record, value, format), value };
    if (now.isShortAscii) kept.set(record, now);
    else kept.delete(record);
    return now;
  }
}
