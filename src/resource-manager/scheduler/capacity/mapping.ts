// Queue mappings (`u:user:queue`, `g:group:queue`, application names, JSON rules): which queue a submission without one goes to.

import type { Placement, Submission } from '../policy.ts';
import type { CapacityProperties } from './properties.ts';
import type { QueueTree } from './tree.ts';

type Fallback = 'skip' | 'reject' | 'default';
type Action = { kind: 'queue'; path: string; create: boolean } | { kind: 'default' } | { kind: 'reject' };

/** One rule: whom it concerns, where it sends them, what when that queue cannot be used. */
interface Rule {
  matches(submission: Submission, groups: readonly string[]): boolean;
  readonly action: Action;
  readonly fallback: Fallback;
}

const rejection = 'Application submission have been rejected by a mapping rule. Please see the logs for details';

/** The placement for a submission; without a matching rule the queue stays as asked. */
export function placeByMapping(tree: QueueTree, submission: Submission, groups: readonly string[]): Placement {
  const { properties } = tree;
  const asked = submission.queue;
  const override = properties.globalBoolean('queue-mappings-override.enable', false);
  const keep: Placement = { queue: asked ?? 'default' };
  if (asked !== undefined && asked !== 'default' && asked !== 'root.default' && !override) return keep;
  for (const rule of rulesOf(properties)) {
    if (!rule.matches(submission, groups)) continue;
    const result = apply(rule, tree, submission, groups);
    if (result === 'skip') continue;
    if (result === 'reject') return { rejected: rejection };
    if (result === 'default') {
      const preset = tree.resolve(properties.global('mapping-rule-default-queue') ?? 'root.default');
      if (typeof preset === 'string') return { rejected: rejection };
      return { queue: preset.queue, mapped: true };
    }
    return { queue: result.queue, mapped: true };
  }
  return keep;
}

function apply(rule: Rule, tree: QueueTree, submission: Submission, groups: readonly string[]): { queue: string } | Fallback {
  const { action } = rule;
  if (action.kind === 'reject') return 'reject';
  if (action.kind === 'default') return 'default';
  const path = fill(action.path, submission, groups);
  const usable = path === undefined ? undefined : usableQueue(tree, path, action.create);
  return usable ? { queue: usable } : rule.fallback;
}

/** The full path of a queue that exists or can be created. */
function usableQueue(tree: QueueTree, path: string, create: boolean): string | undefined {
  const parts = path.split('.');
  if (parts.some((part) => part === '')) return undefined;
  const queue = tree.get(path);
  if (queue) return queue.path;
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

/** Variables of a rule's target; undefined when one has no value. */
function fill(template: string, submission: Submission, groups: readonly string[]): string | undefined {
  const values: Record<string, string | undefined> = {
    '%user': submission.user.replaceAll('.', '_dot_'),
    '%primary_group': groups[0]?.replaceAll('.', '_dot_'),
    '%secondary_group': groups[1]?.replaceAll('.', '_dot_'),
    '%application': submission.name.replaceAll('.', '_dot_'),
    '%specified': submission.queue ?? 'default',
    '%default': 'root.default',
  };
  let missing = false;
  const filled = template.replace(/%[a-z_]+/g, (name) => {
    const value = values[name];
    if (value === undefined || value === '') missing = true;
    return value ?? '';
  });
  return missing ? undefined : filled;
}

function rulesOf(properties: CapacityProperties): Rule[] {
  if (properties.global('mapping-rule-format')?.toLowerCase() === 'json') return jsonRules(properties.global('mapping-rule-json') ?? '');
  const rules: Rule[] = [];
  for (const text of split(properties.global('queue-mappings'))) {
    const [kind, source, ...rest] = text.split(':').map((part) => part.trim());
    const path = rest.join(':');
    if (!source || !path) continue;
    if (kind === 'u') rules.push(legacyRule(path, (submission) => source === '%user' || source === submission.user));
    else if (kind === 'g') rules.push(legacyRule(path, (_, groups) => groups.includes(source)));
  }
  for (const text of split(properties.global('queue-mappings-by-name') ?? properties.global('application-queue-mappings'))) {
    const [source, ...rest] = text.split(':').map((part) => part.trim());
    const path = rest.join(':');
    if (source && path) rules.push(legacyRule(path, (submission) => source === '%application' || source === submission.name));
  }
  return rules;
}

const split = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const legacyRule = (path: string, matches: Rule['matches']): Rule => ({
  matches,
  action: { kind: 'queue', path, create: true },
  fallback: 'skip',
});

interface JsonRule {
  type?: string;
  matches?: string;
  policy?: string;
  parentQueue?: string;
  customPlacement?: string;
  value?: string;
  create?: boolean;
  fallbackResult?: string;
}

/** `mapping-rule-json`: rules with matchers, policies and fallbacks. */
function jsonRules(text: string): Rule[] {
  let parsed: { rules?: JsonRule[] };
  try {
    parsed = JSON.parse(text === '' ? '{}' : text) as { rules?: JsonRule[] };
  } catch {
    return [];
  }
  return (Array.isArray(parsed.rules) ? parsed.rules : []).map((rule) => ({
    matches: matcherOf(rule),
    action: actionOf(rule),
    fallback: rule.fallbackResult === 'reject' ? 'reject' : rule.fallbackResult === 'skip' ? 'skip' : 'default',
  }));
}

function matcherOf(rule: JsonRule): Rule['matches'] {
  const wanted = rule.matches ?? '*';
  if (wanted === '*') return () => true;
  if (rule.type === 'group') return (_, groups) => groups.includes(wanted);
  if (rule.type === 'application') return (submission) => submission.name === wanted;
  return (submission) => submission.user === wanted;
}

function actionOf(rule: JsonRule): Action {
  const create = rule.create ?? false;
  const under = (leaf: string): Action => ({ kind: 'queue', path: rule.parentQueue ? `${rule.parentQueue}.${leaf}` : leaf, create });
  switch (rule.policy) {
    case 'reject':
      return { kind: 'reject' };
    case 'defaultQueue':
      return { kind: 'default' };
    case 'user':
      return under('%user');
    case 'primaryGroup':
      return under('%primary_group');
    case 'primaryGroupUser':
      return under('%primary_group.%user');
    case 'secondaryGroup':
      return under('%secondary_group');
    case 'secondaryGroupUser':
      return under('%secondary_group.%user');
    case 'applicationName':
      return under('%application');
    case 'specified':
      return { kind: 'queue', path: '%specified', create };
    case 'custom':
      return { kind: 'queue', path: rule.customPlacement ?? '', create };
    default:
      return { kind: 'reject' };
  }
}
