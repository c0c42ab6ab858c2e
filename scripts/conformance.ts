// Plays scenarios against fresh Heddles and compares what they answer with recordings of real Hadoop.
//   npm run conformance -- [--scenarios DIR] [--golden DIR] [--only a,b] [--accept FILE] [--out DIR]
//     [--shared DIR] [--parallel N] [--time-limit SECONDS] [--keep] [--set KEY=VALUE]
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { numberOption, readArguments } from './arguments.ts';
import { isolation } from './conformance/isolation.ts';
import { lacksKerberos, needsKerberos } from './conformance/kerberos.ts';
import type { ClusterDescription } from './conformance/peer-settings.ts';
import type { RunOne } from './conformance/run-one.ts';

const root = join(import.meta.dirname, '..');
const usage = `npm run conformance -- [options]
  --scenarios DIR        scenarios to play (default: those of --shared)
  --golden DIR           recordings to compare with: in folders named as clusters, or all in one
  --only a,b             these scenarios only
  --accept FILE          differences that are accepted, with reasons (default: conformance/accepted.json)
  --out DIR              where what Heddle answers is written (default: conformance/out)
  --shared DIR           folder with conformance/run.mjs and golden (default: ../shared)
  --parallel N           scenarios at a time (default: 3)
  --time-limit SECONDS   for one scenario (default: 300)
  --set KEY=VALUE        a setting over those of the clusters
  --keep                 keep the data folders`;
const acceptedFile = join(root, 'conformance/accepted.json');
const { values: options } = readArguments(usage, {
  options: {
    scenarios: { type: 'string' },
    golden: { type: 'string' },
    only: { type: 'string' },
    accept: { type: 'string', default: acceptedFile },
    out: { type: 'string', default: join(root, 'conformance/out') },
    shared: { type: 'string', default: join(root, '../shared') },
    parallel: { type: 'string', default: '3' },
    'time-limit': { type: 'string', default: '300' },
    keep: { type: 'boolean', default: false },
    set: { type: 'string', multiple: true, default: [] },
  },
});
const refuse = (problem: string): never => {
  console.error(problem);
  process.exit(2);
};
// The runner compares its own path with the one it was started by: a link would keep it from running.
const shared = existsSync(options.shared) ? realpathSync(options.shared) : resolve(options.shared);
if (!existsSync(join(shared, 'conformance/run.mjs'))) {
  console.error(`${join(shared, 'conformance')} does not hold run.mjs: name the folder beside it with --shared DIR`);
  process.exit(2);
}
const scenarioDir = resolve(options.scenarios ?? join(shared, 'conformance/scenarios'));
/** The recordings of one version, or the folder that holds those of one version. */
const recordings = resolve(options.golden ?? join(shared, 'golden/3.4.2'));
const goldenDir = existsSync(join(recordings, '3.4.2')) ? join(recordings, '3.4.2') : recordings;
for (const [name, path] of Object.entries({ scenarios: scenarioDir, golden: goldenDir, accept: resolve(options.accept) }))
  if (!existsSync(path) && path !== acceptedFile) refuse(`--${name}: ${path} does not exist`);
const outDir = resolve(options.out);
const only = options.only?.split(',');
process.env['HEDDLE_CONFORMANCE_KITS'] = join(shared, 'conformance');
await import('./conformance/kit-resolver.ts');

interface Scenario {
  name: string;
  cluster: string;
}
const scenarios: Scenario[] = [];
for (const file of readdirSync(scenarioDir).filter((name) => name.endsWith('.mjs'))) {
  const { default: scenario } = await import(pathToFileURL(join(scenarioDir, file)).href);
  if (scenario && (!only || only.includes(scenario.name))) scenarios.push({ name: scenario.name, cluster: scenario.cluster });
}
if (!scenarios.length) refuse(`no scenario ${only?.join(', ') ?? ''} in ${scenarioDir}`);
for (const name of only ?? [])
  if (!scenarios.some((scenario) => scenario.name === name)) refuse(`--only: there is no scenario ${name} in ${scenarioDir}`);

/** The recording folders: one for each cluster, or all recordings in one folder. */
const isNested = readdirSync(goldenDir, { withFileTypes: true }).some((entry) => entry.isDirectory() && entry.name !== 'files');
const goldenFile = ({ name, cluster }: Scenario) => join(goldenDir, isNested ? cluster : '', `${name}.json`);
const outFolder = ({ cluster }: Scenario) => join(outDir, isNested ? cluster : '');
const recordingCount = (scenario: Scenario) =>
  existsSync(goldenFile(scenario)) ? JSON.parse(readFileSync(goldenFile(scenario), 'utf8')).records.length : 0;

const clusters: Record<string, ClusterDescription> = JSON.parse(readFileSync(join(shared, 'conformance/clusters.json'), 'utf8'));
const ofKerberos = (scenario: Scenario) => clusters[scenario.cluster] !== undefined && needsKerberos(clusters[scenario.cluster]!);
/** What scenarios of a realm lack here. */
const lacking = scenarios.some(ofKerberos) ? lacksKerberos() : undefined;

const prefix = isolation();
if (!prefix) console.log("No network spaces here: scenarios run one after another on YARN's own ports.");
const parallel = prefix ? numberOption(usage, 'parallel', options.parallel) : 1;
const shares: Record<string, number> = {};
/** So many scenarios below their floor are played a second time: where more are, it is no matter of moments. */
const mostAgain = 4;

function runOne(scenario: Scenario): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'heddle-conformance-'));
  const job: RunOne = {
    name: scenario.name,
    clusterName: scenario.cluster,
    scenarios: scenarioDir,
    shared,
    home,
    out: outFolder(scenario),
    timeLimitMs: numberOption(usage, 'time-limit', options['time-limit'], { isWhole: false }) * 1000,
    set: options.set,
  };
  const script = join(import.meta.dirname, 'conformance/run-one.ts');
  const environment = { ...process.env, HEDDLE_RUN: JSON.stringify(job) };
  // The shell stays the first process of the space: it collects orphans, which a program would not.
  const shell = `${prefix ? 'ip link set lo up && ' : ''}"${process.execPath}" "${script}" "$HEDDLE_RUN"; exit $?`;
  const [command = 'bash', ...args] = [...(prefix ?? []), 'bash', '-c', shell];
  return new Promise((done) => {
    const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', () => {
      if (stopped(output)) output += warningsOf(home);
      if (options.keep) output += `kept: ${home}\n`;
      else rmSync(home, { recursive: true, force: true });
      done(output);
    });
  });
}

/** Whether a scenario did not come to its end. */
const stopped = (output: string): boolean => /Error|stopped after|does not answer|did not start/.test(output);

/** The last that Heddle logged, its warnings first: why a scenario stopped is seldom seen twice. */
function warningsOf(home: string): string {
  const path = join(home, 'heddle.log');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  const warnings = lines.filter((line) => /"level":[456]0/.test(line) && !line.includes('"audit":true'));
  return [...warnings.slice(-10), ...lines.slice(-10)].map((line) => `log: ${line.slice(0, 600)}\n`).join('');
}

function compare(only: string[]): { lines: string[]; status: number } {
  const { stdout, status } = spawnSync(
    process.execPath,
    [
      join(shared, 'conformance/compare.mjs'),
      ...[goldenDir, outDir, '--verbose'],
      ...(only.length ? ['--only', only.join(',')] : []),
      ...(existsSync(options.accept) ? ['--accept', options.accept] : []),
    ],
    { encoding: 'utf8', maxBuffer: 1 << 30 },
  );
  return { lines: stdout.trimEnd().split('\n'), status: status ?? 1 };
}

/** Compares one scenario, keeps its differences in OUT/differences, and returns the line to print. */
function report(scenario: Scenario, output: string, seconds: number): string {
  const { lines } = compare([scenario.name]);
  const line = lines.find((text) => text.startsWith(`${scenario.name}: `)) ?? '';
  const share = /^\S+: (\d+) of (\d+) the same(?:, (\d+) better)?/.exec(line);
  shares[scenario.name] = Number(share?.[1] ?? 0) + Number(share?.[3] ?? 0);
  const trouble = output.split('\n').filter((text) => text && !/^\S+: \d+ recordings in /.test(text));
  mkdirSync(join(outDir, 'differences'), { recursive: true });
  writeFileSync(join(outDir, 'differences', `${scenario.name}.txt`), `${[...trouble, ...lines].join('\n')}\n`);
  const first = trouble.length ? `   ${trouble[0]?.slice(0, 160)}` : '';
  const log = trouble.filter((text) => text.startsWith('log: ')).map((text) => `\n    ${text}`);
  return `${line || `${scenario.name}: no recording to compare with`} (${seconds.toFixed(1)} s)${first}${log.join('')}`;
}

/** Seconds that scenarios took in earlier runs: the longest start first, so that none is waited for alone at the end. */
const durationsFile = join(outDir, 'differences/durations.json');
const durations: Record<string, number> = existsSync(durationsFile) ? JSON.parse(readFileSync(durationsFile, 'utf8')) : {};
const expected = (scenario: Scenario) =>
  durations[scenario.name] ?? (scenario.name.startsWith('sched-') ? 60 : recordingCount(scenario) / 20);
const longestFirst = [...scenarios].sort((a, b) => expected(b) - expected(a));
const queue = longestFirst.filter((scenario) => {
  const isPlayed = lacking === undefined || !ofKerberos(scenario);
  if (!isPlayed) console.log(`${scenario.name}: not run: ${lacking}`);
  return isPlayed;
});
async function play(scenario: Scenario): Promise<void> {
  rmSync(join(outFolder(scenario), `${scenario.name}.json`), { force: true });
  const begin = Date.now();
  const output = await runOne(scenario);
  durations[scenario.name] = (Date.now() - begin) / 1000;
  console.log(report(scenario, output, durations[scenario.name] ?? 0));
}

const floorFile = join(root, 'conformance/floor.json');
const floor: Record<string, number> = existsSync(floorFile) ? JSON.parse(readFileSync(floorFile, 'utf8')) : {};
const isBelowFloor = ({ name }: Scenario): boolean => (shares[name] ?? Number.POSITIVE_INFINITY) < (floor[name] ?? 0);

const played = [...queue];
await Promise.all(
  Array.from({ length: parallel }, async () => {
    for (let scenario = queue.shift(); scenario; scenario = queue.shift()) await play(scenario);
  }),
);
// Some recordings show a moment (a node that has just registered, an attempt that was killed at once), which a busy machine misses.
const again = played.filter(isBelowFloor);
if (again.length > 0 && again.length <= mostAgain) {
  console.log(`played again, alone: ${again.map(({ name }) => name).join(', ')}`);
  for (const scenario of again) await play(scenario);
}
mkdirSync(join(outDir, 'differences'), { recursive: true });
writeFileSync(durationsFile, JSON.stringify(durations));

let failed = false;
for (const [name, least] of Object.entries(floor)) {
  const share = shares[name];
  if (share === undefined || share >= least) continue;
  failed = true;
  console.log(`${name}: ${share} the same or better, fewer than the floor of ${least}`);
}
const all = !only && !options.scenarios;
const { lines } = compare(all ? [] : scenarios.map(({ name }) => name));
console.log(lines.at(-1));
process.exitCode = failed ? 1 : 0;
