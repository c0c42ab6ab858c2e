// Mapping rules that would only fail when an application is submitted: those that lead to no queue and to none that could be made, in Hadoop's words
// (MappingRuleValidationContextImpl).

import { javaSplit } from '../../../lib/java-split.ts';
import { ConfigurationRefused } from '../../policy.ts';
import { rulesOf } from './mapping-rules.ts';
import type { CapacityProperties } from './properties.ts';
import type { QueueSettings } from './queue-settings.ts';
import { walk } from './validation.ts';

/** Rules whose fixed part leads nowhere. @throws ConfigurationRefused */
export function checkMappings(root: QueueSettings, properties: CapacityProperties): void {
  const queues = [...walk(root)];
  const byPath = new Map(queues.map((queue) => [queue.path, queue]));
  const byName = Map.groupBy(queues, ({ name }) => name);
  checkRules(properties, (name) => {
    const [one, ...others] = byName.get(name) ?? [];
    return byPath.get(name) ?? (others.length > 0 ? 'ambiguous' : one);
  });
}

const yarnException = 'org.apache.hadoop.yarn.exceptions.YarnException: ';
const variables = new Set(['%user', '%primary_group', '%secondary_group', '%application', '%specified', '%default']);

/** The queue of a full path or of a short name; `ambiguous` where several queues have the short name. */
type FindQueue = (name: string) => QueueSettings | 'ambiguous' | undefined;

/** @throws ConfigurationRefused */
function checkRules(properties: CapacityProperties, find: FindQueue): void {
  for (const { action, key } of rulesOf(properties)) {
    if (action.kind !== 'queue') continue;
    const problem = pathProblem(action.path, find);
    if (problem === undefined) continue;
    throw new ConfigurationRefused(yarnException + problem, {
      key,
      remedy: 'Name a leaf that exists, or one below a parent that creates its children.',
    });
  }
}

/** Why no application can ever go where a rule leads; undefined where one might. */
function pathProblem(path: string, find: FindQueue): string | undefined {
  if (path === '') return 'Queue path is empty.';
  const parts = javaSplit(path, '.');
  const fixed = parts.findIndex((part) => variables.has(part));
  if ((fixed < 0 ? parts : parts.slice(0, fixed)).some((part) => part === '')) return `Path segment cannot be empty '${path}'.`;
  if (fixed === 0) return undefined;
  return targetProblem(path, fixed < 0 ? parts : parts.slice(0, fixed), fixed < 0, find);
}

/** `known`: the parts before the first variable; `whole`: there is none. */
function targetProblem(path: string, known: readonly string[], whole: boolean, find: FindQueue): string | undefined {
  const [first = '', ...rest] = known;
  const top = find(first);
  if (top === 'ambiguous') return `Path root '${first}' is ambiguous. Path '${path}' is invalid`;
  if (!top) return `Path root '${first}' does not exist. Path '${path}' is invalid`;
  const full = [...top.path.split('.'), ...rest];
  const at = find(full.join('.'));
  if (at && at !== 'ambiguous') {
    if (whole) return at.isLeaf ? undefined : `Target queue '${path}' but it's not a leaf queue.`;
    return at.isLeaf
      ? `Queue path '${path}' is invalid because '${at.path}' is a leaf queue, which can have no other queues under it.`
      : undefined;
  }
  for (let i = full.length - 1; i > 0; i--) {
    const above = find(full.slice(0, i).join('.'));
    if (above === undefined || above === 'ambiguous') continue;
    const missing = full.length - i;
    if (above.autoCreation === 'legacy' && missing === 1) return undefined;
    if (above.autoCreation === 'flexible' && missing <= above.maximumQueueDepth) return undefined;
    break;
  }
  return whole
    ? `Mapping rule specified a parent queue '${known.slice(0, -1).join('.')}', but it is not a dynamic parent queue, and no queue exists with name '${known.at(-1)}' under it.`
    : `No eligible parent found on path '${path}'.`;
}
