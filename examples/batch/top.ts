// The N records (-D top.n=…, 10) with the largest values among lines `key<tab>number`; with one reduce.
import type { JobModule } from 'heddle/batch';

let wanted = 10;
/** The best so far, largest first. */
let best: { readonly key: string; readonly value: number }[] = [];

function take(key: string, value: number): void {
  if (best.length === wanted && value <= best.at(-1)!.value) return;
  const at = best.findIndex((other) => value > other.value);
  best.splice(at < 0 ? best.length : at, 0, { key, value });
  best.length = Math.min(best.length, wanted);
}

export default {
  setup(context) {
    wanted = Number(context.setting('top.n') ?? 10);
    best = [];
  },
  map(line) {
    const [key = '', value = ''] = line.split('\t');
    if (value !== '') take(key, Number(value));
  },
  reduce(key, values) {
    for (const value of values) take(key, Number(value));
  },
  cleanup(emit) {
    for (const { key, value } of best) emit(key, value);
  },
} satisfies JobModule;
