// The same change of many things, one after the other, each answered by itself.
import { ApiFailure } from './http.ts';

/** What was not changed, and why. */
export interface Refused<Item> {
  readonly item: Item;
  readonly reason: string;
}

/** How far it is. `left`: nobody was asked to change them. */
export interface SeveralChanges<Item> {
  readonly done: readonly Item[];
  readonly refused: readonly Refused<Item>[];
  readonly left: readonly Item[];
}

/** Requests that are under way at a time: others want to be answered meanwhile. */
const atOnce = 4;
/** Without an answer, or with this one, all that follow would fail as well. */
const endsAll = (problem: unknown): boolean => problem instanceof ApiFailure && (problem.status === 0 || problem.status === 401);

/**
 * Changes each item. `tell` hears after each of them how far it is; `isStopped` is asked before each. Where nobody answers, or the session has ended, the
 * rest is left.
 */
export async function changeEach<Item>(
  items: readonly Item[],
  change: (item: Item) => Promise<unknown>,
  { tell, isStopped }: { readonly tell: (state: SeveralChanges<Item>) => void; readonly isStopped: () => boolean },
): Promise<SeveralChanges<Item>> {
  const done: Item[] = [];
  const refused: Refused<Item>[] = [];
  const left = [...items];
  let isOver = false;
  const state = (): SeveralChanges<Item> => ({ done: [...done], refused: [...refused], left: [...left] });
  const work = async () => {
    while (!isOver && !isStopped() && left.length > 0) {
      const item = left.shift()!;
      try {
        await change(item);
        done.push(item);
      } catch (problem) {
        refused.push({ item, reason: (problem as Error).message });
        isOver ||= endsAll(problem);
      }
      tell(state());
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return state();
}

/** The items from one place to another, both included, whichever comes first. */
export function between<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  return items.slice(Math.max(0, Math.min(from, to)), Math.max(from, to) + 1);
}
