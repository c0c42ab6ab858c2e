// Versions of Hadoop as nodes tell them.

/** Which of two versions is newer, part by part: numbers as numbers, and `3.4.2` above `3.4.2-SNAPSHOT` (VersionUtil). */
export function compareVersions(left: string, right: string): number {
  const [numbersOf, restOf] = [
    (text: string) => (/^[\d.]*/.exec(text)?.[0] ?? '').split('.').map(Number),
    (text: string) => text.replace(/^[\d.]*/, ''),
  ];
  const [a, b] = [numbersOf(left), numbersOf(right)];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  const [restA, restB] = [restOf(left), restOf(right)];
  if (restA === restB) return 0;
  return restA === '' ? 1 : restB === '' ? -1 : restA < restB ? -1 : 1;
}
