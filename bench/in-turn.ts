// npm run bench-in-turn -- FOLDER BENCH… [--rounds N]: the benches of this checkout and of another one, round after round in turn, so that what
// else the machine does falls on both.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Table from 'cli-table3';
import { numberOption, readArguments, refuseArguments } from '../scripts/arguments.ts';
import { compared } from './comparison.ts';
import type { BenchReport } from './performance-page.ts';

const usage = `npm run bench-in-turn -- FOLDER BENCH… [--rounds N]
  FOLDER        another checkout with what it needs installed: "git worktree add FOLDER COMMIT", then "npm ci" there
  BENCH         as for "npm run bench"
  --rounds N    rounds of each (default: 3)`;
const { values, positionals } = readArguments(usage, {
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' } },
});
const [folder, ...benches] = positionals;
const rounds = numberOption(usage, 'rounds', values.rounds);
if (folder === undefined || benches.length === 0) refuseArguments(usage, 'A folder and a bench are needed');
const here = join(import.meta.dirname, '..');
const there = resolve(folder);
if (!existsSync(join(there, 'bench/main.ts'))) {
  console.error(`${there} is no checkout: it has no bench/main.ts`);
  process.exit(2);
}

const home = mkdtempSync(join(tmpdir(), 'bench-in-turn-'));
/** One run in a checkout, with the Node.js that is installed there. */
function run(checkout: string, bench: string): BenchReport {
  const file = join(home, 'report.json');
  const path = `${join(checkout, 'node_modules/.bin')}:${process.env['PATH']}`;
  const { status } = spawnSync('npm', ['run', '--silent', 'bench', '--', bench, '--json', file], {
    cwd: checkout,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`the bench "${bench}" failed in ${checkout}`);
  return JSON.parse(readFileSync(file, 'utf8')) as BenchReport;
}

try {
  for (const bench of benches) {
    const [own, other]: [BenchReport[], BenchReport[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      other.push(run(there, bench));
      own.push(run(here, bench));
    }
    const table = new Table({ head: [bench, 'there', 'here', 'here / there', ''], style: { head: [], border: [] } });
    for (const { name, unit, theirs, ours, ratio } of compared(bench, own, other)) table.push([name, theirs, ours, ratio, unit]);
    console.log(table.toString());
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
