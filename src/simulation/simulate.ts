// From files to reports: one workload under one or several queue files.

import type { Configuration } from '../config/load.ts';
import { resourceTypes } from '../config/resource-types.ts';
import { checkQueueFile, createPolicy } from '../scheduler/create-policy.ts';
import { ConfigurationRefused, type PolicyOptions } from '../scheduler/policy.ts';
import { policyOptions } from '../scheduler-settings/policy-options.ts';
import { Engine } from './engine.ts';
import { BadInput } from './faults.ts';
import { type QueueFile, readQueueFile, readWorkload } from './read-workload.ts';
import { type SimulationReport, Statistics } from './statistics.ts';

export type { PartyReport, SimulationReport, Waits } from './statistics.ts';
export { BadInput };

export interface SimulationRequest {
  /** Path of the workload. */
  readonly workload: string;
  /** A number of nodes, or a file of them. */
  readonly nodes: string | undefined;
  /** Memory MiB and vcores of nodes that say none. */
  readonly nodeSize: readonly [number, number];
  readonly seed: number | undefined;
  /** Queue files, one run each; none: what the workload names, else the configuration. */
  readonly queueFiles: readonly string[];
  readonly configuration: Configuration;
}

/** One report a queue file. The same request gives the same reports. @throws BadInput */
export function simulate(request: SimulationRequest): SimulationReport[] {
  const { seed, nodeSize, configuration } = request;
  const workload = readWorkload({ file: request.workload, seed, nodeSize }, request.nodes);
  const files = request.queueFiles.length > 0 ? request.queueFiles : workload.queueFile === undefined ? [] : [workload.queueFile];
  // All files are read before the first run: a slip in the second is told at once.
  const queues = files.length > 0 ? files.map((file) => readQueueFile(file)) : [undefined];
  const types = resourceTypes(configuration);
  return queues
    .map((queueFile) => {
      const statistics = new Statistics(types.count);
      const engine = new Engine(workload, statistics, types);
      const options = optionsFor(configuration, queueFile, { now: () => engine.nowMs, steadyMs: () => engine.nowMs });
      return { queueFile, statistics, engine, policy: built(options, queueFile) };
    })
    .map(({ queueFile, statistics, engine, policy }) => {
      const stuck = engine.run(policy);
      const facts = { queueFile: queueFile?.file ?? '(settings)', policy: policy.names.short, seed, nodes: workload.nodes.length, stuck };
      return statistics.report(facts, policy.clusterResource());
    });
}

function optionsFor(configuration: Configuration, queueFile: QueueFile | undefined, clock: PolicyOptions['clock']): PolicyOptions {
  const options = policyOptions(configuration, resourceTypes(configuration), (user) => [user], clock);
  // Every user of a simulation may submit, and labels count as soon as nodes have them.
  const settings = { ...options.settings, aclEnabled: false, nodeLabelsEnabled: true };
  if (!queueFile) return { ...options, settings };
  return { ...options, settings, kind: queueFile.kind, properties: queueFile.properties, allocations: queueFile.allocations };
}

function built(options: PolicyOptions, queueFile: QueueFile | undefined) {
  try {
    checkQueueFile(options.kind, options, options.types);
    return createPolicy(options);
  } catch (error) {
    if (!(error instanceof ConfigurationRefused)) throw error;
    throw new BadInput(
      queueFile?.file ?? 'the settings',
      error.key,
      error.message.replace(/\.\s*$/, ''),
      error.remedy ?? 'Repair the queues.',
    );
  }
}
