// Long records as text while they are sent, in slices between which others are served.
import { Slices } from '../lib/pause.ts';
import type { RecordDescription } from '../wire/codec/describe.ts';
import { jsonPieces, xmlPieces } from '../wire/codec/pieces.ts';
import type { Format } from './negotiate.ts';

/** A slice ends after so long, or with so much text. */
const sliceMs = 5;
const sliceCharacters = 64 * 1024;

/** The text of a record in slices; undefined where none of its lists is long. The value must not be changed until all of them were taken. */
export function recordPieces<T>(record: RecordDescription<T>, value: T, format: Format): AsyncGenerator<string, void> | undefined {
  const pieces = format === 'xml' ? xmlPieces(record, value) : jsonPieces(record, value);
  return pieces && inSlices(pieces);
}

async function* inSlices(pieces: Iterable<string>): AsyncGenerator<string, void> {
  const slices = new Slices(sliceMs);
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < sliceCharacters && !slices.isOver) continue;
    yield text;
    text = '';
    await slices.next();
  }
  yield text;
}
