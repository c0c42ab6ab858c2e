// Answers that may be long: made in slices, others' requests between them, and sent while they are made.
import { type Answer, stream } from '../../http/answers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Turns } from '../../lib/turns.ts';
import { failure } from '../../model/errors.ts';

/** What making long answers needs. */
export interface LongAnswerParts {
  readonly turns: Turns;
  readonly clock: Clock;
  /** How long a search may go on without finding anything more, ms. */
  readonly maximumSearchMs: number;
}

/** From this length on (in characters) an answer leaves while it is made. */
const wholeCharacters = 256 * 1024;

/**
 * The answer of pieces of text; an empty piece says that nothing was found in a slice. Short ones leave as a whole, long ones are streamed as
 * fast as the caller reads. @throws TIMELINE_SEARCH_TOO_LONG before anything was sent; afterwards the answer is cut short
 */
export async function longAnswer(pieces: Iterator<string, unknown>, contentType: string, parts: LongAnswerParts): Promise<Answer> {
  const { turns, clock, maximumSearchMs } = parts;
  let foundMs = clock.steadyMs();
  const next = (): string | undefined => {
    const step = pieces.next();
    if (step.done) return undefined;
    if (step.value !== '') foundMs = clock.steadyMs();
    else if (clock.steadyMs() - foundMs > maximumSearchMs)
      throw failure('TIMELINE_SEARCH_TOO_LONG', { seconds: Math.round(maximumSearchMs / 1000) });
    return step.value;
  };
  let text = '';
  for (let piece = next(); piece !== undefined; piece = next()) {
    text += piece;
    if (text.length >= wholeCharacters) return stream(200, contentType, rest(text));
    await turns.next();
  }
  return { kind: 'rendered', status: 200, body: text, contentType };

  async function* rest(begun: string): AsyncGenerator<string> {
    yield begun;
    await turns.next();
    for (let piece = next(); piece !== undefined; piece = next()) {
      if (piece !== '') yield piece;
      await turns.next();
    }
  }
}

/** How the items of a list stand in its text. */
export interface ListForm<Item> {
  readonly open: string;
  readonly separator: string;
  readonly close: string;
  readonly write: (item: Item) => string;
}

/** What a piece may cost: one for what was looked at in vain, more for what is in it; a thousand take some milliseconds. */
const pieceCost = 500;
const itemCost = 10;
const charactersPerCost = 1000;

/**
 * The text of a list, in pieces that cost about the same; undefined items were looked at and do not belong to it.
 */
export function* listPieces<Item>(items: Iterable<Item | undefined>, form: ListForm<Item>): Generator<string, undefined> {
  let [isOpen, piece, cost] = [false, '', 0];
  for (const item of items) {
    if (item !== undefined) {
      const text = form.write(item);
      piece += (isOpen ? form.separator : form.open) + text;
      isOpen = true;
      cost += itemCost + text.length / charactersPerCost;
    }
    cost += 1;
    if (cost < pieceCost) continue;
    yield piece;
    [piece, cost] = ['', 0];
  }
  yield piece + (isOpen ? '' : form.open) + form.close;
  return;
}
