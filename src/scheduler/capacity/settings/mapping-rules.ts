// Queue mappings as rules: `u:user:queue`, `g:group:queue`, names of applications, or JSON (Hadoop's MappingRuleCreator).

import { parseJson } from '../../../lib/json-text.ts';
import { ConfigurationRefused, type Submission } from '../../policy.ts';
import { clusterOptions } from './cluster-options.ts';
import { keyOf, type QueueOption } from './option.ts';
import { type CapacityProperties, list } from './properties.ts';

export type Fallback = 'skip' | 'reject' | 'default';
export type Action =
  | { kind: 'queue'; path: string; create: boolean }
  | { kind: 'default' }
  | { kind: 'reject' }
  /** Where `defaultQueue` and fallbacks lead from here on. */
  | { kind: 'preset'; path: string };

/** One rule: which submissions it concerns, where it sends them, what happens where that queue cannot be used. */
export interface Rule {
  matches(submission: Submission, groups: readonly string[]): boolean;
  readonly action: Action;
  readonly fallback: Fallback;
  /** The key it stands in, for complaints. */
  readonly key: string;
}

const known = new WeakMap<CapacityProperties, readonly Rule[]>();

/** The rules of a configuration, read once.  @throws ConfigurationRefused */
export function rulesOf(properties: CapacityProperties): readonly Rule[] {
  let rules = known.get(properties);
  if (!rules) {
    rules = readRules(properties);
    known.set(properties, rules);
  }
  return rules;
}

function readRules(properties: CapacityProperties): Rule[] {
  const format = properties.read(clusterOptions.mappingRuleFormat).trim();
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
    if (!source || !path || rest.length > 1) throw illegalMapping(text, mappings);
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
    if (!source || !path || rest.length > 1) throw illegalMapping(text, key!);
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
    parsed = parseJson(text?.trim() ? text : '{"rules":[]}') as { rules?: JsonRule[] };
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
