// `heddle timeline types|list|show|put|domains|flows`: what applications and the cluster told the timeline.
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { HttpClient, Unreachable } from '../client/http.ts';
import { systemErrorText } from '../lib/system-error.ts';
import type { JsonValue, TimelineDomain, TimelineEntity, TimelinePutError } from '../wire/timeline/entity.ts';
import { parseExact } from '../wire/timeline/exact-json.ts';
import type { EntityV2 } from '../wire/timeline/v2-entity.ts';
import { connect, talk } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatTime, jsonText, printFacts, printJson, printTable, printText } from './output.ts';

interface ListFlags extends ClusterFlags {
  readonly application?: string;
  readonly filter?: string;
  readonly where?: readonly string[];
  readonly after?: number;
  readonly before?: number;
  readonly from?: string;
  readonly limit: number;
}

const applicationOption = () =>
  new Option('--application <id>', 'those that this application put into version 2 of the timeline, instead of version 1');
const defaultLimit = 20;

/** Registers `heddle timeline …`. */
export function addTimeline(program: Command): void {
  const timeline = program.command('timeline').description('look at what applications told the timeline, and put entities there');
  const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
  withClusterOptions(timeline.command('types'))
    .description('list the types of entities that you may see')
    .addOption(applicationOption())
    .action(types);
  withClusterOptions(timeline.command('list').argument('<type>'))
    .description('list entities of a type, the newest first')
    .addOption(applicationOption())
    .option('--filter <name:value>', 'only those put with this primary filter (version 1)')
    .addOption(new Option('--where <name:value>', 'only those with this value; may be repeated').argParser(collect))
    .addOption(new Option('--after <time>', 'only those that started after this time').argParser(time))
    .addOption(new Option('--before <time>', 'only those that started by this time').argParser(time))
    .option('--from <id>', 'begin with this one, as the last line of a list names it')
    .addOption(new Option('--limit <n>', 'how many').argParser(count).default(defaultLimit))
    .action(list);
  withClusterOptions(timeline.command('show').argument('<type>').argument('<id>'))
    .description('show one entity with everything it has')
    .addOption(applicationOption())
    .action(show);
  withClusterOptions(
    timeline.command('put').argument('<file>', 'JSON: one entity, a list of them, or {"entities": […]}; - is standard input'),
  )
    .description('put entities into version 1')
    .action(put);
  withClusterOptions(timeline.command('domains'))
    .description('list domains: who may read and write what lies in them')
    .option('--owner <user>', 'those of this user (default: your own)')
    .action(domains);
  withClusterOptions(timeline.command('flows'))
    .description('list flows by the days on which they were active (version 2)')
    .addOption(new Option('--limit <n>', 'how many').argParser(count).default(defaultLimit))
    .action(flows);
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give a number from 1 on.');
  return Number(text);
}

/** Milliseconds since 1970, or a date as ISO 8601 writes it. */
function time(text: string): number {
  const ms = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('Give a time such as 2026-11-22T08:00:00Z, or milliseconds since 1970.');
  return ms;
}

/** Asks version 1. */
function version1(flags: ClusterFlags): HttpClient {
  const { timelineUrl, credentials } = connect(flags);
  return new HttpClient({ url: timelineUrl, ...credentials });
}

/** Asks the reader of version 2. */
async function ofReader<Value>(flags: ClusterFlags, path: string, query: Record<string, string | number | undefined> = {}): Promise<Value> {
  const { readerUrl, credentials } = connect(flags);
  const reader = new HttpClient({ url: readerUrl, ...credentials });
  try {
    return await talk(() => reader.json<Value>('GET', `/ws/v2/timeline${path}`, { query, isExact: true }));
  } catch (error) {
    if (!(error instanceof CommandFailure && error.cause instanceof Unreachable)) throw error;
    throw new CommandFailure(error.message, 'Version 2 of the timeline runs where yarn.timeline-service.versions names 2.0f.');
  }
}

const inApplication = (id: string, rest: string): string => `/apps/${encodeURIComponent(id)}${rest}`;
const word = (value: unknown): string => (typeof value === 'string' ? value : jsonText(value));

async function types({ application, ...flags }: ClusterFlags & { readonly application?: string }): Promise<void> {
  const found =
    application === undefined
      ? (await talk(() => version1(flags).json<{ types: string[] }>('GET', '/api/v1/timeline/types'))).types
      : await ofReader<string[]>(flags, inApplication(application, '/entity-types'));
  if (flags.json) return printJson(found);
  printText(found.length === 0 ? 'No entities.\n' : found.map((type) => `${type}\n`).join(''));
}

/** Filters of the command as version 2 writes them: `name eq value`. */
function infoFilters(where: readonly string[] | undefined): string | undefined {
  const parts = where?.map((text) => {
    const at = text.indexOf(':');
    if (at <= 0) throw new CommandFailure(`--where: '${text}' names no value`, 'Write NAME:VALUE.', 2);
    return `${text.slice(0, at)} eq ${text.slice(at + 1)}`;
  });
  return parts && (parts.length === 1 ? parts[0] : parts.map((part) => `(${part})`).join(' AND '));
}

/** Filters of the command as version 1 takes them: with commas between them, so that none can have one. */
function secondaryFilters(where: readonly string[] | undefined): string | undefined {
  const parted = where?.find((text) => text.includes(','));
  if (parted === undefined) return where?.join(',');
  throw new CommandFailure(
    `--where: '${parted}' has a comma`,
    'Version 1 of the timeline takes no filters with commas; repeat --where for several.',
    2,
  );
}

async function list(type: string, flags: ListFlags): Promise<void> {
  if (flags.application !== undefined) return listOfApplication(flags.application, type, flags);
  const query = {
    primaryFilter: flags.filter,
    secondaryFilter: secondaryFilters(flags.where),
    windowStart: flags.after,
    windowEnd: flags.before,
    fromId: flags.from,
    limit: flags.limit + 1,
    ...(flags.json ? {} : { fields: 'LASTEVENTONLY,PRIMARYFILTERS' }),
  };
  const path = `/ws/v1/timeline/${encodeURIComponent(type)}`;
  const { entities } = await talk(() => version1(flags).json<{ entities: TimelineEntity[] }>('GET', path, { query, isExact: true }));
  if (flags.json) return printJson(entities.slice(0, flags.limit));
  const rows = entities.slice(0, flags.limit).map(({ entity, starttime, events, primaryfilters }) => {
    const filters = Object.entries(primaryfilters ?? {}).flatMap(([name, values]) => values.map((value) => `${name}:${word(value)}`));
    const [last] = events ?? [];
    return [entity, formatTime(starttime), last && `${last.eventtype} ${formatTime(last.timestamp)}`, filters.join(' ')];
  });
  printList(['ID', 'STARTED', 'LAST EVENT', 'PRIMARY FILTERS'], rows, entities[flags.limit]?.entity);
}

async function listOfApplication(application: string, type: string, flags: ListFlags): Promise<void> {
  if (flags.filter !== undefined) throw new CommandFailure('--filter: version 2 of the timeline has no primary filters', 'Use --where.', 2);
  const path = inApplication(application, `/entities/${encodeURIComponent(type)}`);
  const query = {
    infofilters: infoFilters(flags.where),
    createdtimestart: flags.after,
    createdtimeend: flags.before,
    fromid: flags.from,
    limit: flags.limit + 1,
    fields: flags.json ? 'ALL' : 'EVENTS',
  };
  const entities = await ofReader<EntityV2[]>(flags, path, query);
  if (flags.json) return printJson(entities.slice(0, flags.limit));
  const rows = entities.slice(0, flags.limit).map(({ id, createdtime, events }) => {
    const [last] = events ?? [];
    return [id, formatTime(createdtime), last && `${last.id} ${formatTime(last.timestamp)}`];
  });
  const next = entities[flags.limit]?.info?.['FROM_ID'];
  printList(['ID', 'CREATED', 'LAST EVENT'], rows, next === undefined ? undefined : word(next));
}

function printList(head: readonly string[], rows: readonly (readonly (string | undefined)[])[], next: string | undefined): void {
  if (rows.length === 0) return printText('No entities; "heddle timeline types" shows the types there are.\n');
  printTable(head, rows);
  if (next !== undefined) printText(`There are more: --from '${next}'\n`);
}

async function show(type: string, id: string, { application, ...flags }: ClusterFlags & { readonly application?: string }): Promise<void> {
  const [typePart, idPart] = [encodeURIComponent(type), encodeURIComponent(id)];
  if (application !== undefined) {
    const entity = await ofReader<EntityV2>(flags, inApplication(application, `/entities/${typePart}/${idPart}`), { fields: 'ALL' });
    if (flags.json) return printJson(entity);
    printFacts([
      ['type', entity.type],
      ['id', entity.id],
      ['created', formatTime(entity.createdtime)],
      ...named(entity.info),
      ...named(entity.configs),
    ]);
    return printEvents((entity.events ?? []).map((event) => ({ timestamp: event.timestamp, name: event.id, info: event.info })));
  }
  const entity = await talk(() => version1(flags).json<TimelineEntity>('GET', `/ws/v1/timeline/${typePart}/${idPart}`, { isExact: true }));
  if (flags.json) return printJson(entity);
  printFacts([
    ['type', entity.entitytype],
    ['id', entity.entity],
    ['started', formatTime(entity.starttime)],
    ['domain', entity.domain],
    ...named(entity.primaryfilters),
    ...named(entity.relatedentities),
    ...named(entity.otherinfo),
  ]);
  printEvents((entity.events ?? []).map(({ timestamp, eventtype, eventinfo }) => ({ timestamp, name: eventtype, info: eventinfo })));
}

const named = (values: Readonly<Record<string, JsonValue>> | undefined): [string, string][] =>
  Object.entries(values ?? {}).map(([name, value]) => [name, word(value)]);

function printEvents(events: readonly { timestamp: number; name: string; info: Record<string, JsonValue> | undefined }[]): void {
  if (events.length === 0) return;
  const facts = (info: Record<string, JsonValue> | undefined) => named(info).map(([name, value]) => `${name}=${value}`);
  printText('\n');
  printTable(
    ['TIME', 'EVENT', 'WITH'],
    events.map(({ timestamp, name, info }) => [formatTime(timestamp), name, facts(info).join(' ')]),
  );
}

async function put(file: string, flags: ClusterFlags): Promise<void> {
  const entities = entitiesIn(file);
  const answer = await talk(() => version1(flags).json<{ errors: TimelinePutError[] }>('POST', '/ws/v1/timeline', { body: { entities } }));
  const { errors } = answer;
  if (flags.json) printJson(answer);
  else {
    if (errors.length > 0)
      printTable(
        ['TYPE', 'ID', 'ERROR'],
        errors.map(({ entitytype, entity, errorcode }) => [entitytype, entity, putErrors[errorcode] ?? `error ${errorcode}`]),
      );
    printText(`${entities.length - errors.length} of ${entities.length} entities were put.\n`);
  }
  if (errors.length > 0)
    throw new CommandFailure(`${errors.length} of ${entities.length} entities were refused`, 'The table above says why each was.');
}

/** TimelinePutResponse.TimelinePutError in words. */
const putErrors: Readonly<Record<number, string>> = {
  1: 'it has no start time and no events',
  4: 'you may not write it, or it lies in another domain',
  5: 'it has no domain',
  6: 'it is related to an entity of another domain',
  7: 'it is too old',
};

function entitiesIn(file: string): readonly unknown[] {
  let value: unknown;
  try {
    value = parseExact(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    throw new CommandFailure(systemErrorText(error, file), 'Give a file with entities as JSON.', 2);
  }
  const entities = (value as { entities?: unknown } | null)?.entities ?? value;
  return Array.isArray(entities) ? entities : [entities];
}

async function domains({ owner, ...flags }: ClusterFlags & { readonly owner?: string }): Promise<void> {
  const query = { owner };
  const found = await talk(() => version1(flags).json<{ domains: TimelineDomain[] }>('GET', '/ws/v1/timeline/domain', { query }));
  if (flags.json) return printJson(found.domains);
  if (found.domains.length === 0) return printText('No domains.\n');
  printTable(
    ['ID', 'OWNER', 'READERS', 'WRITERS', 'CHANGED', 'DESCRIPTION'],
    found.domains.map((one) => [one.id, one.owner, one.readers, one.writers, formatTime(one.modifiedtime), one.description]),
  );
}

interface Flow {
  readonly info: Readonly<Record<string, JsonValue>>;
  readonly flowruns: readonly unknown[];
}

async function flows({ limit, ...flags }: ClusterFlags & { readonly limit: number }): Promise<void> {
  const found = await ofReader<Flow[]>(flags, '/flows', { limit });
  if (flags.json) return printJson(found);
  if (found.length === 0) return printText('No flows.\n');
  printTable(
    ['DAY', 'USER', 'FLOW', 'RUNS'],
    found.map(({ info, flowruns }) => [
      formatTime(Number(info['SYSTEM_INFO_DATE'])).slice(0, 10),
      word(info['SYSTEM_INFO_USER']),
      word(info['SYSTEM_INFO_FLOW_NAME']),
      flowruns.length,
    ]),
  );
}
