// Long records as text while they are sent, in slices between which others are served.
import { pause } from '../lib/pause.ts';
import type { RecordDescription } from '../wire/codec/describe.ts';
import { jsonPieces, xmlPieces } from '../wire/codec/pieces.ts';
import type { Format } from './negotiate.ts';

/** A slice ends after so long, which is looked at after so many pieces, or with so much text. */
const sliceMs = 5;
const piecesPerLook = 32;
const sliceCharacters = 64 * 1024;

/** The text of a record in slices; undefined where none of its lists is long. The value must not be changed until all of them were taken. */
export function recordPieces<T>(record: RecordDescription<T>, value: T, format: Format): AsyncGenerator<string, void> | undefined {
  const pieces = format === 'xml' ? xmlPieces(record, value) : jsonPieces(record, value);
  return pieces && slices(pieces);
}

async function* slices(pieces: Iterable<string>): AsyncGenerator<string, void> {
  let [text, count, sinceMs] = ['', 0, performance.now()];
  for (const piece of pieces) {
    text += piece;
    count += 1;
    if (text.length < sliceCharacters && (count % piecesPerLook > 0 || performance.now() - sinceMs < sliceMs)) continue;
    yield text;
    await pause();
    [text, sinceMs] = ['', performance.now()];
  }
  yield text;
}
