// Answers that may be long: made in slices, others' requests between them, and sent while they are made.
import { type Answer, stream } from '../../http/answers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Turns } from '../../lib/turns.ts';
import { failure } from '../../model/errors.ts';
import type { Gradually } from '../store/gradually.ts';

/** What making long answers needs. */
export interface LongAnswerParts {
  readonly turns: Turns;
  readonly clock: Clock;
  /** How long a search may go on without finding anything more, ms. */
  readonly maximumSearchMs: number;
}

/** From this length on (in characters) an answer leaves while it is made. */
const wholeCharacters = 256 * 1024;

/** Text that is made piece by piece; what it returns is the last one. */
export type TextPieces = Iterator<string, string>;

/**
 * The answer of pieces of text; an empty piece says that nothing was found in a slice. Short ones leave as a whole, long ones are streamed as
 * fast as the caller reads, labelled as the route labels them where `contentType` is undefined. Who asks for one piece waits for nobody. @throws TIMELINE_SEARCH_TOO_LONG before anything was sent; afterwards the answer is
 * cut short
 */
export async function longAnswer(pieces: TextPieces, contentType: string | undefined, parts: LongAnswerParts): Promise<Answer> {
  const { turns, clock, maximumSearchMs } = parts;
  let foundMs = clock.steadyMs();
  const next = (): IteratorResult<string, string> => {
    const step = pieces.next();
    if (step.value !== '') foundMs = clock.steadyMs();
    else if (clock.steadyMs() - foundMs > maximumSearchMs)
      throw failure('TIMELINE_SEARCH_TOO_LONG', { seconds: Math.round(maximumSearchMs / 1000) });
    return step;
  };
  let text = '';
  for (let step = next(); ; step = next()) {
    text += step.value;
    if (step.done) return { kind: 'rendered', status: 200, body: text, ...(contentType === undefined ? {} : { contentType }) };
    if (text.length >= wholeCharacters) return stream(200, contentType, rest(text));
    await turns.next();
  }

  async function* rest(begun: string): AsyncGenerator<string> {
    yield begun;
    for (let isDone = false; !isDone; ) {
      await turns.next();
      const { done, value } = next();
      if (value !== '') yield value;
      isDone = done === true;
    }
  }
}

/** How the items of a list stand in its text. */
export interface ListForm<Item> {
  readonly open: string;
  readonly separator: string;
  readonly close: string;
  /** In pieces where an item is long. */
  readonly write: (item: Item) => Written;
}

/** Text, or pieces of it. */
export type Written = string | Iterable<string>;

/** What a piece may cost: one for what was looked at in vain, more for what is in it; a thousand take some milliseconds. */
const pieceCost = 500;
const itemCost = 10;
const charactersPerCost = 1000;

/** Text of items, gathered into pieces that cost about the same. `write` gives what stands in front of an item too; undefined items were looked at in vain. */
export function* gatheredPieces<Item>(
  items: Iterable<Item | undefined>,
  write: (item: Item) => Written,
  close: () => string,
): Generator<string, string> {
  let [piece, cost] = ['', 0];
  for (const item of items) {
    cost += 1;
    if (item !== undefined) {
      const written = write(item);
      for (const text of typeof written === 'string' ? [written] : written) {
        if (cost >= pieceCost) {
          yield piece;
          [piece, cost] = ['', 0];
        }
        piece += text;
        cost += itemCost + text.length / charactersPerCost;
      }
    } else if (cost >= pieceCost) {
      yield piece;
      [piece, cost] = ['', 0];
    }
  }
  return piece + close();
}

/** The text of one item that is read some parts at a time, in pieces; `open` stands in front of it. */
export function itemPieces<Item>(reading: Gradually<Item>, write: (item: Item) => Written, open = ''): Generator<string, string> {
  const read = function* (): Generator<Item | undefined, undefined> {
    yield yield* reading;
  };
  return listPieces(read(), { open, separator: '', close: '', write });
}

/** The text of a list, in pieces that cost about the same; undefined items were looked at and do not belong to it. */
export function listPieces<Item>(items: Iterable<Item | undefined>, form: ListForm<Item>): Generator<string, string> {
  let isOpen = false;
  const write = (item: Item): Written => {
    const before = isOpen ? form.separator : form.open;
    isOpen = true;
    const text = form.write(item);
    return typeof text === 'string' ? before + text : behind(before, text);
  };
  return gatheredPieces(items, write, () => (isOpen ? '' : form.open) + form.close);
}

function* behind(before: string, pieces: Iterable<string>): Generator<string, undefined> {
  yield before;
  yield* pieces;
}
