// How many answers a second a server gives: by wrk where it is installed, which leaves the other processor to the server, else from here.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { submit } from './applications.ts';
import { answered, rate } from './measure.ts';

/** What one round of asking measured. */
export interface Load {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Processor time of the server for one answer, where its process is known (Linux). */
  readonly cpuMicroseconds: number;
}

const connections = 8;
/** Who submits waits for a disk, mostly. */
const submitters = 16;
export const hasWrk = spawnSync('wrk', ['-v']).error === undefined;
/** As the page about performance says it. */
export const loadMethod = hasWrk ? `wrk, 1 thread, ${connections} connections` : `${connections} connections of the bench itself`;

/** User and system time of a process in microseconds (clock ticks are of 10 ms). */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

type Headers = Readonly<Record<string, string>>;

interface Answered {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly answers: number;
  /** Submissions that were accepted, where its script makes some. */
  readonly accepted: number;
}

function wrk(url: string, seconds: number, headers: Headers, open = connections, script: readonly string[] = []): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const [file, ...parameters] = script;
    const own = file === undefined ? [url] : ['-s', file, url, '--', ...parameters];
    const child = spawn('wrk', ['-t1', `-c${open}`, `-d${seconds}s`, '--latency', ...sent, ...own], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (piece) => (text += piece));
    child.on('error', reject);
    child.on('close', () => {
      if (text.includes('Non-2xx')) return reject(new Error(`${url}: ${text}`));
      const [, p99 = 'NaN', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(text) ?? [];
      const milliseconds = { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'];
      const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1]);
      resolve({
        perSecond: number(/Requests\/sec:\s+([\d.]+)/),
        p99Ms: Number(p99) * milliseconds,
        answers: number(/(\d+) requests in/),
        accepted: number(/Accepted: (\d+)/),
      });
    });
  });
}

/** Asks for an address for some seconds; `pid`: the process that answers, where that is one of this machine. @throws where nothing was answered */
export async function load(url: string, seconds: number, pid?: number, headers: Headers = {}): Promise<Load> {
  const before = pid === undefined ? Number.NaN : cpuOf(pid);
  let measured: Omit<Answered, 'accepted'>;
  if (hasWrk) measured = await wrk(url, seconds, headers);
  else {
    const { perSecond, p99Ms } = await rate(connections, seconds * 1000, () => answered('GET', url, undefined, headers));
    measured = { perSecond, p99Ms, answers: perSecond * seconds };
  }
  const { perSecond, p99Ms, answers } = measured;
  if (!(answers > 0)) throw new Error(`${url}: nothing was answered within ${seconds} s`);
  return { perSecond, p99Ms, cpuMicroseconds: pid === undefined ? Number.NaN : (cpuOf(pid) - before) / answers };
}

/**
 * Submits applications to a resource manager (the base of its interface) for some seconds, each under a new id that is asked for before: how many were accepted in a second, and processor time
 * for one with its id. `p99Ms` is of all requests. @throws where none was accepted
 */
export async function submissions(rm: string, seconds: number, specification: Record<string, unknown>, pid?: number): Promise<Load> {
  if (!hasWrk) {
    const root = rm.slice(0, rm.indexOf('/ws/'));
    return { ...(await rate(submitters, seconds * 1000, () => submit(root, specification))), cpuMicroseconds: Number.NaN };
  }
  const before = pid === undefined ? Number.NaN : cpuOf(pid);
  const script = [fileURLToPath(new URL('submissions.lua', import.meta.url)), JSON.stringify(specification).slice(1, -1)];
  const { accepted, p99Ms } = await wrk(rm, seconds, {}, submitters, script);
  if (!(accepted > 0)) throw new Error(`${rm}: nothing was accepted within ${seconds} s`);
  return { perSecond: accepted / seconds, p99Ms, cpuMicroseconds: pid === undefined ? Number.NaN : (cpuOf(pid) - before) / accepted };
}

/** The middle of some values. */
export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
