// `npm run test:browser [-- --pictures FOLDER] [NAME …]`: the pages of running clusters in a real browser, at two widths, light and dark.
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ options: { pictures: { type: 'string' } }, allowPositionals: true });
if (values.pictures !== undefined) process.env['HEDDLE_PICTURES'] = resolve(values.pictures);
const files = globSync(join(import.meta.dirname, '*.browser.ts'))
  .filter((file) => positionals.length === 0 || positionals.some((name) => file.endsWith(`/${name}.browser.ts`)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`There is no such test: ${positionals.join(', ')}\n`);
  process.exit(2);
}
const left: string[] = [];
const tests = run({ files, concurrency: 1, timeout: 300_000 });
tests.on('test:pass', ({ name, skip }) => {
  if (skip !== undefined) left.push(`${name}: ${skip === true ? 'no reason given' : skip}`);
});
tests.on('test:fail', () => (process.exitCode = 1));
tests.on('end', () => {
  // After the summary, so that it is what is read last.
  process.once('exit', () => {
    if (left.length > 0) process.stdout.write(`${left.length} did not run:\n${left.map((line) => `  ${line}\n`).join('')}`);
  });
});
tests.compose(new spec()).pipe(process.stdout);
