// Words that somebody may have meant.

/** Known words that are few edits away from `word`, nearest first; for messages. */
export function nearestWords(word: string, known: readonly string[]): string[] {
  const limit = Math.max(2, Math.floor(word.length / 5));
  return known
    .map((candidate) => ({ candidate, edits: editDistance(word, candidate, limit) }))
    .filter(({ edits }) => edits <= limit)
    .sort((left, right) => left.edits - right.edits)
    .map(({ candidate }) => candidate);
}

function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = left[i - 1] === right[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + change));
    }
    row = next;
  }
  return row[right.length] ?? limit + 1;
}
