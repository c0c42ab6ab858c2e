import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { settingsTables } from './all.ts';

const source = join(import.meta.dirname, '..', '..');
const files = (readdirSync(source, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
const own = join('config', 'settings');
const textOf = (names: readonly string[]) => names.map((name) => readFileSync(join(source, name), 'utf8')).join('\n');
const code = textOf(files.filter((name) => !name.startsWith(own)));
const tables = textOf(files.filter((name) => name.startsWith(own)));
const words = new Set(code.match(/\w+/g));

test('every setting is read somewhere, or says why it changes nothing', () => {
  const forgotten = Object.values(settingsTables).flatMap((table) =>
    Object.entries(table)
      .filter(([name, { key, inert }]) => {
        if (inert !== undefined || words.has(name) || code.includes(key.replace(/\.$/, '')) || tables.includes(`\${${key}}`)) return false;
        // Read by a family of keys that servers have in common.
        const family = key.slice(0, key.lastIndexOf('.') + 1);
        return family.split('.').length < 5 || !code.includes(`'${family}'`);
      })
      .map(([, { key }]) => key),
  );
  assert.deepEqual(forgotten, []);
});
