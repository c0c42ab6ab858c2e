// `heddle simulate`: a workload under the scheduler on virtual time, and what would change under other queues.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PartyReport, SimulationReport, Waits } from '../simulation/simulate.ts';
import { CommandFailure } from './failure.ts';
import { type ConfigurationFlags, configurationOf, printNotes, wholeNumber, withConfigurationOptions } from './options.ts';
import { formatDuration, formatMemory, printFacts, printJson, printTable, printText } from './output.ts';

interface SimulateFlags extends ConfigurationFlags {
  readonly queues?: string;
  readonly compare?: readonly string[];
  readonly nodes?: string;
  readonly nodeSize: readonly [number, number];
  readonly seed?: number;
  readonly json?: boolean;
}

const mostShown = 40;

function sizeOf(text: string): [number, number] {
  const [, memory, vcores] = /^(\d{1,9})x(\d{1,6})$/.exec(text) ?? [];
  if (!Number(memory) || !Number(vcores))
    throw new InvalidArgumentError('Write MEMORYxVCORES with the memory in MiB, for example 65536x16.');
  return [Number(memory), Number(vcores)];
}

/** Registers `heddle simulate`. */
export function addSimulate(program: Command): void {
  withConfigurationOptions(program.command('simulate').argument('<workload>', 'a trace of Hadoop SLS (SLS or SYNTH), or YAML'))
    .description('run a workload through the scheduler on virtual time')
    .option('--queues <file>', 'capacity-scheduler.xml or fair-scheduler.xml (default: what the workload, then --conf says)')
    .option('--compare <files...>', 'several queue files on the same workload, side by side')
    .option('--nodes <nodes>', 'how many nodes, or a file of them as SLS reads it')
    .addOption(
      new Option('--node-size <MEMORYxVCORES>', 'size of nodes that say none, in MiB and vcores')
        .argParser(sizeOf)
        .default([10_240, 10], '10240x10'),
    )
    .option('--seed <number>', 'for what is drawn: other numbers, other draws', wholeNumber(0, 0xffff_ffff))
    .option('--json', 'print JSON')
    .option('--wide', 'print tables whole, however narrow the terminal is')
    .action(simulateCommand);
}

async function simulateCommand(workload: string, flags: SimulateFlags): Promise<void> {
  if (flags.queues !== undefined && flags.compare !== undefined)
    throw new CommandFailure('--queues and --compare exclude each other', 'Name all files after --compare.', 2);
  const { BadInput, simulate } = await import('../simulation/simulate.ts');
  const configuration = configurationOf(flags);
  printNotes(configuration);
  let reports: SimulationReport[];
  try {
    reports = simulate({
      workload,
      nodes: flags.nodes,
      nodeSize: flags.nodeSize,
      seed: flags.seed,
      queueFiles: flags.compare ?? (flags.queues === undefined ? [] : [flags.queues]),
      configuration,
    });
  } catch (error) {
    if (error instanceof BadInput) throw new CommandFailure(error.message, error.remedy, 2);
    throw error;
  }
  if (flags.json) return printJson(flags.compare ? reports : reports[0]);
  if (flags.compare) compare(reports);
  else for (const report of reports) print(report);
}

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;
const spread = ({ count, p50, p95, max }: Waits): string => (count === 0 ? '' : [p50, p95, max].map(formatDuration).join(' / '));

/** One character a slice of time, higher for a larger share. */
function curve(shares: readonly number[]): string {
  const levels = ' ▁▂▃▄▅▆▇█';
  return shares.map((share) => levels[Math.min(8, share <= 0 ? 0 : Math.max(1, Math.round(share * 8)))]).join('');
}

function print(report: SimulationReport): void {
  const { jobs, utilisation, preemptions } = report;
  printFacts([
    ['queues', `${report.queueFile} (${report.policy})`],
    ['cluster', `${report.nodes} nodes, ${formatMemory(report.memoryMiB)}, ${report.vcores} vcores`],
    ['jobs', `${jobs.submitted} submitted, ${jobs.finished} finished, ${jobs.refused} refused, ${jobs.unfinished} never ended`],
    ['makespan', formatDuration(report.makespanMs)],
    ['containers', report.containers],
    ['utilisation', `memory ${percent(utilisation.memory)}, vcores ${percent(utilisation.vcores)}`],
    [
      'preempted',
      `${preemptions.containers} containers (${preemptions.masters} masters), ${formatDuration(preemptions.lostMs)} of work lost`,
    ],
    ['waits', `tasks ${spread(report.taskWaits) || '-'}, masters ${spread(report.masterWaits) || '-'} (p50 / p95 / max)`],
  ]);
  printText('\n');
  parties('QUEUE', report.queues);
  printText('\n');
  parties('USER', report.users);
  printText(`\nshares over time, ${formatDuration(report.sliceMs)} a column:\n`);
  printFacts(report.queues.slice(0, mostShown).map(({ name, shares }) => [name, `|${curve(shares)}|`]));
  for (const { reason, jobs: count } of report.refusals) printText(`\n${count} refused: ${reason}\n`);
  for (const { job, queue, sentence, remedy } of report.stuck)
    printText(`\n${job} in ${queue} never ended: it waits because ${sentence}\n${remedy}\n`);
}

function parties(head: string, list: readonly PartyReport[]): void {
  printTable(
    [head, 'JOBS', 'CONTAINERS', 'SHARE', 'TASK WAITS p50 / p95 / max', 'MASTER WAITS', 'JOB TIMES', 'PREEMPTED', 'STARVED'],
    list
      .slice(0, mostShown)
      .map((party) => [
        party.name,
        party.jobs,
        party.containers,
        percent(party.share),
        spread(party.taskWaits),
        spread(party.masterWaits),
        spread(party.jobTimes),
        party.preempted,
        formatDuration(party.longestStarvationMs),
      ]),
    ['JOB TIMES', 'MASTER WAITS', 'PREEMPTED', 'CONTAINERS', 'STARVED'],
  );
  if (list.length > mostShown) printText(`and ${list.length - mostShown} more (--json shows all)\n`);
}

type Row = readonly [name: string, valueOf: (report: SimulationReport) => number | undefined, format: (value: number) => string];

/** Side by side; differences are against the first. */
function compare(reports: readonly SimulationReport[]): void {
  const text = String;
  const rows: Row[] = [
    ['makespan', ({ makespanMs }) => makespanMs, formatDuration],
    ['jobs finished', ({ jobs }) => jobs.finished, text],
    ['jobs refused', ({ jobs }) => jobs.refused, text],
    ['jobs never ended', ({ jobs }) => jobs.unfinished, text],
    ['memory in use', ({ utilisation }) => utilisation.memory, percent],
    ['vcores in use', ({ utilisation }) => utilisation.vcores, percent],
    ['containers preempted', ({ preemptions }) => preemptions.containers, text],
    ['work lost', ({ preemptions }) => preemptions.lostMs, formatDuration],
    ...waitRows('', (report) => report),
  ];
  for (const [kind, pick] of [
    ['queue', (report: SimulationReport) => report.queues],
    ['user', (report: SimulationReport) => report.users],
  ] as const) {
    const names = [...new Set(reports.flatMap((report) => pick(report).map(({ name }) => name)))].sort();
    for (const name of names.slice(0, mostShown)) {
      const find = (report: SimulationReport) => pick(report).find((party) => party.name === name);
      rows.push([`${kind} ${name}: share`, (report) => find(report)?.share, percent]);
      rows.push(...waitRows(`${kind} ${name}: `, find));
      rows.push([`${kind} ${name}: longest starvation`, (report) => find(report)?.longestStarvationMs, formatDuration]);
    }
  }
  const [first] = reports;
  printTable(
    ['', ...reports.flatMap(({ queueFile }, i) => (i === 0 ? [queueFile] : [queueFile, 'DIFFERENCE']))],
    rows.map(([name, read, format]) => {
      const base = read(first!);
      return [
        name,
        ...reports.flatMap((report, i) => {
          const value = read(report);
          const shown = value === undefined ? undefined : format(value);
          return i === 0 ? [shown] : [shown, value === undefined || base === undefined ? undefined : difference(value - base, format)];
        }),
      ];
    }),
  );
}

function waitRows(
  before: string,
  pick: (report: SimulationReport) => Pick<SimulationReport, 'taskWaits' | 'masterWaits'> | undefined,
): Row[] {
  return [
    [`${before}task wait p50`, (report) => pick(report)?.taskWaits.p50, formatDuration],
    [`${before}task wait p95`, (report) => pick(report)?.taskWaits.p95, formatDuration],
    [`${before}task wait max`, (report) => pick(report)?.taskWaits.max, formatDuration],
    [`${before}master wait p95`, (report) => pick(report)?.masterWaits.p95, formatDuration],
  ];
}

const difference = (value: number, format: (value: number) => string): string =>
  Math.abs(value) < 1e-9 ? '=' : value > 0 ? `+${format(value)}` : `-${format(-value)}`;
