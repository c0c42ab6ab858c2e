import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const isProse = (name: string) => /\.(md|txt|d\.m?ts)$/i.test(name) || /^(license|licence|notice|changelog|readme)/i.test(name);

function* textFiles(dir: string, depth = 6): Generator<string> {
  if (depth === 0 || !existsSync(dir)) return;
  for (const entry of readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) yield* textFiles(path, depth - 1);
    else if (entry.isFile() && isProse(entry.name)) yield path;
  }
}

/**
 * Gathers the texts that every checkout has (documents and the packages' readme, licence and change files) into files
 * `text-N.txt` of `target`, about `fileBytes` each and at most `totalBytes` in all. Returns the bytes written.
 */
export function gatherTexts(options: { sources: readonly string[]; target: string; fileBytes: number; totalBytes: number }): {
  files: number;
  bytes: number;
  texts: number;
} {
  const { sources, target, fileBytes, totalBytes } = options;
  mkdirSync(target, { recursive: true });
  let texts = 0;
  let files = 0;
  let bytes = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const flush = () => {
    if (!pendingBytes) return;
    writeFileSync(join(target, `text-${String(files++).padStart(3, '0')}.txt`), Buffer.concat(pending));
    pending = [];
    pendingBytes = 0;
  };
  for (const source of sources)
    for (const file of textFiles(source)) {
      const { size } = statSync(file);
      if (bytes + size > totalBytes) continue;
      pending.push(readFileSync(file), Buffer.from('\n'));
      pendingBytes += size + 1;
      bytes += size + 1;
      texts++;
      if (pendingBytes >= fileBytes) flush();
    }
  flush();
  return { files, bytes, texts };
}
