// The order in which Java's hash maps list text keys, where Hadoop shows it to clients.

/** Java's String.hashCode. */
export function javaHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

/** Keys in the order of a HashMap (or ConcurrentHashMap) that has grown to hold them; equal buckets keep the order of arrival. */
export const inHashOrder = <T>(items: readonly T[], key: (item: T) => string): T[] => inBuckets(items, (item) => javaHash(key(item)));

/** Keys in the order of a ConcurrentHashMap that once held `most` keys: it grows when it is three quarters full and never shrinks. */
export const inConcurrentOrder = <T>(items: readonly T[], key: (item: T) => string, most: number): T[] =>
  inBuckets(items, (item) => javaHash(key(item)), concurrentBucketsFor(most));

/** Node ids (`host:port`) in the order of a HashSet. */
export const inNodeOrder = (ids: readonly string[]): string[] => inBuckets(ids, nodeHash);

/** Nodes in the order of a ConcurrentHashMap of their ids. */
export const inConcurrentNodeOrder = <T>(nodes: readonly T[], id: (node: T) => string): T[] =>
  inBuckets(nodes, (node) => nodeHash(id(node)), concurrentBucketsFor(nodes.length));

/** NodeId.hashCode of `host:port`. */
function nodeHash(id: string): number {
  const colon = id.lastIndexOf(':');
  const ofHost = (Math.imul(8501, 493_217) + javaHash(id.slice(0, colon))) | 0;
  return (Math.imul(ofHost, 493_217) + Number(id.slice(colon + 1))) | 0;
}

function concurrentBucketsFor(most: number): number {
  let buckets = 16;
  while (most >= buckets * 0.75) buckets *= 2;
  return buckets;
}

function bucketsFor(count: number): number {
  let buckets = 16;
  while (count > buckets * 0.75) buckets *= 2;
  return buckets;
}

function inBuckets<T>(items: readonly T[], hashOf: (item: T) => number, buckets = bucketsFor(items.length)): T[] {
  const bucketOf = (item: T): number => {
    const hash = hashOf(item);
    return (hash ^ (hash >>> 16)) & (buckets - 1);
  };
  return items
    .map((item, index) => ({ item, bucket: bucketOf(item), index }))
    .sort((a, b) => a.bucket - b.bucket || a.index - b.index)
    .map(({ item }) => item);
}
