// Sheets and pages fit together: what is styled is there.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..');
const textsOf = (pattern: string): ReadonlyMap<string, string> =>
  new Map(globSync(pattern, { cwd: root }).map((name) => [join(root, name), readFileSync(join(root, name), 'utf8')]));
const sheets = textsOf('**/*.css');
const pages = textsOf('**/*.tsx');

/** Selectors of a sheet: what stands before a brace, conditions of media aside. */
const selectorsOf = (sheet: string): string[] =>
  [...sheet.replace(/\/\*[^*]*\*\//g, '').matchAll(/([^{}]+)\{/g)]
    .map(([, found = '']) => found.trim())
    .filter((found) => !found.startsWith('@'));

describe('style sheets', () => {
  it('are each loaded by a page or a part', () => {
    const loaded = new Set(
      [...pages].flatMap(([file, text]) =>
        [...text.matchAll(/^import '(\.[^']+\.css)';$/gm)].map(([, name = '']) => join(dirname(file), name)),
      ),
    );
    assert.deepEqual(
      [...sheets.keys()].filter((file) => !loaded.has(file)),
      [],
    );
    assert.ok(sheets.size > 10);
  });

  it('have no class that no page names', () => {
    const markup = [...pages.values()].join('\n');
    // Written whole, or made of a prefix and a kind.
    const isNamed = (name: string): boolean =>
      new RegExp(`['"\`\\s]${name}['"\`\\s]`).test(markup) || markup.includes(`${name.slice(0, name.indexOf('-') + 1) || name}\${`);
    const named = [...sheets.values()].flatMap(selectorsOf).flatMap((selector) => [...selector.matchAll(/\.([a-z][a-z-]*)/g)]);
    const classes = new Set(named.map(([, name = '']) => name));
    assert.deepEqual(
      [...classes].filter((name) => !isNamed(name)),
      [],
    );
    assert.ok(classes.size > 100);
  });

  it('have no custom property that nothing reads', () => {
    const all = [...sheets.values(), ...textsOf('**/*.{ts,tsx}').values()].join('\n');
    const declared = new Set([...all.matchAll(/^\s+(--[a-z-]+):/gm)].map(([, name = '']) => name));
    assert.deepEqual(
      [...declared].filter((name) => !new RegExp(`(?:\\(|')${name}\\b`).test(all)),
      [],
    );
    assert.ok(declared.size > 20);
  });
});
