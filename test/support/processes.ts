import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { shareCompiledCode } from './compiled-code.ts';
import { freePorts } from './ports.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
/** What users start: it keeps compiled modules. */
export const command = join(import.meta.dirname, '../../bin/heddle.js');

/** The servers of a cluster that run as programs of their own. */
export type RoleName = 'resource-manager' | 'node-manager' | 'timeline' | 'history';
export const roleNames: readonly RoleName[] = ['timeline', 'resource-manager', 'node-manager', 'history'];

/** Base URLs of a cluster's servers. */
export interface ClusterUrls {
  resourceManager: string;
  nodeManager: string;
  timeline: string;
  reader: string;
  history: string;
}

/** A cluster of real processes with a folder of its own. */
export interface ClusterProcesses {
  readonly urls: ClusterUrls;
  readonly home: string;
  readonly confDir: string;
  readonly dataDir: string;
  /** Process ids by name: `up`, or one for each role. */
  readonly pids: ReadonlyMap<string, number>;
  /** Starts a role (or `up`) and waits until it answers. */
  start(name: RoleName | 'up'): Promise<void>;
  /** Sends a signal and waits for the end. */
  stop(name: RoleName | 'up', signal: NodeJS.Signals): Promise<void>;
  /** What a process has printed. */
  output(name: RoleName | 'up'): string;
  /** Runs `heddle ARGUMENTS` with this cluster's configuration to its end. */
  heddle(...args: string[]): Promise<{ code: number | null; output: string }>;
  [Symbol.asyncDispose](): Promise<void>;
}

const isOver = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Writes a settings file in Hadoop's form. */
export function writeSettings(file: string, settings: Record<string, string>): void {
  const properties = Object.entries(settings).map(
    ([name, value]) => `<property><name>${name}</name><value>${escapeXml(value)}</value></property>`,
  );
  writeFileSync(file, `<configuration>\n${properties.join('\n')}\n</configuration>\n`);
}

/** A pause is at most this share of what was waited already, so that many looks do not slow down what they wait for. */
const pauseShare = 0.1;
const longestPauseMs = 250;

/**
 * Polls until `probe` gives something truthy, the less often the longer it takes; throws with `what` after `limitMs`, and when it is aborted.
 * Pauses are `everyMs` at least.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  limitMs = 120_000,
  everyMs = 20,
  signal?: AbortSignal,
): Promise<T> {
  const begin = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const got = await probe().catch(() => undefined);
    if (got) return got;
    const waitedMs = performance.now() - begin;
    if (waitedMs > limitMs) throw new Error(`waited ${limitMs} ms for ${what}`);
    await sleep(Math.max(everyMs, Math.min(pauseShare * waitedMs, longestPauseMs)));
  }
}

/** The settings of a cluster on free ports of loopback; under TLS the addresses are those of HTTPS. */
async function portSettings(scheme: 'http' | 'https'): Promise<{ settings: Record<string, string>; urls: ClusterUrls }> {
  const [rm, nm, nodeId, localizer, timeline, reader, collector, history, historyRpc, shuffle] = await freePorts(10);
  const web = scheme === 'https' ? 'webapp.https.address' : 'webapp.address';
  return {
    urls: {
      resourceManager: `${scheme}://127.0.0.1:${rm}`,
      nodeManager: `${scheme}://127.0.0.1:${nm}`,
      timeline: `${scheme}://127.0.0.1:${timeline}`,
      reader: `${scheme}://127.0.0.1:${reader}`,
      history: `${scheme}://127.0.0.1:${history}`,
    },
    settings: {
      [`yarn.resourcemanager.${web}`]: `127.0.0.1:${rm}`,
      [`yarn.nodemanager.${web}`]: `127.0.0.1:${nm}`,
      'yarn.nodemanager.address': `127.0.0.1:${nodeId}`,
      'yarn.nodemanager.localizer.address': `127.0.0.1:${localizer}`,
      'yarn.timeline-service.enabled': 'true',
      [`yarn.timeline-service.${web}`]: `127.0.0.1:${timeline}`,
      'yarn.timeline-service.address': '127.0.0.1:0',
      [`yarn.timeline-service.reader.${web}`]: `127.0.0.1:${reader}`,
      'yarn.timeline-service.collector.bind-port-ranges': `${collector}`,
      [`mapreduce.jobhistory.${web}`]: `127.0.0.1:${history}`,
      'mapreduce.jobhistory.address': `127.0.0.1:${historyRpc}`,
      'mapreduce.jobhistory.admin.address': '127.0.0.1:0',
      'mapreduce.shuffle.port': `${shuffle}`,
    },
  };
}

const readyPath: Record<RoleName, (urls: ClusterUrls) => string> = {
  'resource-manager': (urls) => `${urls.resourceManager}/ws/v1/cluster/info`,
  'node-manager': (urls) => `${urls.nodeManager}/ws/v1/node/info`,
  timeline: (urls) => `${urls.timeline}/ws/v1/timeline`,
  history: (urls) => `${urls.history}/ws/v1/history/info`,
};

/** True once every server of the roles answers and, with both managers, a node runs. Servers that ask who calls say so at `/ready`. */
async function answers(urls: ClusterUrls, roles: readonly RoleName[]): Promise<boolean> {
  const all = await Promise.all(roles.map((role) => fetch(readyPath[role](urls))));
  if (all.some(({ status }) => status === 401)) {
    const ready = await Promise.all(roles.map((role) => fetch(new URL('/ready', readyPath[role](urls)))));
    return ready.every(({ ok }) => ok);
  }
  if (all.some(({ ok }) => !ok)) return false;
  if (!roles.includes('node-manager')) return true;
  return (await (await fetch(`${urls.resourceManager}/ws/v1/cluster/nodes?states=RUNNING`)).text()).includes('RUNNING');
}

/**
 * Prepares a cluster of real processes on free ports with an empty data folder and, unless `mode` is `none`, starts it:
 * `up` in one process, `roles` as a process for each role.
 */
export async function startProcesses(
  options: {
    mode?: 'up' | 'roles' | 'none';
    settings?: Record<string, string>;
    keep?: boolean;
    onReady?: () => void;
    /** Command line before that of each process; it has to execute what follows. */
    within?: (home: string) => readonly string[];
    /** What the processes run; default: the sources. */
    program?: string;
    /** Where the resource manager is reached when `settings` give it another address. */
    resourceManager?: string;
  } = {},
): Promise<ClusterProcesses> {
  const home = mkdtempSync(join(tmpdir(), 'heddle-cluster-'));
  const confDir = join(home, 'conf');
  const dataDir = join(home, 'data');
  mkdirSync(confDir);
  mkdirSync(dataDir);
  shareCompiledCode(dataDir);
  const { settings, urls } = await portSettings(Object.values(options.settings ?? {}).includes('HTTPS_ONLY') ? 'https' : 'http');
  urls.resourceManager = options.resourceManager ?? urls.resourceManager;
  writeSettings(join(confDir, 'yarn-site.xml'), { ...settings, ...options.settings });
  const children = new Map<string, ChildProcess>();
  const pids = new Map<string, number>();
  /** Commands that have not ended. */
  const commands = new Set<ChildProcess>();

  const cluster: ClusterProcesses = {
    urls,
    home,
    confDir,
    dataDir,
    pids,
    async start(name) {
      const before = children.get(name);
      if (before && !isOver(before)) throw new Error(`${name} runs already`);
      const words = name === 'up' ? ['up'] : ['start', name];
      const within = options.within?.(home) ?? [];
      const [program = '', ...args] = [
        ...within,
        process.execPath,
        options.program ?? main,
        ...words,
        '--conf',
        confDir,
        '--data',
        dataDir,
      ];
      // Straight to the file: servers stand still at a pipe that is full while this process waits for something else.
      const log = openSync(join(home, `${name}.log`), 'a');
      const child = spawn(program, args, { stdio: ['ignore', log, log] });
      closeSync(log);
      children.set(name, child);
      if (child.pid) pids.set(name, child.pid);
      const exit = new AbortController();
      child.on('exit', (code, signal) =>
        exit.abort(new Error(`${name} ended with ${code ?? signal}:\n${cluster.output(name).slice(-2000)}`)),
      );
      await until(`${name} to answer`, () => answers(urls, name === 'up' ? roleNames : [name]), 120_000, 20, exit.signal);
    },
    async stop(name, signal) {
      const child = children.get(name);
      // Nothing would be tried where `up` runs all roles in one process.
      if (!child) throw new Error(`there is no process ${name} among ${[...children.keys()].join()}`);
      children.delete(name);
      pids.delete(name);
      if (isOver(child)) return;
      const ended = new Promise((done) => child.on('exit', done));
      child.kill(signal);
      const hard = setTimeout(() => child.kill('SIGKILL'), 60_000);
      await ended;
      clearTimeout(hard);
    },
    output: (name) => readFileSync(join(home, `${name}.log`), 'utf8'),
    heddle(...args) {
      const child = spawn(process.execPath, [main, ...args, '--conf', confDir, '--data', dataDir], { stdio: ['ignore', 'pipe', 'pipe'] });
      commands.add(child);
      let output = '';
      child.stdout.on('data', (chunk) => (output += chunk));
      child.stderr.on('data', (chunk) => (output += chunk));
      return new Promise((done) =>
        child.on('close', (code) => {
          commands.delete(child);
          done({ code, output });
        }),
      );
    },
    async [Symbol.asyncDispose]() {
      // One that follows something would look for its cluster for two minutes.
      for (const command of commands) command.kill('SIGKILL');
      for (const name of [...children.keys()].reverse()) await cluster.stop(name as RoleName, 'SIGTERM');
      if (!options.keep) rmSync(home, { recursive: true, force: true });
    },
  };
  try {
    if (options.mode === 'roles') for (const role of roleNames) await cluster.start(role);
    else if (options.mode !== 'none') await cluster.start('up');
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
  return cluster;
}
