// npm run bench -- start|submit|wordcount|batch|list|finished|rest|bearer|rpc|scheduler|containers|authentication|timeline [--peer] [--json FILE]
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import Table from 'cli-table3';
import { readArguments } from '../scripts/arguments.ts';
import type { Measure } from './measure.ts';
import { type Peer, startPeer } from './peer.ts';

/** What Hadoop does is measured by parts of it, not by its daemons. */
const withoutDaemons = new Set(['scheduler', 'authentication', 'rpc', 'timeline']);
const questions: Record<string, () => Promise<(peer?: Peer, compared?: boolean) => Promise<Measure[]>>> = {
  start: async () => (await import('./start.ts')).start,
  submit: async () => (await import('./submit.ts')).submit,
  wordcount: async () => (await import('./wordcount.ts')).wordcount,
  batch: async () => (await import('./batch.ts')).batch,
  list: async () => (await import('./list.ts')).list,
  finished: async () => (await import('./finished.ts')).finished,
  rest: async () => (await import('./rest.ts')).rest,
  bearer: async () => (await import('./bearer.ts')).bearer,
  rpc: async () => (await import('./rpc.ts')).rpc,
  scheduler: async () => (await import('./scheduler.ts')).scheduler,
  containers: async () => (await import('./containers.ts')).containers,
  authentication: async () => (await import('./authentication.ts')).authentication,
  timeline: async () => (await import('./timeline.ts')).timeline,
};

const usage = `npm run bench -- [${Object.keys(questions).join('|')}]… [--peer] [--json FILE]
  --peer        the same work on real Hadoop, too
  --json FILE   write the numbers there`;
const { values, positionals } = readArguments(usage, {
  allowPositionals: true,
  options: { peer: { type: 'boolean', default: false }, json: { type: 'string' } },
});
const wanted = positionals.length ? positionals : Object.keys(questions);
const unknown = wanted.find((name) => !(name in questions));
if (unknown) {
  console.error(`no bench "${unknown}": use ${Object.keys(questions).join(', ')}`);
  process.exit(2);
}

const round = (value: number) => (Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
/** How many times better than the peer: less of what is waited for or taken, more of what is served. */
const timesBetter = (value: number, theirs: number, unit: string) => round(unit.endsWith('/s') ? value / theirs : theirs / value);
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
    const table = new Table({
      head: [name, 'Heddle', ...(values.peer ? ['Hadoop', 'times better'] : []), ''],
      style: { head: [], border: [] },
    });
    for (const { name: what, value, unit, peer: theirs } of results[name] ?? [])
      table.push([
        what,
        round(value),
        ...(values.peer ? [theirs === undefined ? '' : round(theirs), theirs === undefined ? '' : timesBetter(value, theirs, unit)] : []),
        unit,
      ]);
    console.log(table.toString());
  }
} finally {
  await peer?.close();
}
const report = { date: new Date().toISOString(), node: process.version, cores: cpus().length, model: cpus()[0]?.model, results };
if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
else console.log(JSON.stringify(report));
