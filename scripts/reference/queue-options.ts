import { keyOf, type OptionTable, type QueueOption } from '../../src/scheduler/capacity/settings/option.ts';
import { optionTables } from '../../src/scheduler/capacity/settings/options.ts';
import { boundsOf } from '../../src/scheduler/capacity/settings/value-checks.ts';
import { type ElementTable, type ElementType, fileElements, queueElements, userElements } from '../../src/scheduler/fair/elements.ts';
import { cell, code, pageHead, table } from './markdown.ts';

const units = { percent: 'percent', part: 'a part', seconds: 'seconds', ms: 'ms', MiB: 'MiB' } as const;

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

function typeOf(option: QueueOption): string {
  const { type, oneOf, unit } = option;
  if (oneOf) return `one of ${oneOf.join(', ')}`;
  const notes = [unit && units[unit], boundsOf(option)].filter((note) => note !== undefined && note !== '');
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

const elementKinds: Record<ElementType, string> = {
  count: 'integer from 0',
  weight: 'number from 0',
  part: 'a part',
  limitedPart: 'a part, 0 to 1, or -1',
  seconds: 'seconds',
  maximum: 'amounts or parts of the cluster',
  minimum: 'amounts or parts of the cluster',
  sharePolicy: 'one of fair, drf, fifo',
  accessList: 'users and groups',
  boolean: 'boolean',
  text: 'text',
  element: 'element',
};

const elementRows = (elements: ElementTable): string[][] =>
  Object.values(elements).map(({ name, olderName, type, default: preset, about, inert }) => [
    [name, ...(olderName === undefined ? [] : [olderName])].map((each) => code(`<${each}>`)).join(', '),
    elementKinds[type],
    cell(preset),
    cell(inert === undefined ? about : `${about} Changes nothing here: ${inert}.`),
  ]);

/** Every option of queue files with its default and its sentence. */
export function queueOptionsPage(): string {
  const parts = [
    pageHead(
      'Options of queues',
      [
        'What `capacity-scheduler.xml` and `fair-scheduler.xml` may hold: every option that Hadoop 3.4 reads. `<queue>` is the path of a queue (`root.sales`), `<label>` a label of',
        'nodes, `<user>` a user. All are taken over without a restart, unless the table says otherwise. A file with a value that its type cannot read, or',
        'that is beyond its bounds, is refused with file, key and remedy; keys that are not in these tables are named by `heddle config check` and in the log.',
      ].join('\n'),
    ),
  ];
  for (const [title, options] of Object.entries(optionTables))
    parts.push(`## ${title}\n`, table(['key', 'of', 'type', 'default', 'meaning'], optionRows(options)));
  parts.push(
    [
      '## fair-scheduler.xml',
      '',
      'The elements of `<allocations>`. A second name is an older one, which is read where the first is absent. Amounts are `1024 mb, 4 vcores`,',
      '`memory-mb=1024, vcores=4`, or parts of the cluster: `50% memory, 25% cpu`, `40%`, `memory-mb=50%`.',
      '',
    ].join('\n'),
  );
  const chapters = { 'Of the file': fileElements, 'Of `<queue>`': queueElements, 'Of `<user>`': userElements };
  for (const [title, elements] of Object.entries(chapters))
    parts.push(`### ${title}\n`, table(['element', 'type', 'default', 'meaning'], elementRows(elements)));
  return parts.join('\n');
}
