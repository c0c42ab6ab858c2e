// Lines `station date temperature`: of each station all temperatures in the order of their dates. The key holds both; the station alone decides
// which reduce gets it and what is one group.
import type { JobModule } from 'heddle/batch';

const stationOf = (key: string) => key.slice(0, key.indexOf(' '));

export default {
  map(line, emit) {
    const [station, date, temperature] = line.split(' ');
    if (temperature !== undefined) emit(`${station} ${date}`, temperature);
  },
  partition(key, reduces) {
    let hash = 0;
    for (const character of stationOf(key)) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
    return hash % reduces;
  },
  group: (left, right) => stationOf(left) === stationOf(right),
  reduce: (key, values, emit) => emit(stationOf(key), [...values].join(' ')),
} satisfies JobModule;
