// Queue mappings as rules: `u:user:queue`, `g:group:queue`, names of applications, or JSON (Hadoop's MappingRuleCreator).

import { parseJson } from '../../../lib/json-text.ts';
import { ConfigurationRefused } from '../../policy.ts';
import { clusterOptions } from './cluster-options.ts';
import type { MappingVariables } from './mapping-variables.ts';
import { keyOf, type QueueOption } from './option.ts';
import { type CapacityProperties, list } from './properties.ts';

export type Fallback = 'skip' | 'reject' | 'default';
export type Action =
  | { kind: 'queue'; path: string; create: boolean }
  | { kind: 'reject' }
  /** Where `%default` and fallbacks lead from here on. */
  | { kind: 'preset'; path: string };

/** One rule: which submissions it concerns, where it sends them, what happens where that queue cannot be used. */
export interface Rule {
  matches(variables: MappingVariables): boolean;
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
    if (kind === 'u') rules.push(legacyRule(mappings, path, source === '%user' ? () => true : isUser(source)));
    else rules.push(legacyRule(mappings, path, isInGroup(source)));
  }
  const { applicationNameMappings, applicationNameMappingsByName, applicationQueueMappings } = clusterOptions;
  const byName: readonly QueueOption[] = [applicationNameMappings, applicationNameMappingsByName, applicationQueueMappings];
  const key = byName.map((option) => keyOf(option)).find((name) => properties.all.get(name)?.trim());
  for (const text of key === undefined ? [] : list(properties.all.get(key)!)) {
    const [source, ...rest] = text.split(':').map((part) => part.trim());
    const path = rest.join(':');
    if (!source || !path || rest.length > 1) throw illegalMapping(text, key!);
    rules.push(legacyRule(key!, path, isNamed(source)));
  }
  return rules;
}

/** What rules match: texts in which variables may stand (Hadoop's MappingRuleMatchers). */
const isUser =
  (text: string): Rule['matches'] =>
  (variables) =>
    variables.replaceIn(text) === variables.submission.user;
const isNamed =
  (text: string): Rule['matches'] =>
  (variables) =>
    variables.replaceIn(text) === variables.submission.name;
const isInGroup =
  (text: string): Rule['matches'] =>
  (variables) =>
    variables.groups.includes(variables.replaceIn(text));

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
  type?: string | null;
  matches?: string | null;
  policy?: string | null;
  parentQueue?: string | null;
  customPlacement?: string | null;
  value?: string | null;
  create?: boolean | null;
  fallbackResult?: string | null;
}

const jsonKey = keyOf(clusterOptions.mappingRuleJson);
const illegalRule = (reason: string): ConfigurationRefused =>
  new ConfigurationRefused(reason, { key: jsonKey, remedy: 'Repair the rule; docs of YARN, "Queue mapping rules", describe them.' });

/** `mapping-rule-json`: rules with matchers, policies and fallbacks (Hadoop's MappingRuleCreator). @throws ConfigurationRefused */
function jsonRules(text: string | undefined): Rule[] {
  let parsed: { rules?: JsonRule[] } | null;
  try {
    parsed = parseJson(text?.trim() ? text : '{"rules":[]}') as { rules?: JsonRule[] } | null;
  } catch (error) {
    throw illegalRule(`The mapping rules are no JSON: ${(error as Error).message}`);
  }
  const rules = parsed !== null && !Array.isArray(parsed) && parsed.rules === undefined ? [] : parsed?.rules;
  if (!Array.isArray(rules) || !rules.every((rule) => typeof rule === 'object' && rule !== null))
    throw illegalRule('The mapping rules have no list "rules"');
  return rules.map((rule) => {
    const fallback = fallbacks[String(rule.fallbackResult ?? 'skip')];
    if (fallback === undefined) throw illegalRule(`Unsupported fallback rule ${rule.fallbackResult}`);
    if (rule.create !== undefined && rule.create !== null && !['true', 'false'].includes(String(rule.create)))
      throw illegalRule(`"create" is true or false, not "${rule.create}"`);
    return { key: jsonKey, matches: matcherOf(rule), action: actionOf(rule), fallback };
  });
}

const fallbacks: Record<string, Fallback> = { skip: 'skip', reject: 'reject', placeDefault: 'default' };

function matcherOf(rule: JsonRule): Rule['matches'] {
  const wanted = textOf(rule.matches);
  if (textOf(rule.policy) === undefined) throw illegalRule('Rule policy is undefined');
  if (textOf(rule.type) === undefined) throw illegalRule('Rule type is undefined');
  if (wanted === undefined) throw illegalRule('Match string is undefined');
  if (wanted === '') throw illegalRule('Match string is empty');
  switch (rule.type) {
    case 'user':
      return wanted === '*' ? () => true : isUser(wanted);
    case 'group':
      if (wanted === '*') throw illegalRule("Cannot match '*' for groups");
      return isInGroup(wanted);
    case 'application':
      return isNamed(wanted);
    default:
      throw illegalRule(`Unknown type: ${rule.type}`);
  }
}

/** A text, a number or a truth value as Jackson reads it into a text; undefined for null and where nothing is said. */
const textOf = (value: unknown): string | undefined => (value === undefined || value === null ? undefined : String(value));

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
  const parent = textOf(rule.parentQueue);
  if (target !== undefined) return { kind: 'queue', path: parent === undefined ? target : `${parent}.${target}`, create };
  switch (rule.policy) {
    case 'reject':
      return { kind: 'reject' };
    case 'defaultQueue':
      return { kind: 'queue', path: '%default', create: false };
    case 'setDefaultQueue': {
      const path = textOf(rule.value);
      if (path === undefined) throw illegalRule('default queue is undefined');
      return { kind: 'preset', path };
    }
    case 'specified':
      return { kind: 'queue', path: '%specified', create };
    case 'custom': {
      const path = textOf(rule.customPlacement);
      if (path === undefined) throw illegalRule('custom queue is undefined');
      return { kind: 'queue', path, create };
    }
    default:
      throw illegalRule(`Unsupported policy: ${rule.policy}`);
  }
}
