import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterUrls } from '../test/support/processes.ts';

const scripts = join(import.meta.dirname, '../../shared/peer');
const home = process.env['PEER_HOME'] ?? join(tmpdir(), 'heddle-peer');

/** What of Hadoop lies where: its jars, the settings of its clients while it runs, its queues. */
export const peerFiles = {
  lib: process.env['PEER_LIB'] ?? join(home, 'lib'),
  confDir: join(home, 'conf'),
  queues: join(scripts, 'capacity-scheduler.xml'),
} as const;

/** Real Hadoop on YARN's own ports, started for a comparison in the same run. */
export interface Peer {
  urls: ClusterUrls;
  readyMs: number;
  /** Process id of a daemon (`rm`, `nm`, …). */
  pid(daemon: string): number;
  /** Resident memory of all its daemons, or of one (`rm`, `nm`, …), MiB. */
  residentMiB(daemon?: string): number;
  /** Stops all its daemons where they are, or lets them go on: what they still have to do would fall on who is measured after them. */
  hold(isHeld: boolean): void;
  /** Runs a job with the arguments of `batch.sh`. */
  batch(...args: string[]): Promise<void>;
  /** Runs a Java program of Hadoop's with the settings of the cluster. */
  java(...args: string[]): Promise<void>;
  close(): Promise<void>;
}

function run(
  command: string,
  args: readonly string[],
  errors: 'inherit' | 'ignore' = 'inherit',
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', errors], env: { ...process.env, PEER_HOME: home, ...environment } });
    child.on('close', (code) => done(code ?? 1));
  });
}

/** Makes sure Hadoop's jars are there; the first time downloads them. */
export async function fetchPeer(): Promise<void> {
  const script = join(scripts, 'peer.sh');
  if (!existsSync(script)) throw new Error(`--peer needs ${script}`);
  mkdirSync(home, { recursive: true });
  if (!existsSync(peerFiles.lib)) await run(script, ['fetch']);
}

/**
 * Starts Hadoop by the scripts beside the checkout (Java and Maven are needed; the first time downloads about 110 MB).
 * `settings` lie over those of the scripts; `daemons`: these alone (`rm`, `nm`, …).
 */
export async function startPeer(settings: Readonly<Record<string, string>> = {}, daemons?: readonly string[]): Promise<Peer> {
  const script = join(scripts, 'peer.sh');
  await fetchPeer();
  rmSync(join(home, 'data'), { recursive: true, force: true });
  const begin = performance.now();
  const words = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  if ((await run(script, ['up', ...words], 'inherit', daemons ? { PEER_ONLY: daemons.join(' ') } : {})) !== 0) {
    await run(script, ['down']);
    throw new Error(`Hadoop did not start: see ${home}/log`);
  }
  const readyMs = performance.now() - begin;
  const pids = (daemon?: string): number[] =>
    readdirSync(join(home, 'run'))
      .filter((name) => (daemon ? name === `${daemon}.pid` : name.endsWith('.pid')))
      .map((name) => Number(readFileSync(join(home, 'run', name), 'utf8')));
  const hold = (isHeld: boolean): void => {
    for (const pid of pids().filter((one) => existsSync(`/proc/${one}`))) process.kill(pid, isHeld ? 'SIGSTOP' : 'SIGCONT');
  };
  return {
    urls: {
      resourceManager: 'http://127.0.0.1:8088',
      nodeManager: 'http://localhost:8042',
      timeline: 'http://127.0.0.1:8188',
      reader: 'http://127.0.0.1:8198',
      history: 'http://127.0.0.1:19888',
    },
    readyMs,
    pid: (daemon) => pids(daemon)[0] ?? 0,
    residentMiB(daemon) {
      const status = (pid: number): string => (existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '');
      return Math.round(pids(daemon).reduce((sum, pid) => sum + Number(/VmRSS:\s+(\d+)/.exec(status(pid))?.[1] ?? 0) / 1024, 0));
    },
    hold,
    batch: async (...args) => {
      if ((await run(join(scripts, 'batch.sh'), args, 'ignore')) !== 0) throw new Error(`Hadoop's ${args[0]} job failed: see ${home}/log`);
    },
    java: async (...args) => {
      if ((await run(script, ['java', ...args], 'ignore')) !== 0) throw new Error(`Hadoop's ${args[0]} failed: see ${home}/log`);
    },
    async close() {
      hold(false);
      await run(script, ['down']);
    },
  };
}
