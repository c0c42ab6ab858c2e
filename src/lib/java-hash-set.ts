// In which order Java goes through a set of texts, where that decides what Hadoop answers.

const leastTable = 16;
const loadFactor = 0.75;

/** Java's `String.hashCode`. */
function hashCode(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(31, hash) + text.charCodeAt(at)) | 0;
  return hash;
}

/** The texts, each once, as a `java.util.HashSet` that grew with them gives them: by their places in its table. */
export function hashSetOrder(texts: Iterable<string>): string[] {
  const all = [...new Set(texts)];
  let table = leastTable;
  while (all.length > table * loadFactor) table *= 2;
  const placeOf = (text: string): number => {
    const hash = hashCode(text);
    return (hash ^ (hash >>> 16)) & (table - 1);
  };
  return all.sort((left, right) => placeOf(left) - placeOf(right));
}
