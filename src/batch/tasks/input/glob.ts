// Hadoop's file name patterns: * ? [a-b] [^a] {x,y} and backslash, matched component by component.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a path has pattern characters. */
export function hasGlob(path: string): boolean {
  return /(^|[^\\])[*?[{]/.test(path);
}

/** The regular expression of one path component. A pattern that is not closed matches nothing but itself. */
export function componentPattern(component: string): RegExp {
  let source = '';
  let depth = 0;
  for (let i = 0; i < component.length; i++) {
    const char = component[i]!;
    if (char === '\\' && i + 1 < component.length) source += escapeCharacter(component[++i]!);
    else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '[') {
      const end = component.indexOf(']', i + 2);
      if (end < 0) source += '\\[';
      else {
        const body = component.slice(i + 1, end);
        const inverted = body.startsWith('^') || body.startsWith('!');
        source += `[${inverted ? '^' : ''}${(inverted ? body.slice(1) : body).replace(/[\\\]^]/g, '\\$&')}]`;
        i = end;
      }
    } else if (char === '{') {
      depth++;
      source += '(?:';
    } else if (char === '}' && depth > 0) {
      depth--;
      source += ')';
    } else if (char === ',' && depth > 0) source += '|';
    else source += escapeCharacter(char);
  }
  return new RegExp(`^(?:${source}${')'.repeat(depth)})$`, 's');
}

function escapeCharacter(char: string): string {
  return char.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/** Splits at `/` outside braces. */
export function pathComponents(path: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of path) {
    if (char === '{') depth++;
    if (char === '}') depth--;
    if (char === '/' && depth <= 0) {
      parts.push(part);
      part = '';
    } else part += char;
  }
  parts.push(part);
  return parts.filter((one) => one !== '');
}

/** Where the brace that opens at `open` closes, and the commas between its words; undefined where it does not close. */
function bracePair(pattern: string, open: number): { readonly close: number; readonly commas: readonly number[] } | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (let i = open; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === '\\') i++;
    else if (char === '{') depth++;
    else if (char === ',' && depth === 1) commas.push(i);
    else if (char === '}' && --depth === 0) return { close: i, commas };
  }
  return undefined;
}

/** The patterns that a pattern stands for whose braces have folders in their words, so that none has any more (Hadoop's GlobExpander). */
export function expandFolders(pattern: string): string[] {
  for (let open = 0; open < pattern.length; open++) {
    if (pattern[open] === '\\') open++;
    else if (pattern[open] === '{') {
      const pair = bracePair(pattern, open);
      if (pair === undefined) return [pattern];
      const { close, commas } = pair;
      if (!pattern.slice(open, close).includes('/')) {
        open = close;
        continue;
      }
      const ends = [...commas, close];
      const words = ends.map((end, i) => pattern.slice(i === 0 ? open + 1 : ends[i - 1]! + 1, end));
      return words.flatMap((word) => expandFolders(pattern.slice(0, open) + word + pattern.slice(close + 1)));
    }
  }
  return [pattern];
}

/** Existing paths that match an absolute pattern, sorted; each once. */
export function expandGlob(pattern: string): string[] {
  return [...new Set(expandFolders(pattern).flatMap(matchesOf))].sort();
}

/** Existing paths that match a pattern whose braces have no folders in their words. */
function matchesOf(pattern: string): string[] {
  let found = ['/'];
  for (const component of pathComponents(pattern)) {
    const next: string[] = [];
    for (const folder of found) {
      if (!hasGlob(component)) {
        const path = join(folder, component.replace(/\\(.)/g, '$1'));
        if (statSync(path, { throwIfNoEntry: false }) !== undefined) next.push(path);
        continue;
      }
      if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
      const matches = componentPattern(component);
      for (const name of readdirSync(folder).sort()) if (matches.test(name)) next.push(join(folder, name));
    }
    found = next;
  }
  return found;
}
