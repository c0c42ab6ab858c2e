// Keys by ranges, so that the outputs of the reduces one after the other are sorted as a whole (TotalOrderPartitioner). The keys that cut
// the ranges come with the job's settings.
import type { JobConfiguration } from './job-configuration.ts';
import type { KeyComparator } from './record-sort.ts';
import type { Partitioner } from './record-table.ts';

/** Classes that choose the reduce by ranges. */
export const totalOrderPartitioners: readonly string[] = [
  'org.apache.hadoop.mapred.lib.TotalOrderPartitioner',
  'org.apache.hadoop.mapreduce.lib.partition.TotalOrderPartitioner',
];

/** `heddle.batch.cut-points`: the first key of each range but the first, base64, in order; the command writes it. */
export const cutPointsSetting = 'heddle.batch.cut-points';

/** The partitioner class of a job. */
export const partitionerClassOf = (settings: JobConfiguration): string =>
  settings.get('mapred.partitioner.class') || settings.text('mapreduce.job.partitioner.class', '');

/** Whether a job wants its keys in ranges. */
export const wantsTotalOrder = (settings: JobConfiguration): boolean => totalOrderPartitioners.includes(partitionerClassOf(settings));

/** Keys as {@link cutPointsSetting} holds them. */
export const writeCutPoints = (points: readonly Buffer[]): string => points.map((point) => `-${point.toString('base64')}`).join(',');
/** The keys that cut a job's ranges. */
export const readCutPoints = (settings: JobConfiguration): Buffer[] =>
  settings.list(cutPointsSetting).map((point) => Buffer.from(point.slice(1), 'base64'));

/** Range by range; a key that is a cut point belongs to the range that it begins. Cuts beyond the number of reduces are passed over. */
export function rangePartitioner(points: readonly Buffer[], compare: KeyComparator): Partitioner {
  return (key, start, end, partitions) => {
    let low = 0;
    let high = Math.min(points.length, partitions - 1);
    while (low < high) {
      const middle = (low + high) >> 1;
      const point = points[middle]!;
      if (compare(key, start, end, point, 0, point.length) < 0) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/** Keys that cut a sample into `ranges` of about as many keys, in order and each once; fewer where there are not so many different ones. */
export function cutPointsOf(sample: readonly Buffer[], ranges: number, compare: KeyComparator): Buffer[] {
  const order = (a: Buffer, b: Buffer) => compare(a, 0, a.length, b, 0, b.length);
  const sorted = [...sample].sort(order);
  const points: Buffer[] = [];
  for (let i = 1; i < ranges; i++) {
    const point = sorted[Math.min(sorted.length - 1, Math.round((i * sorted.length) / ranges))];
    if (point !== undefined && (points.length === 0 || order(points.at(-1)!, point) < 0)) points.push(point);
  }
  return points;
}
