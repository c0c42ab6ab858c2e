// The order in which Java's hash maps list text keys, where Hadoop shows it to clients.

/** Java's String.hashCode. */
export function javaHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

/** Keys in the order of a HashMap (or ConcurrentHashMap) that has grown to hold them; equal buckets keep the order of arrival. */
export const inHashOrder = <T>(items: readonly T[], key: (item: T) => string): T[] => inBuckets(items, (item) => javaHash(key(item)));

/** Node ids (`host:port`) in the order of a HashSet. */
export const inNodeOrder = (ids: readonly string[]): string[] =>
  inBuckets(ids, (id) => {
    const colon = id.lastIndexOf(':');
    const ofHost = (Math.imul(8501, 493_217) + javaHash(id.slice(0, colon))) | 0;
    return (Math.imul(ofHost, 493_217) + Number(id.slice(colon + 1))) | 0;
  });

function inBuckets<T>(items: readonly T[], hashOf: (item: T) => number): T[] {
  let buckets = 16;
  while (items.length > buckets * 0.75) buckets *= 2;
  const bucketOf = (item: T): number => {
    const hash = hashOf(item);
    return (hash ^ (hash >>> 16)) & (buckets - 1);
  };
  return items
    .map((item, index) => ({ item, bucket: bucketOf(item), index }))
    .sort((a, b) => a.bucket - b.bucket || a.index - b.index)
    .map(({ item }) => item);
}
