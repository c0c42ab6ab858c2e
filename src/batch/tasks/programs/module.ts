// Functions of a TypeScript or JavaScript module of the user's (`batch/index.ts` has their types): keys and values are strings.
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { EmitText, JobModule, JobModuleContext } from '../../index.ts';
import { BadSetting, type JobConfiguration } from '../job-configuration.ts';
import type { EmitRecord, GroupCombiner } from '../map-output.ts';
import type { Groups } from '../merge.ts';
import type { MapRun, Program, ProgramContext, ReduceRun } from '../program.ts';
import type { KeyComparator } from '../record-sort.ts';

const functionNames = ['map', 'combine', 'reduce', 'partition', 'compare', 'group', 'setup', 'cleanup'] as const;
/** What Hadoop’s classes are called; whoever exports such a function means ours. */
const otherNames = {
  mapper: 'map',
  combiner: 'combine',
  reducer: 'reduce',
  partitioner: 'partition',
  comparator: 'compare',
} as const satisfies Readonly<Record<string, (typeof functionNames)[number]>>;
type Exported = Partial<JobModule> & Readonly<Record<string, unknown>>;

/** Texts of at most so many characters are written one by one: a call into native code takes longer. */
const shortText = 24;
/** A character of a string takes at most so many bytes of UTF-8. */
const bytesPerCharacter = 3;

/** Writes text as UTF-8; answers where it ends. */
function writeText(target: Buffer, text: string, at: number): number {
  if (text.length <= shortText) {
    let i = 0;
    for (; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) break;
      target[at + i] = code;
    }
    if (i === text.length) return at + i;
  }
  return at + target.write(text, at, 'utf8');
}

/** A key or value as text. @throws TypeError where it has none of its own */
function emittedText(part: 'key' | 'value', emitted: unknown): string {
  if (typeof emitted === 'string') return emitted;
  if (typeof emitted === 'number' || typeof emitted === 'bigint' || typeof emitted === 'boolean') return String(emitted);
  const kind = emitted === null || emitted === undefined ? String(emitted) : emitted === Object(emitted) ? 'an object' : 'a symbol';
  throw new TypeError(`emit got ${kind} as ${part}: give a text or a number (JSON.stringify makes a text of an object)`);
}

/** Turns emitted strings into bytes, in one buffer for all: whoever takes a record copies it. */
function emitter(collect: EmitRecord): EmitText {
  let bytes = Buffer.allocUnsafeSlow(1 << 12);
  return (key, value) => {
    const keyText = emittedText('key', key);
    const text = emittedText('value', value);
    const room = (keyText.length + text.length) * bytesPerCharacter;
    if (room > bytes.length) bytes = Buffer.allocUnsafeSlow(room * 2);
    const keyEnd = writeText(bytes, keyText, 0);
    collect(bytes, 0, keyEnd, bytes, keyEnd, writeText(bytes, text, keyEnd));
  };
}

const singleCharacters = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code));
function textOf(buffer: Buffer, start: number, end: number): string {
  return (end - start === 1 ? singleCharacters[buffer[start]!] : undefined) ?? buffer.toString('utf8', start, end);
}

function* valuesOf(groups: Groups): Generator<string> {
  const { cursor } = groups;
  while (groups.nextValue()) yield textOf(cursor.buffer, cursor.valueStart, cursor.valueEnd);
}

/** What a function answered that is not waited for. @throws TypeError where it is a promise */
function answered<Value>(name: string, value: Value): Value {
  if (typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function')
    throw new TypeError(`${name} answered a promise, and is not waited for: map, reduce, setup and cleanup alone may be asynchronous`);
  return value;
}

/** What would be lost without a word. @throws TypeError where a function answers records instead of emitting them */
function answersNoRecords(name: string, value: unknown): void {
  const isList = Array.isArray(value);
  if (isList || typeof (value as { readonly next?: unknown } | null | undefined)?.next === 'function')
    throw new TypeError(`${name} answered ${isList ? 'a list' : 'an iterator'}: records are passed on by emit alone`);
}

/** Whether `group` puts keys together. @throws TypeError where it answers as a comparison does: 0, which is false, would mean the same key */
function isOneGroup(group: NonNullable<JobModule['group']>, left: string, right: string): boolean {
  const same: unknown = answered('group', group(left, right));
  if (typeof same === 'number') throw new TypeError(`group answered ${same}: it says by true or false whether two keys belong together`);
  return Boolean(same);
}

/** The reduce that `partition` chooses. @throws TypeError where it is no whole number */
function chosenPartition(partition: NonNullable<JobModule['partition']>, key: string, reduces: number): number {
  const chosen = answered('partition', partition(key, reduces));
  if (!Number.isInteger(chosen)) throw new TypeError(`partition answered ${String(chosen)}, which is no whole number`);
  return chosen;
}

/** A comparison of strings as one of bytes. Sorting asks for the same key many times in a row: the last one of each side is kept. */
function comparator(compare: (left: string, right: string) => number): KeyComparator {
  return (left, leftStart, leftEnd, right, rightStart, rightEnd) => {
    const order = compare(textOf(left, leftStart, leftEnd), textOf(right, rightStart, rightEnd));
    if (typeof order !== 'number' || Number.isNaN(order)) throw new TypeError(`compare answered ${String(order)}, which is no number`);
    return order;
  };
}

function contextOf(run: ProgramContext & { readonly inputFile?: string | undefined }, kind: 'MAP' | 'REDUCE'): JobModuleContext {
  const { attemptId, index, maps, reduces, configuration } = run;
  return {
    ...{ kind, attemptId, index, maps, reduces },
    get inputFile() {
      return run.inputFile;
    },
    setting: (name) => configuration.get(name),
    count(group, name, amount = 1) {
      if (!Number.isSafeInteger(amount)) throw new TypeError(`the counter ${group} ${name}: ${amount} is no whole number`);
      run.counters.increment(group, name, amount);
    },
    setStatus: (text) => run.setStatus(text),
  };
}

async function mapLines(run: MapRun, { map, setup, cleanup }: Pick<JobModule, 'map' | 'setup' | 'cleanup'>): Promise<void> {
  const { output } = run;
  const emit = emitter((...record) => output.collect(...record));
  const context = contextOf(run, 'MAP');
  await setup?.(context);
  let waiting: Promise<void>[] = [];
  const settle = async () => {
    const all = waiting;
    waiting = [];
    if (all.length > 0) for (const result of await Promise.all(all)) answersNoRecords('map', result);
  };
  await run.forEachLine((buffer, start, end, position) => {
    const result = map(buffer.toString('utf8', start, end), emit, position, context);
    if (result === undefined) return;
    answersNoRecords('map', result);
    waiting.push(result);
  }, settle);
  await settle();
  await cleanup?.(emit, context);
}

async function reduceGroups(run: ReduceRun, { reduce, setup, cleanup }: Pick<JobModule, 'reduce' | 'setup' | 'cleanup'>): Promise<void> {
  const { groups, output, breathe } = run;
  const { cursor } = groups;
  const emit = emitter((...record) => output.collect(...record));
  const context = contextOf(run, 'REDUCE');
  await setup?.(context);
  while (groups.nextGroup()) {
    if (reduce === undefined)
      while (groups.nextValue())
        output.collect(cursor.buffer, cursor.keyStart, cursor.keyEnd, cursor.buffer, cursor.valueStart, cursor.valueEnd);
    else {
      const key = groups.key;
      const waiting = reduce(textOf(key, 0, key.length), valuesOf(groups), emit, context);
      if (waiting !== undefined) {
        answersNoRecords('reduce', waiting);
        answersNoRecords('reduce', await waiting);
      }
    }
    const breath = breathe();
    if (breath !== undefined) await breath;
    if (output.full) await output.drain();
  }
  await cleanup?.(emit, context);
}

/** The functions that a module exports, by name or as one object. @throws Error where `map` is missing or something is no function */
async function functionsOf(path: string): Promise<Partial<JobModule> & Pick<JobModule, 'map'>> {
  const loaded = (await import(pathToFileURL(path).href).catch((cause: Error) => {
    throw new Error(`${path} cannot be loaded: ${cause.message}`, { cause });
  })) as Exported & { readonly default?: Exported };
  const exported = typeof loaded.map === 'function' ? loaded : (loaded.default ?? loaded);
  for (const [other, name] of Object.entries(otherNames))
    if (typeof exported[other] === 'function' && exported[name] === undefined)
      throw new Error(`${path} exports '${other}', which nothing calls: its name is '${name}'`);
  if (typeof exported.map !== 'function') throw new Error(`${path} exports no function 'map'`);
  for (const name of functionNames)
    if (exported[name] !== undefined && typeof exported[name] !== 'function') throw new Error(`${path}: '${name}' is no function`);
  const functions: Partial<JobModule> = {};
  // Methods of an exported object may call one another by `this`.
  const owner = exported === loaded ? undefined : exported;
  for (const name of functionNames) if (exported[name] !== undefined) Object.assign(functions, { [name]: exported[name].bind(owner) });
  return functions as Partial<JobModule> & Pick<JobModule, 'map'>;
}

/**
 * Loads the module and makes a program of it: from where the client has it, or, where this machine does not see that, the copy that was
 * brought to the container. @throws Error where it exports no `map`
 */
export async function moduleProgram(path: string, configuration: JobConfiguration): Promise<Program> {
  const brought = resolve(basename(path));
  const functions = await functionsOf(existsSync(path) || !existsSync(brought) ? path : brought);
  const { combine, partition, compare, group } = functions;
  if (group !== undefined && partition === undefined && configuration.integer('mapreduce.job.reduces', 1) > 1)
    throw new BadSetting(
      `${path} exports 'group' without 'partition': with several reduces the keys of a group would go to different ones`,
    );
  const combiner: GroupCombiner | undefined =
    combine &&
    ((groups, collect) => {
      const emit = emitter(collect);
      while (groups.nextGroup())
        answersNoRecords('combine', answered('combine', combine(textOf(groups.key, 0, groups.key.length), valuesOf(groups), emit)));
    });
  const order = compare && comparator(compare);
  return {
    api: 'mapreduce',
    keyKind: 'text',
    valueKind: 'text',
    readsFiles: true,
    writesFiles: true,
    ...(combiner === undefined ? {} : { combiner: { group: combiner } }),
    ...(partition === undefined
      ? {}
      : { partitioner: (buffer, start, end, reduces) => chosenPartition(partition, buffer.toString('utf8', start, end), reduces) }),
    ...(order === undefined ? {} : { compare: order }),
    ...(group === undefined ? {} : { group: comparator((left, right) => (isOneGroup(group, left, right) ? 0 : 1)) }),
    map: (run) => mapLines(run, functions),
    reduce: (run) => reduceGroups(run, functions),
  };
}
