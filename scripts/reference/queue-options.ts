import { keyOf, type OptionTable, type QueueOption } from '../../src/scheduler/capacity/settings/option.ts';
import { optionTables } from '../../src/scheduler/capacity/settings/options.ts';
import { cell, code, pageHead, table } from './markdown.ts';

const units = { percent: 'percent', part: 'a part, 0 to 1', seconds: 'seconds', ms: 'ms', MiB: 'MiB' } as const;

const kinds: Record<QueueOption['type'], string> = {
  boolean: 'boolean',
  integer: 'integer',
  float: 'number',
  text: 'text',
  list: 'list',
  capacity: 'percentage, weight or amounts',
  amounts: 'amounts by resource',
  accessList: 'users and groups',
  priorityGrants: 'list of grants',
  family: 'all keys below',
};

function typeOf({ type, oneOf, unit, minimum }: QueueOption): string {
  if (oneOf) return `one of ${oneOf.join(', ')}`;
  const notes = [unit && units[unit], minimum === undefined ? undefined : `from ${minimum}, or -1`].filter((note) => note !== undefined);
  return notes.length > 0 ? `${kinds[type]} (${notes.join('; ')})` : kinds[type];
}

const scopes: Record<QueueOption['scope'], string> = {
  cluster: 'cluster',
  queue: 'any queue',
  leaf: 'leaf',
  parent: 'parent',
  plan: 'reservable queue',
};

function meaningOf({ about, inherits, needsRestart, inert }: QueueOption): string {
  const notes = [
    inherits === 'parent' ? 'Without it a queue does as the one above it.' : undefined,
    inherits === 'cluster' ? 'Without it the same key without a queue counts.' : undefined,
    needsRestart ? 'Takes effect with the next start.' : undefined,
    inert === undefined ? undefined : `Changes nothing here: ${inert}.`,
  ];
  return [about, ...notes.filter((note) => note !== undefined)].map(cell).join(' ');
}

/** `yarn.scheduler.capacity.<queue>.capacity`. */
const shownKey = (option: QueueOption): string =>
  option.scope === 'cluster'
    ? (option.prefix ?? keyOf({ ...option, key: '' })) + option.key
    : keyOf({ ...option, key: '' }, { queue: '<queue>' }) + option.key;

const optionRows = (options: OptionTable): string[][] =>
  Object.values(options)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map((option) => [
      code(shownKey(option)),
      scopes[option.scope],
      cell(typeOf(option)),
      code(String(option.default ?? '')),
      meaningOf(option),
    ]);

/** Every option of queue files with its default and its sentence. */
export function queueOptionsPage(): string {
  const parts = [
    pageHead(
      'Options of queues',
      [
        'What `capacity-scheduler.xml` may hold: every option that Hadoop 3.4 reads. `<queue>` is the path of a queue (`root.sales`), `<label>` a label of',
        'nodes, `<user>` a user. All are taken over without a restart, unless the table says otherwise. A file with a value that its type cannot read, or',
        'that is below its bound, is refused with file, key and remedy; keys that are not in these tables are named by `heddle config check` and in the log.',
      ].join('\n'),
    ),
  ];
  for (const [title, options] of Object.entries(optionTables))
    parts.push(`## ${title}\n`, table(['key', 'of', 'type', 'default', 'meaning'], optionRows(options)));
  return parts.join('\n');
}
