// Lines in the order of the number they begin with, largest first; of equal numbers in the order of their text.
import type { JobModule } from 'heddle/batch';

const numberOf = (line: string) => Number.parseFloat(line) || 0;

export default {
  map: (line, emit) => emit(line, ''),
  compare: (left, right) => numberOf(right) - numberOf(left) || (left < right ? -1 : left > right ? 1 : 0),
  // The first reduce gets what is not below zero: its output comes before that of the last.
  partition: (line, reduces) => (numberOf(line) >= 0 ? 0 : reduces - 1),
} satisfies JobModule;
