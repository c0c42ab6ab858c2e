// Answers of the reader of timeline v2: JSON as its objects are, XML by their description; lists may be long.
import { type Answer, ok, rendered } from '../../http/answers.ts';
import type { Format } from '../../http/negotiate.ts';
import type { Call } from '../../http/service.ts';
import { jsonPiecesOf } from '../../lib/json-pieces.ts';
import type { Shape } from '../../wire/codec/describe.ts';
import { xmlElementPieces } from '../../wire/codec/pieces.ts';
import { xmlPrologue } from '../../wire/codec/xml.ts';
import { entityTypes, entityV2, readerHealth } from '../../wire/timeline/v2-records.ts';
import type { Gradually } from '../store/gradually.ts';
import type { Shown } from '../v2/reader.ts';
import { typeOf } from './labelled.ts';
import { itemPieces, type LongAnswerParts, listPieces, longAnswer, type Written } from './long-answer.ts';

const described = (shown: Shown): Shape<typeof entityV2> => shown as Shape<typeof entityV2>;

const write = (format: Format): ((shown: Shown) => Written) =>
  format === 'json' ? jsonPiecesOf : (shown) => xmlElementPieces('entity', entityV2, described(shown));

/** One entity. */
export const entityAnswer = ({ format }: Call, shown: Gradually<Shown>, long: LongAnswerParts): Promise<Answer> =>
  longAnswer(itemPieces(shown, write(format), format === 'json' ? '' : xmlPrologue), undefined, long);

/** A run of a flow. */
export const runAnswer = ({ format }: Call, shown: Shown): Answer =>
  format === 'json' ? rendered(JSON.stringify(shown)) : ok(entityV2, described(shown));

/** A list of entities. `isBare`: its content type names no character set. */
export function entitiesAnswer(
  { format }: Call,
  found: Iterable<Shown | undefined>,
  long: LongAnswerParts,
  isBare: boolean,
): Promise<Answer> {
  const marks =
    format === 'json'
      ? { open: '[', separator: ',', close: ']' }
      : { open: `${xmlPrologue}<entities>`, separator: '', close: '</entities>' };
  return longAnswer(listPieces(found, { ...marks, write: write(format) }), isBare ? `application/${format}` : typeOf(format), long);
}

/** Types of entities. */
export const typesAnswer = ({ format }: Call, types: readonly string[]): Answer =>
  format === 'json' ? rendered(JSON.stringify(types)) : ok(entityTypes, { type: types });

/** Whether the storage answers. */
export const healthAnswer = (): Answer => ok(readerHealth, { healthStatus: 'RUNNING', diagnosticsInfo: '' });
