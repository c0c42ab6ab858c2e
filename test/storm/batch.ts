// npm run batch-storm: runs batch jobs on a cluster of real processes and kills their tasks, masters, the node manager and the resource manager with -9 meanwhile,
// masters also in the midst of the commit. Each job has to end with its whole output, or to fail and say so without the marker of success.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { numberOption, readArguments } from '../../scripts/arguments.ts';
import { type Random, seededRandom } from '../../src/lib/random.ts';
import { type ClusterProcesses, startProcesses } from '../support/processes.ts';

const usage = `npm run batch-storm -- [options]
  --jobs N   how many (default: 20)
  --seed S   of everything that is left to chance (default: 1); what the machine's own timing brings differs all the same
  --keep     keep data and logs`;
const { values: options } = readArguments(usage, {
  options: {
    jobs: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
  },
});
const jobs = numberOption(usage, 'jobs', options.jobs);
const seed = numberOption(usage, 'seed', options.seed, { least: 0 });

const jobLimitMs = 300_000;
const linesPerFile = 12_000;
const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));

/** Processes of this cluster that run the program whose file ends so. */
function processesOf(cluster: ClusterProcesses, part: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        const isProgram = command[0]!.endsWith('/node') && command.some((word) => word.endsWith(part));
        return isProgram && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(cluster.home);
      } catch {
        return false;
      }
    });
}

function kill(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

const isMarker = /^COMMIT_STARTED$/;

/** Whether the commit of some job of the cluster has begun and not ended. */
function commits(cluster: ClusterProcesses): boolean {
  try {
    const files = readdirSync(cluster.dataDir, { recursive: true }).map(String);
    const folderOf = (name: string) => name.slice(0, name.lastIndexOf('/'));
    return files.some((name) => isMarker.test(name.split('/').at(-1)!) && !files.includes(`${folderOf(name)}/COMMIT_SUCCESS`));
  } catch {
    return false;
  }
}

type Fault = 'task' | 'master' | 'master in commit' | 'node manager' | 'resource manager';
const faults: readonly Fault[] = ['task', 'task', 'task', 'master', 'master in commit', 'node manager', 'resource manager'];

/** Breaks one thing; answers whether there was something to break. */
async function breakOne(cluster: ClusterProcesses, fault: Fault, random: Random, isOver: () => boolean): Promise<boolean> {
  switch (fault) {
    case 'task':
    case 'master': {
      const program = fault === 'task' ? 'tasks/main.ts' : 'application-master/main.ts';
      for (; !isOver(); await pause(20)) {
        const pids = processesOf(cluster, program);
        if (kill(pids[random.int(Math.max(1, pids.length))])) return true;
      }
      return false;
    }
    case 'master in commit':
      while (!isOver() && !commits(cluster)) await pause(2);
      return kill(processesOf(cluster, 'application-master/main.ts')[0]);
    case 'node manager':
    case 'resource manager': {
      const role = fault === 'node manager' ? 'node-manager' : 'resource-manager';
      await cluster.stop(role, 'SIGKILL');
      await pause(random.int(1500));
      await cluster.start(role);
      return true;
    }
  }
}

interface Kind {
  readonly words: (input: string, output: string) => readonly string[];
  /** The lines of a right output, in any order. */
  readonly expected: (lines: readonly string[]) => readonly string[];
}

const slowCat = "bash -c 'cat; sleep 0.4'";
const setting = (name: string, value: string | number) => `-D${name}=${value}`;
const kinds: readonly Kind[] = [
  { words: (input, output) => ['streaming', input, output, slowCat, slowCat], expected: (lines) => lines },
  { words: (input, output) => ['streaming', input, output, slowCat, 'NONE'], expected: (lines) => lines },
  {
    words: (input, output) => ['wordcount', input, output],
    expected: (lines) => {
      const counts = new Map<string, number>();
      for (const word of lines.flatMap((line) => line.split(/\s+/))) counts.set(word, (counts.get(word) ?? 0) + 1);
      return [...counts].map(([word, count]) => `${word}\t${count}`);
    },
  },
];

const outputLines = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith('part-'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1))
    .sort();

/** One job and what is broken meanwhile, within the time that a job takes that nothing is done to: nothing where that is not known yet. Answers how it ended. @throws AssertionError where it did not end as it should */
async function runJob(
  cluster: ClusterProcesses,
  { number, lines, usualMs, log }: { number: number; lines: readonly string[]; usualMs: number | undefined; log: (line: string) => void },
): Promise<{ end: string; kills: number }> {
  const random = seededRandom(seed * 10_007 + number);
  const kind = kinds[random.int(kinds.length)]!;
  const [input, output] = [join(cluster.home, 'in'), join(cluster.home, `out${number}`)];
  const algorithm = 1 + random.int(2);
  const words = [
    'batch',
    ...kind.words(input, output),
    setting('mapreduce.fileoutputcommitter.algorithm.version', algorithm),
    setting('mapreduce.job.reduces', 1 + random.int(3)),
    setting('mapreduce.job.ubertask.enable', 'false'),
    setting('mapreduce.input.fileinputformat.split.maxsize', 400_000),
    setting('mapreduce.task.io.sort.mb', 1),
    setting('mapreduce.map.sort.spill.percent', 0.1 + random.next() / 4),
    setting('mapreduce.task.io.sort.factor', 2 + random.int(3)),
    setting('mapreduce.reduce.shuffle.input.buffer.percent', random.int(2) === 0 ? 0.7 : 0.001),
    setting('mapreduce.am.max-attempts', 4),
    ...['map', 'reduce'].map((one) => setting(`mapreduce.${one}.memory.mb`, 256)),
  ].filter((word) => !(word.startsWith('-Dmapreduce.job.reduces') && kind === kinds[1]));
  let over = false;
  const broken: string[] = [];
  const ended = cluster.heddle(...words).finally(() => {
    over = true;
  });
  const breaking = (async () => {
    for (let left = usualMs === undefined ? 0 : 1 + random.int(4); left > 0 && !over; left--) {
      await pause(random.int(Math.ceil(usualMs! / 2)));
      const fault = faults[random.int(faults.length)]!;
      if (!over && (await breakOne(cluster, fault, random, () => over))) broken.push(fault);
    }
  })();
  // The limit is not to keep the run alive behind its last job.
  const limit = new Promise<undefined>((wake) => setTimeout(() => wake(undefined), jobLimitMs).unref());
  // What cannot be broken, as a role that does not come back, ends the run with its cluster.
  const result = await Promise.race([breaking.then(() => ended), limit]);
  const told = () => `job ${number}: ${words[1]}, algorithm ${algorithm}; killed: ${broken.join(', ') || 'nothing'}`;
  assert.ok(result !== undefined, `${told()}: it does not end`);
  await breaking;
  const how = told();
  const marked = existsSync(join(output, '_SUCCESS'));
  if (result.code === 0) {
    assert.ok(marked, `${how}: it succeeded without _SUCCESS`);
    assert.ok(!existsSync(join(output, '_temporary')), `${how}: something temporary stays`);
    const [found, expected] = [outputLines(output), [...kind.expected(lines)].sort()];
    assert.equal(found.length, expected.length, `${how}: lines of the output`);
    assert.ok(
      found.every((line, i) => line === expected[i]),
      `${how}: the output is another one`,
    );
  } else {
    assert.ok(!marked, `${how}: it failed with _SUCCESS\n${result.output.slice(-1500)}`);
    assert.match(result.output, /job_\d+_\d+ (failed|killed|FAILED|KILLED)|heddle: /i, `${how}: it says nothing\n${result.output}`);
  }
  const end = result.code === 0 ? 'succeeded' : 'failed';
  log(`${how}: ${end}${result.code === 0 ? '' : `: ${result.output.trim().split('\n').slice(-3).join(' | ').slice(0, 300)}`}`);
  rmSync(output, { recursive: true, force: true });
  return { end, kills: broken.length };
}

const random = seededRandom(seed);
const cluster = await startProcesses({
  mode: 'roles',
  keep: true,
  settings: { 'yarn.resourcemanager.am.max-attempts': '4', 'yarn.nodemanager.recovery.enabled': 'true' },
});
let failed = true;
const ends: string[] = [];
let kills = 0;
try {
  const log = (line: string) => console.log(`${new Date().toISOString()} ${line}`);
  log(`seed ${seed}, ${jobs} jobs; ${cluster.home}`);
  mkdirSync(join(cluster.home, 'in'));
  const lines: string[] = [];
  for (let file = 0; file < 2; file++) {
    const own = Array.from(
      { length: linesPerFile },
      () => `k${random.int(5000)}\tvalue ${random.int(1e9)} of file ${file} ${'.'.repeat(20)}`,
    );
    writeFileSync(join(cluster.home, 'in', `${file}.txt`), `${own.join('\n')}\n`);
    lines.push(...own);
  }
  const begunMs = performance.now();
  await runJob(cluster, { number: -1, lines, usualMs: undefined, log });
  const usualMs = Math.ceil(performance.now() - begunMs);
  for (let number = 0; number < jobs; number++) {
    const { end, kills: more } = await runJob(cluster, { number, lines, usualMs, log });
    ends.push(end);
    kills += more;
  }
  assert.ok(kills > 0 || jobs < 10, `${jobs} jobs were all left alone`);
  failed = false;
} finally {
  await cluster[Symbol.asyncDispose]();
  const count = (end: string) => ends.filter((one) => one === end).length;
  console.log(
    `${ends.length} of ${jobs} jobs ended as they should under ${kills} kills: ${count('succeeded')} succeeded, ${count('failed')} failed and said so`,
  );
  if (!options.keep && !failed) rmSync(cluster.home, { recursive: true, force: true });
  else console.log(`data and logs stay in ${cluster.home}`);
}
