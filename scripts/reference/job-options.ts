import { mapredDefaults } from '../../src/batch/submission/mapred-defaults.ts';
import { optionChapters } from '../../src/batch/submission/options/check.ts';
import { olderNames } from '../../src/batch/submission/options/older-names.ts';
import { anyInt, type JobOption } from '../../src/batch/submission/options/option.ts';
import { cell, code, pageHead, table } from './markdown.ts';

const effects: Record<JobOption['effect'], string> = {
  works: 'followed',
  cluster: 'servers’',
  nothing: 'changes nothing',
  refused: 'refused',
};

/** The numbers that a setting takes, where they are bounded. */
function rangeOf(option: JobOption): string {
  if (option.effect !== 'works' || option.range === undefined) return '';
  const [least, most] = option.range;
  if (option.range === anyInt) return '';
  return most >= anyInt[1] ? ` From ${least} on.` : ` ${least} to ${most}.`;
}

function meaningOf(option: JobOption): string {
  const text = 'about' in option ? option.about : `${option.why[0]!.toUpperCase()}${option.why.slice(1)}.`;
  const values = 'values' in option && option.values !== undefined ? ` Allowed: ${option.values.map(code).join(', ')}.` : '';
  const others =
    option.effect === 'works' && option.anyJob !== undefined ? ` Other than streaming jobs: ${option.anyJob.map(code).join(', ')}.` : '';
  return cell(text) + values + others + rangeOf(option);
}

/** Every setting of batch jobs that Hadoop 3.4 reads, and what becomes of it. */
export function jobOptionsPage(): string {
  const parts = [
    pageHead(
      'Options of batch jobs',
      [
        'Every setting of map/reduce and streaming jobs that Hadoop 3.4 reads, as `-D` or `mapred-site.xml` gives it to `heddle batch`.',
        '',
        '- *followed*: it does what it does in Hadoop; where values are listed, others are refused before the job starts, and so are numbers out of their bounds, and texts where numbers, `true`, `false` or variables belong. What only some jobs follow is named in others.',
        '- *changes nothing*: `heddle batch` names it at the submission when it is set to anything but the default.',
        '- *refused*: with another value than the default or those listed the result would differ, so that such a job does not start.',
        '- *servers’*: the cluster’s servers read it from their own settings; in one job it is named as without effect.',
        '',
        'A name that ends in `.` stands for all that begin with it. Jobs of Hadoop’s own MapReduce, which run on Heddle over Hadoop RPC, follow all of them.',
      ].join('\n'),
    ),
  ];
  for (const [title, options] of Object.entries(optionChapters)) {
    const rows = Object.entries(options)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, option]) => [code(name), code(mapredDefaults[name]), effects[option.effect], meaningOf(option)]);
    parts.push(`## ${title}\n`, table(['key', 'default', 'what becomes of it', 'meaning'], rows));
  }
  const older = Object.entries(olderNames).map(([old, name]) => [code(old), code(name)]);
  parts.push('## Older names\n\nThey count as the names beside them.\n', table(['older', 'today'], older));
  return parts.join('\n');
}
