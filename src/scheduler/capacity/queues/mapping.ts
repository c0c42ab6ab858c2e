// Which queue a submission without one goes to, by the mapping rules (Hadoop's CSMappingPlacementRule).

import type { Placement, Submission } from '../../entries.ts';
import { clusterOptions } from '../settings/cluster-options.ts';
import { type Fallback, type Rule, rulesOf } from '../settings/mapping-rules.ts';
import { MappingVariables } from '../settings/mapping-variables.ts';
import type { QueueTree } from './tree.ts';

const rejection = 'Application submission have been rejected by a mapping rule. Please see the logs for details';

/** The placement for a submission; without a matching rule the queue stays as asked. */
export function placeByMapping(tree: QueueTree, submission: Submission, groups: readonly string[]): Placement {
  const { properties } = tree;
  const asked = submission.queue;
  const override = properties.read(clusterOptions.mappingsOverride);
  const keep: Placement = { queue: asked ?? 'default' };
  // `root.default` is a queue that the submitter chose; `default` is what clients say that choose none.
  if (asked !== undefined && asked !== 'default' && !override) return keep;
  const variables = new MappingVariables(submission, groups, properties.read(clusterOptions.mappingDefaultQueue));
  for (const rule of rulesOf(properties)) {
    if (!rule.matches(variables)) continue;
    if (rule.action.kind === 'preset') {
      variables.setDefaultQueue(rule.action.path);
      continue;
    }
    const result = apply(rule, tree, variables);
    if (result === 'skip') continue;
    if (result === 'reject') return { rejected: rejection };
    if (result === 'default') {
      const found = tree.resolve(variables.defaultQueue);
      return typeof found === 'string' ? { rejected: rejection } : { queue: found.queue, mapped: true };
    }
    return { queue: result.queue, mapped: true };
  }
  return keep;
}

function apply(rule: Rule, tree: QueueTree, variables: MappingVariables): { queue: string } | Fallback {
  const { action } = rule;
  if (action.kind !== 'queue') return 'reject';
  const path = variables.fillPath(action.path, (queue) => tree.get(queue) !== undefined);
  const usable = path === undefined ? undefined : usableQueue(tree, path, action.create);
  return usable ? { queue: usable } : rule.fallback;
}

/** The full path of a leaf that exists or can be created; the first name of `prod.etl` may be that of any queue. */
function usableQueue(tree: QueueTree, target: string, create: boolean): string | undefined {
  const [first = '', ...rest] = target.split('.');
  const parts = [...(tree.get(first)?.path ?? first).split('.'), ...rest];
  if (parts.some((part) => part === '')) return undefined;
  const queue = tree.get(parts.join('.'));
  if (queue) return queue.leaf || queue.settings.isPlan ? queue.path : undefined;
  if (!create || parts.length < 2) return undefined;
  for (let i = parts.length - 1; i > 0; i--) {
    const parent = tree.get(parts.slice(0, i).join('.'));
    if (!parent) continue;
    const { autoCreation, maximumQueueDepth } = parent.settings;
    const missing = parts.length - i;
    if (autoCreation === 'legacy' && missing === 1) return [parent.path, ...parts.slice(i)].join('.');
    if (autoCreation === 'flexible' && missing <= maximumQueueDepth) return [parent.path, ...parts.slice(i)].join('.');
    return undefined;
  }
  return undefined;
}
