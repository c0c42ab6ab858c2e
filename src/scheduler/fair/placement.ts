// Which queue of the fair policy a submission goes to: the rules of the file, or those that yarn-site.xml asks for.

import type { Placement, Submission } from '../entries.ts';
import type { FairSettings } from '../policy.ts';
import type { PlacementRule } from './placement-rules.ts';

/** What rules must know of queues. */
export interface KnownQueues {
  exists(path: string): boolean;
}

const clean = (name: string): string => name.replaceAll('.', '_dot_').trim();
const rooted = (name: string): string => (name === 'root' || name.startsWith('root.') ? name : `root.${name}`);
const wellFormed = (path: string): boolean => path.split('.').every((part) => part !== '' && part === part.trim());

/** Specified queue, then the user's own or `root.default`. */
export function defaultRules(settings: FairSettings): PlacementRule[] {
  const create = settings.allowUndeclaredPools;
  const rule = (name: string, may: boolean): PlacementRule => ({ name, create: may, queue: undefined, parent: undefined });
  return settings.userAsDefaultQueue
    ? [rule('specified', create), rule('user', create), rule('default', true)]
    : [rule('specified', create), rule('default', true)];
}

/** The first rule that names a queue which exists or may be created. */
export function placeByRules(
  rules: readonly PlacementRule[],
  submission: Submission,
  groups: readonly string[],
  queues: KnownQueues,
): Placement {
  const { applicationId, user, queue: asked } = submission;
  if (asked === '')
    return { rejected: `Failed to place application ${applicationId} in a queue and submit context queue is null or empty` };
  for (const rule of rules) {
    if (rule.name === 'reject') break;
    // In Hadoop's words, the missing blank too.
    if (rule.name === 'specified' && asked !== undefined && (asked !== asked.trim() || asked.startsWith('.') || asked.endsWith('.')))
      return { rejected: `Application submitted by user ${user}with illegal queue name '${asked}'.` };
    if (looksAtGroups(rule) && groups.length === 0) return { rejected: 'Group resolution failed' };
    const path = apply(rule, submission, groups, queues);
    if (path !== undefined) return { queue: path, mapped: true };
  }
  return {
    rejected: `Reject application ${submission.applicationId} submitted by user ${submission.user} application rejected by placement rules.`,
  };
}

/** Rules by groups refuse users who have none, before later rules are asked. */
const looksAtGroups = ({ name, parent }: PlacementRule): boolean => /group/i.test(name) || (parent !== undefined && looksAtGroups(parent));

function apply(rule: PlacementRule, submission: Submission, groups: readonly string[], queues: KnownQueues): string | undefined {
  const name = nameBy(rule, submission, groups, queues);
  if (name === undefined) return undefined;
  const { parent } = rule;
  let path = rooted(name);
  if (parent) {
    const above = apply(parent, submission, groups, queues);
    if (above === undefined) return undefined;
    path = `${above}.${name}`;
  }
  if (!wellFormed(path)) return undefined;
  return rule.create || queues.exists(path) ? path : undefined;
}

function nameBy(rule: PlacementRule, submission: Submission, groups: readonly string[], queues: KnownQueues): string | undefined {
  switch (rule.name) {
    case 'specified':
      return submission.queue === undefined || submission.queue === '' || submission.queue === 'default' ? undefined : submission.queue;
    case 'user':
    case 'nestedUserQueue':
      return clean(submission.user);
    case 'primaryGroup':
      return groups[0] === undefined ? undefined : clean(groups[0]);
    case 'secondaryGroupExistingQueue':
    case 'secondaryGroup': {
      const found = groups.slice(1).find((group) => queues.exists(rooted(clean(group))));
      return found === undefined ? undefined : clean(found);
    }
    case 'default':
      return rule.queue ?? 'default';
    default:
      return undefined;
  }
}
