// Traces of Hadoop's Scheduler Load Simulator: jobs one after the other with `job.*`, `am.*` and `job.tasks` of `container.*`, and files of
// nodes with `rack` and `nodes` (facts of AMDefinitionSLS, TaskContainerDefinition and SLSUtils of hadoop-sls 3.4).

import type { Resource } from '../model/resource.ts';
import { type JsonObject, Members } from './json-objects.ts';
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

const defaultSize = 1024;
const mapPriority = 20;

/** Whether the object looks like a job of a trace. */
export const isSlsJob = (object: JsonObject): boolean => 'job.tasks' in object || 'am.type' in object || 'job.start.ms' in object;

/** Nodes without a file of their own are the hosts that tasks name, or as many as `fallback` says. */
export function readSlsTrace(objects: readonly JsonObject[], context: WorkloadContext, fallbackNodes: readonly WorkloadNode[]): Workload {
  const hosts = new Map<string, string>();
  let tasks = 0;
  const jobs = objects.flatMap((object, i): WorkloadJob[] => {
    const where = `job ${i + 1}`;
    const job = new Members(object, context.file, where);
    const arrivalMs = job.number('job.start.ms', 0);
    const groups = groupsOf(job, where, context, hosts);
    const count = Math.max(1, Math.trunc(job.number('job.count', 1, 0, 1_000_000)));
    tasks += count * groups.reduce((sum, { durationsMs }) => sum + durationsMs.length, 0);
    if (tasks > mostTasks) throw job.fault('job.tasks', `brings the tasks above ${mostTasks}`, 'Use a smaller trace.');
    // Only the DAG master asks for everything at once; the MapReduce one asks for reducers when all mappers have ended.
    const together = job.text('am.type') === 'dag' || job.text('am.type') === 'stream';
    const isReduce = ({ name }: TaskGroup) => name === 'reduce';
    const stages = together ? [groups] : [groups.filter((group) => !isReduce(group)), groups.filter(isReduce)];
    const name = job.text('job.id') ?? `job_${i + 1}`;
    const one = {
      user: job.text('job.user') ?? 'default',
      queue: job.text('job.queue.name'),
      priority: job.number('job.priority', -1, -1),
      arrivalMs,
      label: job.text('job.label.expression'),
      master: [job.number('am.memory-mb', job.number('am.memory', defaultSize)), job.number('am.vcores', 1)],
      stages: stages.filter((stage) => stage.length > 0),
    };
    return Array.from({ length: count }, (_, copy) => ({ ...one, name: count === 1 ? name : `${name}-${copy + 1}` }));
  });
  const named = [...hosts].map(([host, rack]) => ({ host, rack, resource: context.nodeSize, label: '' }));
  return { nodes: named.length > 0 ? named : fallbackNodes, jobs: byArrival(jobs), labels: new Map(), queueFile: undefined };
}

function groupsOf(job: Members, where: string, context: WorkloadContext, hosts: Map<string, string>): TaskGroup[] {
  const groups = new Map<string, TaskGroup & { durationsMs: number[] }>();
  const list = job.list('job.tasks');
  if (list.length === 0) throw job.fault('job.tasks', 'is empty', 'Give the job at least one task.');
  list.forEach((item, i) => {
    const task = new Members(item, context.file, `${where}, task ${i + 1}`);
    const place = placeOf(task.text('container.host'));
    if (place) hosts.set(place.host, place.rack);
    const resource: Resource = [
      task.number('container.memory-mb', task.number('container.memory', defaultSize)),
      task.number('container.vcores', 1),
    ];
    const priority = Math.trunc(task.number('container.priority', mapPriority));
    const name = task.text('container.type') ?? 'map';
    const delayMs = task.number('container.request.delay.ms', 0);
    const durationMs = durationOf(task);
    const key = JSON.stringify([name, resource, priority, place, delayMs]);
    let group = groups.get(key);
    if (!group) {
      group = {
        name,
        resource,
        priority,
        hosts: place ? [place.host] : [],
        racks: place ? [place.rack] : [],
        relaxLocality: true,
        label: undefined,
        delayMs,
        durationsMs: [],
      };
      groups.set(key, group);
    }
    for (let left = Math.max(1, Math.trunc(task.number('count', 1, 0, mostTasks))); left > 0; left--) group.durationsMs.push(durationMs);
  });
  return [...groups.values()];
}

function durationOf(task: Members): number {
  const durationMs = task.has('container.duration.ms')
    ? task.number('container.duration.ms', undefined)
    : task.has('duration.ms')
      ? task.number('duration.ms', undefined)
      : task.number('container.end.ms', undefined) - task.number('container.start.ms', undefined);
  if (durationMs > 0) return durationMs;
  throw task.fault('container.end.ms', `gives a duration of ${durationMs} ms`, 'Give container.duration.ms, or an end after the start.');
}

/** `/default-rack/node1`, or a host alone. */
function placeOf(text: string | undefined): { host: string; rack: string } | undefined {
  if (!text) return undefined;
  const slash = text.lastIndexOf('/');
  return slash < 0 ? { host: text, rack: '/default-rack' } : { host: text.slice(slash + 1), rack: text.slice(0, slash) || '/default-rack' };
}

/** A file of nodes. Of several labels the first counts: a node is in one partition. */
export function readSlsNodes(
  objects: readonly JsonObject[],
  file: string,
  size: Resource,
): { nodes: WorkloadNode[]; labels: Map<string, { exclusive: boolean }> } {
  const nodes: WorkloadNode[] = [];
  const labels = new Map<string, { exclusive: boolean }>();
  objects.forEach((object, i) => {
    const rack = new Members(object, file, `rack ${i + 1}`);
    const name = rack.text('rack') ?? 'default-rack';
    rack.list('nodes').forEach((item, place) => {
      const node = new Members(item, file, `rack ${i + 1}, node ${place + 1}`);
      const host = node.text('node');
      if (host === undefined) throw node.fault('node', 'is missing', 'Name the node.');
      const label = labelOf(node.text('labels'));
      if (label) labels.set(label.name, { exclusive: label.exclusive });
      const resource = [node.number('memory-mb', node.number('memory', size[0]!), 1), node.number('vcores', size[1]!, 1)];
      nodes.push({ host, rack: name.startsWith('/') ? name : `/${name}`, resource, label: label?.name ?? '' });
      if (nodes.length > mostNodes) throw node.fault('nodes', `are more than ${mostNodes}`, 'Use a smaller cluster.');
    });
  });
  return { nodes, labels };
}

/** `label1, label2(exclusive=false)`. */
function labelOf(text: string | undefined): { name: string; exclusive: boolean } | undefined {
  const [, name, exclusive] = /^\s*([\w-]+)\s*(?:\(\s*exclusive\s*=\s*(\w+)\s*\))?/.exec(text ?? '') ?? [];
  return name === undefined ? undefined : { name, exclusive: exclusive !== 'false' };
}
