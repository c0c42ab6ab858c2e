// `heddle job events`: what happened to a job, its tasks and their attempts, in order.
import type { Command } from 'commander';
import { isoTime } from '../lib/iso-time.ts';
import { type JobRecord, jobRecord } from './job-record.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { printJson, printTable, printText } from './output.ts';

/** Something that happened. */
export interface JobEvent {
  /** Epoch milliseconds. */
  readonly time: number;
  /** Such as `job.submitted`, `attempt.failed`. */
  readonly kind: string;
  /** Of the job, the task, the attempt, or the master's container. */
  readonly id: string;
  readonly node?: string;
  readonly containerId?: string;
  readonly diagnostics?: string;
}

/** Registers `heddle job events` below `heddle job`. */
export function addJobEvents(job: Command): void {
  withClusterOptions(job.command('events').argument('<job>', 'its id, or a history file (.jhist)'))
    .description('print what happened to a job, its tasks and their attempts, in order')
    .action(events);
}

/** Of events at the same time the outer begins first and ends last. */
const ranks = ['job.submitted', 'master.started', 'job.started', 'task.started', 'attempt.started'];
const endRanks = { attempt: ranks.length, task: ranks.length + 1, job: ranks.length + 2 };
const rankOf = (kind: string): number => {
  const rank = ranks.indexOf(kind);
  return rank < 0 ? endRanks[kind.split('.')[0] as keyof typeof endRanks] : rank;
};

const ended = new Set(['SUCCEEDED', 'FAILED', 'KILLED', 'ERROR']);

/** The events that a job's record tells, in order. What has no time is left out. */
export function jobEvents({ job, masters, tasks }: JobRecord): JobEvent[] {
  const found: JobEvent[] = [];
  const add = (time: number | undefined, event: Omit<JobEvent, 'time'>) => {
    if (time !== undefined && time > 0) found.push({ time, ...event });
  };
  const addEnd = (time: number | undefined, of: 'job' | 'task' | 'attempt', state: string, event: Omit<JobEvent, 'time' | 'kind'>) => {
    if (ended.has(state)) add(time, { kind: `${of}.${state.toLowerCase()}`, ...event });
  };
  const why = (diagnostics = '') => (diagnostics.trim() === '' ? {} : { diagnostics: diagnostics.trim() });
  add(job.submitTime, { kind: 'job.submitted', id: job.id });
  for (const { startTime, containerId, nodeHttpAddress } of masters)
    add(startTime, { kind: 'master.started', id: containerId, containerId, node: nodeHttpAddress });
  add(job.startTime, { kind: 'job.started', id: job.id });
  for (const task of tasks) {
    add(task.startTime, { kind: 'task.started', id: task.id });
    for (const { id, state, startTime, finishTime, node, containerId, diagnostics } of task.attempts) {
      const where = { ...(node === undefined ? {} : { node }), ...(containerId === undefined ? {} : { containerId }) };
      add(startTime, { kind: 'attempt.started', id, ...where });
      addEnd(finishTime, 'attempt', state, { id, ...where, ...why(diagnostics) });
    }
    addEnd(task.finishTime, 'task', task.state, { id: task.id });
  }
  addEnd(job.finishTime, 'job', job.state, { id: job.id, ...why(job.diagnostics) });
  return found.sort((a, b) => a.time - b.time || rankOf(a.kind) - rankOf(b.kind));
}

async function events(target: string, flags: ClusterFlags): Promise<void> {
  const found = jobEvents(await jobRecord(target, flags, { counters: false, running: true }));
  if (flags.json) return printJson(found);
  if (found.length === 0) return printText('Nothing happened yet.\n');
  printTable(
    ['TIME', 'EVENT', 'OF', 'WEB ADDRESS', 'DIAGNOSTICS'],
    found.map(({ time, kind, id, node, diagnostics }) => [
      isoTime(time).replace('T', ' '),
      kind,
      id,
      node,
      diagnostics?.split('\n', 1)[0]?.slice(0, 100),
    ]),
    ['WEB ADDRESS', 'DIAGNOSTICS'],
  );
}
