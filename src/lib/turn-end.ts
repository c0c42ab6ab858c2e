// What is done at the end of a turn of the event loop, for all that came up in it.

/** Carries out items at the end of the turn in which they were added, in their order. */
export class TurnEnd<Item> {
  readonly #carryOut: (item: Item) => void;
  #items: Item[] = [];

  /** `carryOut` does not throw; what it adds itself waits for the next turn. */
  constructor(carryOut: (item: Item) => void) {
    this.#carryOut = carryOut;
  }

  add(item: Item): void {
    if (this.#items.push(item) === 1) setImmediate(this.#carryOutAll);
  }

  readonly #carryOutAll = (): void => {
    const items = this.#items;
    this.#items = [];
    for (const item of items) this.#carryOut(item);
  };
}

/** Resolves when what is decided in this turn was carried out: the decision is told in the next one, and what that adds leaves at its end. */
export async function turnsAreOver(): Promise<void> {
  for (let turns = 0; turns < 2; turns++) await new Promise(setImmediate);
}
