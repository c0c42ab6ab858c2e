// What a container uses of what it was given, in a row of a table: the last minutes as a small chart, and the latest look in numbers.
import type { BriefUse } from '../api/use.ts';
import { cores, count, memory } from '../format/amounts.ts';
import { sparkHeight, sparkOf, sparkWidth } from '../format/sparkline.ts';
import { duration } from '../format/times.ts';
import './container-use.css';

/** What tables know of the use of a container: undefined: it does not run; why there is none: in words. */
export type KnownUse = BriefUse | string | undefined;

/** What was asked of the use of containers. */
export interface AskedUse {
  readonly data: { readonly of: ReadonlyMap<string, BriefUse>; readonly left: number } | undefined;
  readonly error: Error | null;
}

/** What is known of a container that runs, as far as the question was answered. */
export function knownUse({ data, error }: AskedUse, containerId: string): KnownUse {
  if (!data) return error ? 'not known' : 'asked …';
  const use = data.of.get(containerId);
  if (use && use.timesMs.length > 0) return use;
  return use || data.left === 0 ? 'not looked at yet' : 'not told';
}

/** The latest of what is used; below 0 where it is not known. */
const latestOf = (use: KnownUse, what: 'usedMemoryMiB' | 'usedCores'): number => (typeof use === 'object' ? use[what].at(-1)! : -1);

function Use({
  use,
  what,
  given,
  show,
  inColumn = show,
  givenText,
}: {
  readonly use: KnownUse;
  readonly what: 'usedMemoryMiB' | 'usedCores';
  readonly given: number;
  readonly show: (amount: number) => string;
  /** The same below a head that says the unit. */
  readonly inColumn?: (amount: number) => string;
  readonly givenText: string;
}) {
  if (use === undefined) return givenText;
  if (typeof use === 'string')
    return (
      <>
        <span className="quiet" title={use}>
          of {givenText}
        </span>
        <span className="unseen"> ({use})</span>
      </>
    );
  const values = use[what];
  const spark = sparkOf(values, given);
  const told = `at most ${show(Math.max(...values))} over the last ${duration(use.timesMs.at(-1)! - use.timesMs[0]!)}`;
  return (
    <span className="container-use" title={spark && told}>
      <span>
        {inColumn(values.at(-1)!)} <span className="quiet">of {givenText}</span>
      </span>
      {spark && (
        <svg viewBox={`0 0 ${sparkWidth} ${sparkHeight}`} role="img" aria-label={told}>
          <path className="spark-area" d={spark.area} />
          <path className="spark-line" d={spark.line} />
        </svg>
      )}
    </span>
  );
}

/** Orders containers by what they use, those of which that is not known by what they were given. */
export const byUse =
  <Row,>(useOf: (row: Row) => KnownUse, what: 'usedMemoryMiB' | 'usedCores', given: (row: Row) => number) =>
  (a: Row, b: Row): number =>
    latestOf(useOf(a), what) - latestOf(useOf(b), what) || given(a) - given(b);

export const MemoryUse = ({ use, memoryMiB }: { readonly use: KnownUse; readonly memoryMiB: number }) => (
  <Use use={use} what="usedMemoryMiB" given={memoryMiB} show={memory} givenText={memory(memoryMiB)} />
);

export const CoresUse = ({ use, given }: { readonly use: KnownUse; readonly given: number }) => (
  <Use
    use={use}
    what="usedCores"
    given={given}
    show={cores}
    inColumn={(amount) => cores(amount).replace(/ cores?$/, '')}
    givenText={count(given)}
  />
);
