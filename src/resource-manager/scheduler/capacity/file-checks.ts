// Faults of capacity-scheduler.xml that building the queues does not meet: children of a queue that nobody names, templates and mapping
// rules that would only fail when somebody submits.

import type { ResourceTypes } from '../../../model/resource.ts';
import { ConfigurationRefused, under } from '../policy.ts';
import { checkRules } from './mapping.ts';
import { CapacityProperties, list, prefix } from './properties.ts';
import { type Creation, type GlobalSettings, type QueueSettings, readQueue, templateOverlay } from './queue-settings.ts';
import { walk } from './validation.ts';

/**
 * What only a file is refused for, since the REST interface keeps it, as Hadoop does: children of a queue that nobody names, parts of a
 * vector that would be passed over. @throws ConfigurationRefused
 */
export function checkFile(properties: ReadonlyMap<string, string>): void {
  checkDeclared(properties);
  for (const [key, value] of properties) if (/\.(maximum-)?capacity$/.test(key)) checkVector(key, value);
}

function checkVector(key: string, text: string): void {
  const inside = /^\[(.*)\]$/.exec(text.replace(/\s/g, ''))?.[1];
  if (inside === undefined) return;
  const seen = new Set<string>();
  for (const part of inside.split(',')) {
    const [name = '', amount = ''] = part.split('=');
    const remedy = 'Give each resource once, with an amount, a percentage or a weight from 0 on: [memory=4096,vcores=50%].';
    if (!/^[\d.]+([a-zA-Z]{0,2}|%)$/.test(amount)) throw new ConfigurationRefused(`${part} of ${text} is no amount`, { key, remedy });
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
    if (list(properties.get(`${prefix}${parent}.queues`) ?? '').includes(path.slice(dot + 1))) continue;
    throw new ConfigurationRefused(`Queue ${path} has children (${value.trim()}), but its parent ${parent} does not name it`, {
      key,
      remedy: `Add ${path.slice(dot + 1)} to ${prefix}${parent}.queues, or remove this key.`,
    });
  }
}

/** Tries what automatic queues would be made of. @throws ConfigurationRefused */
export function checkTemplates(root: QueueSettings, properties: CapacityProperties, types: ResourceTypes, global: GlobalSettings): void {
  for (const queue of walk(root)) {
    const attempt = (start: string, pairs: readonly [string, string][], creation: Creation, asParent: boolean): void => {
      if (pairs.length === 0) return;
      const path = `${queue.path}.any`;
      const overlay = templateOverlay(path, pairs);
      const tried = new CapacityProperties(properties.all, overlay);
      under({ key: `${prefix}${queue.path}.${start}`, remedy: 'Repair the template.' }, () => {
        try {
          readQueue(tried, types, global, path, queue, creation, asParent);
        } catch (error) {
          if (!(error instanceof ConfigurationRefused)) throw error;
          const own = error.key?.startsWith(`${prefix}${path}.`) ? error.key.slice(`${prefix}${path}.`.length) : undefined;
          throw new ConfigurationRefused(error.message, {
            ...(own === undefined ? {} : { key: `${prefix}${queue.path}.${start}${own}` }),
            remedy: error.remedy ?? 'Repair the template.',
          });
        }
      });
    };
    if (queue.autoCreation === 'legacy') attempt('leaf-queue-template.', queue.leafTemplate, 'dynamicLegacy', false);
    const { common, parent, leaf } = queue.templates;
    attempt('auto-queue-creation-v2.template.', common, 'dynamicFlexible', false);
    attempt('auto-queue-creation-v2.leaf-template.', leaf, 'dynamicFlexible', false);
    attempt('auto-queue-creation-v2.parent-template.', parent, 'dynamicFlexible', true);
  }
}

/** Rules whose fixed part leads nowhere. @throws ConfigurationRefused */
export function checkMappings(root: QueueSettings, properties: CapacityProperties): void {
  const byPath = new Map<string, QueueSettings>();
  const byName = new Map<string, QueueSettings[]>();
  for (const queue of walk(root)) {
    byPath.set(queue.path, queue);
    byName.set(queue.name, [...(byName.get(queue.name) ?? []), queue]);
  }
  checkRules(properties, (name) => {
    const named = byName.get(name);
    return byPath.get(name) ?? (named?.length === 1 ? named[0] : undefined);
  });
}
