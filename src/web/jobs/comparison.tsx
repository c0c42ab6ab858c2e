// What differs between two finished jobs: times, counters with their ratio, settings.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { knownMeanMs } from '../../model/job-means.ts';
import { configurationQuery, countersQuery, type Job, jobQuery, jobSource } from '../api/jobs.ts';
import { useSearchState } from '../app/address.ts';
import { count, counted } from '../format/amounts.ts';
import { comparedCounters, comparedSettings, type Pair } from '../format/comparison.ts';
import { counterWord, groupWord, ratio } from '../format/jobs.ts';
import { duration } from '../format/times.ts';
import { Panel } from '../parts/basics.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { counterAmount } from './counters.tsx';

export function Comparison({ a, b }: { readonly a: string; readonly b: string }) {
  const [sourceA, sourceB] = [jobSource('history', a), jobSource('history', b)];
  const jobs = [useQuery(jobQuery(sourceA)), useQuery(jobQuery(sourceB))];
  const counters = [useQuery(countersQuery(sourceA)), useQuery(countersQuery(sourceB))];
  const settings = [useQuery(configurationQuery(sourceA)), useQuery(configurationQuery(sourceB))];
  const [{ same = '' }, setSearch] = useSearchState();
  const failed = [...jobs, ...counters, ...settings].find(({ error }) => error);
  if (failed) return <Problem error={failed.error} />;
  const [jobA, jobB] = [jobs[0]?.data, jobs[1]?.data];
  const [countersA, countersB] = [counters[0]?.data, counters[1]?.data];
  const [settingsA, settingsB] = [settings[0]?.data, settings[1]?.data];
  if (!jobA || !jobB || !countersA || !countersB || !settingsA || !settingsB) return <Loading />;
  const pairs = comparedCounters(countersA, countersB);
  const shown = same === 'shown' ? pairs : pairs.filter((pair) => pair.a !== pair.b);
  const differing = comparedSettings(settingsA, settingsB);
  return (
    <>
      <Panel title="Times and tasks">
        <Table label="Times and tasks" columns={numberColumns} rows={timesOf(jobA, jobB)} rowKey={({ name }) => name} empty="Nothing." />
      </Panel>
      <Panel
        title="Counters"
        aside={
          <label className="inline">
            <input
              type="checkbox"
              checked={same === 'shown'}
              onChange={({ target }) => setSearch({ same: target.checked ? 'shown' : undefined })}
            />
            also those that are the same
          </label>
        }
      >
        <Table
          label="Counters"
          columns={counterColumns}
          rows={shown}
          rowKey={({ group, name }) => `${group} ${name}`}
          empty="Every counter is the same."
        />
      </Panel>
      <Panel title="Settings that differ" aside={<span className="quiet">{counted(differing.length, 'setting')}</span>}>
        <Table
          label="Settings that differ"
          columns={settingColumns}
          rows={differing}
          rowKey={({ name }) => name}
          empty="Both ran with the same settings."
        />
      </Panel>
    </>
  );
}

/** Two numbers with how they are shown; below 0: not known. */
interface Row extends Pair<number> {
  readonly show: (value: number) => string;
  /** Less is better, or more; absent: neither. */
  readonly better?: 'less';
}

const span = (from: number | undefined, to: number): number => (from !== undefined && from > 0 && to > 0 ? to - from : -1);

function timesOf(a: Job, b: Job): Row[] {
  const row = (name: string, of: (job: Job) => number | undefined, show = duration, better?: 'less'): Row => ({
    name,
    a: of(a) ?? -1,
    b: of(b) ?? -1,
    show,
    ...(better && { better }),
  });
  return [
    row('Took', (job) => span(job.startTime, job.finishTime), duration, 'less'),
    row('Waited for its start', (job) => span(job.submitTime, job.startTime), duration, 'less'),
    row('Mean map', (job) => knownMeanMs(job.avgMapTime, job) ?? -1, duration, 'less'),
    row('Mean shuffle', (job) => knownMeanMs(job.avgShuffleTime, job) ?? -1, duration, 'less'),
    row('Mean merge', (job) => knownMeanMs(job.avgMergeTime, job) ?? -1, duration, 'less'),
    row('Mean reduce', (job) => knownMeanMs(job.avgReduceTime, job) ?? -1, duration, 'less'),
    row('Maps', (job) => job.mapsTotal, count),
    row('Reduces', (job) => job.reducesTotal, count),
    row('Failed attempts', (job) => (job.failedMapAttempts ?? 0) + (job.failedReduceAttempts ?? 0), count, 'less'),
    row('Killed attempts', (job) => (job.killedMapAttempts ?? 0) + (job.killedReduceAttempts ?? 0), count, 'less'),
  ].filter((each) => each.a > 0 || each.b > 0);
}

/** How the second relates to the first; what matters is more than a tenth. */
function Ratio({ a, b, better }: { readonly a: number; readonly b: number; readonly better?: 'less' | undefined }): ReactNode {
  if (a < 0 || b < 0) return <span className="quiet">not known</span>;
  const isLarge = Math.abs(b - a) > 0.1 * Math.max(a, b);
  const kind = a === b ? 'quiet' : better && isLarge ? (b < a ? 'is-good' : 'is-bad') : '';
  return <span className={kind}>{ratio(a, b)}</span>;
}

const Shown = ({ value, show }: { readonly value: number; readonly show: (value: number) => string }) =>
  value < 0 ? <span className="quiet">not known</span> : show(value);

const numberColumns: readonly Column<Row>[] = [
  { id: 'name', title: 'What', cell: ({ name }) => name },
  { id: 'a', title: 'First', isNumber: true, cell: ({ a, show }) => <Shown value={a} show={show} /> },
  { id: 'b', title: 'Second', isNumber: true, cell: ({ b, show }) => <Shown value={b} show={show} /> },
  { id: 'ratio', title: 'Change', isNumber: true, cell: ({ a, b, better }) => <Ratio a={a} b={b} better={better} /> },
];

type CounterPair = Pair<number> & { readonly group: string };
/** How far two numbers are apart, for the order: those that appeared or went first. */
const apart = ({ a, b }: CounterPair): number =>
  a === b ? 0 : a === 0 || b === 0 ? Number.POSITIVE_INFINITY : Math.abs(Math.log(Math.abs(b / a)));

const counterColumns: readonly Column<CounterPair>[] = [
  {
    id: 'name',
    title: 'Counter',
    sort: (x, y) => x.name.localeCompare(y.name),
    cell: ({ name }) => <span title={name}>{counterWord(name)}</span>,
  },
  {
    id: 'group',
    title: 'Group',
    gives: 'soon',
    sort: (x, y) => x.group.localeCompare(y.group),
    cell: ({ group }) => <span title={group}>{groupWord(group)}</span>,
  },
  {
    id: 'a',
    title: 'First',
    isNumber: true,
    sort: (x, y) => x.a - y.a,
    cell: ({ name, a }) => <span title={count(a)}>{counterAmount(name, a)}</span>,
  },
  {
    id: 'b',
    title: 'Second',
    isNumber: true,
    sort: (x, y) => x.b - y.b,
    cell: ({ name, b }) => <span title={count(b)}>{counterAmount(name, b)}</span>,
  },
  { id: 'ratio', title: 'Change', isNumber: true, sort: (x, y) => apart(x) - apart(y) || 0, cell: ({ a, b }) => <Ratio a={a} b={b} /> },
];

const settingColumns: readonly Column<Pair<string | undefined>>[] = [
  { id: 'name', title: 'Setting', sort: (x, y) => x.name.localeCompare(y.name), cell: ({ name }) => <code>{name}</code> },
  { id: 'a', title: 'First', shortens: true, cell: ({ a }) => <Setting value={a} /> },
  { id: 'b', title: 'Second', shortens: true, cell: ({ b }) => <Setting value={b} /> },
];

function Setting({ value }: { readonly value: string | undefined }) {
  if (value === undefined) return <span className="quiet">not set</span>;
  if (value === '') return <span className="quiet">empty</span>;
  return (
    <span className="name value" title={value}>
      {value}
    </span>
  );
}
