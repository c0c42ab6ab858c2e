// SYNTH traces of Hadoop's SLS: jobs drawn from weighted workloads and classes, sizes and times from distributions. Both forms are read:
// `tasks` with samples, and the older `mtasks_avg`, `map_max_memory_avg` … The distributions are Hadoop's, the numbers drawn are not: its
// generator is Java's.

import { type Random, seededRandom } from '../lib/random.ts';
import { BadInput } from './faults.ts';
import { type JsonObject, Members } from './json-objects.ts';
import {
  byArrival,
  mostNodes,
  mostTasks,
  regularNodes,
  type TaskGroup,
  type Workload,
  type WorkloadContext,
  type WorkloadJob,
} from './workload.ts';

/** Whether the object looks like such a trace. */
export const isSynthTrace = (object: JsonObject): boolean => 'workloads' in object || 'num_jobs' in object;

type Sample = () => number;

interface TaskClass {
  readonly name: string;
  readonly priority: number;
  readonly count: Sample;
  readonly seconds: Sample;
  readonly memoryMiB: Sample;
  readonly vcores: Sample;
}

interface JobClass {
  readonly name: string;
  readonly user: string;
  readonly weight: number;
  readonly together: boolean;
  readonly tasks: readonly TaskClass[];
}

interface WorkloadClass {
  readonly queue: string | undefined;
  readonly weight: number;
  readonly classes: readonly JobClass[];
  readonly times: readonly { readonly seconds: number; readonly weight: number }[];
}

/** Draws all jobs. The seed is the caller's, else the file's `rand_seed`. */
export function readSynthTrace(object: JsonObject, context: WorkloadContext): Workload {
  const trace = new Members(object, context.file, 'the trace');
  const random = seededRandom(context.seed ?? trace.number('rand_seed', 1, Number.MIN_SAFE_INTEGER));
  const workloads = trace.list('workloads').map((item, i) => workloadOf(item, i, context.file, random));
  if (workloads.length === 0) throw trace.fault('workloads', 'is empty', 'Give at least one workload.');
  let tasks = 0;
  const jobs = Array.from({ length: Math.trunc(trace.number('num_jobs', undefined, 0, 1_000_000)) }, (_, i): WorkloadJob => {
    const workload = weighted(workloads, random);
    const arrivalMs = arrivalOf(workload, random) * 1000;
    const job = weighted(workload.classes, random);
    const groups = job.tasks.map((task) => ({ type: task.name, groups: drawTasks(task) }));
    tasks += groups.reduce((sum, { groups }) => sum + groups.reduce((inner, { durationsMs }) => inner + durationsMs.length, 0), 0);
    if (tasks > mostTasks) throw trace.fault('num_jobs', `brings the tasks above ${mostTasks}`, 'Ask for fewer jobs.');
    const all = groups.map((each) => each.groups).filter((stage) => stage.length > 0);
    return {
      name: `${job.name}-${i + 1}`,
      user: job.user,
      queue: workload.queue,
      priority: -1,
      arrivalMs,
      label: undefined,
      master: [1024, 1],
      stages: job.together ? [all.flat()] : all,
    };
  });
  const nodes = regularNodes(
    Math.trunc(trace.number('num_nodes', 1, 1, mostNodes)),
    Math.trunc(trace.number('nodes_per_rack', 1)),
    context.nodeSize,
  );
  return { nodes, jobs: byArrival(jobs), labels: new Map(), queueFile: undefined };
}

/** Tasks of one size are one request. */
function drawTasks(task: TaskClass): TaskGroup[] {
  const groups = new Map<string, TaskGroup & { durationsMs: number[] }>();
  for (let left = Math.round(task.count()); left > 0; left--) {
    const resource = [Math.max(1, Math.round(task.memoryMiB())), Math.max(1, Math.round(task.vcores()))];
    const key = resource.join();
    let group = groups.get(key);
    if (!group) {
      group = {
        name: task.name,
        resource,
        priority: task.priority,
        hosts: [],
        racks: [],
        relaxLocality: true,
        label: undefined,
        delayMs: 0,
        durationsMs: [],
      };
      groups.set(key, group);
    }
    group.durationsMs.push(Math.max(1000, Math.round(task.seconds() * 1000)));
  }
  return [...groups.values()];
}

function workloadOf(item: unknown, place: number, file: string, random: Random): WorkloadClass {
  const where = `workload ${place + 1}`;
  const workload = new Members(item, file, where);
  const classes = workload.list('job_classes').map((each, i) => classOf(each, `${where}, class ${i + 1}`, file, random));
  const times = workload.list('time_distribution').map((each, i) => {
    const time = new Members(each, file, `${where}, time ${i + 1}`);
    return { seconds: Math.trunc(time.number('time', undefined)), weight: time.number('weight', 0) };
  });
  if (classes.length === 0) throw workload.fault('job_classes', 'is empty', 'Give at least one class.');
  if (!times.some(({ weight }) => weight > 0))
    throw workload.fault('time_distribution', 'has no weight above 0', 'Give a time with a weight.');
  return { queue: workload.text('queue_name'), weight: workload.number('workload_weight', 1), classes, times };
}

function classOf(item: unknown, where: string, file: string, random: Random): JobClass {
  const job = new Members(item, file, where);
  const tasks = job.has('tasks')
    ? job.list('tasks').map((each, i): TaskClass => {
        const at = `${where}, task ${i + 1}`;
        const task = new Members(each, file, at);
        const sample = (name: string) => sampleOf(task.raw(name), file, `${at}, ${name}`, random);
        return {
          name: task.text('type') ?? 'map',
          priority: Math.trunc(task.number('priority', 0)),
          count: sample('count'),
          seconds: sample('time'),
          memoryMiB: sample('max_memory'),
          vcores: sample('max_vcores'),
        };
      })
    : oldTasks(job, random);
  return {
    name: job.text('class_name') ?? 'job',
    user: job.text('user_name') ?? 'default',
    weight: job.number('class_weight', 1),
    together: (job.text('type') ?? 'mapreduce') !== 'mapreduce',
    tasks,
  };
}

/** The older form: two kinds of tasks, each with averages and standard deviations. */
function oldTasks(job: Members, random: Random): TaskClass[] {
  const drawn = (name: string, otherwise: number | undefined) =>
    distribution(job.number(`${name}_avg`, otherwise), job.number(`${name}_stddev`, 0), 'LOGNORM', random);
  return [
    {
      name: 'map',
      priority: 20,
      count: drawn('mtasks', undefined),
      seconds: drawn('mtime', undefined),
      memoryMiB: drawn('map_max_memory', undefined),
      vcores: drawn('map_max_vcores', 1),
    },
    {
      name: 'reduce',
      priority: 10,
      count: drawn('rtasks', 0),
      seconds: drawn('rtime', 1),
      memoryMiB: drawn('reduce_max_memory', 1024),
      vcores: drawn('reduce_max_vcores', 1),
    },
  ];
}

/** `{val}`, `{val, std, dist}` or `{discrete, weights}`. */
function sampleOf(value: unknown, file: string, where: string, random: Random): Sample {
  if (typeof value === 'number') return () => value;
  const sample = new Members(value, file, where);
  if (sample.has('val')) {
    const mean = sample.number('val', undefined);
    if (!sample.has('std')) return () => mean;
    const dist = sample.text('dist') ?? 'LOGNORM';
    if (dist !== 'LOGNORM' && dist !== 'NORM') throw sample.fault('dist', `${dist} is unknown`, 'Use LOGNORM or NORM.');
    return distribution(mean, sample.number('std', 0), dist, random);
  }
  const values = sample.list('discrete').map(Number);
  const weights = sample.has('weights') ? sample.list('weights').map(Number) : values.map(() => 1);
  if (values.length === 0 || values.length !== weights.length || [...values, ...weights].some((each) => !(each >= 0)))
    throw new BadInput(file, where, 'discrete and weights are not lists of as many numbers', 'Give a weight for each number.');
  const choices = values.map((each, i) => ({ value: each, weight: weights[i]! }));
  return () => weighted(choices, random).value;
}

/** Nothing where the mean is 0; a deviation of 0 counts as a sixth of the mean, as in Hadoop. */
function distribution(mean: number, deviation: number, kind: 'LOGNORM' | 'NORM', random: Random): Sample {
  if (mean <= 0) return () => 0;
  const spread = deviation === 0 ? mean / 6 : deviation;
  const standard = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  if (kind === 'NORM') return () => Math.max(0, mean + spread * standard());
  const variance = Math.log1p((spread * spread) / (mean * mean));
  const middle = Math.log(mean) - variance / 2;
  return () => Math.exp(middle + Math.sqrt(variance) * standard());
}

function weighted<T extends { readonly weight: number }>(items: readonly T[], random: Random): T {
  let left = random.next() * items.reduce((sum, { weight }) => sum + weight, 0);
  for (const item of items) {
    left -= item.weight;
    if (left < 0) return item;
  }
  return items.at(-1)!;
}

/** Seconds: anywhere between the chosen time and the next. */
function arrivalOf({ times }: WorkloadClass, random: Random): number {
  const chosen = weighted(
    times.map((time, i) => ({ ...time, i })),
    random,
  );
  const range = (times[chosen.i + 1]?.seconds ?? chosen.seconds) - chosen.seconds;
  return chosen.seconds + (range > 0 ? random.int(range) : 0);
}
