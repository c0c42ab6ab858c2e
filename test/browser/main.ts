// npm run test:browser: the pages of running clusters in a real browser, at three widths, light and dark. Two files at a time, in one process (room.ts).
import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { chosenNames, readArguments } from '../../scripts/arguments.ts';

const usage = `npm run test:browser -- [options] [NAME …]
  --pictures FOLDER   leave pictures of every page there
  --again             run a file in which something failed a second time: how that ends is what counts`;
const { values, positionals } = readArguments(usage, {
  options: { pictures: { type: 'string' }, again: { type: 'boolean' } },
  allowPositionals: true,
});
if (values.pictures !== undefined) process.env['HEDDLE_PICTURES'] = resolve(values.pictures);
const names = globSync('*.browser.ts', { cwd: import.meta.dirname }).map((file) => basename(file, '.browser.ts'));
const files = chosenNames(usage, 'test', positionals, names.sort()).map((name) => `${name}.browser.ts`);
const root = join(import.meta.dirname, '../..');
/** When a file was changed, ms; 0 where it is not there. */
const changedMs = (file: string) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
// What is looked at is made of the sources as they stand.
const builtMs = changedMs('dist/web/index.html');
if (globSync('src/web/**/*', { cwd: root }).some((file) => changedMs(file) > builtMs))
  execFileSync(process.execPath, [join(root, 'scripts/prepare.js')], { stdio: 'inherit' });
// What the run of all other tests compiled is there already.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/compile');
const left: string[] = [];

/** Runs the files in one process with one browser (`room.ts`). The files in which something failed; all, where none is named. */
async function play(chosen: string[]): Promise<string[]> {
  const failed = new Set<string>();
  const tests = run({ files: [join(import.meta.dirname, 'room.ts')], argv: chosen });
  tests.on('test:pass', ({ name, skip }) => {
    if (skip !== undefined) left.push(`${name}: ${skip === true ? 'no reason given' : skip}`);
  });
  let isWhole = true;
  tests.on('test:fail', ({ name }) => {
    isWhole = false;
    if (chosen.includes(name)) failed.add(name);
  });
  await pipeline(tests.compose(new spec()), process.stdout, { end: false });
  return isWhole || failed.size > 0 ? [...failed] : chosen;
}

let failed = await play(files);
if (failed.length > 0 && values.again) {
  process.stdout.write(`\nTried again, for pages wait for what a busy machine may bring late: ${failed.join(', ')}\n`);
  failed = await play(failed);
}
if (failed.length > 0) process.exitCode = 1;
// After the summary, so that it is what is read last.
if (left.length > 0) process.stdout.write(`${left.length} did not run:\n${left.map((line) => `  ${line}\n`).join('')}`);
