import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Counts words as the word count example does (Java's StringTokenizer), without any of Heddle's code. */
export function independentCount(folder: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const file of readdirSync(folder))
    for (const word of readFileSync(join(folder, file), 'utf8').split(/[ \t\n\r\f]+/))
      if (word) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The `word TAB count` lines of a job's result files; throws when the job has not committed. */
export function resultCount(folder: string): Map<string, number> {
  if (!existsSync(join(folder, '_SUCCESS'))) throw new Error(`${folder} holds no _SUCCESS`);
  const counts = new Map<string, number>();
  for (const file of readdirSync(folder).filter((name) => name.startsWith('part-')))
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      const tab = line.lastIndexOf('\t');
      if (tab > 0) counts.set(line.slice(0, tab), Number(line.slice(tab + 1)));
    }
  return counts;
}
