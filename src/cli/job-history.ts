// `heddle job history`: a finished job in one view, as `mapred job -history` prints it.
import type { Command } from 'commander';
import type { PlainTask } from '../wire/batch/own-answers.ts';
import { analyze, lostAttempts, type PhaseAnalysis, summarize } from './job-analysis.ts';
import { type JobRecord, jobRecord } from './job-record.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatDuration, formatTime, printFacts, printJson, printTable, printText } from './output.ts';

interface HistoryFlags extends ClusterFlags {
  readonly all?: boolean;
}

/** Registers `heddle job history` below `heddle job`. */
export function addJobHistory(job: Command): void {
  withClusterOptions(job.command('history').argument('<job>', 'its id, or a history file (.jhist)'))
    .description('print a finished job: counters, its tasks summed up, the slowest and average maps and reduces, what failed or was killed')
    .option('--all', 'all tasks and attempts, too')
    .action(history);
}

async function history(target: string, flags: HistoryFlags): Promise<void> {
  const record = await jobRecord(target, flags, { counters: true, running: false });
  const { job, tasks, counters } = record;
  const summary = summarize(tasks, { MAP: job.mapsTotal, REDUCE: job.reducesTotal });
  const analysis = analyze(tasks);
  const unsuccessfulAttempts = lostAttempts(tasks);
  if (flags.json) return printJson({ job, summary, analysis, unsuccessfulAttempts, counters, ...(flags.all && { tasks }) });
  printJob(record);
  const rows = counters.flatMap(({ counterGroupName, counter }) =>
    counter.map((one) => [
      counterGroupName.split('.').at(-1),
      one.name,
      one.mapCounterValue,
      one.reduceCounterValue,
      one.totalCounterValue,
    ]),
  );
  if (rows.length > 0) printTable(['GROUP', 'COUNTER', 'MAPS', 'REDUCES', 'TOTAL'], rows);
  else printText('It has no counters: none of its tasks told any.\n');
  printText('\n');
  printTable(
    ['TASKS', 'TOTAL', 'SUCCEEDED', 'FAILED', 'KILLED', 'STARTED', 'FINISHED'],
    summary
      .filter(({ total }) => total > 0)
      .map((row) => [
        `${row.kind.toLowerCase()} ${row.of}`,
        row.total,
        row.succeeded,
        row.failed,
        row.killed,
        formatTime(row.started),
        formatTime(row.finished),
      ]),
  );
  if (analysis.length > 0) printAnalysis(analysis);
  if (unsuccessfulAttempts.length > 0) {
    printText('\nAttempts that failed or were killed:\n');
    printTable(
      ['ATTEMPT', 'STATE', 'WEB ADDRESS', 'STARTED', 'TIME', 'DIAGNOSTICS'],
      unsuccessfulAttempts.map((one) => [
        one.id,
        one.state,
        one.node,
        formatTime(one.startTime),
        took(one),
        one.diagnostics.split('\n', 1)[0]?.slice(0, 100),
      ]),
    );
  }
  if (flags.all) printAll(tasks);
}

const took = ({ startTime, finishTime }: { readonly startTime?: number | undefined; readonly finishTime?: number | undefined }) =>
  startTime === undefined || finishTime === undefined ? '' : formatDuration(finishTime - startTime);

const timeOf = (epochMs: number | undefined) => (epochMs !== undefined && epochMs > 0 ? formatTime(epochMs) : undefined);

function printJob({ job }: JobRecord): void {
  const begun = job.startTime > 0 ? job.startTime : (job.submitTime ?? 0);
  printFacts([
    ['job', job.id],
    ['name', job.name],
    ['user', job.user],
    ['queue', job.queue],
    ['state', job.state],
    ['submitted', timeOf(job.submitTime)],
    ['started', timeOf(job.startTime)],
    ['finished', timeOf(job.finishTime)],
    ['time', begun > 0 && job.finishTime > 0 ? formatDuration(job.finishTime - begun) : undefined],
    ['diagnostics', (job.diagnostics ?? '').trim()],
  ]);
  printText('\n');
}

function printAnalysis(analysis: readonly PhaseAnalysis[]): void {
  printText('\nAttempts that succeeded:\n');
  printTable(
    ['PHASE', 'COUNT', 'FASTEST', 'AVERAGE', 'SLOWEST', 'LAST ENDED'],
    analysis.map(({ phase, count, fastest, averageMs, slowest, last }) => [
      phase,
      count,
      formatDuration(fastest.tookMs),
      formatDuration(averageMs),
      formatDuration(slowest[0]!.tookMs),
      formatTime(last.finished),
    ]),
  );
  for (const { phase, slowest } of analysis) {
    printText(`\nSlowest, ${phase}:\n`);
    printTable(
      ['ATTEMPT', 'WEB ADDRESS', 'TIME'],
      slowest.map(({ id, node, tookMs }) => [id, node, formatDuration(tookMs)]),
    );
  }
}

function printAll(tasks: readonly PlainTask[]): void {
  printText('\nAll tasks:\n');
  printTable(
    ['TASK OR ATTEMPT', 'STATE', 'WEB ADDRESS', 'CONTAINER', 'STARTED', 'TIME'],
    tasks.flatMap((task) => [
      [task.id, task.state, '', '', formatTime(task.startTime), took(task)],
      ...task.attempts.map((one) => [`  ${one.id}`, one.state, one.node, one.containerId, formatTime(one.startTime), took(one)]),
    ]),
  );
}
