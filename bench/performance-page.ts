// docs/performance.md, written from what runs of the benches measured.
import type { Measure } from './measure.ts';

/** What a run of the benches writes as JSON. */
export interface BenchReport {
  readonly date: string;
  readonly node: string;
  readonly cores: number;
  readonly model?: string | undefined;
  /** Processes that wanted to run in the minute before and after, on average. */
  readonly load: readonly [before: number, after: number];
  /** How answers were asked for. */
  readonly method: string;
  readonly results: Readonly<Record<string, readonly Measure[]>>;
}

const titles: Readonly<Record<string, string>> = {
  rest: 'Answers of the resource manager',
  growth: 'What grows with the applications that wait',
  crowd: 'A crowd that waits',
  list: 'Long lists',
  finished: 'What grows with the applications that ended',
  submit: 'Submissions',
  start: 'Start of a cluster',
  containers: 'Containers on one node',
  wordcount: 'A batch job',
  batch: 'Batch jobs',
  timeline: 'The timeline',
  history: 'The history',
  pages: 'The web pages',
  scheduler: 'Placements',
  rpc: 'Hadoop RPC',
  bearer: 'Bearer tokens',
  authentication: 'Who calls',
};

const round = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
const shown = (value: number | undefined): string => (value === undefined || Number.isNaN(value) ? '' : round(value));

/** How many times better than the peer: less of what is waited for or taken, more of what is served. */
export const timesBetter = ({ value, peer = Number.NaN, unit }: Measure): number => (unit.endsWith('/s') ? value / peer : peer / value);

function tableOf(measures: readonly Measure[]): string {
  const has = (name: 'spread' | 'floor' | 'peer') => measures.some((measure) => measure[name] !== undefined);
  const columns: readonly (readonly [head: string, of: (measure: Measure) => string])[] = [
    ['what', ({ name }) => name.replaceAll('|', '\\|')],
    ['Heddle', ({ value }) => shown(value)],
    ...(has('spread')
      ? [['from – to', ({ spread }: Measure) => (spread ? `${round(spread[0])} – ${round(spread[1])}` : '')] as const]
      : []),
    ...(has('floor') ? [['bare server', ({ floor }: Measure) => shown(floor)] as const] : []),
    ...(has('peer')
      ? [
          ['Hadoop', ({ peer }: Measure) => shown(peer)] as const,
          ['times better', (measure: Measure) => (measure.peer === undefined ? '' : shown(timesBetter(measure)))] as const,
        ]
      : []),
    ['unit', ({ unit }) => unit],
  ];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(([head]) => head)),
    line(columns.map((_, index) => (index === 0 || index === columns.length - 1 ? '---' : '--:'))),
    ...measures.map((measure) => line(columns.map(([, of]) => of(measure)))),
  ].join('\n');
}

const namesOf = ({ results }: BenchReport): string => Object.keys(results).join(' ');
const whenOf = ({ date, node }: BenchReport): string => `Node.js ${node}; ${date.slice(0, 10)}`;
const loadOf = ({ load }: BenchReport): string => `${round(load[0])} before, ${round(load[1])} after`;

/**
 * The page of a run, and of others on the same machine: each table is the one of the first run that has it, and those of the others say
 * when that was.
 */
export function performancePage(report: BenchReport, ...earlier: readonly BenchReport[]): string {
  const sections = new Map(Object.entries(report.results).map(([name, measures]) => [name, tableOf(measures)]));
  for (const one of earlier)
    for (const [name, measures] of Object.entries(one.results))
      if (!sections.has(name)) sections.set(name, `${whenOf(one)}; load of the machine ${loadOf(one)}.\n\n${tableOf(measures)}`);
  const { cores, model, method } = report;
  return `# Performance

Written by \`npm run bench -- ${namesOf(report)} --page docs/performance.md\`${earlier.length === 0 ? '' : `, with \`--with FILE\` for the numbers of other runs (${earlier.map(namesOf).join('; ')})`}; with \`--peer\` the same work is done on real Hadoop in the same run, and \`--json FILE\` keeps the numbers.

- **Where**: ${cores} processors${model ? ` (${model.trim()})` : ''}, shared by the servers and whoever asks; ${whenOf(report)}.
- **Load of the machine**: ${loadOf(report)} (processes that want to run; ${cores} is all it can do). Where it is above that, rates are too low, and the processor time of an answer
  and what was measured in turn in one run are what can be compared.
- **How**: ${method}. What is compared is asked in turn, round after round; the middle of the rounds is shown, and the least and the most of them. A bare server is Node.js alone, with the same headers and
  bytes as Heddle's answer; for submissions one that only appends each to a file and answers when that is on the disk, all that wait at once.
- **Settings**: those that Heddle has by itself, but for \`yarn.scheduler.capacity.maximum-applications\`; writes are on the disk before they are answered.
- **Lists**: nothing happens in the cluster while lists are asked for, so they are kept from the third time on (\`docs/decisions/0037-lists-that-are-asked-for-again.md\`); one that is asked for after a change
  is made anew, at about twice the processor time.

${[...sections].map(([name, text]) => `## ${titles[name] ?? name}\n\n${text}\n`).join('\n')}`;
}
