// <queuePlacementPolicy> of fair-scheduler.xml: rules that choose a queue (Hadoop's QueuePlacementPolicy).

import { isObject } from '../../lib/json-shape.ts';
import { ConfigurationRefused } from '../policy.ts';
import type { XmlElement } from './elements.ts';

/** A rule; `parent` is the rule inside nestedUserQueue, `queue` the queue of default. */
export interface PlacementRule {
  readonly name: string;
  readonly create: boolean;
  readonly queue: string | undefined;
  readonly parent: PlacementRule | undefined;
}

const rulesIn = (element: XmlElement): XmlElement[] => {
  const listed = element['rule'];
  return Array.isArray(listed) ? listed.map((item) => (isObject(item) ? item : {})) : [];
};

/** The rules of `<queuePlacementPolicy>`, in their order. @throws ConfigurationRefused for names that no rule has */
export const rulesOf = (policy: XmlElement): PlacementRule[] => rulesIn(policy).map(ruleOf);

const ruleNames = new Set([
  'specified',
  'user',
  'primaryGroup',
  'secondaryGroup',
  'secondaryGroupExistingQueue',
  'nestedUserQueue',
  'default',
  'reject',
]);

function ruleOf(element: XmlElement): PlacementRule {
  const [inner] = rulesIn(element);
  const name = String(element['@name'] ?? '');
  if (!ruleNames.has(name)) {
    throw new ConfigurationRefused(`No rule class found for ${name}`, {
      key: 'queuePlacementPolicy, rule',
      remedy: `The rules are ${[...ruleNames].join(', ')}.`,
    });
  }
  return {
    name,
    create: String(element['@create'] ?? 'true') !== 'false',
    queue: element['@queue'] === undefined ? undefined : String(element['@queue']),
    parent: inner ? ruleOf(inner) : undefined,
  };
}

/** Whether the rule places every submission (Hadoop's QueuePlacementPolicy). */
const placesAll = ({ name, create }: PlacementRule): boolean =>
  name === 'reject' || (create && ['default', 'user', 'primaryGroup', 'nestedUserQueue'].includes(name));

/** @throws ConfigurationRefused for rules that are never reached, and for lists that may place nowhere */
export function checkRules(rules: readonly PlacementRule[]): void {
  const key = 'queuePlacementPolicy';
  const first = rules.findIndex(placesAll);
  if (first >= 0 && first < rules.length - 1) {
    throw new ConfigurationRefused(`Rules after rule ${first + 1} in queue placement policy can never be reached`, {
      key,
      remedy: `Put ${rules[first]!.name} last, or give it create="false".`,
    });
  }
  if (first < 0 && rules.length > 0) {
    throw new ConfigurationRefused('Could get past last queue placement rule without assigning', {
      key,
      remedy: 'End with a rule that always places: default or reject.',
    });
  }
  for (const rule of rules) {
    if (rule.name === 'nestedUserQueue' && !rule.parent)
      throw new ConfigurationRefused('The rule nestedUserQueue has no rule inside', {
        key,
        remedy: 'Put the rule for the parent queue into it.',
      });
  }
}
