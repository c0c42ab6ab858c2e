import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { it } from 'node:test';
import { settingsTables } from './all.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const isTest = (name: string): boolean => name.endsWith('.test.ts');

/** Members of each table that the product reads, by the compiler: it compiles against empty tables, and misses what is read. */
function membersRead(): Map<string, Set<string>> {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-settings-'));
  const tableOfConstant = new Map<string, string>();
  try {
    cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true, filter: (name) => !isTest(name) });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const name of ['package.json', 'tsconfig.json']) cpSync(join(root, name), join(folder, name));
    for (const file of readdirSync(join(folder, 'src/config/settings')).filter((name) => name !== 'all.ts')) {
      const path = join(folder, 'src/config/settings', file);
      // The one member that is left names the table in the compiler's messages.
      const mark = `inTable_${basename(file, '.ts').replaceAll('-', '_')}`;
      const [, table] = /export const (\w+) = defineSettings\(/.exec(readFileSync(path, 'utf8')) ?? [];
      assert.ok(table, `${file} declares one table`);
      tableOfConstant.set(table, basename(file, '.ts'));
      writeFileSync(
        path,
        `import { defineSettings } from '../table.ts';\nexport const ${table} = defineSettings({ ${mark}: { key: 'none.${mark}', type: 'boolean', about: '' } });\n`,
      );
    }
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '--singleThreaded', '-p', folder], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, GOGC: '400' },
    });
    const read = new Map(Object.keys(settingsTables).map((name) => [name, new Set<string>()]));
    for (const [, member = '', table = ''] of stdout.matchAll(/Property '(\w+)' does not exist on type '[^\n]*?inTable_(\w+)/g))
      read.get(table.replaceAll('_', '-'))?.add(member);
    // A member that is named to `textSetting` is read by that name.
    for (const [, constant = '', member = ''] of files.join('\n').matchAll(/\btextSetting\((\w+), '(\w+)'\)/g))
      read.get(tableOfConstant.get(constant) ?? '')?.add(member);
    return read;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The product's files outside of the tables. */
const files = (readdirSync(join(root, 'src'), { recursive: true }) as string[])
  .filter((name) => name.endsWith('.ts') && !isTest(name) && !name.startsWith(join('config', 'settings')))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'));
/** A text in quotes, or at the beginning of one that goes on with what is put in. */
const hasText = (file: string, text: string): boolean =>
  [`'${text}'`, `"${text}"`, `\`${text}\``, `\`${text}\${`, `\${${text}}`].some((quoted) => file.includes(quoted));

/** Families whose keys are not asked for one by one. */
const travelling: Readonly<Record<string, string>> = {
  'yarn.app.mapreduce.': 'a job carries every property of the settings that it was submitted with',
};

/** Whether a key is read as a text: written out, or put together of a prefix and a rest that stand in one file. */
function isReadAsText(key: string): boolean {
  if (files.some((file) => hasText(file, key))) return true;
  return [...key.matchAll(/\./g)].some(({ index }) => {
    const [prefix, rest] = [key.slice(0, index + 1), key.slice(index + 1)];
    return rest !== '' && files.some((file) => hasText(file, prefix) && hasText(file, rest));
  });
}

const read = membersRead();
const entries = Object.entries(settingsTables).flatMap(([table, members]) =>
  Object.entries(members).map(([name, entry]) => ({ table, name, place: `${table}.${name}: ${entry.key}`, ...entry })),
);

it('every setting is read by a component, or says why it changes nothing', () => {
  // A default that names another key reads it.
  const inDefaults = new Set(
    entries.flatMap((entry) => [...String(entry.default ?? '').matchAll(/\$\{([^}]+)\}/g)].map(([, key = '']) => key)),
  );
  const isRead = ({ table, name, key }: (typeof entries)[number]) =>
    read.get(table)?.has(name) || inDefaults.has(key) || isReadAsText(key) || key in travelling;
  assert.deepEqual(
    entries.filter((entry) => entry.inert === undefined && !isRead(entry)).map(({ place }) => place),
    [],
  );
});

it('no setting that is read says that it changes nothing', () => {
  assert.deepEqual(
    entries.filter(({ table, name, inert }) => inert !== undefined && read.get(table)?.has(name)).map(({ place }) => place),
    [],
  );
});

it('no component reads a member that its table does not have', () => {
  for (const [table, members] of read)
    assert.deepEqual(
      [...members].filter((name) => !Object.hasOwn(settingsTables[table] ?? {}, name)),
      [],
      table,
    );
});
