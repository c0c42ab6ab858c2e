// How often does each word occur?
import type { JobModule } from 'heddle/batch';

const sum: NonNullable<JobModule['combine']> = (key, values, emit) => {
  let total = 0;
  for (const value of values) total += Number(value);
  emit(key, total);
};

export default {
  map(line, emit) {
    for (const word of line.split(/\s+/)) if (word !== '') emit(word, 1);
  },
  combine: sum,
  reduce: sum,
} satisfies JobModule;
