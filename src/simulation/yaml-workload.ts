// The simulator's own form of a workload: nodes, a queue file, jobs that come once or every so often. See docs/operate/simulate.md.

import { dirname, isAbsolute, join } from 'node:path';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { type Random, seededRandom } from '../lib/random.ts';
import type { Resource } from '../model/resource.ts';
import { BadInput } from './faults.ts';
import {
  byArrival,
  mostNodes,
  mostTasks,
  type TaskGroup,
  type Workload,
  type WorkloadContext,
  type WorkloadJob,
  type WorkloadNode,
} from './workload.ts';

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const unitsMiB: Readonly<Record<string, number>> = { '': 1, MiB: 1, M: 1, GiB: 1024, G: 1024, TiB: 1024 ** 2, T: 1024 ** 2 };

/** Reads a map of the document; every fault names the line. */
class Reader {
  readonly #node: Node | null | undefined;
  readonly #source: { readonly file: string; readonly lines: LineCounter };
  readonly #known: ReadonlySet<string>;

  constructor(node: unknown, source: { readonly file: string; readonly lines: LineCounter }, what: string, known: readonly string[]) {
    this.#node = node as Node;
    this.#source = source;
    this.#known = new Set(known);
    if (!isMap(node)) throw this.fault(undefined, `${what} must be a map`, `Write "name: value" lines: ${known.join(', ')}.`);
    for (const { key } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      if (!this.#known.has(name))
        throw this.fault(key as Node, `${name || 'this'} is unknown in ${what}`, `Known are ${known.join(', ')}.`);
    }
  }

  #get(name: string): Node | undefined {
    return (isMap(this.#node) ? (this.#node.get(name, true) as Node | undefined) : undefined) ?? undefined;
  }

  fault(at: Node | string | undefined, problem: string, remedy: string): BadInput {
    const node = (typeof at === 'string' ? this.#get(at) : at) ?? this.#node;
    const offset = node?.range?.[0];
    const position = offset === undefined ? undefined : this.#source.lines.linePos(offset);
    return new BadInput(this.#source.file, position && `line ${position.line}`, problem, remedy);
  }

  text(name: string): string | undefined {
    const node = this.#get(name);
    if (node === undefined) return undefined;
    if (isScalar(node) && (typeof node.value === 'string' || typeof node.value === 'number')) return String(node.value);
    throw this.fault(name, `${name} must be a text`, 'Write one word or line.');
  }

  texts(name: string): readonly string[] {
    const node = this.#get(name);
    if (node === undefined) return [];
    if (isSeq(node)) return node.items.map((item) => (isScalar(item) ? String(item.value) : ''));
    return [this.text(name)!];
  }

  boolean(name: string, otherwise: boolean): boolean {
    const node = this.#get(name);
    if (node === undefined) return otherwise;
    if (isScalar(node) && typeof node.value === 'boolean') return node.value;
    throw this.fault(name, `${name} must be true or false`, 'Write true or false.');
  }

  number(name: string, otherwise: number, minimum: number, maximum: number): number {
    const node = this.#get(name);
    if (node === undefined) return otherwise;
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value === 'number' && value >= minimum && value <= maximum) return value;
    throw this.fault(name, `${name} must be a number from ${minimum} to ${maximum}`, 'Give a number.');
  }

  whole(name: string, otherwise: number, minimum: number, maximum: number): number {
    const value = this.number(name, otherwise, minimum, maximum);
    if (Number.isInteger(value)) return value;
    throw this.fault(name, `${name} must be whole`, 'Give a whole number.');
  }

  #amount(name: string, units: Readonly<Record<string, number>>, example: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text) ?? [];
    const factor = digits === undefined ? undefined : units[unit];
    if (factor === undefined) throw this.fault(name, `${name} '${text}' is not understood`, `Write for example ${example}.`);
    return Number(digits) * factor;
  }

  /** `30s`, `5m`, `250ms`; a plain number is seconds. In ms. */
  duration(name: string, otherwise: number | undefined): number {
    const value = this.#amount(name, { ...unitsMs, '': 1000 }, '30s, 5m or 250ms');
    if (value !== undefined) return value;
    if (otherwise !== undefined) return otherwise;
    throw this.fault(undefined, `${name} is missing`, `Give ${name}, for example 30s.`);
  }

  resource(otherwise: Resource): number[] {
    const memory = this.#amount('memory', unitsMiB, '2048 (MiB) or 2GiB') ?? otherwise[0]!;
    return [Math.round(memory), this.whole('vcores', otherwise[1]!, 1, 100_000)];
  }

  list(name: string, required: boolean): readonly unknown[] {
    const node = this.#get(name);
    if (isSeq(node)) return node.items;
    if (node === undefined && !required) return [];
    throw this.fault(name, `${name} must be a list`, `Write "${name}:" and lines that begin with "- ".`);
  }

  node(name: string): Node | undefined {
    return this.#get(name);
  }
}

/** Reads the text of a YAML file. @throws BadInput */
export function readYamlWorkload(text: string, context: WorkloadContext): Workload {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const source = { file: context.file, lines };
  const [problem] = document.errors;
  if (problem) {
    const position = problem.linePos?.[0];
    throw new BadInput(
      context.file,
      position && `line ${position.line}, column ${position.col}`,
      problem.message.split('\n')[0]!.replace(/ at line.*$/, ''),
      'Repair the YAML there.',
    );
  }
  const root = new Reader(document.contents, source, 'the workload', ['nodes', 'labels', 'queues', 'jobs']);
  const random = seededRandom(context.seed ?? 1);
  const labels = new Map<string, { exclusive: boolean }>();
  const named = root.node('labels');
  if (isMap(named))
    for (const { key, value } of named.items)
      labels.set(String(isScalar(key) ? key.value : key), {
        exclusive: new Reader(value, source, 'a label', ['exclusive']).boolean('exclusive', true),
      });
  const nodes = nodesOf(root, source, context);
  for (const { label } of nodes) if (label !== '' && !labels.has(label)) labels.set(label, { exclusive: true });
  const jobs: WorkloadJob[] = [];
  let tasks = 0;
  for (const item of root.list('jobs', true)) {
    const reader = new Reader(item, source, 'a job', jobMembers);
    for (const job of jobsOf(reader, source, random)) {
      jobs.push(job);
      tasks += job.stages.reduce((sum, stage) => sum + stage.reduce((inner, { durationsMs }) => inner + durationsMs.length, 0), 0);
      if (tasks > mostTasks) throw reader.fault(undefined, `the jobs have more than ${mostTasks} tasks`, 'Make them fewer.');
    }
  }
  const queues = root.text('queues');
  return { nodes, jobs: byArrival(jobs), labels, queueFile: queues && (isAbsolute(queues) ? queues : join(dirname(context.file), queues)) };
}

type Source = { readonly file: string; readonly lines: LineCounter };

function nodesOf(root: Reader, source: Source, context: WorkloadContext): WorkloadNode[] {
  const nodes: WorkloadNode[] = [];
  for (const item of root.list('nodes', true)) {
    const reader = new Reader(item, source, 'a line of nodes', ['count', 'memory', 'vcores', 'rack', 'label', 'name']);
    const count = reader.whole('count', 1, 1, mostNodes);
    const resource = reader.resource(context.nodeSize);
    const name = reader.text('name') ?? 'node';
    for (let i = 0; i < count; i++)
      nodes.push({
        host: `${name}${nodes.length + 1}`,
        rack: reader.text('rack') ?? '/default-rack',
        resource,
        label: reader.text('label') ?? '',
      });
    if (nodes.length > mostNodes) throw reader.fault(undefined, `there are more than ${mostNodes} nodes`, 'Use fewer.');
  }
  return nodes;
}

const jobMembers = ['name', 'count', 'every', 'arrival', 'user', 'users', 'queue', 'priority', 'label', 'master', 'tasks'];
const taskMembers = [
  'name',
  'count',
  'duration',
  'spread',
  'memory',
  'vcores',
  'priority',
  'stage',
  'hosts',
  'racks',
  'relaxLocality',
  'label',
  'delay',
];

function* jobsOf(reader: Reader, source: Source, random: Random): Generator<WorkloadJob> {
  const count = reader.whole('count', 1, 1, 1_000_000);
  const arrivalMs = reader.duration('arrival', 0);
  const everyMs = reader.duration('every', 0);
  const users = [...reader.texts('users'), ...reader.texts('user')];
  const name = reader.text('name') ?? 'job';
  const master = reader.node('master');
  const size = master ? new Reader(master, source, 'a master', ['memory', 'vcores']).resource([1024, 1]) : [1024, 1];
  for (let i = 0; i < count; i++)
    yield {
      name: count === 1 ? name : `${name}-${i + 1}`,
      user: users[i % Math.max(1, users.length)] ?? 'default',
      queue: reader.text('queue'),
      priority: reader.whole('priority', -1, -1, 1_000_000),
      arrivalMs: arrivalMs + i * everyMs,
      label: reader.text('label'),
      master: size,
      stages: stagesOf(reader, source, random),
    };
}

function stagesOf(job: Reader, source: Source, random: Random): TaskGroup[][] {
  const stages: TaskGroup[][] = [];
  for (const item of job.list('tasks', true)) {
    const reader = new Reader(item, source, 'a line of tasks', taskMembers);
    const stage = reader.whole('stage', 1, 1, 1000);
    const durationMs = reader.duration('duration', undefined);
    const spread = reader.number('spread', 0, 0, 1);
    const durationsMs = Array.from({ length: reader.whole('count', 1, 1, mostTasks) }, () =>
      Math.max(1, Math.round(durationMs * (1 + spread * (2 * random.next() - 1)))),
    );
    (stages[stage - 1] ??= []).push({
      name: reader.text('name') ?? 'task',
      durationsMs,
      resource: reader.resource([1024, 1]),
      priority: reader.whole('priority', 1, 0, 1_000_000),
      hosts: reader.texts('hosts'),
      racks: reader.texts('racks'),
      relaxLocality: reader.boolean('relaxLocality', true),
      label: reader.text('label'),
      delayMs: reader.duration('delay', 0),
    });
  }
  return stages.filter((stage) => stage !== undefined);
}
