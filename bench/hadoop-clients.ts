// Unmodified programs of Hadoop and Spark, as clients of a cluster: what is measured is what their user waits for.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A cluster by the settings' files of its clients, and the jars that they and the nodes have. */
export interface HadoopClients {
  readonly confDir: string;
  /** Folder with Hadoop's jars. */
  readonly lib: string;
}

const opens = ['java.lang', 'java.util', 'java.util.zip', 'java.net', 'java.io', 'java.nio', 'sun.nio.ch'].map(
  (name) => `--add-opens=java.base/${name}=ALL-UNNAMED`,
);
const endMs = 1_800_000;

/** Runs a program to its end; how long it took, in seconds. @throws Error where it fails, with what it said last */
function timed(program: string, words: readonly string[], environment: Readonly<Record<string, string>>): Promise<number> {
  const beganMs = performance.now();
  const options = { env: { ...process.env, ...environment }, timeout: endMs, maxBuffer: 2 ** 28, cwd: tmpdir() };
  return new Promise((done, failed) => {
    execFile(program, words, options, (error, stdout, stderr) => {
      if (error) failed(new Error(`${words.at(-1)} failed (${error.code ?? error.signal}):\n${(stdout + stderr).slice(-3000)}`));
      else done((performance.now() - beganMs) / 1000);
    });
  });
}

const java = ({ confDir, lib }: HadoopClients, ...words: readonly string[]): Promise<number> =>
  timed('java', [...opens, '-Xmx400m', '-XX:TieredStopAtLevel=1', '-cp', `${confDir}:${lib}/*`, ...words], { HADOOP_CONF_DIR: confDir });

/** DistributedShell with so many containers of one command, in seconds. */
export function distributedShell(clients: HadoopClients, command: string, containers: number): Promise<number> {
  const jar = readdirSync(clients.lib).find((name) => /^hadoop-yarn-applications-distributedshell-[\d.]+\.jar$/.test(name));
  const words = {
    jar: join(clients.lib, jar ?? ''),
    shell_command: command,
    num_containers: containers,
    container_memory: 128,
    master_memory: 512,
  };
  const options = Object.entries(words).flatMap(([name, value]) => [`-${name}`, String(value)]);
  return java(clients, 'org.apache.hadoop.yarn.applications.distributedshell.Client', ...options);
}

const jobSettings = {
  'yarn.app.mapreduce.am.resource.mb': 1024,
  'yarn.app.mapreduce.am.command-opts': `-Xmx512m ${opens.join(' ')}`,
  'mapreduce.map.memory.mb': 512,
  'mapreduce.reduce.memory.mb': 512,
  'mapreduce.map.java.opts': '-Xmx256m',
  'mapreduce.reduce.java.opts': '-Xmx256m',
  'mapreduce.job.emit-timeline-data': false,
};

/** A job of Hadoop's examples by its name, in seconds. */
export function exampleJob(clients: HadoopClients, name: string, ...words: readonly string[]): Promise<number> {
  const settings = Object.entries(jobSettings).map(([key, value]) => `-D${key}=${value}`);
  return java(clients, 'org.apache.hadoop.examples.ExampleDriver', name, ...settings, ...words);
}

/** Where PySpark lies, as `applications.sh fetch` brings it. */
export const sparkHome = join(process.env['APPLICATIONS_CACHE'] ?? '/tmp/applications-cache', 'spark4/pyspark');

/** Spark's own example that estimates pi, with its master in the cluster and two executors, in seconds. */
export function sparkPi(clients: HadoopClients, staging: string, parts: number): Promise<number> {
  const settings = {
    'spark.yarn.stagingDir': `file://${staging}`,
    'spark.yarn.jars': `local:${sparkHome}/jars/*`,
    'spark.executor.memory': '512m',
    'spark.driver.memory': '600m',
    'spark.executor.instances': '2',
    'spark.ui.enabled': 'false',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['--conf', `${key}=${value}`]);
  const program = join(sparkHome, 'examples/src/main/python/pi.py');
  return timed(join(sparkHome, 'bin/spark-submit'), ['--master', 'yarn', '--deploy-mode', 'cluster', ...options, program, String(parts)], {
    HADOOP_CONF_DIR: clients.confDir,
    SPARK_HOME: sparkHome,
    SPARK_LOCAL_IP: '127.0.0.1',
  });
}

/** Whether Spark is here. */
export const hasSpark = (): boolean => existsSync(join(sparkHome, 'bin/spark-submit'));
