// npm run storm: breaks a cluster of real processes for so many minutes and ends with one line of figures; exits with 1 where something did not hold.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numberOption, readArguments } from '../../scripts/arguments.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { makeMachines } from '../support/machines.ts';
import { storm } from './storm.ts';
import { StormCluster } from './storm-cluster.ts';
import type { Places } from './storm-role.ts';

const usage = `npm run storm -- [options]
  --minutes N   how long (default: 5)
  --seed S      of everything that is left to chance (default: 1); what the machine's own timing brings differs all the same
  --keep        keep data and logs`;
const { values: options } = readArguments(usage, {
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
    /** Inside: the machines that were made, as JSON. */
    inside: { type: 'string' },
  },
});
const minutes = numberOption(usage, 'minutes', options.minutes, { least: 0, isWhole: false });
const seed = numberOption(usage, 'seed', options.seed, { least: 0 });

/** Runs this program again on the first of three machines, where the network can be parted; else here. */
async function onMachines(): Promise<number> {
  const machines = makeMachines(3);
  if ('reason' in machines) {
    console.log(`nodes are not parted from the network: ${machines.reason}`);
    return play({
      addresses: ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
      command: (_machine, command = '', ...words) => [command, words],
      setCable: undefined,
    });
  }
  using made = machines;
  const own = [process.execPath, import.meta.filename, ...process.argv.slice(2)];
  const [command, words] = made.command(
    0,
    ...own,
    '--inside',
    JSON.stringify({ addresses: made.addresses, names: [0, 1, 2].map((index) => made.command(index)[1][2]) }),
  );
  const child = spawn(command, words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.on('message', ({ machine, plugged }: { machine: number; plugged: boolean }) => {
    try {
      made.setCable(machine, plugged);
    } catch (error) {
      console.error(`the cable of machine ${machine}: ${error}`);
    }
  });
  const interrupt = () => child.kill('SIGTERM');
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

function insidePlaces(text: string): Places {
  const { addresses, names } = JSON.parse(text) as { addresses: string[]; names: string[] };
  return {
    addresses,
    command: (machine, ...words) => ['ip', ['netns', 'exec', names[machine] ?? '', ...words]],
    setCable: (machine, plugged) => void process.send?.({ machine, plugged }),
  };
}

async function play(places: Places): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'heddle-storm-'));
  const log = (line: string) => console.log(`${new Date().toISOString()} ${line}`);
  const cluster = new StormCluster(home, places);
  const interrupted = new AbortController();
  // The first ends the storm with its account, the second at once.
  const interrupt = () => {
    if (interrupted.signal.aborted) void cluster[Symbol.asyncDispose]().finally(() => process.exit(1));
    else interrupted.abort();
  };
  // Inside, what a terminal sends to all comes as SIGTERM from the outer process, too.
  process.on('SIGTERM', interrupt).on('SIGINT', options.inside === undefined ? interrupt : () => undefined);
  let failed = true;
  try {
    await cluster.start(2);
    log(
      `seed ${seed}, ${minutes} min, ${places.setCable ? 'three machines' : 'one machine'}, ${cluster.hasDisks ? 'disks of their own' : 'disks that are not filled'}; ${home}`,
    );
    const result = await storm(cluster, { random: seededRandom(seed), minutes, log, signal: interrupted.signal });
    const found = [
      ['lost', result.lost],
      ['twice', result.twice],
      ['waiting for ever', result.waiting],
      ['told again', result.toldAgain],
      ['troubles', result.troubles],
    ] as const;
    for (const [what, each] of found) for (const line of each.slice(0, 20)) log(`${what}: ${line}`);
    if (result.spared.length > 0) log(`never done: ${result.spared.join(', ')}`);
    failed = found.some(([, each]) => each.length > 0);
    const faults = [...result.faults].map(([name, count]) => `${name} ${count}`).join(', ');
    console.log(
      `storm of ${result.minutes.toFixed(1)} min: ${result.kills} kills with -9 (${faults}); ${result.applications} applications, ${result.starts} containers, ${result.endsTold} ends told; ` +
        found.map(([what, each]) => `${each.length} ${what}`).join(', '),
    );
  } catch (error) {
    console.error(error);
  }
  if (failed || options.keep) {
    await cluster.keepData();
    log(`data and logs stay in ${home}`);
  }
  await cluster[Symbol.asyncDispose]();
  if (!failed && !options.keep) rmSync(home, { recursive: true, force: true });
  return failed ? 1 : 0;
}

process.exit(options.inside === undefined ? await onMachines() : await play(insidePlaces(options.inside)));
