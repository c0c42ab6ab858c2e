// npm run bench -- start|submit|wordcount|batch|list|finished|rest|growth|crowd|bearer|rpc|scheduler|containers|authentication|timeline|history|recovery|pages|all [--peer] [--json FILE] [--page FILE] [--with FILE]
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import Table from 'cli-table3';
import { chosenNames, readArguments } from '../scripts/arguments.ts';
import { loadMethod } from './load.ts';
import type { Measure } from './measure.ts';
import { type Peer, startPeer } from './peer.ts';
import { type BenchReport, performancePage, timesBetter } from './performance-page.ts';

/** What Hadoop does is measured by parts of it, not by its daemons. */
const withoutDaemons = new Set(['scheduler', 'authentication', 'rpc', 'timeline', 'history', 'growth', 'crowd', 'pages', 'recovery']);
const questions: Record<string, () => Promise<(peer?: Peer, compared?: boolean) => Promise<Measure[]>>> = {
  start: async () => (await import('./start.ts')).start,
  submit: async () => (await import('./submit.ts')).submit,
  wordcount: async () => (await import('./wordcount.ts')).wordcount,
  batch: async () => (await import('./batch.ts')).batch,
  list: async () => (await import('./list.ts')).list,
  finished: async () => (await import('./finished.ts')).finished,
  rest: async () => (await import('./rest.ts')).rest,
  growth: async () => (await import('./growth.ts')).growth,
  crowd: async () => (await import('./crowd.ts')).crowd,
  bearer: async () => (await import('./bearer.ts')).bearer,
  rpc: async () => (await import('./rpc.ts')).rpc,
  scheduler: async () => (await import('./scheduler.ts')).scheduler,
  containers: async () => (await import('./containers.ts')).containers,
  authentication: async () => (await import('./authentication.ts')).authentication,
  timeline: async () => (await import('./timeline.ts')).timeline,
  history: async () => (await import('./history.ts')).history,
  recovery: async () => (await import('./recovery.ts')).recovery,
  pages: async () => (await import('./pages.ts')).pages,
};

/** Asked for by name alone, for it needs a browser. */
const onlyByName = new Set(['pages']);

const usage = `npm run bench -- [${Object.keys(questions).join('|')}|all]… [--peer] [--json FILE] [--page FILE] [--with FILE]
  --peer        the same work on real Hadoop, too
  --json FILE   write the numbers there
  --page FILE   write the page about performance there
  --with FILE   numbers that another run wrote: the page shows them, too; without any bench nothing is measured (may come several times)`;
const { values, positionals } = readArguments(usage, {
  allowPositionals: true,
  options: {
    peer: { type: 'boolean', default: false },
    json: { type: 'string' },
    page: { type: 'string' },
    with: { type: 'string', multiple: true, default: [] },
  },
});
const earlier = values.with.map((file) => JSON.parse(readFileSync(file, 'utf8')) as BenchReport);
const isNamed = (positionals.length > 0 || earlier.length > 0) && !positionals.includes('all');
const wanted = isNamed ? positionals : Object.keys(questions).filter((name) => !onlyByName.has(name));
chosenNames(usage, 'bench', wanted, Object.keys(questions));

const round = (value: number) => (Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
const loadBefore = loadavg()[0]!;
const results: Record<string, Measure[]> = {};
let peer: Peer | undefined;
try {
  for (const name of wanted) {
    // Every question gets a Hadoop of its own: the lists fill it with applications.
    peer = values.peer && !withoutDaemons.has(name) ? await startPeer() : undefined;
    const question = await questions[name]?.();
    results[name] = (await question?.(peer, values.peer)) ?? [];
    await peer?.close();
    peer = undefined;
    const hasFloor = results[name]?.some(({ floor }) => floor !== undefined) ?? false;
    const hasSpread = results[name]?.some(({ spread }) => spread !== undefined) ?? false;
    const table = new Table({
      head: [
        name,
        'Heddle',
        ...(hasSpread ? ['from – to'] : []),
        ...(hasFloor ? ['bare server'] : []),
        ...(values.peer ? ['Hadoop', 'times better'] : []),
        '',
      ],
      style: { head: [], border: [] },
    });
    for (const measure of results[name] ?? []) {
      const { name: what, value, unit, spread, floor, peer: theirs } = measure;
      table.push([
        what,
        round(value),
        ...(hasSpread ? [spread ? spread.map(round).join(' – ') : ''] : []),
        ...(hasFloor ? [floor === undefined ? '' : round(floor)] : []),
        ...(values.peer ? [theirs === undefined ? '' : round(theirs), theirs === undefined ? '' : round(timesBetter(measure))] : []),
        unit,
      ]);
    }
    console.log(table.toString());
  }
} finally {
  await peer?.close();
}
const report: BenchReport = {
  date: new Date().toISOString(),
  node: process.version,
  cores: cpus().length,
  model: cpus()[0]?.model,
  load: [loadBefore, loadavg()[0]!],
  method: loadMethod,
  results,
};
// Where nothing was measured the page is that of the other runs.
const [newest = report, ...others] = wanted.length > 0 ? [report, ...earlier] : earlier;
if (values.page) writeFileSync(values.page, performancePage(newest, ...others));
if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
else if (wanted.length > 0) console.log(JSON.stringify(report));
