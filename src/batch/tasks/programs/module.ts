// Functions of a TypeScript or JavaScript module of the user's (`batch/index.ts` has their types): keys and values are strings.
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JobModule, JobModuleContext } from '../../index.ts';
import { BadSetting, type JobConfiguration } from '../job-configuration.ts';
import type { GroupCombiner } from '../map-output.ts';
import type { MapRun, Program, ProgramContext, ReduceRun } from '../program.ts';
import { ModuleCalls, ModuleRun } from './module-calls.ts';
import { answered, chosenPartition, comparator, consistent, isOneGroup, shownKey } from './module-order.ts';
import { takeModulesByTheirSyntax } from './module-syntax.ts';
import { emitter, GroupValues, textOf } from './module-values.ts';
import { workOfLoading } from './started-work.ts';

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

/** What would be lost without a word. @throws TypeError where a function answers records instead of emitting them */
function answersNoRecords(name: string, value: unknown): void {
  const isList = Array.isArray(value);
  if (isList || typeof (value as { readonly next?: unknown } | null | undefined)?.next === 'function')
    throw new TypeError(`${name} answered ${isList ? 'a list' : 'an iterator'}: records are passed on by emit alone`);
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

async function mapLines(own: ModuleRun, run: MapRun, { map, setup, cleanup }: Pick<JobModule, 'map' | 'setup' | 'cleanup'>): Promise<void> {
  const { output } = run;
  const calls = new ModuleCalls('map', own);
  const emit = own.given(emitter((...record) => output.collect(...record), calls));
  const context = contextOf(run, 'MAP');
  let waiting: Promise<void>[] = [];
  let [first, last] = [0, 0];
  const settle = async () => {
    const all = waiting;
    waiting = [];
    if (all.length > 0) {
      run.waitsFor(
        () =>
          `what map promised for ${first === last ? `the record at ${first}` : `records from ${first} to ${last}`}${run.inputFile === undefined ? '' : ` of ${run.inputFile}`}`,
      );
      for (const result of await Promise.all(all)) answersNoRecords('map', result);
      run.waitsFor(undefined);
      calls.open -= all.length;
    }
    own.check();
  };
  const records = async () => {
    await run.forEachLine((buffer, start, end, position) => {
      calls.open++;
      const result = map(buffer.toString('utf8', start, end), emit, position, context);
      if (typeof (result as Promise<void> | undefined)?.then === 'function') {
        if (waiting.push(result as Promise<void>) === 1) first = position;
        last = position;
        return;
      }
      calls.open--;
      if (result !== undefined) answersNoRecords('map', result);
    }, settle);
    await settle();
    await cleanUp(run, calls, cleanup && (() => cleanup(emit, context)));
  };
  await setUp(run, setup && (() => own.settingUp(() => setup(context))));
  await own.calling(records);
}

async function setUp(run: ProgramContext, setup: (() => void | Promise<void>) | undefined): Promise<void> {
  if (setup === undefined) return;
  run.waitsFor(() => 'what setup promised');
  await setup();
  run.waitsFor(undefined);
}

async function cleanUp(run: ProgramContext, calls: ModuleCalls, cleanup: (() => void | Promise<void>) | undefined): Promise<void> {
  if (cleanup === undefined) return;
  run.waitsFor(() => 'what cleanup promised');
  calls.open++;
  answersNoRecords('cleanup', await cleanup());
  calls.open--;
  run.waitsFor(undefined);
}

async function reduceGroups(
  own: ModuleRun,
  run: ReduceRun,
  { reduce, setup, cleanup }: Pick<JobModule, 'reduce' | 'setup' | 'cleanup'>,
): Promise<void> {
  const { groups, output, breathe } = run;
  const { cursor } = groups;
  const calls = new ModuleCalls('reduce', own);
  const emit = own.given(emitter((...record) => output.collect(...record), calls));
  const context = contextOf(run, 'REDUCE');
  const records = async () => {
    while (groups.nextGroup()) {
      if (reduce === undefined)
        while (groups.nextValue())
          output.collect(cursor.buffer, cursor.keyStart, cursor.keyEnd, cursor.buffer, cursor.valueStart, cursor.valueEnd);
      else {
        const key = textOf(groups.key, 0, groups.key.length);
        calls.open++;
        const values = new GroupValues(groups);
        const waiting = reduce(key, values, emit, context);
        if (waiting !== undefined) {
          answersNoRecords('reduce', waiting);
          run.waitsFor(() => `what reduce promised for the key ${shownKey(key)}`);
          answersNoRecords('reduce', await waiting);
          run.waitsFor(undefined);
        }
        values.isOver = true;
        calls.open--;
      }
      const breath = breathe();
      if (breath !== undefined) await breath;
      own.check();
      if (output.full) await output.drain();
    }
    await cleanUp(run, calls, cleanup && (() => cleanup(emit, context)));
  };
  await setUp(run, setup && (() => own.settingUp(() => setup(context))));
  await own.calling(records);
}

/** The default export, also of what a compiler made a CommonJS module of. */
function objectOf(loaded: Exported & { readonly default?: Exported & { readonly default?: Exported } }): Exported {
  const outer = loaded.default ?? loaded;
  return typeof outer.map !== 'function' && typeof outer.default?.map === 'function' ? outer.default : outer;
}

/** File and line that the compiler stopped at, where Node.js says them. */
function placeOf({ stack = '' }: Error): string {
  const [, place] = /^(?:file:\/\/)?(\/[^\n]*:\d+)\n/.exec(stack) ?? [];
  return place === undefined ? '' : ` (${place})`;
}

/** The functions that a module exports, by name or as one object. @throws Error where `map` is missing or something is no function */
async function functionsOf(path: string): Promise<Partial<JobModule> & Pick<JobModule, 'map'>> {
  const { href } = pathToFileURL(path);
  takeModulesByTheirSyntax();
  const loading = workOfLoading(href).run(() => import(href) as Promise<unknown>);
  const loaded = (await loading.catch((cause: Error) => {
    throw new Error(`${path} cannot be loaded: ${cause.message}${placeOf(cause)}`, { cause });
  })) as Exported & { readonly default?: Exported };
  const exported = typeof loaded.map === 'function' ? loaded : objectOf(loaded);
  if (exported === loaded)
    for (const name of functionNames)
      if (loaded.default?.[name] !== undefined && loaded.default[name] !== loaded[name])
        throw new Error(`${path} exports 'map' by name, and '${name}' in its default export, where nothing looks for it then`);
  for (const [other, name] of Object.entries(otherNames))
    if (typeof exported[other] === 'function' && exported[name] === undefined)
      throw new Error(`${path} exports '${other}', which nothing calls: its name is '${name}'`);
  if (typeof exported.map !== 'function')
    throw new Error(
      `${path} exports no function 'map'${typeof loaded.default === 'function' ? ": its default export is a function; 'export default { map }' is meant" : ''}`,
    );
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
  const place = existsSync(path) || !existsSync(brought) ? path : brought;
  const functions = await functionsOf(place);
  const { combine, partition, compare, group } = functions;
  if (group !== undefined && partition === undefined && configuration.integer('mapreduce.job.reduces', 1) > 1)
    throw new BadSetting(
      `${path} exports 'group' without 'partition': with several reduces the keys of a group would go to different ones`,
    );
  const own = new ModuleRun(workOfLoading(pathToFileURL(place).href));
  const combiner: GroupCombiner | undefined =
    combine &&
    ((groups, collect) => {
      const calls = new ModuleCalls('combine', own);
      const emit = own.given(emitter(collect, calls));
      calls.open = 1;
      own.calling(() => {
        while (groups.nextGroup()) {
          const values = new GroupValues(groups);
          answersNoRecords('combine', answered('combine', combine(textOf(groups.key, 0, groups.key.length), values, emit)));
          values.isOver = true;
        }
      });
      calls.open = 0;
    });
  const order = compare && comparator(consistent(compare));
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
    ...(group === undefined ? {} : { group: comparator((left, right) => (isOneGroup(group, left, right) ? 0 : -1)) }),
    map: (run) => mapLines(own, run, functions),
    reduce: (run) => reduceGroups(own, run, functions),
    whole: (signal, work) => own.whole(signal, work),
  };
}
