// Which form a workload has, and the files beside it.

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseHadoopXml } from '../config/hadoop-xml.ts';
import { queueFileKind } from '../config/queue-file-kind.ts';
import { ConfigurationError } from '../config/table.ts';
import { systemErrorText } from '../lib/system-error.ts';
import type { PolicyKind } from '../scheduler/policy.ts';
import { BadInput } from './faults.ts';
import { readJsonObjects } from './json-objects.ts';
import { isSlsJob, readSlsNodes, readSlsTrace } from './sls-trace.ts';
import { isSynthTrace, readSynthTrace } from './synth-trace.ts';
import { mostNodes, regularNodes, type Workload, type WorkloadContext } from './workload.ts';
import { readYamlWorkload } from './yaml-workload.ts';

const largestBytes = 256 * 1024 * 1024;

/** The text of a file. @throws BadInput where it cannot be read or is too large */
export function readInput(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > largestBytes) throw new BadInput(file, undefined, `has ${size} bytes, more than ${largestBytes}`, 'Use a part of it.');
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof BadInput) throw error;
    throw new BadInput(file, undefined, systemErrorText(error, ''), 'Name a file that you can read.');
  }
}

/** Reads a workload of any form. `nodes`: a file of nodes in SLS's form, or a number of them, instead of what the workload says. */
export function readWorkload(context: WorkloadContext, nodes: string | undefined): Workload {
  const text = readInput(context.file);
  const workload = /^\s*[[{]/.test(text) ? readJson(text, context) : readYamlWorkload(text, context);
  if (nodes === undefined) {
    if (workload.nodes.length > 0) return workload;
    throw new BadInput(context.file, undefined, 'names no nodes', 'Give them with --nodes: a number, or a file as SLS reads it.');
  }
  if (/^\d+$/.test(nodes)) {
    if (Number(nodes) < 1 || Number(nodes) > mostNodes)
      throw new BadInput('--nodes', undefined, `${nodes} is out of range`, `Give 1 to ${mostNodes}.`);
    return { ...workload, nodes: regularNodes(Number(nodes), 40, context.nodeSize) };
  }
  const read = readSlsNodes(readJsonObjects(readInput(nodes), nodes), nodes, context.nodeSize);
  return { ...workload, nodes: read.nodes, labels: new Map([...workload.labels, ...read.labels]) };
}

function readJson(text: string, context: WorkloadContext): Workload {
  const objects = readJsonObjects(text, context.file);
  const [first] = objects;
  if (first && isSynthTrace(first)) return readSynthTrace(first, context);
  if (first && isSlsJob(first)) return readSlsTrace(objects, context, []);
  throw new BadInput(
    context.file,
    'object 1',
    'is neither a job of SLS (job.tasks) nor a SYNTH trace (workloads)',
    'Give a trace as Hadoop SLS reads it, or a workload in YAML (docs/operate/simulate.md).',
  );
}

/** Queues of one file: capacity-scheduler.xml or fair-scheduler.xml, told apart by their root. */
export interface QueueFile {
  readonly file: string;
  readonly kind: Extract<PolicyKind, 'capacity' | 'fair'>;
  readonly properties: ReadonlyMap<string, string>;
  readonly allocations: string | undefined;
}

/** @throws BadInput */
export function readQueueFile(file: string): QueueFile {
  const text = readInput(file);
  if (queueFileKind(text) === 'fair') return { file, kind: 'fair', properties: new Map(), allocations: text };
  try {
    return {
      file,
      kind: 'capacity',
      properties: new Map(parseHadoopXml(text, file, resolve(file)).map(({ key, value }) => [key, value])),
      allocations: undefined,
    };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new BadInput(
      file,
      error.key,
      error.message.slice(`${error.source}: ${error.key}: `.length, -error.remedy.length - 2),
      error.remedy,
    );
  }
}
