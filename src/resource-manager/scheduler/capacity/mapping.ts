// Queue mappings (`u:user:queue`, `g:group:queue`, application names, JSON rules): which queue a submission without one goes to
// (Hadoop's CSMappingPlacementRule).

import { ConfigurationRefused, type Placement, type Submission } from '../policy.ts';
import { type CapacityProperties, list, prefix } from './properties.ts';
import type { QueueSettings } from './queue-settings.ts';
import type { QueueTree } from './tree.ts';

type Fallback = 'skip' | 'reject' | 'default';
type Action =
  | { kind: 'queue'; path: string; create: boolean }
  | { kind: 'default' }
  | { kind: 'reject' }
  /** Where `defaultQueue` and fallbacks lead from here on. */
  | { kind: 'preset'; path: string };

/** One rule: whom it concerns, where it sends them, what when that queue cannot be used. */
interface Rule {
  matches(submission: Submission, groups: readonly string[]): boolean;
  readonly action: Action;
  readonly fallback: Fallback;
  /** The key it stands in, for complaints. */
  readonly key: string;
}

const rejection = 'Application submission have been rejected by a mapping rule. Please see the logs for details';

/** The placement for a submission; without a matching rule the queue stays as asked. */
export function placeByMapping(tree: QueueTree, submission: Submission, groups: readonly string[]): Placement {
  const { properties } = tree;
  const asked = submission.queue;
  const override = properties.globalBoolean('queue-mappings-override.enable', false);
  const keep: Placement = { queue: asked ?? 'default' };
  if (asked !== undefined && asked !== 'default' && asked !== 'root.default' && !override) return keep;
  let preset = properties.global('mapping-rule-default-queue') ?? 'root.default';
  for (const rule of rulesOf(properties)) {
    if (!rule.matches(submission, groups)) continue;
    if (rule.action.kind === 'preset') {
      preset = rule.action.path;
      continue;
    }
    const result = apply(rule, tree, submission, groups, preset);
    if (result === 'skip') continue;
    if (result === 'reject') return { rejected: rejection };
    if (result === 'default') {
      const found = tree.resolve(preset);
      return typeof found === 'string' ? { rejected: rejection } : { queue: found.queue, mapped: true };
    }
    return { queue: result.queue, mapped: true };
  }
  return keep;
}

function apply(
  rule: Rule,
  tree: QueueTree,
  submission: Submission,
  groups: readonly string[],
  preset: string,
): { queue: string } | Fallback {
  const { action } = rule;
  if (action.kind !== 'queue') return action.kind === 'reject' ? 'reject' : 'default';
  const path = fill(action.path, submission, groups, preset, (queue) => tree.get(queue) !== undefined);
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

const clean = (name: string): string => name.replaceAll('.', '_dot_');

/** Variables of a rule's target; undefined when one has no value. The secondary group is the first that has a queue at that place. */
function fill(
  template: string,
  submission: Submission,
  groups: readonly string[],
  preset: string,
  exists: (path: string) => boolean,
): string | undefined {
  const values: Record<string, string | undefined> = {
    '%user': clean(submission.user),
    '%primary_group': groups[0] === undefined ? undefined : clean(groups[0]),
    '%application': clean(submission.name),
    '%specified': submission.queue ?? 'default',
    '%default': preset,
  };
  const filled: string[] = [];
  for (const part of template.split('.')) {
    if (part === '%secondary_group') {
      const above = filled.map((before) => `${before}.`).join('');
      const group = groups.slice(1).find((name) => exists(above + clean(name)));
      if (group === undefined) return undefined;
      filled.push(clean(group));
      continue;
    }
    let missing = false;
    filled.push(
      part.replace(/%[a-z_]+/g, (name) => {
        const value = values[name];
        if (value === undefined || value === '') missing = true;
        return value ?? '';
      }),
    );
    if (missing) return undefined;
  }
  return filled.join('.');
}

const known = new WeakMap<CapacityProperties, readonly Rule[]>();

/** Read once per configuration. @throws ConfigurationRefused */
function rulesOf(properties: CapacityProperties): readonly Rule[] {
  let rules = known.get(properties);
  if (!rules) {
    rules = readRules(properties);
    known.set(properties, rules);
  }
  return rules;
}

function readRules(properties: CapacityProperties): Rule[] {
  if (properties.global('mapping-rule-format')?.toLowerCase() === 'json') return jsonRules(properties.global('mapping-rule-json'));
  const rules: Rule[] = [];
  const mappings = `${prefix}queue-mappings`;
  for (const text of list(properties.global('queue-mappings') ?? '')) {
    const [kind, source, ...rest] = text.split(':').map((part) => part.trim());
    const path = rest.join(':');
    if (!source || !path || (kind !== 'u' && kind !== 'g')) throw illegalMapping(text, mappings);
    if (kind === 'u') rules.push(legacyRule(mappings, path, (submission) => source === '%user' || source === submission.user));
    else rules.push(legacyRule(mappings, path, (_, groups) => groups.includes(source)));
  }
  const byName = [
    'yarn.scheduler.queue-placement-rules.app-name',
    `${prefix}queue-mappings-by-name`,
    `${prefix}application-queue-mappings`,
  ];
  const key = byName.find((name) => properties.all.get(name)?.trim());
  for (const text of key === undefined ? [] : list(properties.all.get(key)!)) {
    const [source, ...rest] = text.split(':').map((part) => part.trim());
    const path = rest.join(':');
    if (!source || !path) throw illegalMapping(text, key!);
    rules.push(legacyRule(key!, path, (submission) => source === '%application' || source === submission.name));
  }
  return rules;
}

const illegalMapping = (text: string, key: string): ConfigurationRefused =>
  new ConfigurationRefused(`Illegal queue mapping ${text}`, { key, remedy: 'Write u:USER:QUEUE or g:GROUP:QUEUE, separated by commas.' });

/** Its fallback is the default queue, as in Hadoop. */
const legacyRule = (key: string, path: string, matches: Rule['matches']): Rule => ({
  key,
  matches,
  action: { kind: 'queue', path, create: true },
  fallback: 'default',
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

const jsonKey = `${prefix}mapping-rule-json`;
const illegalRule = (reason: string): ConfigurationRefused =>
  new ConfigurationRefused(reason, { key: jsonKey, remedy: 'Repair the rule; docs of YARN, "Queue mapping rules", describe them.' });

/** `mapping-rule-json`: rules with matchers, policies and fallbacks (Hadoop's MappingRuleCreator). @throws ConfigurationRefused */
function jsonRules(text: string | undefined): Rule[] {
  let parsed: { rules?: JsonRule[] };
  try {
    parsed = JSON.parse(text?.trim() ? text : '{"rules":[]}') as { rules?: JsonRule[] };
  } catch (error) {
    throw illegalRule(`The mapping rules are no JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(parsed?.rules) || !parsed.rules.every((rule) => typeof rule === 'object' && rule !== null))
    throw illegalRule('The mapping rules have no list "rules"');
  return parsed.rules.map((rule) => {
    const fallback = fallbacks[String(rule.fallbackResult ?? 'skip')];
    if (fallback === undefined) throw illegalRule(`Unsupported fallback rule ${rule.fallbackResult}`);
    return { key: jsonKey, matches: matcherOf(rule), action: actionOf(rule), fallback };
  });
}

const fallbacks: Record<string, Fallback> = { skip: 'skip', reject: 'reject', placeDefault: 'default' };

function matcherOf(rule: JsonRule): Rule['matches'] {
  const wanted = rule.matches;
  if (rule.policy === undefined) throw illegalRule('Rule policy is undefined');
  if (rule.type === undefined) throw illegalRule('Rule type is undefined');
  if (wanted === undefined) throw illegalRule('Match string is undefined');
  if (wanted === '') throw illegalRule('Match string is empty');
  switch (rule.type) {
    case 'user':
      return wanted === '*' ? () => true : (submission) => submission.user === wanted;
    case 'group':
      if (wanted === '*') throw illegalRule("Cannot match '*' for groups");
      return (_, groups) => groups.includes(wanted);
    case 'application':
      return (submission) => submission.name === wanted;
    default:
      throw illegalRule(`Unknown type: ${rule.type}`);
  }
}

const policyTargets: Record<string, string> = {
  user: '%user',
  primaryGroup: '%primary_group',
  primaryGroupUser: '%primary_group.%user',
  secondaryGroup: '%secondary_group',
  secondaryGroupUser: '%secondary_group.%user',
  applicationName: '%application',
};

function actionOf(rule: JsonRule): Action {
  const create = rule.create ?? true;
  const target = policyTargets[rule.policy ?? ''];
  if (target !== undefined) return { kind: 'queue', path: rule.parentQueue ? `${rule.parentQueue}.${target}` : target, create };
  switch (rule.policy) {
    case 'reject':
      return { kind: 'reject' };
    case 'defaultQueue':
      return { kind: 'default' };
    case 'setDefaultQueue':
      if (!rule.value) throw illegalRule('default queue is undefined');
      return { kind: 'preset', path: rule.value };
    case 'specified':
      return { kind: 'queue', path: '%specified', create };
    case 'custom':
      if (!rule.customPlacement) throw illegalRule('custom queue is undefined');
      return { kind: 'queue', path: rule.customPlacement, create };
    default:
      throw illegalRule(`Unsupported policy: ${rule.policy}`);
  }
}

/** Rules whose part without variables leads to no queue, and to none that could be made. @throws ConfigurationRefused */
export function checkRules(properties: CapacityProperties, find: (name: string) => QueueSettings | undefined): void {
  for (const { action, key } of rulesOf(properties)) {
    if (action.kind !== 'queue' && action.kind !== 'preset') continue;
    const parts = action.path.split('.');
    if (parts.some((part) => part === '' || part !== part.trim()))
      throw new ConfigurationRefused(`Illegal queue ${action.path} in a mapping rule`, { key, remedy: 'Write the path of a queue.' });
    const fixed = parts.findIndex((part) => part.includes('%'));
    const known = fixed < 0 ? parts : parts.slice(0, fixed);
    for (let i = known.length; i > 0; i--) {
      const queue = find(known.slice(0, i).join('.'));
      if (!queue) continue;
      if (i === known.length || queue.autoCreation !== 'off') break;
      throw unknownTarget(action.path, key);
    }
    if (known.length > 0 && !known.some((_, i) => find(known.slice(0, i + 1).join('.')))) throw unknownTarget(action.path, key);
  }
}

const unknownTarget = (path: string, key: string): ConfigurationRefused =>
  new ConfigurationRefused(`The mapping rule to ${path} leads to no queue`, {
    key,
    remedy: 'Name a queue that exists, or one below a parent that creates its children.',
  });
