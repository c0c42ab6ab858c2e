// The order in which Java's hash maps list text keys, where Hadoop shows it to clients.

/** Java's String.hashCode. */
export function javaHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash;
}

/** Keys in the order of a HashMap (or ConcurrentHashMap) that has grown to hold them; equal buckets keep the order of arrival. */
export function inHashOrder<T>(items: readonly T[], key: (item: T) => string): T[] {
  let buckets = 16;
  while (items.length > buckets * 0.75) buckets *= 2;
  const bucketOf = (item: T): number => {
    const hash = javaHash(key(item));
    return (hash ^ (hash >>> 16)) & (buckets - 1);
  };
  return items
    .map((item, index) => ({ item, bucket: bucketOf(item), index }))
    .sort((a, b) => a.bucket - b.bucket || a.index - b.index)
    .map(({ item }) => item);
}
