// Joins orders (`customer,thing`, files whose names contain "orders") with customers (`customer,name`): the name comes before the orders, so that
// none has to be kept in memory.
import type { JobModule } from 'heddle/batch';

const separator = '\t';
const customerOf = (key: string) => key.slice(0, key.indexOf(separator));

export default {
  map(line, emit, _position, context) {
    const comma = line.indexOf(',');
    if (comma < 0) return context.count('join', 'bad lines');
    const side = context.inputFile?.includes('orders') ? 'B' : 'A';
    emit(`${line.slice(0, comma)}${separator}${side}`, `${side}${line.slice(comma + 1)}`);
  },
  partition(key, reduces) {
    let hash = 0;
    for (const character of customerOf(key)) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
    return hash % reduces;
  },
  group: (left, right) => customerOf(left) === customerOf(right),
  reduce(key, values, emit) {
    let name: string | undefined;
    for (const value of values)
      if (value.startsWith('A')) name = value.slice(1);
      else if (name !== undefined) emit(customerOf(key), `${name}\t${value.slice(1)}`);
  },
} satisfies JobModule;
