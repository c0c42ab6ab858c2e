// Files that may not be there.
import { readFileSync } from 'node:fs';

/** The text of a file; empty where there is none, or it may not be read. */
export function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
