// Faults of capacity-scheduler.xml that building the queues does not meet: children of a queue that its parent does not name, templates that would only
// fail when a queue is made of them.

import type { ResourceTypes } from '../../../model/resource.ts';
import { ConfigurationRefused } from '../../policy.ts';
import { clusterOptions } from './cluster-options.ts';
import { keyOf, prefix } from './option.ts';
import { CapacityProperties, list } from './properties.ts';
import { automaticOptions, joinedOptions } from './queue-options.ts';
import { type Creation, type GlobalSettings, type QueueSettings, readQueue, templateOverlay } from './queue-settings.ts';
import { walk } from './validation.ts';
import { checkValues } from './value-checks.ts';

/**
 * What only a file is refused for, since the REST interface keeps it, as Hadoop does: children of a queue that its parent does not name, parts of a
 * vector that would be passed over, amounts below nothing. @throws ConfigurationRefused
 */
export function checkFile(properties: ReadonlyMap<string, string>, types: ResourceTypes): void {
  checkDeclared(properties);
  checkCalculator(properties);
  const isLegacy = new CapacityProperties(properties).read(clusterOptions.legacyQueueMode);
  if (isLegacy) checkModes(properties);
  for (const [key, value] of properties) {
    if (/\.(maximum-)?capacity$/.test(key)) checkVector(key, value, types);
  }
  checkValues(properties);
}

/** Legacy queue mode knows one way of promising below a parent, and only whole amounts in vectors; others would silently count as nothing. */
function checkModes(properties: ReadonlyMap<string, string>): void {
  const mode = keyOf(clusterOptions.legacyQueueMode);
  for (const [key, value] of properties) {
    if (/\.capacity$/.test(key) && /^\[.*(%|\dw)/.test(value.replace(/\s/g, ''))) {
      throw new ConfigurationRefused(`${value.trim()} has percentages or weights, which vectors cannot have in legacy queue mode`, {
        key,
        remedy: `Set ${mode} to false, or give amounts alone.`,
      });
    }
    const parent = /^yarn\.scheduler\.capacity\.(root(?:\..+)?)\.queues$/.exec(key)?.[1];
    if (parent === undefined) continue;
    const kinds = new Map<string, string>();
    for (const child of list(value)) {
      const text = properties.get(keyOf(joinedOptions.capacity, { queue: `${parent}.${child}` }))?.trim() ?? '';
      const kind = text.startsWith('[') ? 'amounts' : text.endsWith('w') ? 'weights' : Number(text) > 0 ? 'percentages' : undefined;
      if (kind !== undefined && !kinds.has(kind)) kinds.set(kind, child);
    }
    if (kinds.size < 2) continue;
    const found = [...kinds].map(([kind, child]) => `${child} ${kind}`).join(', ');
    throw new ConfigurationRefused(`The queues below ${parent} are promised in different ways (${found})`, {
      key,
      remedy: `Give all of them percentages, or all weights, or all amounts; with ${mode} set to false they may be mixed.`,
    });
  }
}

function checkCalculator(properties: ReadonlyMap<string, string>): void {
  const key = keyOf(clusterOptions.resourceCalculator);
  const name = properties.get(key)?.trim();
  if (!name || /(^|\.)(Default|Dominant)ResourceCalculator$/.test(name)) return;
  throw new ConfigurationRefused(`There is no resource calculator ${name}`, {
    key,
    remedy: 'Give org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator (memory alone) or …DominantResourceCalculator.',
  });
}

function checkVector(key: string, text: string, types: ResourceTypes): void {
  const inside = /^\[(.*)\]$/.exec(text.replace(/\s/g, ''))?.[1];
  if (inside === undefined) return;
  const seen = new Set<string>();
  for (const part of inside.split(',')) {
    const [name = '', amount = ''] = part.split('=');
    const remedy = 'Give each resource once, with an amount, a percentage or a weight from 0 on: [memory=4096,vcores=50%].';
    if (!/^[\d.]+([a-zA-Z]{0,2}|%)$/.test(amount)) throw new ConfigurationRefused(`${part} of ${text} is no amount`, { key, remedy });
    if (types.indexOf(name === 'memory' ? 'memory-mb' : name) === undefined) {
      const known = types.types.map((type) => type.name).join(', ');
      throw new ConfigurationRefused(`${name} of ${text} is no resource`, {
        key,
        remedy: `The resources are ${known}; others are registered by yarn.resource-types.`,
      });
    }
    if (seen.has(name)) throw new ConfigurationRefused(`${name} stands twice in ${text}`, { key, remedy });
    seen.add(name);
  }
}

function checkDeclared(properties: ReadonlyMap<string, string>): void {
  for (const [key, value] of properties) {
    const path = /^yarn\.scheduler\.capacity\.(root\..+)\.queues$/.exec(key)?.[1];
    if (path === undefined || list(value).length === 0) continue;
    const dot = path.lastIndexOf('.');
    const parent = path.slice(0, dot);
    if (list(properties.get(keyOf(joinedOptions.queues, { queue: parent })) ?? '').includes(path.slice(dot + 1))) continue;
    throw new ConfigurationRefused(`Queue ${path} has children (${value.trim()}), but its parent ${parent} does not name it`, {
      key,
      remedy: `Add ${path.slice(dot + 1)} to ${keyOf(joinedOptions.queues, { queue: parent })}, or remove this key.`,
    });
  }
}

/** Tries what automatic queues would be made of. @throws ConfigurationRefused */
export function checkTemplates(root: QueueSettings, properties: CapacityProperties, types: ResourceTypes, global: GlobalSettings): void {
  const attempt = (queue: QueueSettings, start: string, pairs: Pairs, creation: Creation, asParent: boolean): QueueSettings => {
    const path = `${queue.path}.any`;
    const tried = new CapacityProperties(properties.all, templateOverlay(path, pairs));
    try {
      return readQueue(tried, types, global, path, queue, creation, asParent);
    } catch (error) {
      if (!(error instanceof ConfigurationRefused)) throw error;
      const own = error.key?.startsWith(`${prefix}${path}.`) ? error.key.slice(`${prefix}${path}.`.length) : '';
      throw new ConfigurationRefused(error.message, {
        key: templateKeyOf(properties, `${prefix}${queue.path}.`, `${start}${own}`),
        remedy: error.remedy ?? 'Repair the template.',
      });
    }
  };
  const attemptBelow = (queue: QueueSettings, levels: number): void => {
    const { common, parent, leaf } = queue.templates;
    const { template, leafTemplate, parentTemplate } = automaticOptions;
    if (common.length > 0) attempt(queue, template.key, common, 'dynamicFlexible', false);
    if (leaf.length > 0) attempt(queue, leafTemplate.key, leaf, 'dynamicFlexible', false);
    if (levels > 1) attemptBelow(attempt(queue, parentTemplate.key, parent, 'dynamicFlexible', true), levels - 1);
  };
  for (const queue of walk(root)) {
    if (queue.autoCreation === 'legacy' && queue.leafTemplate.length > 0)
      attempt(queue, automaticOptions.leafQueueTemplate.key, queue.leafTemplate, 'dynamicLegacy', false);
    if (queue.autoCreation === 'flexible') attemptBelow(queue, Math.min(queue.maximumQueueDepth, mostLevelsTried));
  }
}

type Pairs = readonly [string, string][];
const mostLevelsTried = 4;

/** The key that a template's value stands under: the queue's own, or one with wildcards. */
function templateKeyOf(properties: CapacityProperties, own: string, rest: string): string {
  if (properties.all.has(own + rest)) return own + rest;
  for (const key of properties.all.keys()) if (key.endsWith(`.*.${rest}`)) return key;
  return own + rest;
}
