// A job at a glance: how far it is, how long it takes, what went wrong.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { knownMeanMs } from '../../model/job-means.ts';
import { type Job, type JobSource, mastersQuery, type PlainTask, tasksQuery } from '../api/jobs.ts';
import { count, percent, shareOf } from '../format/amounts.ts';
import { type Square, squareOfState, squareWords } from '../format/jobs.ts';
import { duration } from '../format/times.ts';
import { Ago, Facts, Meter, Span } from '../parts/basics.tsx';
import { FirstFailure } from './first-failure.tsx';

export function JobSummary({ source, job }: { readonly source: JobSource; readonly job: Job }) {
  const { data: tasks } = useQuery(tasksQuery(source));
  const { data: masters = [] } = useQuery(mastersQuery(source));
  const failed = (job.failedMapAttempts ?? 0) + (job.failedReduceAttempts ?? 0);
  const killed = (job.killedMapAttempts ?? 0) + (job.killedReduceAttempts ?? 0);
  const isBad = job.state === 'FAILED' || job.state === 'KILLED' || job.state === 'ERROR';
  const master = masters.at(-1);
  return (
    <>
      {(isBad || failed > 0) && <FirstFailure source={source} job={job} />}
      <div className="job-glance">
        <Progress
          word="Maps"
          all={job.mapsTotal}
          completed={job.mapsCompleted}
          share={job.mapProgress}
          tasks={tasks?.filter(({ kind }) => kind === 'MAP')}
        />
        <Progress
          word="Reduces"
          all={job.reducesTotal}
          completed={job.reducesCompleted}
          share={job.reduceProgress}
          tasks={tasks?.filter(({ kind }) => kind === 'REDUCE')}
        />
      </div>
      <Facts
        rows={[
          ['User', <Owner key="user" source={source} name="user" value={job.user} />],
          ['Queue', <Owner key="queue" source={source} name="queue" value={job.queue} />],
          ['Started', <Ago key="started" ms={Math.max(0, job.startTime)} />],
          [job.finishTime > 0 ? 'Took' : 'Has run for', <Span key="took" from={Math.max(0, job.startTime)} to={job.finishTime} />],
          ...(job.submitTime !== undefined && job.submitTime > 0 && job.startTime > 0
            ? [['Waited for its start', duration(job.startTime - job.submitTime)] as const]
            : []),
          ['Failed attempts', failed === 0 ? 'none' : <b className="is-bad">{count(failed)}</b>],
          ['Killed attempts', killed === 0 ? 'none' : count(killed)],
          ...means(job).map(([word, ms]) => [`Mean ${word}`, duration(ms)] as const),
          ...(job.uberized ? [['Ran', 'within its master'] as const] : []),
          ...(master
            ? [[masters.length > 1 ? `Master, the ${ordinal(masters.length)}` : 'Master', `on ${master.nodeHttpAddress}`] as const]
            : []),
        ]}
      />
    </>
  );
}

const ordinal = (value: number): string => (value === 2 ? 'second' : value === 3 ? 'third' : `${value}th`);

/** Lists of the same user or queue: on the history server jobs, on the resource manager applications. */
const Owner = ({ source, name, value }: { readonly source: JobSource; readonly name: 'user' | 'queue'; readonly value: string }) => (
  <Link to={source.isRunning ? '/applications' : '/jobs'} search={{ [name]: value } as never}>
    {value}
  </Link>
);

function means(job: Job): [string, number][] {
  const { avgMapTime = 0, avgShuffleTime = 0, avgMergeTime = 0, avgReduceTime = 0, reducesTotal } = job;
  const all: [string, number, boolean][] = [
    ['map', avgMapTime, true],
    ['shuffle', avgShuffleTime, reducesTotal > 0],
    ['merge', avgMergeTime, reducesTotal > 0],
    ['reduce', avgReduceTime, reducesTotal > 0],
  ];
  return all.filter(([, ms, isAsked]) => isAsked && (knownMeanMs(ms, job) ?? 0) > 0).map(([word, ms]) => [word, ms]);
}

/** A finished job counts its failed tasks as completed, too: how many succeeded is known from the tasks. */
function Progress({
  word,
  all,
  completed,
  share,
  tasks,
}: {
  readonly word: string;
  readonly all: number;
  readonly completed: number;
  readonly share: number | undefined;
  readonly tasks: readonly PlainTask[] | undefined;
}) {
  if (all <= 0) return null;
  const of = (square: Square) => tasks?.filter(({ state }) => squareOfState(state) === square).length ?? 0;
  const done = tasks ? of('good') : Math.max(0, completed);
  const part = share === undefined ? shareOf(done, all) : share / 100;
  const others = (['running', 'waiting', 'bad', 'stopped'] as const).map((square) => [square, of(square)] as const);
  const words = [
    `${count(done)} of ${count(all)} done`,
    ...others.filter(([, amount]) => amount > 0).map(([square, amount]) => `${count(amount)} ${squareWords[square]}`),
  ];
  return (
    <div className="job-progress">
      <h2>{word}</h2>
      <b>{percent(part)}</b>
      <Meter share={part} label={word} isCalm />
      <span className="quiet">{words.join(', ')}</span>
    </div>
  );
}
