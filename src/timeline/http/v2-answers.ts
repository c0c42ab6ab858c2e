// Answers of the reader of timeline v2: JSON as its objects are, XML by their description; lists may be long.
import { type Answer, ok, rendered } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import type { Shape } from '../../wire/codec/describe.ts';
import { writeXmlElement, xmlPrologue } from '../../wire/codec/xml.ts';
import { entityTypes, entityV2, readerHealth } from '../../wire/timeline/v2-records.ts';
import type { Shown } from '../v2/reader.ts';
import { typeOf } from './labelled.ts';
import { type LongAnswerParts, listPieces, longAnswer } from './long-answer.ts';

const described = (shown: Shown): Shape<typeof entityV2> => shown as Shape<typeof entityV2>;

/** One entity. */
export const entityAnswer = ({ format }: Call, shown: Shown): Answer =>
  format === 'json' ? rendered(JSON.stringify(shown)) : ok(entityV2, described(shown));

/** A list of entities. `isBare`: its content type names no character set. */
export function entitiesAnswer(
  { format }: Call,
  found: Iterable<Shown | undefined>,
  long: LongAnswerParts,
  isBare: boolean,
): Promise<Answer> {
  const form =
    format === 'json'
      ? { open: '[', separator: ',', close: ']', write: (shown: Shown) => JSON.stringify(shown) }
      : {
          open: `${xmlPrologue}<entities>`,
          separator: '',
          close: '</entities>',
          write: (shown: Shown) => writeXmlElement('entity', entityV2, described(shown)),
        };
  return longAnswer(listPieces(found, form), isBare ? `application/${format}` : typeOf(format), long);
}

/** Types of entities. */
export const typesAnswer = ({ format }: Call, types: readonly string[]): Answer =>
  format === 'json' ? rendered(JSON.stringify(types)) : ok(entityTypes, { type: types });

/** Whether the storage answers. */
export const healthAnswer = (): Answer => ok(readerHealth, { healthStatus: 'RUNNING', diagnosticsInfo: '' });
