// npm run quickstart [-- --once]: a whole cluster on free ports counts the words of the texts that every checkout has.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SingleBar } from 'cli-progress';
import { type ClusterProcesses, startProcesses, until } from '../test/support/processes.ts';
import { gatherTexts } from '../test/support/text.ts';
import { readArguments } from './arguments.ts';

const { values: options } = readArguments('npm run quickstart -- [--once]\n  --once   end by itself', {
  options: { once: { type: 'boolean', default: false } },
});
const root = join(import.meta.dirname, '..');
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

interface Application {
  id: string;
  state: string;
  progress: number;
  startedTime: number;
  finalStatus: string;
  diagnostics: string;
}
interface Job {
  id: string;
  submitTime: number;
  startTime: number;
  finishTime: number;
  mapsTotal: number;
  reducesTotal: number;
  avgMapTime: number;
  avgShuffleTime: number;
  avgMergeTime: number;
  avgReduceTime: number;
}

const get = async <T>(url: string): Promise<T> => (await fetch(url, { headers: { accept: 'application/json' } })).json() as Promise<T>;

/** Follows the only application of the cluster with a bar until `isDone`. */
async function follow(rm: string, isDone: () => boolean): Promise<void> {
  const bar = new SingleBar({ format: '  {bar} {percentage}%  {state}', hideCursor: true, noTTYOutput: true, notTTYSchedule: 2000 });
  bar.start(100, 0, { state: 'submitting' });
  // A bar that is not stopped keeps the process: after Ctrl-C nobody answers.
  try {
    while (!isDone()) {
      const { apps } = await get<{ apps: { app?: Application[] } | null }>(`${rm}/ws/v1/cluster/apps`);
      const app = apps?.app?.[0];
      if (app) bar.update(Math.round(app.progress), { state: app.state });
      await new Promise((done) => setTimeout(done, 100));
    }
    bar.update(100, { state: 'done' });
  } finally {
    bar.stop();
  }
}

/** The most frequent words that have a letter, of the job's result files. */
function topWords(output: string, count: number): [string, number][] {
  const words: [string, number][] = [];
  for (const file of readdirSync(output).filter((name) => name.startsWith('part-')))
    for (const line of readFileSync(join(output, file), 'utf8').split('\n')) {
      const tab = line.lastIndexOf('\t');
      if (/\p{L}/u.test(line.slice(0, tab))) words.push([line.slice(0, tab), Number(line.slice(tab + 1))]);
    }
  return words.sort((a, b) => b[1] - a[1]).slice(0, count);
}

async function countWords(cluster: ClusterProcesses): Promise<void> {
  const { urls, home, dataDir } = cluster;
  const input = join(home, 'texts');
  const output = join(home, 'words');
  const { files, bytes, texts } = gatherTexts({
    sources: [join(root, 'docs'), join(root, 'node_modules')],
    target: input,
    fileBytes: 1_500_000,
    totalBytes: 8_000_000,
  });
  console.log(`Counting the words of ${texts} texts of this checkout (${(bytes / 1e6).toFixed(1)} MB in ${files} files):`);
  const begin = performance.now();
  let done = false;
  const job = cluster.heddle('batch', 'wordcount', input, output).finally(() => {
    done = true;
  });
  await follow(urls.resourceManager, () => done);
  const { code, output: printed } = await job;
  const took = performance.now() - begin;
  if (code !== 0) throw new Error(`the word count ended with ${code}:\n${printed}`);

  console.log('\nThe most frequent words:');
  for (const [word, count] of topWords(output, 10)) console.log(`  ${String(count).padStart(8)}  ${word}`);

  const { apps } = await get<{ apps: { app: Application[] } }>(`${urls.resourceManager}/ws/v1/cluster/apps`);
  const app = apps.app[0] as Application;
  const jobId = app.id.replace('application', 'job');
  const history = `${urls.history}/ws/v1/history/mapreduce/jobs/${jobId}`;
  const details = await until('the job in the history', async () => (await get<{ job?: Job }>(history)).job);
  console.log(`\nWhere the time went (${seconds(took)} from the command to the result):`);
  console.log(`  ${seconds(details.startTime - details.submitTime).padStart(8)}  from the submission until the master ran`);
  console.log(
    `  ${seconds(details.finishTime - details.startTime).padStart(8)}  the job: ${details.mapsTotal} maps, ${details.reducesTotal} reduces`,
  );
  console.log(`  ${seconds(details.avgMapTime).padStart(8)}    a map, on average`);
  console.log(`  ${seconds(details.avgShuffleTime).padStart(8)}    moving the maps' outputs to the reduce`);
  console.log(`  ${seconds(details.avgMergeTime + details.avgReduceTime).padStart(8)}    merging and reducing them`);

  console.log('\nOpen:');
  const list: [string, string][] = [
    ['pages', `${urls.resourceManager}/ui/`],
    ['application', `${urls.resourceManager}/ui/applications/${app.id}`],
    ['job', `${urls.history}/ui/jobs/${jobId}`],
    ['result', output],
  ];
  const addresses: [string, string][] = [
    ['application', `${urls.resourceManager}/ws/v1/cluster/apps/${app.id}`],
    ['job', history],
    ['counters', `${history}/counters`],
    ['timeline', `${urls.timeline}/ws/v1/timeline/YARN_APPLICATION/${app.id}`],
    ['logs', `${urls.history}/ws/v1/history/containers/${app.id.replace('application', 'container')}_01_000001/logs`],
    ['nodes', `${urls.resourceManager}/ws/v1/cluster/nodes`],
    ['queues', `${urls.resourceManager}/ws/v1/cluster/scheduler`],
  ];
  for (const [name, address] of list) console.log(`  ${name.padEnd(12)} ${address}`);
  console.log('\nThe same for programs:');
  for (const [name, address] of addresses) console.log(`  ${name.padEnd(12)} ${address}`);
  console.log('\nRun something of your own:');
  console.log(`  npm run heddle -- run --data ${dataDir} --instances 2 -- bash -c 'echo hello from $CONTAINER_ID'`);
  console.log(`  npm run heddle -- batch wordcount --data ${dataDir} FOLDER NEW_FOLDER`);
  console.log(`  npm run heddle -- app list --data ${dataDir}`);
}

const stopped = new Promise<void>((done) => {
  process.once('SIGINT', done);
  process.once('SIGTERM', done);
});
try {
  const begin = performance.now();
  await using cluster = await startProcesses();
  console.log(`A cluster of all roles is ready after ${seconds(performance.now() - begin)}.\n`);
  const counted = await Promise.race([countWords(cluster).then(() => true), stopped]);
  if (counted && !options.once) {
    console.log('\nThe cluster stays up until Ctrl-C.');
    await stopped;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
