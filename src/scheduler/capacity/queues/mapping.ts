// Queue mappings (`u:user:queue`, `g:group:queue`, application names, JSON rules): which queue a submission without one goes to
// (Hadoop's CSMappingPlacementRule).

import { ConfigurationRefused, type Placement, type Submission } from '../../policy.ts';
import { clusterOptions } from '../settings/cluster-options.ts';
import { keyOf, type QueueOption } from '../settings/option.ts';
import { type CapacityProperties, list } from '../settings/properties.ts';
import type { QueueSettings } from '../settings/queue-settings.ts';
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
  const override = properties.read(clusterOptions.mappingsOverride);
  const keep: Placement = { queue: asked ?? 'default' };
  // `root.default` is a queue somebody chose; `default` is what clients say who choose none.
  if (asked !== undefined && asked !== 'default' && !override) return keep;
  let preset: string = properties.read(clusterOptions.mappingDefaultQueue);
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
  const format = properties.read(clusterOptions.mappingRuleFormat).trim() || 'legacy';
  if (format === 'json') return jsonRules(properties.read(clusterOptions.mappingRuleJson));
  if (format !== 'legacy') {
    throw new ConfigurationRefused(`Illegal queue mapping format '${format}' please use 'legacy' or 'json'`, {
      key: keyOf(clusterOptions.mappingRuleFormat),
      remedy: 'Give one of the two.',
    });
  }
  const rules: Rule[] = [];
  const mappings = keyOf(clusterOptions.queueMappings);
  for (const text of list(properties.read(clusterOptions.queueMappings) ?? '')) {
    const [kind, source, ...rest] = text.split(':').map((part) => part.trim());
    const path = rest.join(':');
    if (!source || !path) throw illegalMapping(text, mappings);
    if (kind !== 'u' && kind !== 'g')
      throw new ConfigurationRefused(`unknown mapping prefix ${kind}`, { key: mappings, remedy: mappingForm });
    if (kind === 'u') rules.push(legacyRule(mappings, path, (submission) => source === '%user' || source === submission.user));
    else rules.push(legacyRule(mappings, path, (_, groups) => groups.includes(source)));
  }
  const { applicationNameMappings, applicationNameMappingsByName, applicationQueueMappings } = clusterOptions;
  const byName: readonly QueueOption[] = [applicationNameMappings, applicationNameMappingsByName, applicationQueueMappings];
  const key = byName.map((option) => keyOf(option)).find((name) => properties.all.get(name)?.trim());
  for (const text of key === undefined ? [] : list(properties.all.get(key)!)) {
    const [source, ...rest] = text.split(':').map((part) => part.trim());
    const path = rest.join(':');
    if (!source || !path) throw illegalMapping(text, key!);
    rules.push(legacyRule(key!, path, (submission) => source === '%application' || source === submission.name));
  }
  return rules;
}

const mappingForm = 'Write u:USER:QUEUE or g:GROUP:QUEUE, separated by commas.';
const illegalMapping = (text: string, key: string): ConfigurationRefused =>
  new ConfigurationRefused(`Illegal queue mapping ${text}`, { key, remedy: mappingForm });

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

const jsonKey = keyOf(clusterOptions.mappingRuleJson);
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
    if (rule.create !== undefined && !['true', 'false'].includes(String(rule.create)))
      throw illegalRule(`"create" is true or false, not "${rule.create}"`);
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
  const create = String(rule.create ?? true) === 'true';
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

const yarnException = 'org.apache.hadoop.yarn.exceptions.YarnException: ';
const variable = /%(user|primary_group|secondary_group|application|specified|default)/;

/** The queue of a full path or of a short name; `ambiguous` where several queues have the short name. */
export type FindQueue = (name: string) => QueueSettings | 'ambiguous' | undefined;

/** Rules that lead to no queue and to none that could be made, in Hadoop's words (MappingRuleValidationContextImpl). @throws ConfigurationRefused */
export function checkRules(properties: CapacityProperties, find: FindQueue): void {
  for (const { action, key } of rulesOf(properties)) {
    if (action.kind !== 'queue' && action.kind !== 'preset') continue;
    const { path } = action;
    const parts = path.split('.');
    if (parts.some((part) => part === '' || part !== part.trim()))
      throw new ConfigurationRefused(`Illegal queue ${path} in a mapping rule`, { key, remedy: 'Write the path of a queue.' });
    const fixed = parts.findIndex((part) => variable.test(part));
    if (fixed === 0) continue;
    const problem = targetProblem(path, fixed < 0 ? parts : parts.slice(0, fixed), fixed < 0, find);
    if (problem === undefined) continue;
    throw new ConfigurationRefused(yarnException + problem, {
      key,
      remedy: 'Name a leaf that exists, or one below a parent that creates its children.',
    });
  }
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
    if (whole) return at.isLeaf || at.isPlan ? undefined : `Target queue '${path}' but it's not a leaf queue.`;
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
