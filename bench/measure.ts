import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { readStat } from '../src/lib/process-stat.ts';

/** One measured value of a bench: what, how much, in which unit, and the same of the peer where it was measured. */
export interface Measure {
  name: string;
  value: number;
  unit: string;
  peer?: number;
  /** The least and the most of several rounds. */
  spread?: readonly [number, number];
  /** The same of a server that does nothing but send the same bytes. */
  floor?: number;
}

/** The value below which `share` (0…1) of the samples lie. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 30_000 });

/** One request over kept connections; the body as text. */
export async function call(
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<{ status: number; text: string; bytes: number }> {
  const answer = await request(url, {
    method,
    dispatcher: agent,
    headers: { accept: 'application/json', ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, text: bytes.toString('utf8'), bytes: bytes.length };
}

/** `call` that fails where the answer is not one of success. */
export async function answered(...request: Parameters<typeof call>): ReturnType<typeof call> {
  const answer = await call(...request);
  if (answer.status >= 300) throw new Error(`${request[1]}: ${answer.status} ${answer.text.slice(0, 300)}`);
  return answer;
}

/** `answered`, read as JSON. */
export const getJson = async <T>(url: string): Promise<T> => JSON.parse((await answered('GET', url)).text) as T;

/** After so long a server that had nothing to do has given back what memory it can (`src/lib/resident-memory.ts`). */
export const restMs = 15_000;

/** Requests a second of `run` with `clients` of them under way at a time, during `durationMs`, and the 99th percentile of their times. */
export async function rate(
  clients: number,
  durationMs: number,
  run: () => Promise<unknown>,
): Promise<{ perSecond: number; p99Ms: number }> {
  const begin = performance.now();
  const end = begin + durationMs;
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let last = performance.now(); last < end; ) {
        await run();
        const now = performance.now();
        times.push(now - last);
        last = now;
      }
    }),
  );
  return { perSecond: (1000 * times.length) / (performance.now() - begin), p99Ms: percentile(times, 0.99) };
}

/** Resident memory of a process in MiB (Linux). */
export function residentMiB(pid: number): number {
  const file = `/proc/${pid}/status`;
  const kilobytes = existsSync(file) ? /VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return Math.round(Number(kilobytes ?? Number.NaN) / 1024);
}

/** Resident memory of a process and everything it started, in MiB (Linux). */
export function residentTreeMiB(pid: number): number {
  const children = `/proc/${pid}/task`;
  if (!existsSync(children)) return Number.NaN;
  const listed = readFileSync(`${children}/${pid}/children`, 'utf8').trim();
  const below = listed ? listed.split(' ').map(Number) : [];
  return below.reduce((sum, child) => sum + residentTreeMiB(child), residentMiB(pid));
}

/** CPU time of a process in ms. */
function cpuMs(pid: number): number {
  const stat = readStat(pid);
  return stat ? stat.userTimeMs + stat.systemTimeMs : Number.NaN;
}

/** Share of one core that the process takes while `during` runs, in percent. */
export async function cpuShare(pid: number, during: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  const before = cpuMs(pid);
  await during();
  return (100 * (cpuMs(pid) - before)) / (performance.now() - begin);
}
