// Map, combine and reduce functions of a TypeScript or JavaScript module of the user's: keys and values are strings.
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { GroupCombiner } from '../map-output.ts';
import type { Groups } from '../merge.ts';
import type { MapRun, Program, ReduceRun } from '../program.ts';
import { emit as emitBytes } from '../records.ts';

/** Passes on one record. */
export type EmitText = (key: string, value: string) => void;
/** What a job module exports, by name or as one object (`export default { map, … }`). `map` and `reduce` may be asynchronous. */
export interface JobModule {
  map(line: string, emit: EmitText, position: number): void | Promise<void>;
  combine?(key: string, values: Iterable<string>, emit: EmitText): void;
  reduce?(key: string, values: Iterable<string>, emit: EmitText): void | Promise<void>;
  /** The number of the reduce, from 0, that gets the key; without it the key's hash decides. */
  partition?(key: string, reduces: number): number;
}

/** What a module exports that jobs do not have: better refused than passed over. */
const unsupported = ['compare', 'group', 'setup', 'cleanup'] as const;

type Exported = Partial<JobModule> & { readonly [name in (typeof unsupported)[number]]?: unknown };

function* valuesOf(groups: Groups): Generator<string> {
  const { cursor } = groups;
  while (groups.nextValue()) yield cursor.buffer.toString('utf8', cursor.valueStart, cursor.valueEnd);
}

/**
 * Loads the module and makes a program of it: from where the client has it, or, where this machine does not see that, the copy that was
 * brought to the container. @throws Error where it exports no `map`, or what would change the result and is not supported
 */
export async function moduleProgram(path: string): Promise<Program> {
  const brought = resolve(basename(path));
  const loaded = (await import(pathToFileURL(existsSync(path) || !existsSync(brought) ? path : brought).href)) as Exported & {
    default?: Exported;
  };
  const exported = typeof loaded.map === 'function' ? loaded : (loaded.default ?? loaded);
  const { map, combine, reduce, partition } = exported;
  if (typeof map !== 'function') throw new Error(`${path} exports no function 'map'`);
  const odd = unsupported.find((name) => typeof exported[name] === 'function');
  if (odd !== undefined) throw new Error(`${path} exports a function '${odd}', which jobs of modules do not have`);
  const group: GroupCombiner | undefined =
    combine &&
    ((groups, emit) => {
      while (groups.nextGroup()) {
        combine(groups.key.toString(), valuesOf(groups), (key, value) => {
          const [keyBytes, valueBytes] = [Buffer.from(key), Buffer.from(value)];
          emit(keyBytes, 0, keyBytes.length, valueBytes, 0, valueBytes.length);
        });
      }
    });
  return {
    api: 'mapreduce',
    keyKind: 'text',
    valueKind: 'text',
    readsFiles: true,
    writesFiles: true,
    combiner: group && { group },
    partitioner: partition && ((buffer, start, end, reduces) => partition(buffer.toString('utf8', start, end), reduces)),
    async map(run: MapRun): Promise<void> {
      const emit: EmitText = (key, value) => emitBytes(run.output, Buffer.from(key), Buffer.from(value));
      let waiting: Promise<void>[] = [];
      await run.forEachLine(
        (buffer, start, end, position) => {
          const result = map(buffer.toString('utf8', start, end), emit, position);
          if (result !== undefined) waiting.push(result);
        },
        async () => {
          await Promise.all(waiting);
          waiting = [];
        },
      );
      await Promise.all(waiting);
    },
    async reduce({ groups, output }: ReduceRun): Promise<void> {
      const emit: EmitText = (key, value) => emitBytes(output, Buffer.from(key), Buffer.from(value));
      while (groups.nextGroup()) {
        const key = groups.key.toString();
        if (reduce === undefined) for (const value of valuesOf(groups)) emit(key, value);
        else await reduce(key, valuesOf(groups), emit);
        if (output.full) await output.drain();
      }
    },
  };
}
