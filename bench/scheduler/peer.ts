// Hadoop's scheduler on the same work: its own measurement of node updates, and its simulator on one trace.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { percentile } from '../measure.ts';
import { type PeerScheduler, writeHadoopConfiguration } from './trace.ts';

const home = process.env['PEER_HOME'] ?? join(tmpdir(), 'heddle-peer');
const jars = join(home, 'lib');
/** Beside the daemons' jars, which they must not meet. */
const testJars = join(home, 'test-lib');
const opens = ['java.lang', 'java.util', 'java.net', 'java.io', 'java.nio'].map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`);
const updates = 'org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.TestCapacitySchedulerPerf';

/** CPU seconds of all children that have ended (Linux). */
export function childrenCpuSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** Waits for the end of a command, three minutes at most. */
export function run(command: string, args: readonly string[]): Promise<number> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { stdio: 'ignore', timeout: 180_000, killSignal: 'SIGKILL' });
    child.on('error', failed);
    child.on('close', (code) => done(code ?? 1));
  });
}

async function fetchTests(): Promise<void> {
  mkdirSync(testJars, { recursive: true });
  for (const name of ['hadoop-yarn-server-resourcemanager', 'hadoop-yarn-common']) {
    if (existsSync(join(testJars, `${name}-3.4.2-tests.jar`))) continue;
    const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
    const code = await run('mvn', [
      '-q',
      '-B',
      plugin,
      `-Dartifact=org.apache.hadoop:${name}:3.4.2:jar:tests`,
      `-DoutputDirectory=${testJars}`,
    ]);
    if (code !== 0) throw new Error(`the tests of ${name} could not be fetched`);
  }
}

/** Node updates a second in Hadoop's TestCapacitySchedulerPerf, as it prints them each 20,000; the best quarter, when warm. */
export async function hadoopNodeUpdates(queues: number, applications: number): Promise<number> {
  await fetchTests();
  const java = spawn(
    'java',
    [
      ...opens,
      '-cp',
      `${testJars}/*:${jars}/*`,
      '-DRunCapacitySchedulerPerfTests=true',
      `-DNumberOfQueues=${queues}`,
      `-DNumberOfApplications=${applications}`,
      join(import.meta.dirname, '../peer/OneTest.java'),
      updates,
      'testUserLimitThroughputWithManyQueues',
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const rates: number[] = [];
  for await (const line of createInterface({ input: java.stdout })) {
    const [, count, rate] = /^(\d+) ([\d.E]+)$/.exec(line) ?? [];
    if (rate === undefined || Number(count) < 100_000) continue;
    rates.push(Number(rate));
    if (rates.length >= 15) break;
  }
  // Its CPU time must not be counted for what comes next.
  const ended = once(java, 'close');
  java.kill('SIGKILL');
  await ended;
  if (rates.length === 0) throw new Error('Hadoop’s measurement printed nothing');
  return percentile(rates, 0.75);
}

/** CPU seconds that Hadoop's simulator takes for the trace. Its clock is the real one; undefined where it does not come to an end. */
export async function hadoopSimulation(scheduler: PeerScheduler): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-sls-'));
  try {
    writeFileSync(join(folder, 'trace.json'), JSON.stringify(scheduler.trace));
    mkdirSync(join(folder, 'conf'));
    writeHadoopConfiguration(join(folder, 'conf'), scheduler);
    // Its nodes have names that no name service knows.
    const hosts = Array.from({ length: 1001 }, (_, i) => `127.0.0.1 node${i}\n`);
    writeFileSync(join(folder, 'hosts'), `127.0.0.1 localhost ${hostname()}\n${hosts.join('')}`);
    const before = childrenCpuSeconds();
    const code = await run('java', [
      ...opens,
      '-Xmx1g',
      `-Djdk.net.hosts.file=${join(folder, 'hosts')}`,
      '-cp',
      `${join(folder, 'conf')}:${jars}/*`,
      'org.apache.hadoop.yarn.sls.SLSRunner',
      '-tracetype',
      'SYNTH',
      '-tracelocation',
      join(folder, 'trace.json'),
      '-output',
      join(folder, 'out'),
    ]);
    if (code !== 0) console.error(`Hadoop's simulator did not come to its end (${code})`);
    return code !== 0 ? undefined : childrenCpuSeconds() - before;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
