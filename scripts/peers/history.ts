// Histories of batch jobs both ways: files that Heddle writes and files that Hadoop wrote are read by Hadoop's history server and by Heddle's,
// which have to answer the same, as JSON and as XML.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { redactedValue } from '../../src/wire/files/job-configuration.ts';
import { freePorts } from '../../test/support/ports.ts';
import { answers, startHeddle, stopHeddle } from '../conformance/daemons.ts';
import { hadoopJars, peerPlaces } from './applications.ts';

const root = join(import.meta.dirname, '../..');
const startMs = 60_000;
const shownDifferences = 20;

/** A history server that is asked: its address, and the folder of its files, which it shows. */
interface Asked {
  readonly url: string;
  readonly folder: string;
}

/** Runs jobs, starts both servers on what was written and compares all that they say; 0 where it is the same. */
export async function runHistory(words: readonly string[]): Promise<number> {
  const { peer, home } = peerPlaces('history', words);
  const lib = hadoopJars(peer);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const written = await runJobs(home);
  const recorded = globSync(join(dirname(peer), 'golden/*/files/*.jhist'));
  const folders = { hadoop: join(home, 'read-by-hadoop'), heddle: join(home, 'read-by-heddle') };
  for (const folder of Object.values(folders)) {
    cpSync(written, join(folder, 'done'), { recursive: true });
    for (const file of recorded) takeIn(file, join(folder, 'done'));
  }
  const hadoop = await startHadoop({ peer, home, lib, folder: folders.hadoop });
  const { port, settings } = await addressSettings();
  settings.push(...folderSettings(folders.heddle));
  startHeddle(home, 'history', ['start', 'history', '--data', join(home, 'data'), ...settings.flatMap((one) => ['--set', one])]);
  const heddle = { url: `http://127.0.0.1:${port}`, folder: folders.heddle };
  try {
    for (const { url } of [hadoop.asked, heddle])
      if (!(await answers(`${url}/ws/v1/history/info`, startMs))) throw new Error(`${url} does not answer; logs are in ${home}`);
    return await compareAll(hadoop.asked, heddle);
  } finally {
    hadoop.stop();
    await stopHeddle(home, 'history', 'SIGTERM');
  }
}

/** Runs jobs that end in every way on a cluster of Heddle; answers the folder of their histories. */
async function runJobs(home: string): Promise<string> {
  const data = join(home, 'cluster');
  const input = join(home, 'input');
  mkdirSync(input);
  for (const name of ['a', 'b', 'c']) writeFileSync(join(input, name), `${name} dog\n`.repeat(1000));
  const again = join(home, 'again.sh');
  writeFileSync(again, '#!/bin/sh\ncat\ncase "$mapred_task_id" in *_0) echo "not at once" >&2; exit 3;; esac\n', { mode: 0o755 });
  startHeddle(home, 'cluster', ['up', '--ports', 'auto', '--data', data]);
  try {
    const end = Date.now() + startMs;
    while (!existsSync(join(data, 'cluster.json'))) {
      if (Date.now() > end) throw new Error(`The cluster does not start: see ${join(home, 'cluster.log')}`);
      await new Promise((wake) => setTimeout(wake, 100));
    }
    const batch = (name: string, ...words: string[]) => {
      const line = [join(root, 'bin/heddle.js'), 'batch', ...words.map((word) => (word === 'OUTPUT' ? join(home, `out-${name}`) : word))];
      const ran = spawnSync(process.execPath, [...line, '--data', data], { encoding: 'utf8', timeout: startMs * 2 });
      console.log(`${name}: ${(ran.stderr.trim() || ran.stdout.trim()).split('\n').at(-1)}`);
      return /job_\d+_\d+/.exec(ran.stdout + ran.stderr)?.[0] ?? '';
    };
    const jobs = [
      batch('succeeds', 'wordcount', input, 'OUTPUT', '-D', 'mapreduce.job.reduces=2', '-D', 'mapreduce.job.name=a - b %2D ü'),
      batch('tries-again', 'streaming', input, 'OUTPUT', again, 'NONE'),
      batch('fails', 'streaming', input, 'OUTPUT', 'cat', 'false', '-D', 'mapreduce.reduce.maxattempts=2'),
      batch('json', 'wordcount', input, 'OUTPUT', '-D', 'mapreduce.jobhistory.jhist.format=json'),
      batch('inside', 'wordcount', input, 'OUTPUT', '-D', 'mapreduce.job.ubertask.enable=true'),
    ];
    const killed = batch('killed', 'sleep', '2', '1', '600000', '1', '--detach');
    const { addresses } = JSON.parse(readFileSync(join(data, 'cluster.json'), 'utf8')) as { addresses: Record<string, { web: string }> };
    const running = `${addresses['resource-manager']!.web}/proxy/${killed.replace('job_', 'application_')}/ws/v1/mapreduce/jobs/${killed}`;
    await answers(running, startMs, (text) => /"mapsRunning":[12]/.test(text));
    spawnSync(process.execPath, [join(root, 'bin/heddle.js'), 'batch', 'kill', killed, '--data', data]);
    for (const job of [...jobs, killed])
      if (
        !(await answers(`${addresses['history']!.web}/ws/v1/history/mapreduce/jobs/${job}`, startMs, (text) => text.startsWith('{"job":')))
      )
        throw new Error(`The history server does not have ${job || 'a job that was not submitted'}.`);
  } finally {
    await stopHeddle(home, 'cluster', 'SIGTERM');
  }
  return join(data, 'staging/history/done');
}

/** Lays a file of Hadoop's, with its configuration, where history servers look for a job of its number and time. */
function takeIn(file: string, done: string): void {
  const [jobId = '', ...parts] = basename(file, '.jhist').split('-');
  const ended = new Date(Number(parts[3]));
  const date = [ended.getFullYear(), ended.getMonth() + 1, ended.getDate()].map((part) => String(part).padStart(2, '0'));
  const folder = join(
    done,
    ...date,
    jobId
      .slice(jobId.lastIndexOf('_') + 1)
      .padStart(9, '0')
      .slice(0, 6),
  );
  mkdirSync(folder, { recursive: true });
  const configuration = join(dirname(file), `${jobId}_conf.xml`);
  for (const one of [file, configuration]) if (existsSync(one)) cpSync(one, join(folder, basename(one)));
}

const folderSettings = (folder: string): string[] => [
  `mapreduce.jobhistory.done-dir=file://${folder}/done`,
  `mapreduce.jobhistory.intermediate-done-dir=file://${folder}/intermediate`,
];

/** Where a history server listens: the port of its web server, and the settings of all its addresses. */
async function addressSettings(): Promise<{ port: number; settings: string[] }> {
  const [port = 0, ...others] = await freePorts(3);
  const names = ['webapp.address', 'address', 'admin.address'];
  return { port, settings: [port, ...others].map((each, i) => `mapreduce.jobhistory.${names[i]}=127.0.0.1:${each}`) };
}

/** Starts Hadoop's history server. */
async function startHadoop(options: { peer: string; home: string; lib: string; folder: string }): Promise<{ asked: Asked; stop(): void }> {
  const { port, settings } = await addressSettings();
  settings.push(...folderSettings(options.folder));
  const env = { ...process.env, PEER_HOME: join(options.home, 'hadoop'), PEER_LIB: options.lib, PEER_MAPRED: settings.join(' ') };
  const script = join(options.peer, 'peer.sh');
  if (spawnSync(script, ['configure'], { stdio: 'inherit', env }).status !== 0) throw new Error('Hadoop could not be configured.');
  const log = openSync(join(options.home, 'hadoop.log'), 'a');
  const server = spawn(script, ['java', 'org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer'], { stdio: ['ignore', log, log], env });
  return { asked: { url: `http://127.0.0.1:${port}`, folder: options.folder }, stop: () => void server.kill() };
}

interface Answer {
  readonly status: number;
  readonly content: unknown;
}

/** What a server answers: status and content, without the names of the server and of its folder, lists in one order. */
async function ask({ url, folder }: Asked, path: string, accept: string): Promise<Answer> {
  const response = await fetch(`${url}/ws/v1/history/mapreduce/${path}`, { headers: { accept } });
  const text = (await response.text())
    .replaceAll(folder, 'FOLDER')
    .replaceAll(new RegExp(`http://[^/"<]*:${new URL(url).port}`, 'g'), 'SERVER');
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  if (isJson) return { status: response.status, content: inOneOrder(JSON.parse(text)) };
  return { status: response.status, content: path.endsWith('/conf') ? text : text.split(/(?<=>)(?=<)/).sort() };
}

/** Tasks and properties come in the order of a hash. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inOneOrder(inner)]));
}

/** Every path below the jobs that a server knows. */
async function pathsOf(asked: Asked): Promise<string[]> {
  const ids = async (path: string, list: string, item: string) => {
    const response = await fetch(`${asked.url}/ws/v1/history/mapreduce/${path}`, { headers: { accept: 'application/json' } });
    const body = (await response.json()) as Record<string, Record<string, { id: string }[] | undefined> | null>;
    return (body[list]?.[item] ?? []).map(({ id }) => id);
  };
  const paths = [
    'jobs',
    'jobs?state=FAILED',
    'jobs?limit=1',
    'jobs?user=nobody',
    'jobs?queue=root.default',
    'jobs/job_1_0001',
    'jobs/nonsense',
  ];
  for (const job of await ids('jobs', 'jobs', 'job')) {
    const at = `jobs/${job}`;
    paths.push(
      at,
      ...['jobattempts', 'counters', 'conf', 'tasks', 'tasks?type=m', 'tasks?type=r', 'tasks?type=x'].map((one) => `${at}/${one}`),
    );
    for (const task of await ids(`${at}/tasks`, 'tasks', 'task')) {
      const below = `${at}/tasks/${task}`;
      paths.push(below, `${below}/counters`, `${below}/attempts`);
      for (const attempt of await ids(`${below}/attempts`, 'taskAttempts', 'taskAttempt'))
        paths.push(`${below}/attempts/${attempt}`, `${below}/attempts/${attempt}/counters`);
    }
  }
  return paths;
}

/** Old names that Hadoop, where it reads them beside their new ones, takes for those. */
const oldNames: ReadonlySet<string> = new Set([
  'yarn.resourcemanager.display.per-user-apps',
  'yarn.resourcemanager.system-metrics-publisher.enabled',
]);

/** Whether two configurations are the same but for values that Heddle hides beyond Hadoop, and for old names. */
function isSameConfiguration(theirs: Answer, ours: Answer): boolean {
  const [hadoop, heddle] = [theirs, ours].map(({ content }) => propertiesOf(content)) as [Map<string, string>, Map<string, string>];
  const names = [...new Set([...hadoop.keys(), ...heddle.keys()])].filter((name) => !oldNames.has(name));
  const isHidden = (name: string) => heddle.get(name)?.includes(redactedValue) === true;
  return (
    theirs.status === ours.status && names.length > 0 && names.every((name) => hadoop.get(name) === heddle.get(name) || isHidden(name))
  );
}

/** Each property of an answer, by its name, as text. */
function propertiesOf(content: unknown): Map<string, string> {
  if (typeof content === 'string')
    return new Map(
      [...content.matchAll(/<property><name>(.*?)<\/name>(.*?)<\/property>/gs)].map(([, name = '', rest = '']) => [name, rest]),
    );
  const { conf } = content as { conf?: { property?: readonly { name: string }[] } };
  return new Map((conf?.property ?? []).map((property) => [property.name, JSON.stringify(property)]));
}

async function compareAll(hadoop: Asked, heddle: Asked): Promise<number> {
  const paths = await pathsOf(hadoop);
  let compared = 0;
  let different = 0;
  let better = 0;
  for (const path of paths)
    for (const accept of ['application/json', 'application/xml']) {
      const [theirs, ours] = await Promise.all([ask(hadoop, path, accept), ask(heddle, path, accept)]);
      compared++;
      if (isDeepStrictEqual(theirs, ours) || (path.endsWith('/conf') && isSameConfiguration(theirs, ours))) continue;
      // Hadoop fails where it is to say as XML that there is nothing.
      if (theirs.status >= 500 && ours.status < 500) {
        better++;
        continue;
      }
      if (different++ < shownDifferences)
        console.log(
          `DIFFERENT ${path} as ${accept}\n  Hadoop ${JSON.stringify(theirs).slice(0, 1500)}\n  Heddle ${JSON.stringify(ours).slice(0, 1500)}`,
        );
    }
  console.log(
    `${compared} answers about ${paths.filter((path) => path.endsWith('/conf')).length} jobs, ${different} of them different, ${better} better (Hadoop fails)`,
  );
  return different === 0 && compared > 0 ? 0 : 1;
}
