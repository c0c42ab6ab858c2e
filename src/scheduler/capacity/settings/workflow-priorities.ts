// Priorities of workflows (Hadoop's WorkflowPriorityMappingsManager): an application whose tag names a workflow gets the priority that its queue,
// or the nearest one above it, gives that workflow.

import { ConfigurationRefused } from '../../policy.ts';
import { clusterOptions } from './cluster-options.ts';
import { keyOf } from './option.ts';
import { type CapacityProperties, list } from './properties.ts';

/** By the path of the queue, then by the workflow in lower case, as tags are kept; empty while the mappings are off. */
export type WorkflowPriorities = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Reads `WORKFLOW:QUEUE:PRIORITY, …`, also while the mappings are off. @throws ConfigurationRefused */
export function readWorkflowPriorities(properties: CapacityProperties): WorkflowPriorities {
  const found = new Map<string, Map<string, number>>();
  for (const text of list(properties.read(clusterOptions.workflowPriorities) ?? '')) {
    const parts = text
      .split(':')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    const [workflow, queue, priority] = parts;
    if (parts.length !== 3) throw illegal(`Illegal workflow priority mapping ${text}`);
    if (!/^[+-]?\d+$/.test(priority!)) throw illegal(`Illegal workflow priority for mapping ${text}`);
    const ofQueue = found.get(queue!) ?? new Map<string, number>();
    found.set(queue!, ofQueue.set(workflow!.toLowerCase(), Number(priority)));
  }
  return properties.read(clusterOptions.workflowPrioritiesOverride) ? found : new Map();
}

const illegal = (reason: string): ConfigurationRefused =>
  new ConfigurationRefused(reason, {
    key: keyOf(clusterOptions.workflowPriorities),
    remedy: 'Write WORKFLOW:QUEUE:PRIORITY, separated by commas, with the full path of the queue.',
  });

/**
 * The priority of an application with these tags in the queue with this path; undefined where none is mapped to it. The last tag that begins with
 * `tagPrefix` names the workflow. The root maps nothing, as in Hadoop.
 */
export function workflowPriority(
  priorities: WorkflowPriorities,
  tagPrefix: string,
  tags: readonly string[],
  path: string,
): number | undefined {
  if (priorities.size === 0) return undefined;
  const tag = tags.findLast((text) => text.trim().startsWith(tagPrefix));
  const workflow = tag?.trim().slice(tagPrefix.length);
  if (!workflow) return undefined;
  for (let at = path; at.includes('.'); at = at.slice(0, at.lastIndexOf('.'))) {
    const priority = priorities.get(at)?.get(workflow);
    if (priority !== undefined) return priority;
  }
  return undefined;
}
