// How long from a submission by REST to the first instruction of the master, and to the final state of `true`?
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcesses } from '../test/support/processes.ts';
import { ended, specification, submit as submitApplication } from './applications.ts';
import { type Measure, percentile } from './measure.ts';
import type { Peer } from './peer.ts';

/** Wall-clock milliseconds from the submission to a file that the master's first command writes, and to the end. */
async function samples(rm: string, count: number): Promise<{ first: number[]; final: number[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-submit-'));
  const first: number[] = [];
  const final: number[] = [];
  for (let i = 0; i < count; i++) {
    const mark = join(folder, `mark-${i}`);
    let begin = Date.now();
    await ended(rm, await submitApplication(rm, specification(`: > ${mark}`)));
    if (existsSync(mark)) first.push(statSync(mark).mtimeMs - begin);
    begin = Date.now();
    await ended(rm, await submitApplication(rm, specification('true')));
    final.push(Date.now() - begin);
  }
  rmSync(folder, { recursive: true });
  return { first, final };
}

export async function submit(peer?: Peer): Promise<Measure[]> {
  await using cluster = await startProcesses();
  await samples(cluster.urls.resourceManager, 5);
  const ours = await samples(cluster.urls.resourceManager, 30);
  const theirs = peer && (await samples(peer.urls.resourceManager, 10));
  const both = (name: string, pick: (s: { first: number[]; final: number[] }) => number): Measure => ({
    name,
    unit: 'ms',
    value: pick(ours),
    ...(theirs ? { peer: pick(theirs) } : {}),
  });
  return [
    both('first instruction, p50', (s) => percentile(s.first, 0.5)),
    both('first instruction, p95', (s) => percentile(s.first, 0.95)),
    both('final state of `true`, p50', (s) => percentile(s.final, 0.5)),
    both('final state of `true`, p95', (s) => percentile(s.final, 0.95)),
  ];
}
