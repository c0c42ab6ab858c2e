// Tasks of one job by their ids. V8 makes every text that is a key unique first, which costs a hundred thousand tasks a tenth of a second: what is
// looked up is the number at the end of the id, which is small and nearly always says which one it is.

const zero = 0x30;
const nine = 0x39;
/** So many digits are a small integer; of longer numbers the last ones are taken. */
const digitsTaken = 9;

/** The number at the end of an id of a map, a negative one for any other id. */
function slotOf(id: string): number {
  let at = id.length - 1;
  let number = 0;
  for (let factor = 1, left = digitsTaken; at >= 0 && left > 0; at--, left--, factor *= 10) {
    const code = id.charCodeAt(at);
    if (code < zero || code > nine) break;
    number += (code - zero) * factor;
  }
  return id[at - 1] === 'm' ? number : -1 - number;
}

/** Things with ids like those of tasks, in the order in which they came. */
export class TasksById<Task extends { readonly id: string }> {
  readonly #first = new Map<number, Task>();
  /** Those whose place another has. */
  readonly #others = new Map<string, Task>();

  get size(): number {
    return this.#first.size + this.#others.size;
  }

  get(id: string): Task | undefined {
    const first = this.#first.get(slotOf(id));
    return first === undefined || first.id === id ? first : this.#others.get(id);
  }

  /** Adds one; one with the same id is replaced. */
  set(task: Task): void {
    const slot = slotOf(task.id);
    const first = this.#first.get(slot);
    if (first === undefined || first.id === task.id) this.#first.set(slot, task);
    else this.#others.set(task.id, task);
  }

  /** All of them. */
  values(): Task[] {
    return [...this.#first.values(), ...this.#others.values()];
  }
}
